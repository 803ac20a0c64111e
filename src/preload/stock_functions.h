// RocksDB's own functions behind the hooks.

#ifndef WINNOW_SRC_PRELOAD_STOCK_FUNCTIONS_H_
#define WINNOW_SRC_PRELOAD_STOCK_FUNCTIONS_H_

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Sets what the front found: in the order of Hook, null where RocksDB does not show the function.
// To be called before anything else here; later calls do nothing.
void SetStockFunctions(void* const functions[kNumHooks]) noexcept;

// Null before that as well.
void* StockFunction(Hook hook) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_STOCK_FUNCTIONS_H_
