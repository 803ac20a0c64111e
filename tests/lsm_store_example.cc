// A complete example: a small store in the shape of an LSM tree, whose Get asks a FilterSet before
// it touches a segment. Once tiered and once leveled; it checks itself and says what the filters
// saved. Uses nothing but Winnow's contract headers and libwinnow.so.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "winnow/builder.h"
#include "winnow/filter_set.h"
#include "winnow/hash.h"
#include "winnow/options.h"

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;  // sorted by key

// A sorted file. This one lives in memory and counts how often it is read; its filter block is what
// an engine would store behind the data.
class Segment {
 public:
  Segment(uint64_t number, Entries entries) : number_(number), entries_(std::move(entries)) {
    winnow::FilterBuilder builder{winnow::FilterOptions{}};
    for (const auto& [key, value] : entries_) builder.Add(winnow::HashKey(key));
    filter_ = builder.Finish();
  }

  uint64_t number() const { return number_; }
  const Entries& entries() const { return entries_; }
  std::string_view first_key() const { return entries_.front().first; }
  std::string_view last_key() const { return entries_.back().first; }
  std::string_view filter_block() const { return filter_.bytes(); }

  std::optional<std::string> Get(std::string_view key) const {
    ++reads_;
    const auto found = std::lower_bound(
        entries_.begin(), entries_.end(), key,
        [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
    if (found == entries_.end() || found->first != key) return std::nullopt;
    return found->second;
  }

  static uint64_t reads() { return reads_; }

 private:
  static std::atomic<uint64_t> reads_;

  uint64_t number_;
  Entries entries_;
  winnow::FilterBlock filter_;
};

std::atomic<uint64_t> Segment::reads_{0};

using SegmentPointer = std::shared_ptr<const Segment>;

// All entries of these segments, which are listed newest first; of equal keys the newest.
Entries Merge(const std::vector<SegmentPointer>& newest_first) {
  std::map<std::string, std::string> merged;
  for (const SegmentPointer& segment : newest_first) {
    merged.insert(segment->entries().begin(), segment->entries().end());
  }
  return {merged.begin(), merged.end()};
}

// A version of the tree: segments in search order, and the filter of each at the same index. Never
// changed once readers can see it.
struct Version {
  std::vector<SegmentPointer> segments;
  winnow::FilterSet filters;
  // Leveled: level 0 is the first of them, and level i + 1 begins at levels[i]. Else empty.
  std::vector<size_t> levels;
};

// What both shapes have in common: a table in memory, the current version, and one writer.
class Store {
 public:
  virtual ~Store() = default;

  // By one thread at a time.
  void Put(std::string key, std::string value) {
    size_t size = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      memory_.insert_or_assign(std::move(key), std::move(value));
      size = memory_.size();
    }
    if (size >= kMemoryEntries) Flush();
  }

  // By any number of threads, while one writes.
  std::optional<std::string> Get(std::string_view key) const {
    std::shared_ptr<const Version> version;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = memory_.find(key);
      if (found != memory_.end()) return found->second;
      version = version_;
    }
    return GetFrom(*version, key);
  }

