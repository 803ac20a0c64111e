#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/findings/families.h"

namespace winnow::inspect {
namespace {

constexpr uint64_t kSeed = 1;

// Keys to draw from a family, to see how many of its entries are of the same key: so many tell it
// to a hundredth. Where they would ask more filters than kMaxPresentAsks, they are fewer.
constexpr uint64_t kPresentKeys = 3'000;
constexpr uint64_t kMaxPresentAsks = 1'000'000;

// Takes an even share of `total` for each part, in proportion to the parts, as whole numbers.
class EvenShares {
 public:
  EvenShares(uint64_t total, double all_parts)
      : total_(static_cast<double>(total)), all_parts_(all_parts) {}

  uint64_t Next(double part) {
    parts_ += part;
    const auto end = static_cast<uint64_t>(
        all_parts_ > 0 ? std::llround(total_ * std::min(1.0, parts_ / all_parts_)) : 0);
    const uint64_t share = end - begin_;
    begin_ = end;
    return share;
  }

 private:
  const double total_;
  const double all_parts_;
  double parts_ = 0;
  uint64_t begin_ = 0;
};

// What a file answers lookups and present keys.
struct Asked {
  std::string error;
  std::string lookups;
  std::string present;

  template <typename Code>
  void Fields(Code& code) {
    code(error, lookups, present);
  }
};

void Append(const std::vector<std::string>& keys, std::vector<std::string>* to) {
  to->insert(to->end(), keys.begin(), keys.end());
}

// Leaves the keys at these places, in this order. Each key's half goes with it, where there are
// halves.
void Keep(const std::vector<size_t>& places, std::vector<bool>* halves,
          std::vector<std::string>* keys) {
  std::vector<std::string> kept;
  std::vector<bool> kept_halves;
  const bool has_halves = halves != nullptr && !halves->empty();
  for (const size_t i : places) {
    kept.push_back(std::move((*keys)[i]));
    if (has_halves) kept_halves.push_back((*halves)[i]);
  }
  keys->swap(kept);
  if (has_halves) halves->swap(kept_halves);
}

std::vector<size_t> SortedPlaces(const ROCKSDB_NAMESPACE::Comparator& comparator,
                                 const std::vector<std::string>& keys) {
  std::vector<size_t> places(keys.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    return comparator.CompareWithoutTimestamp(keys[a], false, keys[b], false) < 0;
  });
  return places;
}

// Such a share of `n` places, at even distances.
std::vector<size_t> EvenPlaces(size_t n, double share) {
  std::vector<size_t> places;
  for (size_t i = 0; i < n; ++i) {
    if (std::floor(static_cast<double>(i + 1) * share) >
        std::floor(static_cast<double>(i) * share)) {
      places.push_back(i);
    }
  }
  return places;
}

// Lists of keys, one for each family, and what the files answer to them.
struct Asking {
  std::vector<std::vector<std::string>*> keys;    // of each family
  std::vector<std::vector<bool>*> halves;         // each key's is_to_learn; null or empty: none
  std::vector<std::vector<AskedRange>> ranges;    // of each family's files
  std::vector<std::vector<std::string>> answers;  // likewise
};

class Reader {
 public:
  Reader(const std::vector<AdviceTable>& tables, const AdviceOptions& options,
         const AdviceProgress& progress, AdviceReading* reading)
      : tables_(tables), options_(options), progress_(progress), read_(*reading) {}

  std::string Read() {
    ReadFiles();
    Place();
    std::string problem = WhyNothing();
    if (!problem.empty()) {
      return problem;
    }
    ChooseSample(options_.sample_keys, &read_);
    CountKeys();
    Draw();
    AskFiles();
    return std::string();
  }

