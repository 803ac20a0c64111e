// Scratch tables for building a Ribbon, which each thread keeps for its next filter.

#ifndef WINNOW_SRC_CORE_RIBBON_TABLES_H_
#define WINNOW_SRC_CORE_RIBBON_TABLES_H_

#include <algorithm>
#include <cstddef>
#include <memory>

#include "src/core/ribbon_by_rows.h"
#include "src/core/ribbon_by_slots.h"

namespace winnow::core {

// Tables for the elimination that this machine uses; unused ones stay null.
struct RibbonTables {
  std::unique_ptr<ShardsByRows> by_rows;
  std::unique_ptr<ShardsBySlots> by_slots;
};
inline constexpr size_t kMaxTableBytes =
    sizeof(RibbonTables) + std::max(kShardsByRowsBytes, kShardsBySlotsBytes);

// Borrows the tables that this thread keeps, or new ones, and keeps them for its next filter
// afterwards. Tables are allocated on first use: most small filters need none. Throws
// std::bad_alloc.
class BorrowedTables {
 public:
  BorrowedTables() = default;
  ~BorrowedTables();
  BorrowedTables(const BorrowedTables&) = delete;
  BorrowedTables& operator=(const BorrowedTables&) = delete;

  ShardsByRows* by_rows() const;
  ShardsBySlots* by_slots() const;

 private:
  RibbonTables* tables() const;

  mutable RibbonTables* tables_ = nullptr;
};

// Returns the bytes of tables that this thread keeps, at most kMaxTableBytes.
size_t KeptTableBytes() noexcept;
void FreeKeptTables() noexcept;

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RIBBON_TABLES_H_
