#include "src/preload/stock_functions.h"

#include <atomic>
#include <memory>

#include "src/preload/request.h"
#include "src/preload/stock_policy.h"

namespace winnow::preload {

std::atomic<const char*> policy_if_unset{""};

namespace {

std::atomic<void*> g_functions[kNumHooks];

}  // namespace

void SetStockFunctions(void* const functions[kNumHooks]) noexcept {
  for (size_t i = 0; i < kNumHooks; ++i) {
    void* none = nullptr;
    g_functions[i].compare_exchange_strong(none, functions[i]);
  }
}

void* StockFunction(Hook hook) noexcept { return g_functions[static_cast<size_t>(hook)].load(); }

std::shared_ptr<const FilterPolicy> NewStockPolicy(double bits_per_key) {
  using Make = Signature<Hook::kNewBloomFilterPolicy>::Type;
  auto* const found = reinterpret_cast<Make*>(StockFunction(Hook::kNewBloomFilterPolicy));
  // Without a front, there is no hook to bypass.
  Make* const make = found != nullptr ? found : &ROCKSDB_NAMESPACE::NewBloomFilterPolicy;
  return std::shared_ptr<const FilterPolicy>(make(bits_per_key, false));
}

}  // namespace winnow::preload
