// Winnow's filter policy, as RocksDB's configuration makes it.

#ifndef WINNOW_SRC_ROCKSDB_POLICY_H_
#define WINNOW_SRC_ROCKSDB_POLICY_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>
#include <unordered_map>

#include "src/rocksdb/log_line.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Builds Winnow filters, and reads them and RocksDB's own.
//
// RocksDB drops the errors of a filter policy in a table-options string or an OPTIONS file, and
// keeps what object there is. So a policy that was made from text that is wrong stays, refuses to
// be configured and validated with that reason, and by that makes DB::Open fail: an open without
// filters, or with others than were asked for, would not be noticed. It builds no filters.
//
// Options change only while RocksDB configures the object, before the first use. Apart from that,
// it is safe from any number of threads.
class Policy final : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  enum class Origin { kCode, kText };

  // `builtin` reads the blocks that are not ours (NewBuiltinReader). The options must be valid.
  // kText: RocksDB configures the policy next.
  Policy(const PolicyOptions& options,
         std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin, Origin origin);

  // From now on the policy refuses. Only before it is used.
  void Refuse(std::string reason);

  // The name in the table properties; in OPTIONS files the id, beside which are the options.
  const char* Name() const override { return "winnow.Filter"; }
  const char* NickName() const override { return "winnow"; }

  // That of the built-in policies, which therefore find our filters and take them for "may match",
  // as we find theirs.
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }

  ROCKSDB_NAMESPACE::FilterBitsBuilder* GetBuilderWithContext(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const override;

  ROCKSDB_NAMESPACE::FilterBitsReader* GetFilterBitsReader(
      const ROCKSDB_NAMESPACE::Slice& contents) const override;

  // InvalidArgument names the option that is unknown or has a bad value; a bad value is refused
  // even with ignore_unknown_options, which is about names.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& opts_map,
      std::unordered_map<std::string, std::string>* unused) override;

  // Called by RocksDB when a database is opened or gets a column family.
  ROCKSDB_NAMESPACE::Status ValidateOptions(
      const ROCKSDB_NAMESPACE::DBOptions& db_opts,
      const ROCKSDB_NAMESPACE::ColumnFamilyOptions& cf_opts) const override;

 private:
  ROCKSDB_NAMESPACE::Status CheckNewValues(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& values, bool unknown_are_returned) const;

  PolicyOptions options_;
  std::string refusal_;   // empty: it works
  bool is_unconfigured_;  // made from text and not configured yet
  const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin_;
  mutable LogLine log_line_;
};

// Makes the policy of valid options. *policy is set only if OK.
ROCKSDB_NAMESPACE::Status MakePolicy(
    const PolicyOptions& options, std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

// Makes the policy of a name such as "winnow:10"; one that refuses if the number is bad. *policy is
// set only if OK.
ROCKSDB_NAMESPACE::Status MakePolicyFromId(
    const std::string& id, std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_POLICY_H_
