#include "src/rocksdb/lookups/lookup_samples.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <type_traits>

#include "src/rocksdb/lookups/sampled_hashes.h"

namespace winnow::plugin {

static_assert(std::is_trivial_v<LookupsUnderWay>);
static_assert(sizeof(LookupSamples::Record) == 12);

namespace {

constexpr double kMaxRate = 0.9;

std::atomic<uint64_t> trees_ever{0};
std::atomic<uint64_t> sampled_lookups{0};
std::atomic<size_t> bytes_of_all{0};

// Reserves bytes within kMaxBytes. Returns false and reserves nothing if the limit would be
// exceeded.
bool TakeBytes(size_t bytes) noexcept {
  if (bytes_of_all.fetch_add(bytes, std::memory_order_relaxed) + bytes <=
      LookupSamples::kMaxBytes) {
    return true;
  }
  bytes_of_all.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

using UnderWay = LookupsUnderWay::Lookup;

UnderWay* Find(LookupsUnderWay* lookups, uint64_t tree, uint64_t hash) noexcept {
  for (UnderWay& lookup : lookups->lookups) {
    if (lookup.hash == hash && lookup.tree == tree) return &lookup;
  }
  return nullptr;
}

bool BeginsAnew(const UnderWay& last, const AskedFilter& asked) noexcept {
  return asked.file == last.first_file || asked.level < last.deepest ||
         (asked.level == last.deepest && asked.level > 0);
}

// Returns the slot of the earlier lookup of this hash, or of the oldest lookup.
UnderWay* Replace(LookupsUnderWay* lookups, UnderWay* same) noexcept {
  if (same != nullptr) return same;
  UnderWay* const oldest = &lookups->lookups[lookups->next];
  lookups->next = (lookups->next + 1) % static_cast<unsigned>(lookups->lookups.size());
  return oldest;
}

void Change(LookupSamples::Record* record, const AskedFilter& asked, bool may_contain) noexcept {
  const int level = std::min(asked.level, LookupSamples::kLevels - 1);
  record->deepest = static_cast<int8_t>(level);
  record->ended_with_no = !may_contain;
  if (may_contain) return;
  record->said_no = static_cast<uint16_t>(record->said_no | 1u << level);
  record->weight = static_cast<float>(1 / (1 - std::min(asked.rate, kMaxRate)));
}

}  // namespace

LookupSamples::LookupSamples() noexcept
    : number_(trees_ever.fetch_add(1, std::memory_order_relaxed) + 1) {}

LookupSamples::~LookupSamples() {
  bytes_of_all.fetch_sub(capacity_ * sizeof(Record), std::memory_order_relaxed);
}

void LookupSamples::Reserve() noexcept {
  size_t capacity = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!IsFull() || capacity_ == kMaxRecords) return;
    capacity = capacity_;
  }
  const size_t larger = std::max(kMinRecords, 2 * capacity);
  const size_t more_bytes = (larger - capacity) * sizeof(Record);
  if (!TakeBytes(more_bytes)) return;
  std::unique_ptr<Record[]> records(new (std::nothrow) Record[larger]);
  const std::lock_guard<std::mutex> lock(mutex_);
  // Another builder may have been faster.
  if (records == nullptr || capacity_ != capacity) {
    bytes_of_all.fetch_sub(more_bytes, std::memory_order_relaxed);
    return;
  }
  for (uint64_t i = first_; i != total(); ++i) records[i & (larger - 1)] = At(i);
  records_.swap(records);
  capacity_ = larger;
}

void LookupSamples::Drop() noexcept {
  std::unique_ptr<Record[]> records;
  const std::lock_guard<std::mutex> lock(mutex_);
  records_.swap(records);
  bytes_of_all.fetch_sub(capacity_ * sizeof(Record), std::memory_order_relaxed);
  capacity_ = 0;
  first_ = total();
}

void LookupSamples::SetGrid(std::shared_ptr<const KeyPositions> grid,
                            const std::function<double(double)>& moved) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (uint64_t i = first_; i != total(); ++i) {
    At(i).place = static_cast<float>(moved(At(i).place));
  }
  grid_.swap(grid);
}

void LookupSamples::Snapshot(std::vector<Record>* records) const {
  records->clear();
  // Reserves before locking, as samples are lost while the lock is held.
  records->reserve(kMaxRecords);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (capacity_ == 0) return;
  // Copies the ring buffer in two parts: up to its end, and from its beginning.
  const auto copy = [&](uint64_t begin, uint64_t end) {
    if (begin != end) records->insert(records->end(), &At(begin), &At(begin) + (end - begin));
  };
  const uint64_t turn = std::min(total(), (first_ | (capacity_ - 1)) + 1);
  copy(first_, turn);
  copy(turn, total());
}

void LookupSamples::Add(const std::vector<Record>& records) noexcept {
  for (const Record& record : records) {
    Reserve();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (capacity_ != 0) Append(record);
  }
}

uint64_t LookupSamples::Append(const Record& added) noexcept {
  if (IsFull()) ++first_;
  const uint64_t record = total();
  At(record) = added;
  total_.store(record + 1, std::memory_order_relaxed);
  return record;
}

uint64_t LookupSamples::Sample(std::string_view key) noexcept {
  Record sampled;
  sampled.place = static_cast<float>(grid_->PlaceOf(key));
  const uint64_t record = Append(sampled);
  // Counted over all trees: if each tree counted alone, many trees that fill at the same pace would
  // all change the salt at once.
  const uint64_t samples = sampled_lookups.fetch_add(1, std::memory_order_relaxed) + 1;
  if (samples % kRecordsOfASalt == 0) {
    ChangeSalt();
    KeepPace(std::chrono::steady_clock::now());
  }
  return record;
}

void LookupSamples::Note(LookupsUnderWay* lookups, std::string_view key, uint64_t hash,
                         const AskedFilter& asked, bool may_contain) noexcept {
  if (lookups == nullptr || asked.level < 0) return;
  UnderWay* lookup = Find(lookups, number_, hash);
  const bool is_new = lookup == nullptr || BeginsAnew(*lookup, asked);
  if (is_new) {
    lookup = Replace(lookups, lookup);
    *lookup = {number_, hash, kNoRecord, asked.file, asked.level};
  }
  lookup->deepest = asked.level;
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  if (is_new && capacity_ != 0 && grid_ != nullptr) lookup->record = Sample(key);
  if (Has(lookup->record)) Change(&At(lookup->record), asked, may_contain);
}

uint64_t CurrentSampledLookups() noexcept {
  return sampled_lookups.load(std::memory_order_relaxed);
}

}  // namespace winnow::plugin
