#include "src/cache_trial/cache_replay.h"

#include <algorithm>

namespace winnow::inspect {
namespace {

enum Kind : uint32_t { kFilter, kFilterTop, kIndex, kIndexTop, kData };

// One number from 0 to 1 for each key and file, the same for all choices and whenever the key is
// looked up again: a filter with a higher rate lets through what one with a lower rate does.
double ChanceOf(uint32_t file, uint32_t visit) {
  uint64_t z = (uint64_t{file} << 32 | visit) + 0x9e3779b97f4a7c15;  // S. Vigna's SplitMix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

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
    for (size_t i = 0; i < n; ++i) {
      if (i % kLookupsBetweenWords == 0) {
        progress(static_cast<double>(i) / static_cast<double>(n));
      }
      if (i == options_.warm_up) {
        figures_.usage_at_count = cache_.usage();
        counts_ = true;
      }
      Follow(lookups_.order[i]);
    }
    figures_.runs = 1;
    figures_.usage = cache_.usage();
    return figures_;
  }

 private:
  // What files hold in memory from then on.
  void Open() {
    for (uint32_t file = 0; file < options_.forms.size(); ++file) {
      const FileForm& form = options_.forms[file];
      Hold(form.filter, file, kFilter, kFilterTop);
      Hold(form.index, file, kIndex, kIndexTop);
    }
  }

  static bool IsAllBeside(const BlockSet& set) { return set.beside && set.top_charge == 0; }

  void Hold(const BlockSet& set, uint32_t file, Kind kind, Kind top) {
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

  // Counts what the cache does not have. True if something was read.
  bool Use(const CachedBlock& block, uint64_t charge, bool high_priority, bool hold,
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

  bool UseSet(const BlockSet& set, uint32_t file, Kind kind, Kind top, uint64_t number, bool hold,
              uint64_t* blocks, uint64_t* bytes) {
    if (set.blocks == 0 || IsAllBeside(set)) {
      return false;
    }
    bool read = false;
    if (set.top_charge > 0 && !set.pin_top && !set.beside) {
      read = Use({file, top, 0}, set.top_charge, options_.high_priority, hold, blocks, bytes);
    }
    if (!set.pin_blocks) {
      read |= Use({file, kind, number}, set.charge, options_.high_priority, hold, blocks, bytes);
    }
    return read;
  }

  void Follow(uint32_t key) {
    bool read_filter = false;
    for (uint64_t i = lookups_.begin[key]; i < lookups_.begin[key + 1]; ++i) {
      const TimedLookups::Ask& ask = lookups_.asks[i];
      const VisitedFile& file = lookups_.files[ask.file];
      const Visit& visit = file.visits[ask.visit];
      const FileForm& form = options_.forms[ask.file];
      if (form.filter.blocks > 0) {
        const uint64_t number = form.has_stored_blocks
                                    ? std::min<uint64_t>(visit.filter_block, form.filter.blocks - 1)
                                    : BlockAt(visit.place, form.filter.blocks);
        has_room_ = true;
        read_filter |= UseSet(form.filter, ask.file, kFilter, kFilterTop, number, false,
                              &figures_.filter_blocks, &figures_.filter_bytes);
        const bool lets_through =
            form.has_stored_answers ? visit.may_contain : ChanceOf(ask.file, ask.visit) < form.rate;
        if (has_room_ && !visit.found && !lets_through) {
          continue;
        }
      }
      // The index is held while data is read.
      UseSet(form.index, ask.file, kIndex, kIndexTop,
             form.index.blocks > 0 ? BlockAt(visit.place, form.index.blocks) : 0, true,
             &figures_.index_blocks, &figures_.index_bytes);
      for (uint32_t block = 0; block < (visit.two_blocks ? 2U : 1U); ++block) {
        Use({ask.file, kData, visit.data_block + block}, file.data_charge, false, false,
            &figures_.data_blocks, &figures_.data_bytes);
      }
      cache_.Release();
      figures_.false_reads += counts_ && !visit.found ? 1 : 0;
    }
    if (counts_) {
      ++figures_.lookups;
      figures_.read_filters += read_filter ? 1 : 0;
    }
  }

  const TimedLookups& lookups_;
  const ReplayOptions& options_;
  TrialCache cache_;
  ReplayFigures figures_;
  bool counts_ = false;
  bool has_room_ = true;  // for the filter's blocks that were used last
};

}  // namespace

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