  size_t num_segments() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return version_->segments.size();
  }

 protected:
  static constexpr size_t kMemoryEntries = 1000;

  virtual std::optional<std::string> GetFrom(const Version& version,
                                             std::string_view key) const = 0;
  // The next version has a new segment in front: merges segments of it where there are too many.
  virtual void Compact(Version* next, winnow::FilterSetEdit* edit) = 0;

  SegmentPointer NewSegment(Entries entries) {
    return std::make_shared<const Segment>(++last_number_, std::move(entries));
  }

  // Puts a segment into the next version, at this index.
  static void Insert(size_t index, SegmentPointer segment, Version* next,
                     winnow::FilterSetEdit* edit) {
    edit->InsertCopy(index, segment->number(), segment->filter_block());
    next->segments.insert(next->segments.begin() + static_cast<std::ptrdiff_t>(index),
                          std::move(segment));
  }

  // Takes segments out of the next version.
  static std::vector<SegmentPointer> Remove(winnow::IndexRange range, Version* next,
                                            winnow::FilterSetEdit* edit) {
    edit->Remove(range);
    const auto first = next->segments.begin() + static_cast<std::ptrdiff_t>(range.first);
    const auto last = next->segments.begin() + static_cast<std::ptrdiff_t>(range.last);
    std::vector<SegmentPointer> removed(first, last);
    next->segments.erase(first, last);
    return removed;
  }

 private:
  void Flush() {
    // Only this thread changes memory_ and version_.
    const SegmentPointer segment = NewSegment({memory_.begin(), memory_.end()});
    // [README: flush]
    Version next = *version_;
    winnow::FilterSetEdit edit(next.filters);
    next.segments.insert(next.segments.begin(), segment);  // newest first
    edit.InsertCopy(0, segment->number(), segment->filter_block());
    Compact(&next, &edit);        // edit.Remove(range), edit.InsertCopy(index, …)
    next.filters = edit.Build();  // readers go on with theirs
    // [end]

    const std::lock_guard<std::mutex> lock(mutex_);
    version_ = std::make_shared<const Version>(std::move(next));
    memory_.clear();
  }

  mutable std::mutex mutex_;  // of both:
  std::map<std::string, std::string, std::less<>> memory_;
  std::shared_ptr<const Version> version_ = std::make_shared<const Version>();
  uint64_t last_number_ = 0;
};

// ---- Tiered: segments of all ages overlap, and a lookup may have to search every one of them.
// Four of about the same size are merged into one.
class TieredStore : public Store {
 protected:
  std::optional<std::string> GetFrom(const Version& version, std::string_view key) const override {
    // [README: tiered]
    thread_local std::vector<uint64_t> words;
    words.resize(version.filters.num_words());
    for (const size_t i : version.filters.Candidates(winnow::HashKey(key), words.data())) {
      if (auto value = version.segments[i]->Get(key)) return value;  // newest first
    }
    return std::nullopt;
    // [end]
  }

  void Compact(Version* next, winnow::FilterSetEdit* edit) override {
    const auto tier_of = [next](size_t i) {
      int tier = 0;
      for (size_t n = next->segments[i]->entries().size(); n > 2 * kMemoryEntries; n /= 4) ++tier;
      return tier;
    };
    for (size_t first = 0; first + 4 <= next->segments.size();) {
      if (tier_of(first) != tier_of(first + 3)) {
        ++first;
        continue;
      }
      Insert(first, NewSegment(Merge(Remove({first, first + 4}, next, edit))), next, edit);
      first = 0;
    }
  }
};

// ---- Leveled: the segments of a level, but for the newest level, don't overlap, so that a lookup
// finds the one of each by its range of keys. A level that is too large is merged into the next.
class LeveledStore : public Store {
 protected:
  static constexpr size_t kSegmentEntries = 2000;
  static constexpr size_t kNewestSegments = 4;

  // Where a level ends.
  static size_t EndOf(const Version& version, size_t level) {
    return level < version.levels.size() ? version.levels[level] : version.segments.size();
  }

  std::optional<std::string> GetFrom(const Version& version, std::string_view key) const override {
    // [README: leveled]
    thread_local std::vector<uint32_t> files;  // those whose range of keys the key is in
    thread_local std::vector<uint64_t> words;
    FindByRange(version, key, &files);
    words.resize(winnow::FilterSet::WordsFor(files.size()));
    for (const size_t i : version.filters.CandidatesOf(winnow::HashKey(key), files.data(),
                                                       files.size(), words.data())) {
      if (auto value = version.segments[files[i]]->Get(key)) return value;
    }
    return std::nullopt;
    // [end]
  }

  static void FindByRange(const Version& version, std::string_view key,
                          std::vector<uint32_t>* files) {
    files->clear();
    for (size_t i = 0; i < EndOf(version, 0); ++i) {
      const Segment& segment = *version.segments[i];
      if (segment.first_key() <= key && key <= segment.last_key()) {
        files->push_back(static_cast<uint32_t>(i));
      }
    }
    for (size_t level = 0; level < version.levels.size(); ++level) {
      const auto begin = version.segments.begin();
      const auto first = begin + static_cast<std::ptrdiff_t>(version.levels[level]);
      const auto last = begin + static_cast<std::ptrdiff_t>(EndOf(version, level + 1));
      const auto found = std::lower_bound(
          first, last, key, [](const SegmentPointer& segment, std::string_view wanted) {
            return segment->last_key() < wanted;
          });
      if (found != last && (*found)->first_key() <= key) {
        files->push_back(static_cast<uint32_t>(found - begin));
      }
    }
  }

