#include "tools/winnow/advise/cache_lookups.h"

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "src/cache_trial/file_visits.h"
#include "src/text/numbers.h"

namespace winnow::inspect {
namespace {

// Maximum number of simulated lookups of a key in a file: about 200 MB.
constexpr uint64_t kMaxVisits = 8'000'000;

// Lookups of one column family.
struct ArrangedLookups {
  std::vector<std::string> keys;   // without duplicates, sorted by the comparator
  std::vector<uint32_t> order;     // indexes in `keys`, in order of time
  std::vector<AskedRange> ranges;  // one per file
};

ArrangedLookups Arrange(const std::vector<std::string>& lookups, const AdvisedFamily& family,
                        const std::vector<AdvisedFile>& files) {
  const std::vector<uint32_t> sorted = SortedPlaces(*family.comparator, lookups);
  ArrangedLookups arranged;
  arranged.order.resize(lookups.size());
  for (const uint32_t place : sorted) {
    const std::string& key = lookups[place];
    if (arranged.keys.empty() ||
        family.comparator->CompareWithoutTimestamp(arranged.keys.back(), false, key, false) != 0) {
      arranged.keys.push_back(key);
    }
    arranged.order[place] = static_cast<uint32_t>(arranged.keys.size() - 1);
  }
  arranged.ranges = LookupsWithin(arranged.keys, family, files);
  return arranged;
}

class LookupTaker {
 public:
  LookupTaker(const AdviceOptions& options, AdviceReading* reading)
      : options_(options), read_(*reading) {
    taken_.pieces = read_.AllPieces();
  }

  CacheLookups Take(const AdviceProgress& progress) && {
    ArrangeAll();
    VisitFiles(progress);
    JoinAsks();
    JoinOrders();
    return std::move(taken_);
  }

 private:
  void ArrangeAll() {
    std::vector<std::vector<std::string>> lookups;
    std::mt19937_64 random(1);
    for (size_t i = 0; i < read_.families.size(); ++i) {
      if (options_.recorded) {
        lookups.push_back(*options_.recorded);
      } else {
        lookups.push_back(std::move(read_.lookups[i].keys));
        std::shuffle(lookups.back().begin(), lookups.back().end(), random);
      }
      families_.push_back(Arrange(lookups.back(), read_.families[i], read_.files));
    }
    double visits = 0;
    for (const AdvicePiece& piece : taken_.pieces) {
      visits += static_cast<double>(AskedOf(piece));
    }
    const double share = static_cast<double>(kMaxVisits) / visits;
    for (size_t i = 0; i < families_.size() && share < 1; ++i) {
      const auto kept = static_cast<size_t>(share * static_cast<double>(lookups[i].size()));
      taken_.left_away.push_back(
          absl::StrCat("Of ", Number(lookups[i].size(), "lookup"), " the first ", kept,
                       " were followed: more would ask more keys of files than this program keeps "
                       "in memory."));
      lookups[i].resize(kept);
      families_[i] = Arrange(lookups[i], read_.families[i], read_.files);
    }
    for (const ArrangedLookups& family : families_) {
      first_key_.push_back(num_keys_);
      num_keys_ += family.keys.size();
    }
  }

  const AskedRange& RangeOf(const AdvicePiece& piece) const {
    return families_[piece.family].ranges[piece.at];
  }

  size_t AskedOf(const AdvicePiece& piece) const {
    return RangeOf(piece).end - RangeOf(piece).begin;
  }

