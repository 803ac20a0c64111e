#include "src/rocksdb/loads/load_table.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace winnow::plugin {
namespace {

constexpr size_t kMinEntries = 16;

// Returns the maximum number of used entries before a part grows.
constexpr size_t MostUsed(size_t size) { return size - size / 8; }

}  // namespace

LoadTable::~LoadTable() { delete[] parts_.load(std::memory_order_acquire); }

uint32_t LoadTable::SlotOf(Time time) noexcept {
  return kFirstSlot + static_cast<uint32_t>(time.time_since_epoch() / kSlot);
}

LoadTable::Part* LoadTable::Parts() noexcept {
  Part* parts = parts_.load(std::memory_order_acquire);
  if (parts != nullptr) return parts;
  std::unique_ptr<Part[]> made(new (std::nothrow) Part[kParts]);
  if (made != nullptr &&
      parts_.compare_exchange_strong(parts, made.get(), std::memory_order_acq_rel)) {
    return made.release();
  }
  return parts;
}

// Returns the filter's entry, or the free entry for it.
LoadTable::Entry* LoadTable::Find(Entry* entries, size_t size, uint64_t filter) noexcept {
  // Independent bits of the hash: the lowest bits select known filters, and the highest bits the
  // part.
  for (size_t i = filter >> 24;; ++i) {
    Entry& entry = entries[i & (size - 1)];
    if (entry.filter == filter || entry.filter == 0) return &entry;
  }
}

// Resizes a part. Keeps filters that have none of the mask's bits and were loaded in or after the
// oldest slot. Returns false if out of memory.
bool LoadTable::Resize(Part* part, size_t size, uint64_t mask, uint32_t oldest) noexcept {
  std::unique_ptr<Entry[]> entries(new (std::nothrow) Entry[size]);
  if (entries == nullptr) return false;
  size_t used = 0;
  for (size_t i = 0; i < part->size; ++i) {
    const Entry& entry = part->entries[i];
    if (entry.filter == 0 || (entry.filter & mask) != 0 || entry.last < oldest) continue;
    *Find(entries.get(), size, entry.filter) = entry;
    ++used;
  }
  part->entries = std::move(entries);
  part->size = size;
  part->used = used;
  return true;
}

