// RocksDB's own functions behind the hooks.

#ifndef WINNOW_SRC_PRELOAD_STOCK_FUNCTIONS_H_
#define WINNOW_SRC_PRELOAD_STOCK_FUNCTIONS_H_

#include "src/preload/hook_types.h"

namespace winnow::preload {

// Sets the functions that the front found, indexed by Hook; null if RocksDB does not export the
// function. Must be called before StockFunction(); later calls do nothing.
void SetStockFunctions(void* const functions[kNumHooks]) noexcept;

// Returns null if RocksDB does not export the function, or before SetStockFunctions().
void* StockFunction(Hook hook) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_STOCK_FUNCTIONS_H_
