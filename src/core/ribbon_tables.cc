#include "src/core/ribbon_tables.h"

#include <type_traits>
#include <utility>

namespace winnow::core {
namespace {

// Thread-local tables. Trivially destructible, since static destructors may build filters after
// thread-local objects are destroyed.
struct KeptTables {
  RibbonTables* tables;
  bool thread_is_ending;
};
static_assert(std::is_trivially_destructible_v<KeptTables>);
thread_local KeptTables kept_tables;

struct FreeAtThreadEnd {
  ~FreeAtThreadEnd() {
    delete std::exchange(kept_tables.tables, nullptr);
    kept_tables.thread_is_ending = true;
  }
};

}  // namespace

BorrowedTables::~BorrowedTables() {
  if (tables_ == nullptr) return;
  thread_local FreeAtThreadEnd at_thread_end;
  (void)at_thread_end;
  if (kept_tables.tables == nullptr && !kept_tables.thread_is_ending) {
    kept_tables.tables = tables_;
  } else {
    delete tables_;
  }
}

RibbonTables* BorrowedTables::tables() const {
  if (tables_ == nullptr) {
    tables_ = std::exchange(kept_tables.tables, nullptr);
    if (tables_ == nullptr) tables_ = new RibbonTables;
  }
  return tables_;
}

ShardsByRows* BorrowedTables::by_rows() const {
  std::unique_ptr<ShardsByRows>& by_rows = tables()->by_rows;
  if (by_rows == nullptr) by_rows = std::make_unique<ShardsByRows>();
  return by_rows.get();
}

ShardsBySlots* BorrowedTables::by_slots() const {
  std::unique_ptr<ShardsBySlots>& by_slots = tables()->by_slots;
  if (by_slots == nullptr) by_slots = std::make_unique<ShardsBySlots>();
  return by_slots.get();
}

size_t KeptTableBytes() noexcept {
  if (kept_tables.tables == nullptr) return 0;
  return sizeof(RibbonTables) + (kept_tables.tables->by_rows != nullptr ? kShardsByRowsBytes : 0) +
         (kept_tables.tables->by_slots != nullptr ? kShardsBySlotsBytes : 0);
}

void FreeKeptTables() noexcept { delete std::exchange(kept_tables.tables, nullptr); }

}  // namespace winnow::core
