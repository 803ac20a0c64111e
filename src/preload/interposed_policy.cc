#include "src/preload/interposed_policy.h"

#include <pthread.h>
#include <rocksdb/status.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_type.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "src/preload/request.h"
#include "src/preload/stock_policy.h"
#include "src/rocksdb/builders/builtin_builders.h"
#include "src/rocksdb/engine.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/totals.h"
#include "src/rocksdb/version_guard.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "third_party/rocksdb_abi/type_information.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::Configurable;
using ROCKSDB_NAMESPACE::Customizable;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::OptionType;
using ROCKSDB_NAMESPACE::OptionTypeFlags;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::OptionVerificationType;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Class name of this build. Policies with other names belong to another copy of Winnow, and must
// not be cast.
#if defined(WINNOW_IN_TREE) || defined(WINNOW_ADOPTED)
constexpr std::string_view kClassName = "winnow.internal.InterposedInTree";
#else
constexpr std::string_view kClassName = "winnow.internal.Interposed";
#endif
constexpr std::string_view kBloomNickName = "rocksdb.BloomFilter";
constexpr std::string_view kRibbonNickName = "rocksdb.RibbonFilter";

// Plan of the filters that replace a built-in policy's: those of the policy that the program asked
// for, those of WINNOW_POLICY, or none.
struct Plan {
  std::string label;  // name in messages
  bool builds_stock = false;
  std::optional<PolicyOptions> requested;
  std::string complaint;  // reason for refused options; often empty
};

// Returns nullopt if this is not the id of a built-in policy.
std::optional<Plan> PlanFor(const std::string& stock_id) {
  const std::optional<StockPolicy> parsed = ParseStockPolicyId(stock_id);
  if (!parsed) {
    return std::nullopt;
  }
  const PolicyRequest& request = CheckedPolicy();
  if (request.only_reads) return Plan{stock_id, parsed->bits_per_key != 0, {}, {}};
  const std::optional<PolicyOptions> options = Replacement(*parsed, request);
  return Plan{stock_id, false, options, options ? request.complaint : std::string()};
}

// Describes the filters that a policy builds, as the end of "which ...".
std::string Builds(const Plan& plan) {
  if (plan.builds_stock) return "builds RocksDB's own filters, as the program asked";
  if (!plan.requested) return "builds no filters";
  return plan.requested->build == Build::kWinnow
             ? "builds Winnow filters, " + plugin::ToString(*plan.requested)
             : "builds RocksDB's " + plugin::BuiltinPolicyId(*plan.requested);
}

// Returns whether new files get no Winnow filters, but those of old files are read.
bool OnlyReads(const Plan& plan) {
  return plan.requested ? plan.requested->build != Build::kWinnow : CheckedPolicy().only_reads;
}

class InterposedPolicy;

// A thread that asks which interposed policy answers Name(), and the answer. Not thread_local, as
// static TLS is scarce in libraries that are loaded by dlopen().
struct Naming {
  std::mutex mutex;
  std::atomic<pthread_t> thread{};  // none: zero
  std::atomic<const InterposedPolicy*> named{nullptr};
};
Naming& GetNaming() {
  static Naming& naming = *new Naming;
  return naming;
}

// Reader that answers like another one until *stopped is true, and then "may match".
class StoppableReader final : public FilterBitsReader {
 public:
  StoppableReader(std::unique_ptr<FilterBitsReader> reader,
                  std::shared_ptr<const std::atomic<bool>> stopped)
      : reader_(std::move(reader)), stopped_(std::move(stopped)) {}

  bool MayMatch(const Slice& key) override {
    return stopped_->load(std::memory_order_acquire) || reader_->MayMatch(key);
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    if (stopped_->load(std::memory_order_acquire)) {
      std::fill_n(may_match, num_keys, true);
    } else {
      reader_->MayMatch(num_keys, keys, may_match);
    }
  }

 private:
  const std::unique_ptr<FilterBitsReader> reader_;
  const std::shared_ptr<const std::atomic<bool>> stopped_;
};

// Policy in place of a built-in one. The built-in object answers questions of the program or
// RocksDB about the policy's identity and options, and options are changed there: RocksDB's Ribbon
// policy has a mutable option from 8.7 on, which its id contains. The plan for each file is derived
// from this id.
class InterposedPolicy final : public FilterPolicy {
 public:
  explicit InterposedPolicy(std::shared_ptr<const FilterPolicy> stock)
      : InterposedPolicy(std::move(stock), std::nullopt) {
    RegisterStockOptions();
  }