  void VisitFiles(const AdviceProgress& progress) {
    const std::vector<AdvicePiece>& pieces = taken_.pieces;
    std::vector<VisitedFile>& files = taken_.timed.files;
    files.resize(pieces.size());
    std::vector<double> sizes;
    for (const AdvicePiece& piece : pieces) {
      sizes.push_back(static_cast<double>(AskedOf(piece)) + 1);
    }
    DoAdviceWork(
        {"finding the blocks that lookups ask for", sizes, options_.jobs, progress},
        [&](size_t i, const auto& beat) {
          return VisitFile(read_.FileOf(pieces[i]).path,
                           families_[pieces[i].family].keys.data() + RangeOf(pieces[i]).begin,
                           AskedOf(pieces[i]), beat);
        },
        [&](size_t i, VisitedFile visited) {
          std::string& error = read_.FileOf(pieces[i]).error;
          error = error.empty() ? visited.error : error;  // error of an earlier step
          files[i] = std::move(visited);
        },
        [&](size_t i) -> std::string& { return read_.FileOf(pieces[i]).error; });
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (!read_.FileOf(pieces[i]).error.empty()) {
        files[i] = VisitedFile();
      }
    }
  }

  // Lists the visits of each key in the order of files, until the key is found: counts them in a
  // first pass, and stores them in a second.
  void JoinAsks() {
    TimedLookups& timed = taken_.timed;
    timed.begin.assign(num_keys_ + 1, 0);
    std::vector<bool> ended(num_keys_);
    const auto each = [&](auto visit) {
      absl::c_fill(ended, false);
      for (uint32_t i = 0; i < taken_.pieces.size(); ++i) {
        const AdvicePiece& piece = taken_.pieces[i];
        const std::vector<Visit>& visits = timed.files[i].visits;
        for (uint32_t j = 0; j < visits.size(); ++j) {
          const size_t key = first_key_[piece.family] + RangeOf(piece).begin + j;
          if (!ended[key]) {
            visit(key, TimedLookups::Ask{i, j});
            ended[key] = visits[j].ends;
          }
        }
      }
    };
    each([&](size_t key, const TimedLookups::Ask&) { ++timed.begin[key + 1]; });
    std::partial_sum(timed.begin.begin(), timed.begin.end(), timed.begin.begin());
    timed.asks.resize(timed.begin.back());
    std::vector<uint64_t> next(timed.begin.begin(), timed.begin.end() - 1);
    each([&](size_t key, const TimedLookups::Ask& ask) { timed.asks[next[key]++] = ask; });
  }

  // Interleaves the lookups of several families in proportion to their numbers. Drops drawn near
  // misses that are keys by chance.
  void JoinOrders() {
    std::vector<std::pair<double, uint32_t>> all;
    for (size_t i = 0; i < families_.size(); ++i) {
      const std::vector<uint32_t>& order = families_[i].order;
      for (size_t j = 0; j < order.size(); ++j) {
        all.emplace_back((static_cast<double>(j) + 0.5) / static_cast<double>(order.size()),
                         static_cast<uint32_t>(first_key_[i] + order[j]));
      }
    }
    absl::c_stable_sort(all, [](const auto& a, const auto& b) { return a.first < b.first; });
    const bool drops_found = !options_.recorded && options_.absent_share >= 1;
    for (const auto& [time, key] : all) {
      if (drops_found && taken_.IsFound(key)) {
        ++taken_.found_by_chance;
      } else {
        taken_.timed.order.push_back(key);
      }
    }
  }

  const AdviceOptions& options_;
  AdviceReading& read_;
  std::vector<ArrangedLookups> families_;
  std::vector<size_t> first_key_;  // index of each family's first key, counted over all families
  size_t num_keys_ = 0;
  CacheLookups taken_;
};

}  // namespace

bool CacheLookups::IsFound(uint32_t key) const {
  const auto begin = timed.asks.begin() + static_cast<ptrdiff_t>(timed.begin[key]);
  const auto end = timed.asks.begin() + static_cast<ptrdiff_t>(timed.begin[key + 1]);
  return std::any_of(begin, end, [this](const TimedLookups::Ask& ask) {
    return timed.files[ask.file].visits[ask.visit].found;
  });
}

CacheLookups TakeCacheLookups(const AdviceOptions& options, const AdviceProgress& progress,
                              AdviceReading* reading) {
  return LookupTaker(options, reading).Take(progress);
}

}  // namespace winnow::inspect
