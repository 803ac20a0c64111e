#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "src/database/table_paths.h"
#include "tools/winnow/advise/advice_reading.h"
#include "tools/winnow/advise/advice_work.h"
#include "tools/winnow/advise/policy_of_files.h"

namespace winnow::inspect {
namespace {

constexpr uint64_t kSeed = 1;

// Number of keys to draw from a family for the share of entries that a full compaction keeps, which
// they determine to 1%; fewer if they would query more filters than kMaxPresentAsks.
constexpr uint64_t kPresentKeys = 3'000;
constexpr uint64_t kMaxPresentAsks = 1'000'000;

// Divides `total` into whole numbers in proportion to the parts.
std::vector<uint64_t> EvenShares(uint64_t total, const std::vector<double>& parts) {
  const double all = std::max(1.0, absl::c_accumulate(parts, 0.0));
  std::vector<uint64_t> shares;
  double passed = 0;
  uint64_t given = 0;
  for (const double part : parts) {
    passed += part;
    const auto end = static_cast<uint64_t>(
        std::llround(static_cast<double>(total) * std::min(1.0, passed / all)));
    shares.push_back(end - given);
    given = end;
  }
  return shares;
}

// Answers of a file to lookups and to present keys.
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

// Returns the indexes of a share of `n` items, at even distances.
std::vector<uint32_t> EvenPlaces(size_t n, double share) {
  std::vector<uint32_t> places;
  for (uint32_t i = 0; i < n; ++i) {
    if (std::floor(static_cast<double>(i + 1) * share) >
        std::floor(static_cast<double>(i) * share)) {
      places.push_back(i);
    }
  }
  return places;
}

// Keys to look up in the files of a family, and the answers of the files.
struct AskedKeys {
  std::vector<std::string> keys;
  std::vector<bool> is_to_learn;     // per key, or empty
  std::vector<AskedRange> ranges;    // one per file of the family
  std::vector<std::string> answers;  // one per file of the family

  // Keeps only the keys at these indexes, in this order, and finds the files that they query.
  void Keep(const std::vector<uint32_t>& places, const AdvisedFamily& family) {
    std::vector<std::string> kept;
    std::vector<bool> kept_halves;
    for (const size_t i : places) {
      kept.push_back(std::move(keys[i]));
      if (!is_to_learn.empty()) kept_halves.push_back(is_to_learn[i]);
    }
    keys.swap(kept);
    is_to_learn.swap(kept_halves);
    ranges = LookupsWithin(keys, family);
    answers.resize(ranges.size());
  }

  double Asks() const {
    double asks = 0;
    for (const AskedRange& range : ranges) asks += static_cast<double>(range.end - range.begin);
    return asks;
  }
};

class Reader {
 public:
  Reader(const std::vector<ListedTable>& tables, const AdviceOptions& options,
         const AdviceProgress& progress, AdviceReading* reading)
      : tables_(tables), options_(options), progress_(progress), read_(*reading) {}

  std::string Read() {
    std::string problem = ReadFiles();
    if (!problem.empty()) return problem;
    ChooseSample(options_.sample_keys, &read_);
    Draw();
    AskFiles();
    return std::string();
  }

