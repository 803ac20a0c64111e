#include "src/preload/stock_functions.h"

#include <atomic>
#include <memory>

#include "src/preload/hook_types.h"
#include "src/preload/request.h"
#include "src/preload/stock_policy.h"

namespace winnow::preload {

std::atomic<const char*> policy_if_unset{""};

namespace {

std::atomic<void*> g_functions[kNumHooks];
std::atomic<AskIfReplaced*> g_is_replaced{nullptr};

}  // namespace

void SetStockFunctions(void* const functions[kNumHooks], AskIfReplaced* is_replaced) noexcept {
  AskIfReplaced* nobody = nullptr;
  g_is_replaced.compare_exchange_strong(nobody, is_replaced);
  for (size_t i = 0; i < kNumHooks; ++i) {
    void* none = nullptr;
    g_functions[i].compare_exchange_strong(none, functions[i]);
  }
}

void* StockFunction(Hook hook) noexcept { return g_functions[static_cast<size_t>(hook)].load(); }

std::optional<bool> IsReplaced(Hook hook) noexcept {
  const void* const stock = StockFunction(hook);
  return stock == nullptr ? false : g_is_replaced.load()(stock, hook);
}

std::string UnreplacedCalls() {
  std::string functions;
  for (const Hook hook :
       {Hook::kNewBloomFilterPolicy, Hook::kNewRibbonFilterPolicy, Hook::kCreateFromString}) {
    if (IsReplaced(hook) != false) continue;
    functions += functions.empty() ? "" : ", ";
    functions += kHookNames[static_cast<size_t>(hook)];
  }
  if (functions.empty()) return functions;
  return "this RocksDB calls " + functions +
         " of its own without asking the dynamic linker (-Bsymbolic-functions, LTO or hidden "
         "symbols): only where the program itself calls them are policies replaced, not in the C "
         "API, options strings and OPTIONS files";
}

std::shared_ptr<const FilterPolicy> NewStockPolicy(double bits_per_key) {
  using Make = Signature<Hook::kNewBloomFilterPolicy>::Type;
  auto* const found = reinterpret_cast<Make*>(StockFunction(Hook::kNewBloomFilterPolicy));
  // Without a front, there is no hook to bypass.
  Make* const make = found != nullptr ? found : &ROCKSDB_NAMESPACE::NewBloomFilterPolicy;
  return std::shared_ptr<const FilterPolicy>(make(bits_per_key, false));
}

}  // namespace winnow::preload
