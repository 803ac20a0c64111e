#include "src/core/ribbon_tables.h"

#include <type_traits>
#include <utility>

namespace winnow::core {
namespace {

// What one thread keeps. Trivially destructible: filters are built in static destructors too, after
// the thread's own objects are gone.
struct KeptTables {
  RibbonTables* tables;
  bool thread_is_ending;
};
static_assert(std::is_trivially_destructible_v<KeptTables>);
thread_local KeptTables kept;

struct AtThreadEnd {
  ~AtThreadEnd() {
    delete std::exchange(kept.tables, nullptr);
    kept.thread_is_ending = true;
  }
};

}  // namespace

BorrowedTables::~BorrowedTables() {
  if (tables_ == nullptr) return;
  thread_local AtThreadEnd at_thread_end;
  (void)at_thread_end;
  if (kept.tables == nullptr && !kept.thread_is_ending) {
    kept.tables = tables_;
  } else {
    delete tables_;
  }
}

RibbonTables* BorrowedTables::tables() const {
  if (tables_ == nullptr) {
    tables_ = std::exchange(kept.tables, nullptr);
    if (tables_ == nullptr) tables_ = new RibbonTables;
  }
  return tables_;
}

RibbonLanes* BorrowedTables::lanes() const {
  std::unique_ptr<RibbonLanes>& lanes = tables()->lanes;
  if (lanes == nullptr) lanes = std::make_unique<RibbonLanes>();
  return lanes.get();
}

RibbonBands* BorrowedTables::bands() const {
  std::unique_ptr<RibbonBands>& bands = tables()->bands;
  if (bands == nullptr) bands = std::make_unique<RibbonBands>();
  return bands.get();
}

size_t KeptTableBytes() noexcept {
  if (kept.tables == nullptr) return 0;
  return sizeof(RibbonTables) + (kept.tables->lanes != nullptr ? kLanesBytes : 0) +
         (kept.tables->bands != nullptr ? kBandsBytes : 0);
}

void FreeKeptTables() noexcept { delete std::exchange(kept.tables, nullptr); }

}  // namespace winnow::core
