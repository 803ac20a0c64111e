// Winnow's filter policy, as RocksDB's configuration makes it.

#ifndef WINNOW_SRC_ROCKSDB_POLICY_H_
#define WINNOW_SRC_ROCKSDB_POLICY_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>
#include <unordered_map>

#include "src/rocksdb/builtin_builders.h"
#include "src/rocksdb/log_line.h"
#include "src/rocksdb/planned_builders.h"
#include "src/rocksdb/policy_meter.h"
#include "src/rocksdb/policy_state.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

struct Predecessor;

// Builds Winnow filters, or has RocksDB build its own, and reads both.
//
// RocksDB drops the errors of a filter policy in a table-options string, in an OPTIONS file and,
// from 9.8 on, in SetOptions, and keeps what object there is. So a policy that was made from text
// that is wrong stays, refuses to be validated with the reason, and by that makes DB::Open fail: an
// open without filters, or with others than were asked for, would not be noticed. Where nothing
// validates it, above all in SetOptions, it builds good filters, those that were built before or
// what is nearest to those asked for, and says so in each database's LOG and on stderr.
//
// Options may change at any time. Safe from any number of threads.
class Policy final : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  // `builtin` reads the blocks that are not ours (NewBuiltinReader). The options must be valid.
  Policy(const PolicyOptions& options,
         std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin);

  // Of the name in an options string, such as "winnow:10", which need not be right. RocksDB
  // configures the policy next.
  Policy(const std::string& id, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin);

  ~Policy() override;

  // The name in the table properties; in OPTIONS files the id, beside which are the options.
  static constexpr char kName[] = "winnow.Filter";
  const char* Name() const override { return kName; }
  // By which a listener knows it, with a number that changes with its members: a program may have
  // another copy of the library.
  static const char* kClassName() { return "winnow.internal.Policy/4"; }
  const char* NickName() const override { return "winnow"; }

  // That of the built-in policies, which therefore find our filters and take them for "may match",
  // as we find theirs.
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }

  // A new policy for a change of this one is made right after RocksDB asked this of it, with the id
  // of the new one: what is remembered here are the options to go on with if the change is wrong,
  // and what is known of trees.
  bool IsInstanceOf(const std::string& name) const override;

  ROCKSDB_NAMESPACE::FilterBitsBuilder* GetBuilderWithContext(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const override;

  ROCKSDB_NAMESPACE::FilterBitsReader* GetFilterBitsReader(
      const ROCKSDB_NAMESPACE::Slice& contents) const override;

  // InvalidArgument names the option that is unknown or has a bad value; a bad value is refused
  // even with ignore_unknown_options, which is about names. Options that are in force stay then.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& opts_map,
      std::unordered_map<std::string, std::string>* unused) override;

  // Every option, also one that is not saved in OPTIONS files.
  ROCKSDB_NAMESPACE::Status GetOption(const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
                                      const std::string& name, std::string* value) const override;

  // Called by RocksDB when a database is opened or gets a column family.
  ROCKSDB_NAMESPACE::Status ValidateOptions(
      const ROCKSDB_NAMESPACE::DBOptions& db_opts,
      const ROCKSDB_NAMESPACE::ColumnFamilyOptions& cf_opts) const override;

  // By which it builds now.
  PolicyOptions options() const { return state_.Get().options; }

  // The first log that it is shown gets this line too, as a warning or not.
  void SayInFirstLog(const std::string& text, bool is_warning) const {
    log_line_.AddToFirst(text, is_warning);
  }

  // What it knows of its files, for a listener, by its options now.
  const std::shared_ptr<KnownFiles>& known() const {
    planned_builders_.SetPolicy(state_.Get().options);
    return planned_builders_.known();
  }
  // The same, by the options of whichever policy that shares it was used last.
  const std::shared_ptr<KnownFiles>& shared() const { return planned_builders_.known(); }

 private:
  Policy(const std::string& id, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin,
         std::unique_ptr<const Predecessor> predecessor);
  void Register();

  PolicyState state_;
  const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin_;
  const BuiltinBuilders builtin_builders_;
  mutable PlannedBuilders planned_builders_;
  const PolicyMeter meter_;
  mutable LogLine log_line_;
};

// Makes the policy of valid options. *policy is set only if OK.
ROCKSDB_NAMESPACE::Status MakePolicy(
    const PolicyOptions& options, std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

// Makes the policy of a name such as "winnow:10"; one that refuses if the number is bad. *policy is
// set only if OK.
ROCKSDB_NAMESPACE::Status MakePolicyFromId(
    const std::string& id, std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

// Null: none of Winnow's, or of another copy of the library. Not by CheckedCast: RocksDB's library
// would show its instance for Policy.
inline const Policy* AsPolicy(const ROCKSDB_NAMESPACE::FilterPolicy* policy) {
  const bool is_ours = policy != nullptr && policy->IsInstanceOf(Policy::kClassName());
  return is_ours ? static_cast<const Policy*>(policy) : nullptr;
}

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_POLICY_H_
