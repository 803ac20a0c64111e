#include "src/rocksdb/loads/load_table.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace winnow::plugin {
namespace {

// Returns the maximum number of filters that stay when room is made.
constexpr size_t MostKept(size_t most) { return most - most / 8; }

}  // namespace

LoadTable::Sums& LoadTable::Sums::operator+=(const Sums& more) noexcept {
  blocks += more.blocks;
  bytes += more.bytes;
  blocks_again += more.blocks_again;
  bytes_again += more.bytes_again;
  return *this;
}

uint32_t LoadTable::SlotOf(Time time) noexcept {
  // Slot 0, "never", is long ago even if the machine has just started.
  return 2 * kSlotsRemembered + static_cast<uint32_t>(time.time_since_epoch() / kSlot);
}

// Returns whether the filter was loaded before. May throw std::bad_alloc.
bool LoadTable::Remember(uint64_t filter, uint64_t bytes, uint32_t slot) {
  if (!IsCounted(filter)) return false;
  const auto size =
      static_cast<uint32_t>(std::min<uint64_t>(bytes, std::numeric_limits<uint32_t>::max()));
  const auto [found, is_new] = filters_.try_emplace(filter, Filter{size, slot, 0});
  if (is_new) {
    if (filters_.size() > most_filters_) MakeRoom(slot);
    return false;
  }
  Filter& known = found->second;
  const bool is_again = known.last + kSlotsRemembered > slot;
  known.bytes = size;
  known.last = std::max(known.last, slot);
  if (is_again) known.last_again = known.last;
  return is_again;
}

// Forgets filters that were not loaded for ten minutes. If too many remain, also forgets half of
// them by their hash, and from then on counts the others double.
void LoadTable::MakeRoom(uint32_t now) noexcept {
  const auto forget = [&](const auto& is_forgotten) {
    for (auto one = filters_.begin(); one != filters_.end();) {
      one = is_forgotten(*one) ? filters_.erase(one) : std::next(one);
    }
  };
  forget([&](const auto& one) { return one.second.last + kSlotsRemembered <= now; });
  if (filters_.size() <= MostKept(most_filters_)) return;
  one_of_ *= 2;
  forget([&](const auto& one) { return !IsCounted(one.first); });
}

void LoadTable::Note(uint64_t filter, uint64_t bytes, Time now) noexcept {
  const uint32_t slot = SlotOf(now);
  Sums load{1, bytes, 0, 0};
  try {
    if (slots_.empty()) slots_.resize(kSlotsRemembered);
    if (Remember(filter, bytes, slot)) {
      load.blocks_again = one_of_;
      load.bytes_again = one_of_ * bytes;
    }
  } catch (...) {
    ++unknown_;
  }
  total_ += load;
  if (slots_.empty()) return;
  Slot& of_slot = slots_[slot % slots_.size()];
  if (of_slot.slot < slot) of_slot = {slot, {}};
  of_slot.sums += load;
}

void LoadTable::AddRecent(Time now, FilterLoads* sums) const noexcept {
  const uint32_t slot = SlotOf(now);
  for (const Slot& one : slots_) {
    if (one.slot + kSlotsRemembered > slot) sums->ten_minutes_bytes_again += one.sums.bytes_again;
    if (one.slot + kSlotsOfAMinute <= slot) continue;
    sums->minute_blocks += one.sums.blocks;
    sums->minute_bytes += one.sums.bytes;
    sums->minute_blocks_again += one.sums.blocks_again;
    sums->minute_bytes_again += one.sums.bytes_again;
  }
}

void LoadTable::AddTotals(FilterLoads* sums) const noexcept {
  sums->blocks += total_.blocks;
  sums->bytes += total_.bytes;
  sums->blocks_again += total_.blocks_again;
  sums->bytes_again += total_.bytes_again;
  sums->blocks_unknown += unknown_;
}

void LoadTable::AddAll(Time now, FilterLoads* sums) const noexcept {
  AddRecent(now, sums);
  AddTotals(sums);
  sums->counted_one_of = std::max(sums->counted_one_of, one_of_);
  // A node has the next one's address beside its value, and the allocator adds two words.
  constexpr size_t kNode = 3 * sizeof(void*) + sizeof(*filters_.begin());
  if (!slots_.empty()) {
    sums->meter_bytes += slots_.size() * sizeof(Slot) + filters_.bucket_count() * sizeof(void*) +
                         filters_.size() * kNode;
  }
  const uint32_t slot = SlotOf(now);
  for (const auto& [hash, filter] : filters_) {
    if (filter.last + kSlotsRemembered <= slot) continue;
    sums->filters += one_of_;
    sums->filter_bytes += one_of_ * filter.bytes;
    sums->largest_filter_bytes = std::max<uint64_t>(sums->largest_filter_bytes, filter.bytes);
    if (filter.last_again + kSlotsOfAMinute > slot) sums->minute_filters_again += one_of_;
  }
}

}  // namespace winnow::plugin