  void Compact(Version* next, winnow::FilterSetEdit* edit) override {
    for (size_t& level : next->levels) ++level;  // behind the new segment
    size_t most = kNewestSegments;
    for (size_t level = 0; EndOf(*next, level) - BeginOf(*next, level) > most; ++level) {
      if (level == next->levels.size()) next->levels.push_back(next->segments.size());
      MergeIntoNext(level, next, edit);
      most *= 4;
    }
  }

 private:
  static size_t BeginOf(const Version& version, size_t level) {
    return level == 0 ? 0 : version.levels[level - 1];
  }

  // The whole of both levels, for simplicity; an engine would take a few segments and what they
  // overlap.
  void MergeIntoNext(size_t level, Version* next, winnow::FilterSetEdit* edit) {
    const size_t begin = BeginOf(*next, level);
    const size_t end = EndOf(*next, level + 1);
    const Entries merged = Merge(Remove({begin, end}, next, edit));
    size_t index = begin;
    for (size_t i = 0; i < merged.size(); i += kSegmentEntries) {
      const auto first = merged.begin() + static_cast<std::ptrdiff_t>(i);
      const auto last = merged.begin() +
                        static_cast<std::ptrdiff_t>(std::min(i + kSegmentEntries, merged.size()));
      Insert(index++, NewSegment({first, last}), next, edit);
    }
    next->levels[level] = begin;
    for (size_t i = level + 1; i < next->levels.size(); ++i) {
      next->levels[i] = next->levels[i] + index - end;
    }
  }
};

// ---- The check

std::string KeyOf(uint64_t i) {
  return "key " + std::to_string(i * 0x9e3779b97f4a7c15u % 1'000'000'007);
}

// Writes while two threads read, then compares with a map. True if all is well.
bool Exercise(const char* shape, Store* store) {
  constexpr uint64_t kWrites = 60'000;
  constexpr uint64_t kKeys = 40'000;  // the rest are newer versions
  std::map<std::string, std::string> expected;
  std::atomic<uint64_t> written{0};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> readers;
  for (uint64_t reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&, reader] {
      for (uint64_t i = reader; written < kWrites; i += 7) {
        const uint64_t known = std::min<uint64_t>(written, kKeys);
        if (known != 0 && !store->Get(KeyOf(i % known))) ++wrong;
      }
    });
  }
  for (uint64_t i = 0; i < kWrites; ++i) {
    const std::string key = KeyOf(i % kKeys);
    const std::string value = std::to_string(i);
    expected[key] = value;
    store->Put(key, value);
    ++written;
  }
  for (std::thread& reader : readers) reader.join();

  uint64_t before = Segment::reads();
  for (const auto& [key, value] : expected) {
    if (store->Get(key) != value) ++wrong;
  }
  const double present_reads =
      static_cast<double>(Segment::reads() - before) / static_cast<double>(expected.size());
  before = Segment::reads();
  for (uint64_t i = 0; i < kKeys; ++i) {
    if (store->Get("no " + KeyOf(i)) || store->Get(KeyOf(i) + "0 is no key")) ++wrong;
  }
  const double absent_reads =
      static_cast<double>(Segment::reads() - before) / static_cast<double>(2 * kKeys);
  std::printf(
      "%-8s %2zu segments; segments read for a key that is there %.3f, for another %.3f; "
      "%llu wrong answers\n",
      shape, store->num_segments(), present_reads, absent_reads,
      static_cast<unsigned long long>(wrong));
  // A hundredth of the segments that don't have a key are read for it.
  const double most = 0.02 * static_cast<double>(store->num_segments());
  return wrong == 0 && store->num_segments() > 3 && present_reads < 1 + most && absent_reads < most;
}

}  // namespace

int main() {
  TieredStore tiered;
  LeveledStore leveled;
  const bool tiered_works = Exercise("tiered", &tiered);
  const bool leveled_works = Exercise("leveled", &leveled);
  return tiered_works && leveled_works ? 0 : 1;
}