 private:
  void ReadFiles() {
    read_.files.resize(tables_.size());
    DoAdviceWork(
        {"reading filters", std::vector<double>(tables_.size(), 1), options_.jobs, progress_},
        [&](size_t i, const auto&) { return ReadAdvisedFile(tables_[i].path); },
        [&](size_t i, AdvisedFile file) { read_.files[i] = std::move(file); },
        [&](size_t i) -> std::string& { return read_.files[i].error; });
    for (size_t i = 0; i < read_.files.size(); ++i) {
      read_.files[i].path = tables_[i].path;
      read_.files[i].database = tables_[i].database;
      read_.files[i].level = tables_[i].level;
      // Files that were ingested or imported name none, or another one.
      if (!tables_[i].column_family.empty()) read_.files[i].family = tables_[i].column_family;
    }
  }

  void Place() {
    for (const AdvisedFile& file : read_.files) {
      read_.found_families.insert(file.family);
    }
    wanted_ = FamiliesNamed(options_.families, read_.found_families);
    const std::set<std::string> wanted(wanted_.begin(), wanted_.end());
    std::vector<AdvisedFile> kept;
    for (AdvisedFile& file : read_.files) {
      const bool may_be_wanted =
          wanted.count(file.family) > 0 || (!file.error.empty() && file.family.empty());
      if (wanted.empty() || may_be_wanted) {
        kept.push_back(std::move(file));
      }
    }
    read_.files = std::move(kept);
    read_.families = PlaceFiles(&read_.files);
  }

  std::string WhyNothing() const {
    for (const std::string& name : wanted_) {
      if (read_.found_families.count(name) == 0) {
        return absl::StrCat("no file is of a column family '", name, "'");
      }
    }
    if (read_.families.empty()) {
      return "no SST file could be used";
    }
    if ((options_.recorded || options_.recorded_scans) && read_.families.size() > 1) {
      return "recorded lookups are of one column family: name it by --cf=NAME";
    }
    return std::string();
  }

  // Where no filter tells how many keys a file has: its entries may be versions of fewer.
  void CountKeys() {
    std::vector<AdvicePiece> pieces;
    for (const AdvicePiece& piece : read_.AllPieces()) {
      const AdvisedFile& file = read_.FileOf(piece);
      if (file.is_sampled && !file.keys_are_known) pieces.push_back(piece);
    }
    if (pieces.empty()) return;
    std::vector<double> counted(read_.families.size());
    std::vector<double> taken(read_.families.size());
    EachPiece(
        "counting keys", pieces, read_.EntriesOf(pieces),
        [&](size_t i, const auto& beat) { return CountFilterKeys(read_.FileOf(pieces[i]), beat); },
        [&](size_t i, const CountedKeys& answer) {
          AdvisedFile& file = read_.FileOf(pieces[i]);
          file.error = answer.error;
          counted[pieces[i].family] += static_cast<double>(answer.keys);
          taken[pieces[i].family] += static_cast<double>(file.keys);
          file.keys = answer.keys;
        });
    for (const AdvicePiece& piece : read_.AllPieces()) {
      AdvisedFile& file = read_.FileOf(piece);
      if (file.is_sampled || file.keys_are_known || taken[piece.family] == 0) continue;
      file.keys = static_cast<uint64_t>(std::llround(static_cast<double>(file.keys) *
                                                     counted[piece.family] / taken[piece.family]));
    }
    for (AdvisedFamily& family : read_.families) {
      family.keys = 0;
      for (const size_t file : family.files) family.keys += read_.files[file].keys;
    }
  }

  // As DoAdviceWork does it; errors are those of the files.
  template <typename Work, typename Take>
  void EachPiece(const std::string& step, const std::vector<AdvicePiece>& pieces,
                 const std::vector<double>& sizes, const Work& work, const Take& take) {
    DoAdviceWork({step, sizes, options_.jobs, progress_}, work, take,
                 [&](size_t i) -> std::string& { return read_.FileOf(pieces[i]).error; });
  }

