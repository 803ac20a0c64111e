// Winnow's filter policy, as RocksDB's configuration makes it.

#ifndef WINNOW_SRC_ROCKSDB_POLICY_H_
#define WINNOW_SRC_ROCKSDB_POLICY_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>
#include <unordered_map>

#include "src/rocksdb/builders/builtin_builders.h"
#include "src/rocksdb/builders/planned_builders.h"
#include "src/rocksdb/log_line.h"
#include "src/rocksdb/policy_meter.h"
#include "src/rocksdb/policy_state.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

struct Predecessor;

// Builds Winnow filters, or has RocksDB build its own, and reads both.
//
// RocksDB drops the errors of a filter policy in a table-options string, in an OPTIONS file and,
// from 9.8 on, in SetOptions, and keeps the object that it has. So a policy that was made from
// wrong text remembers the reason, and fails validation with it. That makes DB::Open fail:
// otherwise nobody would notice an open without filters, or with others than were asked for. If
// nothing validates the policy, above all in SetOptions, it builds good filters: those that were
// built before, or the nearest to those asked for. It says so in each database's LOG and on stderr.
//
// Options may change at any time. Safe from any number of threads.
class Policy final : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  // `builtin` reads the blocks that are not ours (NewBuiltinReader). The options must be valid.
  Policy(const PolicyOptions& options,
         std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin);

  // By the name in an options string, such as "winnow:10", which may be wrong. RocksDB configures
  // the policy next.
  Policy(const std::string& id, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin);

  // The name in the table properties. In OPTIONS files it is the id, and the options are beside it.
  static constexpr char kName[] = "winnow.Filter";
  const char* Name() const override { return kName; }
  // The name by which a listener recognizes this class. Its number changes with the members, as a
  // program may have another copy of the library.
  static const char* kClassName() { return "winnow.internal.Policy/6"; }
  const char* NickName() const override { return "winnow"; }

  // The name of the built-in policies. So they find our filters, and take them for "may match", and
  // we find theirs.
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }

  // Right before RocksDB replaces this policy by a changed one, it calls this with the new one's
  // id. So this remembers for the new policy what is known of trees, and the options to continue
  // with if the change is wrong.
  bool IsInstanceOf(const std::string& name) const override;

  ROCKSDB_NAMESPACE::FilterBitsBuilder* GetBuilderWithContext(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const override;

  ROCKSDB_NAMESPACE::FilterBitsReader* GetFilterBitsReader(
      const ROCKSDB_NAMESPACE::Slice& contents) const override;

  // InvalidArgument names the option that is unknown or has a bad value. Bad values are refused
  // even with ignore_unknown_options, which is about names. After an error the options in force
  // stay.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& opts_map,
      std::unordered_map<std::string, std::string>* unused) override;

  // Has every option, also those that are not saved in OPTIONS files.
  ROCKSDB_NAMESPACE::Status GetOption(const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
                                      const std::string& name, std::string* value) const override;

  // InvalidArgument says why it was made from wrong text.
  ROCKSDB_NAMESPACE::Status Check() const { return state_.Validate(); }

  // Called by DB::Open for each column family. Those that are made later, and databases that are
  // only read, are not shown.
  ROCKSDB_NAMESPACE::Status ValidateOptions(
      const ROCKSDB_NAMESPACE::DBOptions& db_opts,
      const ROCKSDB_NAMESPACE::ColumnFamilyOptions& cf_opts) const override;

  // The options by which it builds now.
  PolicyOptions options() const { return state_.Get().options; }

  // The first log that the policy gets will have this line, too, as a warning or not.
  void SayInFirstLog(const std::string& text, bool is_warning) const {
    log_line_.AddToFirst(text, is_warning);
  }

  // It builds the files of one compaction in a worker, of this family, whose comparator was
  // compared with the database's. To be called before it is asked for a builder.
  void SetJob(const std::string& family, KeyOrder order) const {
    planned_builders_.order_shown().job().Set(family, order);
  }

  // Returns what it knows of its files, for a listener, by its current options.
  const std::shared_ptr<KnownFiles>& known() const {
    planned_builders_.SetPolicy(state_.Get().options);
    return planned_builders_.known();
  }
  // The same, by the options of the policy that used it last among those that share it.
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

// Makes the policy of a name such as "winnow:10". If the number is bad, it is a policy that fails
// validation. *policy is set only if OK.
ROCKSDB_NAMESPACE::Status MakePolicyFromId(
    const std::string& id, std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

// Null if the policy is not Winnow's, or is of another copy of the library. Does not use
// CheckedCast: compiled into RocksDB, its library would export the instance for Policy.
inline const Policy* AsPolicy(const ROCKSDB_NAMESPACE::FilterPolicy* policy) {
  const bool is_ours = policy != nullptr && policy->IsInstanceOf(Policy::kClassName());
  return is_ours ? static_cast<const Policy*>(policy) : nullptr;
}

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_POLICY_H_