 private:
  // Reads the files and groups them into families. Returns a sentence if no advice on them is
  // possible.
  std::string ReadFiles() {
    std::vector<AdvisedFile> files(tables_.size());
    DoAdviceWork(
        {"reading filters", std::vector<double>(files.size(), 1), options_.jobs, progress_},
        [&](size_t i, const auto&) { return ReadAdvisedFile(tables_[i].path); },
        [&](size_t i, AdvisedFile file) { files[i] = std::move(file); });
    std::set<std::string> found;
    for (size_t i = 0; i < files.size(); ++i) {
      files[i].path = tables_[i].path;
      files[i].database = tables_[i].database;
      files[i].level = tables_[i].level;
      // An ingested or imported file has no family in its properties, or another one.
      if (!tables_[i].column_family.empty()) files[i].family = tables_[i].column_family;
      found.insert(files[i].family);
    }
    const std::vector<std::string> wanted = FamiliesNamed(options_.families, found);
    std::vector<AdvisedFile> used;
    for (AdvisedFile& file : files) {
      const bool is_unread = !file.error.empty();
      const bool is_wanted = wanted.empty() || absl::c_linear_search(wanted, file.family);
      if (is_unread && (is_wanted || file.family.empty())) {
        read_.unread.push_back({file.path, file.error});
      } else if (is_wanted) {
        used.push_back(std::move(file));
      }
    }
    for (const std::string& name : wanted) {
      if (found.count(name) == 0) return absl::StrCat("no file is of a column family '", name, "'");
    }
    if (used.empty()) return "no SST file could be used";
    read_.families = PlaceFiles(std::move(used));
    for (AdvisedFamily& family : read_.families) {
      const std::string policy = PolicyOfFiles(family);
      if (policy.empty()) continue;
      family.is_policy_of_files = true;
      family.by_options = std::exchange(family.shape.policy, policy);
      family.shape.has_no_policy = false;
    }
    const bool has_others = absl::c_any_of(read_.families, [&](const AdvisedFamily& family) {
      return family.name != read_.families.front().name;
    });
    if ((options_.recorded || options_.recorded_scans) && has_others) {
      return "recorded lookups are of one column family: name it by --cf=NAME";
    }
    return std::string();
  }

  // Returns the number of keys to draw from each file: lookups, unless recorded, in proportion to
  // the entries of all files; present keys in proportion to the entries of the family.
  std::vector<DrawOptions> PlanDraws(const std::vector<AdvicePiece>& pieces) const {
    const std::vector<uint64_t> lookups =
        EvenShares(options_.recorded ? 0 : options_.lookups, read_.EntriesOf(pieces));
    std::vector<DrawOptions> draws(pieces.size());
    for (size_t i = 0; i < pieces.size(); ++i) {
      draws[i].lookups = lookups[i];
      draws[i].absent_share = options_.absent_share;
      draws[i].seed = kSeed + 0x9e3779b97f4a7c15 * (i + 1);
    }
    auto draw = draws.begin();
    for (const AdvisedFamily& family : read_.families) {
      std::vector<double> entries;
      for (const AdvisedFile& file : family.files) {
        entries.push_back(static_cast<double>(file.entries));
      }
      for (const uint64_t share : EvenShares(kPresentKeys, entries)) (draw++)->present = share;
    }
    return draws;
  }

  void Draw() {
    const std::vector<AdvicePiece> pieces = read_.AllPieces();
    const std::vector<DrawOptions> draws = PlanDraws(pieces);
    lookups_.resize(read_.families.size());
    present_.resize(read_.families.size());
    // Counted keys of files that don't record them.
    std::vector<double> counted(read_.families.size());
    std::vector<double> entries(read_.families.size());  // entries of these files
    DoAdviceWork(
        {"drawing lookups", read_.EntriesOf(pieces), options_.jobs, progress_},
        [&](size_t i, const auto& beat) {
          const AdvisedFile& file = read_.FileOf(pieces[i]);
          const bool counts = file.is_sampled && !file.keys_are_known;
          return draws[i].lookups + draws[i].present > 0 || counts
                     ? DrawLookups(file, draws[i], beat)
                     : DrawnKeys();
        },
        [&](size_t i, const DrawnKeys& drawn) {
          const size_t family = pieces[i].family;
          AdvisedFile& file = read_.FileOf(pieces[i]);
          file.error = drawn.error;
          Append(drawn.lookups, &lookups_[family].keys);
          Append(drawn.present, &present_[family].keys);
          if (drawn.filter_keys.empty()) return;
          if (!file.partitions.empty()) file.partitions = drawn.filter_keys;
          if (file.keys_are_known) return;
          entries[family] += static_cast<double>(file.keys);
          file.keys = absl::c_accumulate(drawn.filter_keys, uint64_t{0});
          counted[family] += static_cast<double>(file.keys);
        });
    for (const AdvicePiece& piece : pieces) {
      AdvisedFile& file = read_.FileOf(piece);
      if (!file.is_sampled && !file.keys_are_known && entries[piece.family] > 0) {
        file.keys = static_cast<uint64_t>(std::llround(
            static_cast<double>(file.keys) * counted[piece.family] / entries[piece.family]));
      }
      read_.families[piece.family].keys += file.keys;
    }
    if (!options_.recorded) return;
    AskedKeys recorded;
    recorded.keys = *options_.recorded;
    std::mt19937_64 random(kSeed);
    for (size_t i = 0, n = recorded.keys.size(); i < n; ++i) {
      recorded.is_to_learn.push_back(options_.recorded_in_time ? i < n / 2 : random() % 2 == 0);
    }
    lookups_.assign(read_.families.size(), recorded);
  }

