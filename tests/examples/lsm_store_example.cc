// A complete example: a small LSM-tree store whose Get asks a FilterSet before it reads a segment,
// with tiered and with leveled compaction. The program checks itself and prints how many reads the
// filters saved. Uses only Winnow's public headers and libwinnow.so.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
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

// A sorted file. This one is in memory and counts its reads; an engine would store the filter block
// behind the data.
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

// Merges segments, listed newest first; for equal keys, keeps the newest entry.
Entries Merge(const std::vector<SegmentPointer>& newest_first) {
  std::map<std::string, std::string> merged;
  for (const SegmentPointer& segment : newest_first) {
    merged.insert(segment->entries().begin(), segment->entries().end());
  }
  return {merged.begin(), merged.end()};
}

// A version of the tree: segments in search order, and their filters at the same indices. Immutable
// once readers can see it.
struct Version {
  std::vector<SegmentPointer> segments;
  winnow::FilterSet filters;
  // Begin of levels 1, 2 etc. in `segments` of a LeveledStore; empty in a TieredStore.
  std::vector<size_t> levels;
};

// A memtable for any number of concurrent readers and writers. Keys are partitioned by their hash,
// with one lock per partition.
class MemoryTable {
 public:
  // Returns the new number of keys if this one is new, else 0.
  size_t Put(std::string key, std::string value) {
    Part& part = PartOf(winnow::HashKey(key));
    const std::lock_guard<std::mutex> lock(part.mutex);
    const bool is_new = part.entries.insert_or_assign(std::move(key), std::move(value)).second;
    return is_new ? ++size_ : 0;
  }

  std::optional<std::string> Get(std::string_view key, winnow::KeyHash hash) const {
    const Part& part = PartOf(hash);
    const std::lock_guard<std::mutex> lock(part.mutex);
    const auto found = part.entries.find(key);
    if (found == part.entries.end()) return std::nullopt;
    return found->second;
  }

