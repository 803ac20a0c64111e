// Winnow's filter policy, configured by RocksDB's options.

#ifndef WINNOW_SRC_ROCKSDB_POLICY_H_
#define WINNOW_SRC_ROCKSDB_POLICY_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <memory>
#include <string>
#include <unordered_map>

#include "src/rocksdb/engine.h"
#include "src/rocksdb/policy_state.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

struct Predecessor;

// Filter policy that builds Winnow's filters, or has RocksDB build its own, and reads both.
//
// RocksDB drops the errors of a filter policy in a table-options string, in an OPTIONS file and,
// from 9.8 on, in SetOptions, and keeps the object that it has. So a policy that was made from
// invalid text remembers the reason and fails validation with it, which makes DB::Open fail.
// Otherwise, nobody would notice that a database has no filters, or filters with other options than
// asked for. If nothing validates the policy, above all in SetOptions, the policy builds good
// filters: with its former options, or with the nearest valid ones. It reports this in each
// database's LOG and on stderr.
//
// Options may change at any time. Thread-safe.
class Policy final : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  // Makes a policy of valid options. `builtin` reads blocks that are not Winnow's
  // (NewBuiltinReader).
  Policy(const PolicyOptions& options,
         std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin);

  // Makes a policy by its name in an options string, such as "winnow:10", which may be invalid.
  // RocksDB configures the policy next. `predecessor` is the policy that it replaces, if any.
  Policy(const std::string& id, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin,
         std::unique_ptr<const Predecessor> predecessor);

  // Name in the table properties. OPTIONS files have the id instead, with the options beside it.
  static constexpr char kName[] = "winnow.Filter";
  const char* Name() const override { return kName; }
  const char* NickName() const override { return "winnow"; }

  // Name of the built-in policies, so that they find Winnow's filters, and take them for "may
  // match", and Winnow finds theirs. RocksDB asks for it when it opens or builds an SST file.
  const char* CompatibilityName() const override {
    engine_.NoteDatabase();
    return "rocksdb.BuiltinBloomFilter";
  }

  // Called by RocksDB with the id of the new policy right before it replaces this policy by a
  // changed one. Saves, for the new policy, the known trees, and the options to continue with if
  // the change is invalid.
  bool IsInstanceOf(const std::string& name) const override;

  ROCKSDB_NAMESPACE::FilterBitsBuilder* GetBuilderWithContext(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const override;

  ROCKSDB_NAMESPACE::FilterBitsReader* GetFilterBitsReader(
      const ROCKSDB_NAMESPACE::Slice& contents) const override;

  // Returns InvalidArgument with the name of the option if it is unknown or has an invalid value.
  // Invalid values are refused even with ignore_unknown_options, which concerns names only. After
  // an error, the options in force stay.
  ROCKSDB_NAMESPACE::Status ConfigureOptions(
      const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
      const std::unordered_map<std::string, std::string>& opts_map,
      std::unordered_map<std::string, std::string>* unused) override;

  // Returns every option, including those that are not saved in OPTIONS files.
  ROCKSDB_NAMESPACE::Status GetOption(const ROCKSDB_NAMESPACE::ConfigOptions& config_options,
                                      const std::string& name, std::string* value) const override;

  // Returns InvalidArgument with the reason if the policy was made from invalid text.
  ROCKSDB_NAMESPACE::Status Check() const { return state_.Validate(); }

  // Called by DB::Open for each column family. RocksDB does not call this for column families that
  // are created later, or for databases that are opened read-only.
  ROCKSDB_NAMESPACE::Status ValidateOptions(
      const ROCKSDB_NAMESPACE::DBOptions& db_opts,
      const ROCKSDB_NAMESPACE::ColumnFamilyOptions& cf_opts) const override;

 private:
  void Register();

  PolicyState state_;
  const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin_;
  mutable Engine engine_;
};

// Makes a policy by a name such as "winnow:10". If the number is invalid, the policy fails
// validation. *policy is set only if OK.
ROCKSDB_NAMESPACE::Status MakePolicyFromId(
    const std::string& id, std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy);

// Returns null if the policy is not of this class, or is of another copy of the library. Does not
// use CheckedCast: if compiled into RocksDB, its library would export the template's instance for
// Policy.
inline const Policy* AsPolicy(const ROCKSDB_NAMESPACE::FilterPolicy* policy) {
  const bool is_ours = EngineOf(policy) != nullptr && policy->Name() == Policy::kName;
  return is_ours ? static_cast<const Policy*>(policy) : nullptr;
}

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_POLICY_H_
