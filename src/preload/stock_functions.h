// RocksDB's own functions behind the hooks.

#ifndef WINNOW_SRC_PRELOAD_STOCK_FUNCTIONS_H_
#define WINNOW_SRC_PRELOAD_STOCK_FUNCTIONS_H_

#include <optional>
#include <string>

#include "src/preload/interposer.h"

namespace winnow::preload {

// Sets the functions that the front found, indexed by Hook, null if RocksDB does not export the
// function; and the front's answer to IsReplaced. Must be called before the functions below; later
// calls do nothing.
void SetStockFunctions(void* const functions[kNumHooks], AskIfReplaced* is_replaced) noexcept;

// Returns null if RocksDB does not export the function, or before SetStockFunctions().
void* StockFunction(Hook hook) noexcept;

// Returns whether RocksDB's own calls of a hooked function, including those through its vtables,
// come to the hook. Returns nullopt if unknown, and false if RocksDB does not export the function.
std::optional<bool> IsReplaced(Hook hook) noexcept;

// Returns a message if RocksDB calls some of the functions that make filter policies without the
// dynamic linker, so that the interposer gets only the program's calls; else an empty string.
std::string UnreplacedCalls();

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_STOCK_FUNCTIONS_H_