  // Makes an added policy, which no program asked for. OPTIONS files show it as null.
  InterposedPolicy(std::shared_ptr<const FilterPolicy> stock, std::optional<Plan> added)
      : stock_(std::move(stock)), added_(std::move(added)) {
    if (IsLogging()) {
      plugin::SayTotalsAtExit();
    }
    const Plan plan = CurrentPlan();
    if (plan.requested) {
      engine_.NamePolicy(*plan.requested);
    } else {
      engine_.NamePolicy(plan.label);
    }
  }

  const char* Name() const override {
    Naming& naming = GetNaming();
    if (naming.thread.load() == ::pthread_self()) naming.named.store(this);
    return stock_->Name();
  }
  std::string GetId() const override { return added_ ? "nullptr" : stock_->GetId(); }
  const char* CompatibilityName() const override {
    engine_.NoteDatabase();
    return stock_->CompatibilityName();
  }

  // RocksDB casts by the names of its classes, without a check: the result must be an object of
  // that class, which Inner() is. RocksDB's nicknames are for users and options strings.
  bool IsInstanceOf(const std::string& name) const override {
    return name == kClassName || (!added_ && (name == kBloomNickName || name == kRibbonNickName) &&
                                  stock_->IsInstanceOf(name));
  }
  const Customizable* Inner() const override { return stock_.get(); }

  // The built-in object knows its options, and finds those of any other object through Inner().
  bool AreEquivalent(const ConfigOptions& config, const Configurable* other,
                     std::string* mismatch) const override {
    return added_ ? FilterPolicy::AreEquivalent(config, other, mismatch)
                  : other == this || stock_->AreEquivalent(config, other, mismatch);
  }

  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    const Plan plan = CurrentPlan();
    SayFirstUse();
    if (!plan.requested) {
      engine_.log_line().WriteReadingOnce(context.info_log, plan.label.c_str(), Builds(plan));
      engine_.NoteBuilderAsked(context);
      if (!plan.builds_stock) return nullptr;
      plugin::WarnOfEmptyPartitions(*stock_, plan.label, context);
      return stock_->GetBuilderWithContext(context);
    }
    if (has_prefixes_->load(std::memory_order_relaxed)) {
      engine_.NoteBuilderAsked(context);
      return nullptr;
    }
    return engine_.NewBuilder(plan.label.c_str(), *plan.requested, plan.complaint, context);
  }

  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    try {
      SayFirstUse();
      if (const PolicyRequest& request = CheckedPolicy(); !request.complaint.empty()) {
        engine_.log_line().ComplainOnce(Name(), request.options, request.complaint);
      }
    } catch (...) {
      // Out of memory: lookups go on without the lines.
    }
    FilterBitsReader* const reader = engine_.NewReader(contents, *stock_);
    if (!added_ || reader == nullptr) return reader;
    std::unique_ptr<FilterBitsReader> owned(reader);
    return new (std::nothrow) StoppableReader(std::move(owned), has_prefixes_);  // null: may match
  }

  // Makes opening a database fail if WINNOW_POLICY is invalid.
  Status ValidateOptions(const DBOptions& database,
                         const ColumnFamilyOptions& family) const override {
    const Plan plan = CurrentPlan();
    engine_.NoteDatabaseOptions(database, family);
    return !plan.complaint.empty() ? Status::InvalidArgument(plan.complaint)
                                   : FilterPolicy::ValidateOptions(database, family);
  }

  // Called before a prefix extractor is set. Returns false if this was done before, or if the
  // policy is the program's own, which is meant for prefixes.
  bool Stop() const { return added_ && !has_prefixes_->exchange(true); }

 private:
  Plan CurrentPlan() const {
    if (added_) return *added_;
    const std::string id = stock_->GetId();
    return PlanFor(id).value_or(Plan{id, true, {}, {}});
  }

  // RocksDB looks for options among those that an object registered, not in its Inner(): the names
  // of the built-in object's options are registered here, and each option is read and set in that
  // object.
  void RegisterStockOptions() {
    auto* const stock = const_cast<FilterPolicy*>(stock_.get());
    ConfigOptions config;
    std::unordered_set<std::string> names;
    std::unordered_set<std::string> mutable_names;
    Status status = stock->GetOptionNames(config, &names);
    config.mutable_options_only = true;
    if (status.ok()) {
      status = stock->GetOptionNames(config, &mutable_names);
    }
    if (!status.ok() || names.empty()) {
      return;
    }
    for (const std::string& name : names) {
      option_types_.emplace(
          name,
          OptionTypeInfo(
              0, OptionType::kUnknown, OptionVerificationType::kNormal,
              mutable_names.count(name) > 0 ? OptionTypeFlags::kMutable : OptionTypeFlags::kNone,
              [stock](const ConfigOptions& how, const std::string& option, const std::string& value,
                      void*) {
                ConfigOptions unescaped = how;
                unescaped.input_strings_escaped = false;  // already unescaped for this object
                return stock->ConfigureOption(unescaped, option, value);
              },
              [stock](const ConfigOptions& how, const std::string& option, const void*,
                      std::string* value) { return stock->GetOption(how, option, value); },
              nullptr));
    }
    // The built-in class has another name for its options, by which RocksDB would look for that
    // class's members.
    RegisterOptions(std::string(kClassName), this, &option_types_);
  }

  void SayFirstUse() const {
    if (!IsLogging() || was_used_.exchange(true, std::memory_order_relaxed)) {
      return;
    }
    plugin::SayTotalsAtExit();
    const Plan plan = CurrentPlan();
    plugin::SayOnceOnStderr("filter policy " + plan.label + " " + Builds(plan) +
                            (OnlyReads(plan) ? ", and reads Winnow's too" : "") + " (Winnow " +
                            Version() + ", RocksDB " + plugin::CompiledVersion() + ")");
  }

  const std::shared_ptr<const FilterPolicy> stock_;
  const std::optional<Plan> added_;
  std::unordered_map<std::string, OptionTypeInfo> option_types_;
  mutable std::atomic<bool> was_used_{false};
  // Shared with the readers, which may outlive this object.
  const std::shared_ptr<std::atomic<bool>> has_prefixes_ =
      std::make_shared<std::atomic<bool>>(false);
  mutable plugin::Engine engine_{this, nullptr, [this] { return CurrentPlan().requested; }};
};