  // What to draw from each file: lookups, unless they are recorded, in proportion to the entries of
  // all files, keys that are there to those of the family.
  std::vector<DrawOptions> PlanDraws(const std::vector<AdvicePiece>& pieces) const {
    const std::vector<double> entries = read_.EntriesOf(pieces);
    std::vector<double> of_families(read_.families.size());
    for (size_t i = 0; i < pieces.size(); ++i) {
      of_families[pieces[i].family] += entries[i];
    }
    EvenShares lookups(options_.recorded ? 0 : options_.lookups,
                       std::accumulate(entries.begin(), entries.end(), 0.0));
    std::vector<EvenShares> present;
    for (const double of_family : of_families) {
      present.emplace_back(kPresentKeys, of_family);
    }
    std::vector<DrawOptions> draws;
    for (size_t i = 0; i < pieces.size(); ++i) {
      DrawOptions draw;
      draw.lookups = lookups.Next(entries[i]);
      draw.present = present[pieces[i].family].Next(entries[i]);
      draw.absent_share = options_.absent_share;
      draw.seed = kSeed + 0x9e3779b97f4a7c15 * (i + 1);
      draw.whole = read_.FileOf(pieces[i]).is_sampled;
      draw.partitioned = !read_.FileOf(pieces[i]).partitions.empty();
      draws.push_back(draw);
    }
    return draws;
  }

  void Draw() {
    const std::vector<AdvicePiece> pieces = read_.AllPieces();
    const std::vector<DrawOptions> draws = PlanDraws(pieces);
    read_.lookups.resize(read_.families.size());
    present_.resize(read_.families.size());
    EachPiece(
        "drawing lookups", pieces, read_.EntriesOf(pieces),
        [&](size_t i, const auto&) {
          std::pair<std::string, DrawnKeys> drawn;  // the error first
          if (draws[i].lookups + draws[i].present > 0) {
            drawn.second = DrawLookups(read_.FileOf(pieces[i]).path, draws[i], &drawn.first);
          }
          return drawn;
        },
        [&](size_t i, const std::pair<std::string, DrawnKeys>& drawn) {
          AdvisedFile& file = read_.FileOf(pieces[i]);
          file.error = drawn.first;
          if (!drawn.second.partitions.empty()) file.partitions = drawn.second.partitions;
          Append(drawn.second.lookups, &read_.lookups[pieces[i].family].keys);
          Append(drawn.second.present, &present_[pieces[i].family]);
        });
    if (options_.recorded) {
      read_.lookups[0].keys = *options_.recorded;
      Halve(&read_.lookups[0]);
    }
  }

  // Into lookups to learn from and others to judge by.
  void Halve(FamilyLookups* lookups) const {
    const size_t n = lookups->keys.size();
    std::mt19937_64 random(kSeed);
    for (size_t i = 0; i < n; ++i) {
      lookups->is_to_learn.push_back(options_.recorded_in_time ? i < n / 2 : random() % 2 == 0);
    }
  }

  // Sets the ranges by the keys; answers are of all files, and empty.
  void FindRanges(Asking* asking) const {
    asking->ranges.assign(read_.families.size(), {});
    asking->answers.assign(read_.families.size(), {});
    for (size_t i = 0; i < read_.families.size(); ++i) {
      const AdvisedFamily& family = read_.families[i];
      for (const size_t file : family.files) {
        asking->ranges[i].push_back(
            LookupsWithin(*asking->keys[i], read_.files[file], *family.comparator));
      }
      asking->answers[i].resize(family.files.size());
    }
  }

  // Sorts the keys, and leaves so many, evenly, that they ask about `most_asks` filters at most.
  void Prepare(double most_asks, Asking* asking) const {
    for (size_t i = 0; i < read_.families.size(); ++i) {
      std::vector<std::string>& keys = *asking->keys[i];
      Keep(SortedPlaces(*read_.families[i].comparator, keys), asking->halves[i], &keys);
    }
    FindRanges(asking);
    double asks = 0;
    for (const auto& ranges : asking->ranges) {
      for (const AskedRange& range : ranges) {
        asks += static_cast<double>(range.end - range.begin);
      }
    }
    if (asks <= most_asks) {
      return;
    }
    for (size_t i = 0; i < read_.families.size(); ++i) {
      std::vector<std::string>& keys = *asking->keys[i];
      Keep(EvenPlaces(keys.size(), most_asks / asks), asking->halves[i], &keys);
    }
    FindRanges(asking);
  }