// Records a load. Returns whether the filter was loaded before. The part's lock is held.
bool LoadTable::Remember(Part* part, uint64_t filter, uint32_t bytes, uint32_t slot) noexcept {
  Entry* entry = part->size == 0 ? nullptr : Find(part->entries.get(), part->size, filter);
  if (entry != nullptr && entry->filter != 0) {
    const bool is_again = entry->last + kSlotsRemembered > slot;
    entry->bytes = bytes;
    entry->last = std::max(entry->last, slot);
    if (is_again) entry->last_again = entry->last;
    return is_again;
  }
  if (part->used >= MostUsed(part->size)) {
    const size_t before = part->used;
    if (!Resize(part, std::max(kMinEntries, 2 * part->size), 0, 0) && before + 1 >= part->size) {
      unknown_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    entry = Find(part->entries.get(), part->size, filter);
  }
  *entry = {filter, bytes, slot, 0};
  ++part->used;
  filters_.fetch_add(1, std::memory_order_relaxed);
  return false;
}

// Adds a load to the sums of its slot and minute. The part's lock is held.
void LoadTable::Count(Part* part, uint32_t slot, const Sums& load) noexcept {
  Slot& of_slot = part->slots[slot % kSlotsOfAMinute];
  if (of_slot.slot < slot) of_slot = {slot, {}};
  for (Sums* const sums : {&part->total, &of_slot.sums}) {
    sums->blocks += load.blocks;
    sums->bytes += load.bytes;
    sums->blocks_again += load.blocks_again;
    sums->bytes_again += load.bytes_again;
  }
  const uint32_t minute = slot / kSlotsOfAMinute;
  Minute& of_minute = part->minutes[minute % kMinutes];
  if (of_minute.minute < minute) of_minute = {minute, 0};
  of_minute.bytes_again += load.bytes_again;
}

void LoadTable::Note(uint64_t filter, uint64_t bytes, Time now) noexcept {
  Part* const parts = Parts();
  if (parts == nullptr) {
    unknown_.fetch_add(1, std::memory_order_relaxed);
    uncounted_.fetch_add(1, std::memory_order_relaxed);
    uncounted_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return;
  }
  filter = std::max<uint64_t>(filter, 1);
  const uint32_t slot = SlotOf(now);
  Part& part = parts[filter >> (64 - kPartBits)];
  const uint64_t mask = mask_.load(std::memory_order_relaxed);
  {
    const std::lock_guard<std::mutex> lock(part.mutex);
    const bool is_again =
        (filter & mask) == 0 && Remember(&part, filter,
                                         static_cast<uint32_t>(std::min<uint64_t>(
                                             bytes, std::numeric_limits<uint32_t>::max())),
                                         slot);
    Sums load{1, bytes, 0, 0};
    if (is_again) {
      load.blocks_again = mask + 1;
      load.bytes_again = (mask + 1) * bytes;
    }
    Count(&part, slot, load);
  }
  if (last_.load(std::memory_order_relaxed) < slot) last_.store(slot, std::memory_order_relaxed);
  if (filters_.load(std::memory_order_relaxed) > most_filters_) MakeRoom(slot);
}

// Forgets filters that were not loaded for ten minutes. If too many remain, also forgets half of
// them by their hash, and from then on counts the others double.
void LoadTable::MakeRoom(uint32_t now) noexcept {
  const std::unique_lock<std::mutex> alone(making_room_, std::try_to_lock);
  if (!alone.owns_lock()) return;
  Part* const parts = parts_.load(std::memory_order_acquire);
  bool has_memory = true;
  const auto forget = [&](uint64_t mask) {
    for (size_t i = 0; i < kParts; ++i) {
      Part& part = parts[i];
      const std::lock_guard<std::mutex> lock(part.mutex);
      const size_t before = part.used;
      has_memory = Resize(&part, part.size, mask, now - kSlotsRemembered + 1) && has_memory;
      filters_.fetch_sub(before - part.used, std::memory_order_relaxed);
    }
    return filters_.load(std::memory_order_relaxed);
  };
  uint64_t mask = mask_.load(std::memory_order_relaxed);
  if (forget(mask) <= MostUsed(most_filters_) || !has_memory) return;
  mask = 2 * mask + 1;
  mask_.store(mask, std::memory_order_relaxed);
  forget(mask);
}

void LoadTable::AddRecent(const Part& part, uint32_t now, FilterLoads* sums) noexcept {
  for (const Slot& slot : part.slots) {
    if (slot.slot + kSlotsOfAMinute <= now) continue;
    sums->minute_blocks += slot.sums.blocks;
    sums->minute_bytes += slot.sums.bytes;
    sums->minute_blocks_again += slot.sums.blocks_again;
    sums->minute_bytes_again += slot.sums.bytes_again;
  }
  for (const Minute& minute : part.minutes) {
    if (minute.minute + kMinutes <= now / kSlotsOfAMinute) continue;
    sums->ten_minutes_bytes_again += minute.bytes_again;
  }
}

FilterLoads LoadTable::ReadRecent(Time now) const noexcept {
  FilterLoads sums;
  const uint32_t slot = SlotOf(now);
  if (last_.load(std::memory_order_relaxed) + kSlotsRemembered <= slot) return sums;
  const Part* const parts = parts_.load(std::memory_order_acquire);
  for (size_t i = 0; parts != nullptr && i < kParts; ++i) {
    const std::lock_guard<std::mutex> lock(parts[i].mutex);
    AddRecent(parts[i], slot, &sums);
  }
  return sums;
}

FilterLoads LoadTable::ReadTotals() const noexcept {
  FilterLoads sums;
  const Part* const parts = parts_.load(std::memory_order_acquire);
  for (size_t i = 0; parts != nullptr && i < kParts; ++i) {
    const std::lock_guard<std::mutex> lock(parts[i].mutex);
    sums.blocks += parts[i].total.blocks;
    sums.bytes += parts[i].total.bytes;
    sums.blocks_again += parts[i].total.blocks_again;
    sums.bytes_again += parts[i].total.bytes_again;
  }
  sums.blocks += uncounted_.load(std::memory_order_relaxed);
  sums.bytes += uncounted_bytes_.load(std::memory_order_relaxed);
  sums.blocks_unknown = unknown_.load(std::memory_order_relaxed);
  sums.counted_one_of = mask_.load(std::memory_order_relaxed) + 1;
  return sums;
}

FilterLoads LoadTable::Read(Time now) const noexcept {
  FilterLoads sums = ReadTotals();
  const Part* const parts = parts_.load(std::memory_order_acquire);
  if (parts == nullptr) return sums;
  const uint32_t slot = SlotOf(now);
  const uint64_t mask = sums.counted_one_of - 1;
  sums.meter_bytes = kParts * sizeof(Part);
  for (size_t i = 0; i < kParts; ++i) {
    const Part& part = parts[i];
    const std::lock_guard<std::mutex> lock(part.mutex);
    AddRecent(part, slot, &sums);
    sums.meter_bytes += part.size * sizeof(Entry);
    for (size_t at = 0; at < part.size; ++at) {
      const Entry& entry = part.entries[at];
      if (entry.filter == 0 || (entry.filter & mask) != 0) continue;
      if (entry.last + kSlotsRemembered <= slot) continue;
      sums.filters += mask + 1;
      sums.filter_bytes += (mask + 1) * entry.bytes;
      sums.largest_filter_bytes = std::max<uint64_t>(sums.largest_filter_bytes, entry.bytes);
      if (entry.last_again + kSlotsOfAMinute > slot) sums.minute_filters_again += mask + 1;
    }
  }
  return sums;
}

}  // namespace winnow::plugin
