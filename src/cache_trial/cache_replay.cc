#include "src/cache_trial/cache_replay.h"

#include <algorithm>
#include <bitset>
#include <optional>

namespace winnow::inspect {
namespace {

enum Kind : uint32_t { kFilter, kFilterTop, kIndex, kIndexTop, kData };

// Returns a pseudorandom number from 0 to 1 per key and file, independent of the choice of filters
// and of repeated lookups: a filter with a higher rate passes all keys that one with a lower rate
// passes.
double ChanceOf(uint32_t file, uint32_t visit) {
  uint64_t z = (uint64_t{file} << 32 | visit) + 0x9e3779b97f4a7c15;  // S. Vigna's SplitMix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// MultiGetContext::MAX_BATCH_SIZE of RocksDB's table/multiget_context.h: a larger MultiGet is split
// into batches of this size.
constexpr size_t kMaxOfBatch = 32;

uint64_t BlockAt(float place, uint64_t blocks) {
  return std::min(static_cast<uint64_t>(static_cast<double>(place) * static_cast<double>(blocks)),
                  blocks - 1);
}

class Player {
 public:
  Player(const TimedLookups& lookups, const ReplayOptions& options)
      : lookups_(lookups), options_(options), cache_(options.cache, options.salt) {}

  ReplayFigures Play(const std::function<void(double)>& progress) {
    constexpr size_t kLookupsBetweenWords = 8192;
    Open();
    const size_t n = lookups_.order.size();
    size_t next_word = 0;
    for (size_t i = 0; i < n;) {
      if (i >= next_word) {
        progress(static_cast<double>(i) / static_cast<double>(n));
        next_word = i + kLookupsBetweenWords;
      }
      if (!counts_ && i >= options_.warm_up) {
        figures_.usage_at_count = cache_.usage();
        counts_ = true;
      }
      const size_t end = EndOfBatch(i);
      Follow(i, end);
      i = end;
      if (i == n || lookups_.joins.empty() || !lookups_.joins[i]) {
        cache_.ReleaseAll();
      }
    }
    figures_.runs = 1;
    figures_.usage = cache_.usage();
    return figures_;
  }

 private:
  // A lookup of one file for a key of a batch.
  struct Step {
    TimedLookups::Ask ask;
    size_t place = 0;  // index of the key in its batch
  };

  size_t EndOfBatch(size_t begin) const {
    const auto joins = lookups_.joins.begin();
    const auto most = static_cast<ptrdiff_t>(std::min(lookups_.joins.size(), begin + kMaxOfBatch));
    const auto next = static_cast<ptrdiff_t>(begin + 1);
    return next >= most ? begin + 1
                        : static_cast<size_t>(std::find(joins + next, joins + most, false) - joins);
  }

  // Adds the blocks that open files keep in memory.
  void Open() {
    for (uint32_t file = 0; file < options_.forms.size(); ++file) {
      const FileForm& form = options_.forms[file];
      HoldSet(form.filter, file, kFilter, kFilterTop);
      HoldSet(form.index, file, kIndex, kIndexTop);
    }
  }

  static bool IsAllBeside(const BlockSet& set) { return set.beside && set.top_charge == 0; }

  void HoldSet(const BlockSet& set, uint32_t file, Kind kind, Kind top) {
    if (set.blocks == 0) {
      return;
    }
    if (set.beside) {
      figures_.beside_bytes += IsAllBeside(set) ? set.blocks * set.charge : set.top_charge;
    } else if (set.pin_top && set.top_charge > 0) {
      Pin({file, top, 0}, set.top_charge);
    }
    if (IsAllBeside(set)) {
      return;
    }
    for (uint64_t i = 0; set.pin_blocks && i < set.blocks; ++i) {
      Pin({file, kind, i}, set.charge);
    }
  }

  void Pin(const CachedBlock& block, uint64_t charge) {
    const bool fits = cache_.Pin(block, charge, options_.high_priority);
    figures_.pins_fit = figures_.pins_fit && fits;
    figures_.pinned_bytes += fits ? charge : 0;
  }

  // Counts a block that the cache does not have. Returns whether it was read.
  bool Use(const CachedBlock& block, uint64_t charge, bool high_priority, Hold hold,
           uint64_t* blocks, uint64_t* bytes) {
    bool has_room = true;
    const bool read = !cache_.Touch(block, charge, high_priority, hold, &has_room);
    if (read && counts_) {
      ++*blocks;
      *bytes += charge;
      figures_.no_room += has_room ? 0 : 1;
    }
    has_room_ = has_room_ && has_room;
    return read;
  }

  // Uses the index over the blocks of a set. Returns whether it was read.
  bool UseTop(const BlockSet& set, const CachedBlock& block, Hold hold, uint64_t* blocks,
              uint64_t* bytes) {
    return set.blocks > 0 && !IsAllBeside(set) && set.top_charge > 0 && !set.pin_top &&
           !set.beside && Use(block, set.top_charge, options_.high_priority, hold, blocks, bytes);
  }

  bool UseBlock(const BlockSet& set, const CachedBlock& block, Hold hold, uint64_t* blocks,
                uint64_t* bytes) {
    return set.blocks > 0 && !IsAllBeside(set) && !set.pin_blocks &&
           Use(block, set.charge, options_.high_priority, hold, blocks, bytes);
  }

  const Visit& VisitOf(const Step& step) const {
    return lookups_.files[step.ask.file].visits[step.ask.visit];
  }

  // Looks up a batch of keys, which go through the files together, as in RocksDB's
  // Version::MultiGet: each block is looked up in the cache once per file and batch.
  void Follow(size_t begin, size_t end) {
    steps_.clear();
    for (size_t at = begin; at < end; ++at) {
      const uint32_t key = lookups_.order[at];
      for (uint64_t i = lookups_.begin[key]; i < lookups_.begin[key + 1]; ++i) {
        steps_.push_back({lookups_.asks[i], at - begin});
      }
    }
    if (end - begin > 1) {
      std::stable_sort(steps_.begin(), steps_.end(),
                       [](const Step& a, const Step& b) { return a.ask.file < b.ask.file; });
    }
    read_filter_.reset();
    for (auto step = steps_.begin(); step != steps_.end();) {
      passed_.clear();
      const uint32_t file = step->ask.file;
      const auto first = step;
      step = std::find_if(step, steps_.end(),
                          [file](const Step& other) { return other.ask.file != file; });
      AskFilter(file, first, step);
      if (!passed_.empty()) {
        ReadFile(file, end - begin > 1);
      }
    }
    if (counts_) {
      figures_.lookups += end - begin;
      figures_.read_filters += read_filter_.count();
    }
  }

  // Sets passed_ to the keys that the filter passes.
  void AskFilter(uint32_t file, std::vector<Step>::const_iterator step,
                 std::vector<Step>::const_iterator end) {
    const FileForm& form = options_.forms[file];
    const BlockSet& filter = form.filter;
    if (filter.blocks == 0) {
      passed_.assign(step, end);
      return;
    }
    has_room_ = true;
    const bool read_top = UseTop(filter, {file, kFilterTop, 0}, Hold::kNot, &figures_.filter_blocks,
                                 &figures_.filter_bytes);
    const bool top_has_room = has_room_;
    bool read = false;
    std::optional<uint64_t> last;
    for (; step != end; ++step) {
      const Visit& visit = VisitOf(*step);
      const uint64_t number = form.has_stored_blocks
                                  ? std::min<uint64_t>(visit.filter_block, filter.blocks - 1)
                                  : BlockAt(visit.place, filter.blocks);
      if (number != last) {
        has_room_ = top_has_room;
        read = UseBlock(filter, {file, kFilter, number}, Hold::kNot, &figures_.filter_blocks,
                        &figures_.filter_bytes);
        last = number;
      }
      read_filter_[step->place] = read_filter_[step->place] || read_top || read;
      const bool lets_through =
          form.has_stored_answers ? visit.may_contain : ChanceOf(file, step->ask.visit) < form.rate;
      if (!has_room_ || visit.found || lets_through) {
        passed_.push_back(*step);
      }
    }
  }

  // Returns whether a key in passed_ is found in this block.
  bool FindsIn(uint32_t data_block) const {
    return std::any_of(passed_.begin(), passed_.end(), [&](const Step& step) {
      return VisitOf(step).found && VisitOf(step).data_block == data_block;
    });
  }

  // Reads the data blocks for passed_. The index is held while data is read, and so is a data block
  // that several keys need. A MultiGet holds the blocks of found keys to its end, as it returns
  // values that are in the cache. `joins` is true for a MultiGet.
  void ReadFile(uint32_t file, bool joins) {
    const BlockSet& index = options_.forms[file].index;
    const uint64_t charge = lookups_.files[file].data_charge;
    UseTop(index, {file, kIndexTop, 0}, Hold::kToRelease, &figures_.index_blocks,
           &figures_.index_bytes);
    std::optional<uint64_t> last_of_index;
    std::optional<uint32_t> last;
    const auto use_data = [&](uint32_t block, Hold hold) {
      Use({file, kData, block}, charge, false, hold, &figures_.data_blocks, &figures_.data_bytes);
    };
    for (const Step& step : passed_) {
      const Visit& visit = VisitOf(step);
      const uint64_t number = index.blocks > 0 ? BlockAt(visit.place, index.blocks) : 0;
      if (number != last_of_index) {
        UseBlock(index, {file, kIndex, number}, Hold::kToRelease, &figures_.index_blocks,
                 &figures_.index_bytes);
        last_of_index = number;
      }
      if (visit.data_block != last) {
        use_data(visit.data_block, !joins                      ? Hold::kNot
                                   : FindsIn(visit.data_block) ? Hold::kToReleaseAll
                                                               : Hold::kToRelease);
        last = visit.data_block;
      }
      figures_.false_reads += counts_ && !visit.found ? 1 : 0;
    }
    for (const Step& step : passed_) {
      if (VisitOf(step).two_blocks) {
        use_data(VisitOf(step).data_block + 1, Hold::kNot);
      }
    }
    cache_.Release();
  }

  const TimedLookups& lookups_;
  const ReplayOptions& options_;
  TrialCache cache_;
  ReplayFigures figures_;
  bool counts_ = false;
  std::vector<Step> steps_;               // steps of a batch
  std::vector<Step> passed_;              // steps of a file
  std::bitset<kMaxOfBatch> read_filter_;  // indexed by place in the batch
  bool has_room_ = true;                  // true if the last filter blocks had room
};

}  // namespace

void TimedLookups::SortMultiGets() {
  for (auto first = joins.begin(); first != joins.end();) {
    const auto next = std::find(first + 1, joins.end(), false);
    std::sort(order.begin() + (first - joins.begin()), order.begin() + (next - joins.begin()));
    first = next;
  }
}

ReplayFigures& ReplayFigures::operator+=(const ReplayFigures& other) {
  runs += other.runs;
  lookups += other.lookups;
  filter_blocks += other.filter_blocks;
  filter_bytes += other.filter_bytes;
  index_blocks += other.index_blocks;
  index_bytes += other.index_bytes;
  data_blocks += other.data_blocks;
  data_bytes += other.data_bytes;
  read_filters += other.read_filters;
  false_reads += other.false_reads;
  pinned_bytes += other.pinned_bytes;
  pins_fit = pins_fit && other.pins_fit;
  no_room += other.no_room;
  usage += other.usage;
  usage_at_count += other.usage_at_count;
  beside_bytes += other.beside_bytes;
  return *this;
}

ReplayFigures Replay(const TimedLookups& lookups, const ReplayOptions& options,
                     const std::function<void(double)>& progress) {
  return Player(lookups, options).Play(progress);
}

}  // namespace winnow::inspect