  // Returns all entries. Not to be called during Put.
  Entries Sorted() const {
    Entries all;
    for (const Part& part : parts_) {
      all.insert(all.end(), part.entries.begin(), part.entries.end());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  struct Part {
    mutable std::mutex mutex;
    std::map<std::string, std::string, std::less<>> entries;
  };

  Part& PartOf(winnow::KeyHash hash) { return parts_[hash.value % parts_.size()]; }
  const Part& PartOf(winnow::KeyHash hash) const { return parts_[hash.value % parts_.size()]; }

  std::array<Part, 8> parts_;
  std::atomic<size_t> size_{0};
};

// Base of both stores: a memtable, and the current version.
class Store {
 public:
  virtual ~Store() = default;

  // Put and Get are thread-safe.
  void Put(std::string key, std::string value) {
    size_t size = 0;
    {
      const std::shared_lock<std::shared_mutex> lock(writing_);
      size = memory_->Put(std::move(key), std::move(value));
    }
    if (size == kMemoryEntries) Flush();  // exactly one thread gets this number
  }

  std::optional<std::string> Get(std::string_view key) const {
    std::shared_ptr<const MemoryTable> memory;
    std::shared_ptr<const Version> version;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      memory = memory_;
      version = version_;
    }
    const winnow::KeyHash hash = winnow::HashKey(key);
    if (auto value = memory->Get(key, hash)) return value;
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
  // Merges segments of the next version, which has a new segment in front, if there are too many.
  virtual void Compact(Version* next, winnow::FilterSetEdit* edit) = 0;

  SegmentPointer NewSegment(Entries entries) {
    return std::make_shared<const Segment>(++last_number_, std::move(entries));
  }

  // Inserts a segment into the next version at this index.
  static void Insert(size_t index, SegmentPointer segment, Version* next,
                     winnow::FilterSetEdit* edit) {
    edit->InsertCopy(index, segment->number(), segment->filter_block());
    next->segments.insert(next->segments.begin() + static_cast<std::ptrdiff_t>(index),
                          std::move(segment));
  }

  // Removes segments from the next version.
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
    // Blocks all Puts; memory_ and version_ are changed only here.
    const std::unique_lock<std::shared_mutex> writing(writing_);
    const SegmentPointer segment = NewSegment(memory_->Sorted());
    Version next = *version_;
    winnow::FilterSetEdit edit(next.filters);
    next.segments.insert(next.segments.begin(), segment);  // newest first
    edit.InsertCopy(0, segment->number(), segment->filter_block());
    Compact(&next, &edit);        // calls edit.Remove(range), edit.InsertCopy(index, …)
    next.filters = edit.Build();  // readers keep using their version

    const std::lock_guard<std::mutex> lock(mutex_);
    version_ = std::make_shared<const Version>(std::move(next));
    memory_ = std::make_shared<MemoryTable>();
  }

  std::shared_mutex writing_;  // shared lock in Put
  mutable std::mutex mutex_;   // guards both pointers:
  std::shared_ptr<MemoryTable> memory_ = std::make_shared<MemoryTable>();
  std::shared_ptr<const Version> version_ = std::make_shared<const Version>();
  uint64_t last_number_ = 0;
};

// ---- Tiered: segments of all ages overlap, and a lookup may have to search all of them. Four
// segments of similar size are merged into one.
class TieredStore : public Store {
 protected:
  std::optional<std::string> GetFrom(const Version& version, std::string_view key) const override {
    thread_local std::vector<uint64_t> words;
    words.resize(version.filters.num_words());
    for (const size_t i : version.filters.Candidates(winnow::HashKey(key), words)) {
      if (auto value = version.segments[i]->Get(key)) return value;  // newest first
    }
    return std::nullopt;
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

// ---- Leveled: segments of a level, except the newest level, don't overlap, so that a lookup finds
// one per level by its key range. A level that is too large is merged into the next.
class LeveledStore : public Store {
 protected:
  static constexpr size_t kSegmentEntries = 2000;
  static constexpr size_t kNewestSegments = 4;

  // Returns the end of a level.
  static size_t EndOf(const Version& version, size_t level) {
    return level < version.levels.size() ? version.levels[level] : version.segments.size();
  }

  std::optional<std::string> GetFrom(const Version& version, std::string_view key) const override {
    thread_local std::vector<uint32_t> files;  // segments whose key range includes the key
    thread_local std::vector<uint64_t> words;
    FindByRange(version, key, &files);
    words.resize(winnow::FilterSet::WordsFor(files.size()));
    for (const size_t i :
         version.filters.CandidatesOf(winnow::HashKey(key), files.data(), files.size(), words)) {
      if (auto value = version.segments[files[i]]->Get(key)) return value;
    }
    return std::nullopt;
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
    for (size_t& level : next->levels) ++level;  // shifted by the new segment
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

  // Merges two whole levels, for simplicity; an engine would merge some segments and those that
  // overlap these.
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

constexpr uint64_t kKeys = 40'000;    // later writes update these keys
constexpr uint64_t kWriters = 2;      // each writer has its own keys
constexpr uint64_t kWrites = 60'500;  // total; the last ones stay in the memtable

struct Counts {
  uint64_t wrong = 0;
  size_t segments = 0;
  double present_reads = 0;
  double absent_reads = 0;
};

// Writes with two threads while two others read; then compares all keys with a map.
Counts Exercise(Store* store) {
  std::array<std::atomic<uint64_t>, kWriters> written{};
  std::atomic<uint64_t> wrong{0};
  std::atomic<bool> all_written{false};
  std::vector<std::thread> readers;
  for (uint64_t reader = 0; reader < 2; ++reader) {
    readers.emplace_back([&, reader] {
      for (uint64_t i = reader; !all_written; i += 7) {
        const uint64_t writer = i % kWriters;
        const uint64_t known = std::min<uint64_t>(written[writer], kKeys / kWriters);
        if (known != 0 && !store->Get(KeyOf(i % known * kWriters + writer))) ++wrong;
      }
    });
  }
  std::vector<std::thread> writers;
  for (uint64_t writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (uint64_t i = writer; i < kWrites; i += kWriters) {
        store->Put(KeyOf(i % kKeys), std::to_string(i));
        ++written[writer];
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  all_written = true;
  for (std::thread& reader : readers) reader.join();

  std::map<std::string, std::string> expected;
  for (uint64_t i = 0; i < kWrites; ++i) expected[KeyOf(i % kKeys)] = std::to_string(i);
  Counts counts;
  uint64_t reads = Segment::reads();
  for (const auto& [key, value] : expected) {
    if (store->Get(key) != value) ++wrong;
  }
  counts.present_reads =
      static_cast<double>(Segment::reads() - reads) / static_cast<double>(expected.size());
  reads = Segment::reads();
  for (uint64_t i = 0; i < kKeys; ++i) {
    if (store->Get("no " + KeyOf(i)) || store->Get(KeyOf(i) + "0 is no key")) ++wrong;
  }
  counts.absent_reads =
      static_cast<double>(Segment::reads() - reads) / static_cast<double>(2 * kKeys);
  counts.segments = store->num_segments();
  counts.wrong = wrong;
  return counts;
}

// Returns true if the store is correct.
template <typename Shape>
bool Check(const char* shape) {
  Shape store;
  const Counts counts = Exercise(&store);
  std::printf(
      "%-8s %2zu segments; segments read for a key that is there %.3f, for another %.3f; %llu "
      "wrong answers\n",
      shape, counts.segments, counts.present_reads, counts.absent_reads,
      static_cast<unsigned long long>(counts.wrong));
  // A false-positive rate of 1%: absent keys read one in a hundred segments.
  const double most = 0.02 * static_cast<double>(counts.segments);
  return counts.wrong == 0 && counts.segments > 3 && counts.present_reads < 1 + most &&
         counts.absent_reads < most;
}

}  // namespace

int main() {
  const bool tiered_works = Check<TieredStore>("tiered");
  const bool leveled_works = Check<LeveledStore>("leveled");
  return tiered_works && leveled_works ? 0 : 1;
}
