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

#if !WINNOW_ROCKSDB_AT_LEAST(7, 1)
#error "Winnow needs RocksDB 7.1: in releases of 7.0 no other policy can read the filters on disk."
#endif

namespace winnow::plugin {

// Builds Winnow filters, and reads them and RocksDB's own.
//
// Options change only while RocksDB configures the object, before the first use. Apart from that,
// it is safe from any number of threads.
class Policy final : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  // `builtin` reads the blocks that are not ours (NewBuiltinReader). The options must be valid.
  Policy(const PolicyOptions& options,
         std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin);

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

  // InvalidArgument names the option that RocksDB is given and that is unknown or out of range. A
  // value out of range is refused even with ignore_unknown_options, which is about names.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& opts_map,
      std::unordered_map<std::string, std::string>* unused) override;

  // Called by RocksDB when a database is opened.
  ROCKSDB_NAMESPACE::Status ValidateOptions(
      const ROCKSDB_NAMESPACE::DBOptions& db_opts,
      const ROCKSDB_NAMESPACE::ColumnFamilyOptions& cf_opts) const override;

 private:
  PolicyOptions options_;
  const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin_;
  mutable LogLine log_line_;
};

// Makes the policy of valid options. *policy is set only if OK.
ROCKSDB_NAMESPACE::Status MakePolicy(
    const PolicyOptions& options, std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_POLICY_H_
