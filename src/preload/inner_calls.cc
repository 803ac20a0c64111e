#include "src/preload/inner_calls.h"

#include <dlfcn.h>

#include "src/preload/asks_linker.h"
#include "src/preload/stock_functions.h"

namespace winnow::preload {
namespace {

// Adds the function's readable name if RocksDB's own calls of it do not reach the hook.
void Note(Hook hook, std::string* functions) {
  if (IsReplaced(hook) == false) {
    *functions += functions->empty() ? "" : ", ";
    *functions += kHookNames[static_cast<size_t>(hook)];
  }
}

}  // namespace

std::optional<bool> IsReplaced(Hook hook) noexcept {
  const void* const stock = StockFunction(hook);
  Dl_info known{};
  if (stock == nullptr) {
    return false;
  }
  if (::dladdr(stock, &known) == 0 || known.dli_sname == nullptr) {
    return std::nullopt;
  }
  return AsksLinkerFor(stock, known.dli_sname);
}

std::string UnreplacedCalls() {
  std::string functions;
  Note(Hook::kNewBloomFilterPolicy, &functions);
  Note(Hook::kNewRibbonFilterPolicy, &functions);
  Note(Hook::kCreateFromString, &functions);
  if (functions.empty()) {
    return functions;
  }
  return "this RocksDB calls " + functions +
         " of its own without asking the dynamic linker (-Bsymbolic-functions, LTO or hidden "
         "symbols): only where the program itself calls them are policies replaced, not in the C "
         "API, options strings and OPTIONS files";
}

}  // namespace winnow::preload