// Wrappers have no function that returns what they wrap.
const InterposedPolicy* FindInterposed(const FilterPolicy& policy) {
  Naming& naming = GetNaming();
  const std::lock_guard<std::mutex> lock(naming.mutex);
  naming.named.store(nullptr);
  naming.thread.store(::pthread_self());
  static_cast<void>(policy.Name());
  naming.thread.store({});
  return naming.named.load();
}

// Returns whether to interpose the policy. A built-in name with another id belongs to a wrapper of
// a policy that was interposed when it was made.
bool IsToBeInterposed(const FilterPolicy* stock) {
  if (stock == nullptr || !IsInterposing()) {
    return false;
  }
  return IsNamedAsBuiltin(*stock) && !stock->IsInstanceOf(std::string(kClassName)) &&
         PlanFor(stock->GetId()).has_value();
}

}  // namespace

const FilterPolicy* Interpose(const FilterPolicy* stock) {
  return IsToBeInterposed(stock) ? new InterposedPolicy(std::shared_ptr<const FilterPolicy>(stock))
                                 : stock;
}

std::shared_ptr<const FilterPolicy> Interpose(std::shared_ptr<const FilterPolicy> stock) {
  return IsToBeInterposed(stock.get()) ? std::make_shared<const InterposedPolicy>(std::move(stock))
                                       : stock;
}

std::shared_ptr<const FilterPolicy> NewAddedPolicy() {
  const PolicyRequest& request = CheckedPolicy();
  Plan plan{"added by WINNOW_ADD", false, {}, request.complaint};
  if (!request.only_reads) plan.requested = request.options;
  return std::make_shared<const InterposedPolicy>(NewStockPolicy(request.options.bits_per_key),
                                                  std::move(plan));
}

const FilterPolicy* InterposedBehind(const FilterPolicy& policy) { return FindInterposed(policy); }

plugin::Engine* EngineBehind(const FilterPolicy& policy) {
  const FilterPolicy* const interposed = FindInterposed(policy);
  return plugin::EngineOf(interposed != nullptr ? interposed : &policy);
}

bool IsNamedAsBuiltin(const FilterPolicy& policy) {
  const std::string_view name = policy.Name();
  return name == "bloomfilter" || name == "ribbonfilter";
}

bool WasMissed(const FilterPolicy& policy) {
  const bool is_wrapper = IsNamedAsBuiltin(policy) && policy.GetId() == policy.Name();
  return IsToBeInterposed(&policy) ||
         (is_wrapper && IsInterposing() && FindInterposed(policy) == nullptr);
}

bool StopIfAdded(const FilterPolicy* policy) {
  return policy != nullptr && policy->IsInstanceOf(std::string(kClassName)) &&
         static_cast<const InterposedPolicy*>(policy)->Stop();
}

}  // namespace winnow::preload