  std::string Ask(const Asking& asking, const AdvicePiece& piece, std::string* error) const {
    const AskedRange& range = asking.ranges[piece.family][piece.at];
    return range.begin == range.end || !error->empty()
               ? std::string()
               : AskFile(read_.FileOf(piece).path, *asking.keys[piece.family], range, error);
  }

  void AskFiles() {
    const std::vector<AdvicePiece> pieces = read_.AllPieces();
    Asking lookups;
    Asking present;
    uint64_t drawn = 0;
    for (size_t family = 0; family < read_.families.size(); ++family) {
      lookups.keys.push_back(&read_.lookups[family].keys);
      lookups.halves.push_back(&read_.lookups[family].is_to_learn);
      present.keys.push_back(&present_[family]);
      present.halves.push_back(nullptr);
      drawn += read_.lookups[family].keys.size();
    }
    Prepare(static_cast<double>(options_.most_asks), &lookups);
    Prepare(static_cast<double>(kMaxPresentAsks), &present);
    for (const FamilyLookups& family : read_.lookups) {
      drawn -= family.keys.size();
    }
    read_.lookups_left_out = drawn;
    EachPiece(
        "asking the filters that there are", pieces, std::vector<double>(pieces.size(), 1),
        [&](size_t i, const auto&) {
          Asked asked;
          asked.lookups = Ask(lookups, pieces[i], &asked.error);
          asked.present = Ask(present, pieces[i], &asked.error);
          return asked;
        },
        [&](size_t i, Asked asked) {
          const auto& [family, at] = pieces[i];
          std::string& error = read_.FileOf(pieces[i]).error;
          error = error.empty() ? std::move(asked.error) : error;  // of the drawing
          if (IsFilterSkipped(read_.FileOf(pieces[i]), read_.families[family].shape)) {
            std::replace(asked.lookups.begin(), asked.lookups.end(),
                         static_cast<char>(FileAnswer::kDenied),
                         static_cast<char>(FileAnswer::kFalse));
          }
          lookups.answers[family][at] = std::move(asked.lookups);
          present.answers[family][at] = std::move(asked.present);
        });
    const bool drop_found = !options_.recorded && options_.absent_share >= 1;
    for (size_t family = 0; family < read_.families.size(); ++family) {
      FamilyLookups& of_family = read_.lookups[family];
      FollowLookups(lookups.ranges[family], lookups.answers[family], drop_found, &of_family);
      read_.num_lookups += of_family.lookups;
      read_.num_absent += of_family.absent;
    }
    for (size_t i = 0; i < read_.families.size(); ++i) {
      AdvisedFamily& family = read_.families[i];
      const double live_share =
          LiveShare(present.ranges[i], present.answers[i], present_[i].size());
      family.costs =
          std::make_shared<FamilyCosts>(family, read_.files, read_.lookups[i], live_share);
      read_.has_plans = read_.has_plans || family.costs->HasRates("winnow:10");
      read_.keys += family.keys;
    }
  }

  const std::vector<AdviceTable>& tables_;
  const AdviceOptions& options_;
  std::vector<std::string> wanted_;  // families, by name
  const AdviceProgress& progress_;
  AdviceReading& read_;
  std::vector<std::vector<std::string>> present_;  // keys of each family, drawn from its files
};

}  // namespace

std::string ReadForAdvice(const std::vector<AdviceTable>& tables, const AdviceOptions& options,
                          const AdviceProgress& progress, AdviceReading* reading) {
  return Reader(tables, options, progress, reading).Read();
}

}  // namespace winnow::inspect