  // Sorts the keys, and thins them out evenly to about `most_asks` queries of filters.
  void Prepare(double most_asks, std::vector<AskedKeys>* asked) const {
    double asks = 0;
    for (size_t i = 0; i < asked->size(); ++i) {
      const AdvisedFamily& family = read_.families[i];
      AskedKeys& keys = (*asked)[i];
      keys.Keep(SortedPlaces(*family.comparator, keys.keys), family);
      asks += keys.Asks();
    }
    for (size_t i = 0; i < asked->size() && asks > most_asks; ++i) {
      AskedKeys& keys = (*asked)[i];
      keys.Keep(EvenPlaces(keys.keys.size(), most_asks / asks), read_.families[i]);
    }
  }

  std::string Ask(const AskedKeys& asked, const AdvicePiece& piece, std::string* error) const {
    const AskedRange& range = asked.ranges[piece.at];
    return range.begin == range.end || !error->empty()
               ? std::string()
               : AskFile(read_.FileOf(piece).path, asked.keys, range, error);
  }

  void AskFiles() {
    const std::vector<AdvicePiece> pieces = read_.AllPieces();
    for (const AskedKeys& asked : lookups_) read_.lookups_left_out += asked.keys.size();
    Prepare(static_cast<double>(options_.most_asks), &lookups_);
    Prepare(static_cast<double>(kMaxPresentAsks), &present_);
    for (const AskedKeys& asked : lookups_) read_.lookups_left_out -= asked.keys.size();
    DoAdviceWork(
        {"asking the filters that there are", std::vector<double>(pieces.size(), 1), options_.jobs,
         progress_},
        [&](size_t i, const auto&) {
          Asked asked;
          asked.lookups = Ask(lookups_[pieces[i].family], pieces[i], &asked.error);
          asked.present = Ask(present_[pieces[i].family], pieces[i], &asked.error);
          return asked;
        },
        [&](size_t i, Asked asked) {
          const auto& [family, at] = pieces[i];
          std::string& error = read_.FileOf(pieces[i]).error;
          error = error.empty() ? std::move(asked.error) : error;  // error of the drawing
          if (IsFilterSkipped(read_.FileOf(pieces[i]), read_.families[family].shape)) {
            absl::c_replace(asked.lookups, static_cast<char>(FileAnswer::kDenied),
                            static_cast<char>(FileAnswer::kFalse));
          }
          lookups_[family].answers[at] = std::move(asked.lookups);
          present_[family].answers[at] = std::move(asked.present);
        });
    for (size_t i = 0; i < read_.families.size(); ++i) Follow(i);
  }

  void Follow(size_t number) {
    AdvisedFamily& family = read_.families[number];
    AskedKeys& asked = lookups_[number];
    const AskedKeys& present = present_[number];
    FamilyLookups& lookups = read_.lookups.emplace_back();
    lookups.keys = std::move(asked.keys);
    lookups.is_to_learn = std::move(asked.is_to_learn);
    const bool drop_found = !options_.recorded && options_.absent_share >= 1;
    FollowLookups(asked.ranges, asked.answers, drop_found, &lookups);
    read_.num_lookups += lookups.lookups;
    read_.num_absent += lookups.absent;
    read_.keys += family.keys;
    const double live_share = LiveShare(present.ranges, present.answers, present.keys.size());
    family.costs = std::make_shared<FamilyCosts>(family, lookups, live_share);
  }

  const std::vector<ListedTable>& tables_;
  const AdviceOptions& options_;
  const AdviceProgress& progress_;
  AdviceReading& read_;
  std::vector<AskedKeys> lookups_;  // one per family
  std::vector<AskedKeys> present_;  // one per family: existing keys, drawn from the files
};

}  // namespace

std::string ReadForAdvice(const std::vector<ListedTable>& tables, const AdviceOptions& options,
                          const AdviceProgress& progress, AdviceReading* reading) {
  return Reader(tables, options, progress, reading).Read();
}

}  // namespace winnow::inspect
