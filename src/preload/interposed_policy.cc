#include "src/preload/interposed_policy.h"

#include <rocksdb/table.h>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/preload/report.h"
#include "src/preload/request.h"
#include "src/preload/stock_functions.h"
#include "src/preload/stock_policy.h"
#include "src/rocksdb/bits_builder.h"
#include "src/rocksdb/bits_reader.h"
#include "src/rocksdb/context.h"
#include "src/rocksdb/log_line.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/version_guard.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::Customizable;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

constexpr std::string_view kClassName = "winnow.internal.Interposed";

// What makes an interposed policy of a built-in one.
struct Plan {
  std::string id;                        // what OPTIONS files say
  std::string label;                     // what lines for people say
  std::optional<PolicyOptions> options;  // unset: no filters are built
};

class InterposedPolicy final : public FilterPolicy {
 public:
  InterposedPolicy(std::shared_ptr<const FilterPolicy> stock, Plan plan)
      : stock_(std::move(stock)), plan_(std::move(plan)) {
    if (IsLogging()) {
      SayTotalsAtExit();
    }
  }

  const char* Name() const override { return stock_->Name(); }
  std::string GetId() const override { return plan_.id; }
  const char* CompatibilityName() const override { return stock_->CompatibilityName(); }

  // RocksDB casts by these two: whoever asks for the built-in class must get the object that is
  // one.
  bool IsInstanceOf(const std::string& name) const override { return name == kClassName; }
  const Customizable* Inner() const override { return stock_.get(); }

  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    if (!plan_.options) {
      return nullptr;
    }
    SayFirstUse();
    log_line_.WriteOnce(context.info_log, plan_.label.c_str(), *plan_.options);
    return plugin::NewBitsBuilder(plugin::ContextToOptions(*plan_.options, context),
                                  context.table_options.detect_filter_construct_corruption);
  }

  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    SayFirstUse();
    return plugin::NewBitsReader(contents, *stock_);
  }

 private:
  void SayFirstUse() const {
    if (!IsLogging() || was_used_.exchange(true, std::memory_order_relaxed)) {
      return;
    }
    SayTotalsAtExit();
    SayOnce("filter policy " + plan_.label +
            (plan_.options ? " builds Winnow filters, " + plugin::ToString(*plan_.options)
                           : std::string(" builds no filters")) +
            " (Winnow " + Version() + ", RocksDB " + plugin::CompiledVersion() + ")");
  }

  const std::shared_ptr<const FilterPolicy> stock_;
  const Plan plan_;
  mutable std::atomic<bool> was_used_{false};
  mutable plugin::LogLine log_line_;
};

// Unset if the policy is to stay as it is.
std::optional<Plan> PlanFor(const FilterPolicy* stock) {
  if (stock == nullptr || !IsInterposing()) {
    return std::nullopt;
  }
  const std::string_view name = stock->Name();
  if ((name != "bloomfilter" && name != "ribbonfilter") ||
      stock->IsInstanceOf(std::string(kClassName))) {
    return std::nullopt;
  }
  // An id without a number: somebody's wrapper of a policy that was interposed when it was made.
  const std::string id = stock->GetId();
  const std::optional<StockPolicy> parsed = ParseStockPolicyId(id);
  if (!parsed) {
    return std::nullopt;
  }
  return Plan{id, id, Replacement(*parsed, RequestedPolicy())};
}

}  // namespace

const FilterPolicy* Interpose(const FilterPolicy* stock) {
  std::optional<Plan> plan = PlanFor(stock);
  if (!plan) {
    return stock;
  }
  return new InterposedPolicy(std::shared_ptr<const FilterPolicy>(stock), *std::move(plan));
}

std::shared_ptr<const FilterPolicy> Interpose(std::shared_ptr<const FilterPolicy> stock) {
  std::optional<Plan> plan = PlanFor(stock.get());
  if (!plan) {
    return stock;
  }
  return std::make_shared<const InterposedPolicy>(std::move(stock), *std::move(plan));
}

std::shared_ptr<const FilterPolicy> NewAddedPolicy() {
  const PolicyOptions& options = RequestedPolicy().options;
  return std::make_shared<const InterposedPolicy>(
      std::shared_ptr<const FilterPolicy>(StockNewBloomFilterPolicy(options.bits_per_key, false)),
      Plan{"nullptr", "added by WINNOW_ADD", options});
}

}  // namespace winnow::preload
