#include "src/inspect/read_for_advice.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "src/inspect/advice_sample.h"
#include "src/inspect/advice_trials.h"
#include "src/inspect/advice_work.h"

namespace winnow::inspect {
namespace {

constexpr uint64_t kSeed = 1;

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

// The error and each key with their sizes before them.
std::string PackKeys(const std::string& error, const std::vector<std::string>& keys) {
  std::string packed = absl::StrCat(error.size(), " ", error);
  for (const std::string& key : keys) {
    absl::StrAppend(&packed, key.size(), " ", key);
  }
  return packed;
}

bool UnpackKeys(const std::string& packed, std::string* error, std::vector<std::string>* keys) {
  bool is_error = true;
  for (size_t at = 0; at < packed.size();) {
    size_t size = 0;
    for (; at < packed.size() && packed[at] >= '0' && packed[at] <= '9'; ++at) {
      size = 10 * size + static_cast<size_t>(packed[at] - '0');
    }
    if (at >= packed.size() || packed[at] != ' ' || packed.size() - at - 1 < size) {
      return false;
    }
    std::string text = packed.substr(at + 1, size);
    at += 1 + size;
    if (is_error) {
      *error = std::move(text);
    } else {
      keys->push_back(std::move(text));
    }
    is_error = false;
  }
  return !is_error;
}

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
    if (options_.recorded) {
      TakeRecorded();
    } else {
      Draw();
    }
    AskFiles();
    Formulate();
    return std::string();
  }

 private:
  void ReadFiles() {
    read_.files.resize(tables_.size());
    AdviceWork work;
    work.step = "reading filters";
    work.pieces = tables_.size();
    work.work = [&](size_t i, const WorkerReport&) {
      return PackAdvisedFile(ReadAdvisedFile(tables_[i].path));
    };
    work.take = [&](size_t i, const std::string& answer) {
      std::optional<AdvisedFile> file = UnpackAdvisedFile(answer);
      if (file) {
        read_.files[i] = std::move(*file);
      }
      return file.has_value();
    };
    work.error_of = [&](size_t i) -> std::string& { return read_.files[i].error; };
    DoAdviceWork(work, options_.jobs, progress_);
    for (size_t i = 0; i < read_.files.size(); ++i) {
      read_.files[i].path = tables_[i].path;
      read_.files[i].database = tables_[i].database;
      read_.files[i].level = tables_[i].level;
    }
  }

  void Place() {
    const std::set<std::string> wanted(options_.families.begin(), options_.families.end());
    std::vector<AdvisedFile> kept;
    for (AdvisedFile& file : read_.files) {
      read_.found_families.insert(file.family);
      if (wanted.empty() || !file.error.empty() || wanted.count(file.family) > 0) {
        kept.push_back(std::move(file));
      }
    }
    read_.files = std::move(kept);
    read_.families = PlaceFiles(&read_.files);
  }

  std::string WhyNothing() const {
    for (const std::string& name : options_.families) {
      if (read_.found_families.count(name) == 0) {
        return absl::StrCat("no file is of a column family '", name, "'");
      }
    }
    if (read_.families.empty()) {
      return "no table file could be used";
    }
    if (options_.recorded && read_.families.size() > 1) {
      return "recorded lookups are of one column family: name it by --cf=NAME";
    }
    return std::string();
  }

  // Where no filter tells how many keys a file has: its entries may be versions of fewer.
  void CountKeys() {
    std::vector<AdvicePiece> pieces = read_.PiecesToTry();
    pieces.erase(
        std::remove_if(pieces.begin(), pieces.end(),
                       [this](const auto& piece) { return read_.FileOf(piece).keys_are_known; }),
        pieces.end());
    if (pieces.empty()) {
      return;
    }
    std::vector<double> counted(read_.families.size());
    std::vector<double> taken(read_.families.size());
    AdviceWork work;
    work.step = "counting keys";
    work.pieces = pieces.size();
    work.work = [&](size_t i, const WorkerReport& report) {
      return PackTrial(TryPolicies(read_.FileOf(pieces[i]), read_.families[pieces[i].family].shape,
                                   {}, {}, {}, Beat(report)));
    };
    work.take = [&](size_t i, const std::string& answer) {
      const std::optional<FileTrial> trial = UnpackTrial(answer);
      if (trial) {
        AdvisedFile& file = read_.FileOf(pieces[i]);
        file.error = trial->error;
        counted[pieces[i].family] += static_cast<double>(trial->keys);
        taken[pieces[i].family] += static_cast<double>(file.keys);
        file.keys = trial->keys;
      }
      return trial.has_value();
    };
    work.error_of = [&](size_t i) -> std::string& { return read_.FileOf(pieces[i]).error; };
    DoAdviceWork(work, options_.jobs, progress_);
    for (size_t family = 0; family < read_.families.size(); ++family) {
      for (const size_t at : read_.rest[family]) {
        AdvisedFile& file = read_.FileOf({family, at});
        if (!file.keys_are_known && taken[family] > 0) {
          file.keys = static_cast<uint64_t>(
              std::llround(static_cast<double>(file.keys) * counted[family] / taken[family]));
        }
      }
      read_.families[family].keys = 0;
      for (const size_t file : read_.families[family].files) {
        read_.families[family].keys += read_.files[file].keys;
      }
    }
  }

  void TakeRecorded() {
    read_.lookups.resize(1);
    read_.lookups[0].keys = *options_.recorded;
  }

  void Draw() {
    std::vector<AdvicePiece> pieces = read_.AllPieces();
    double keys = 0;
    for (const AdvicePiece& piece : pieces) {
      keys += static_cast<double>(read_.FileOf(piece).entries);
    }
    EvenShares shares(options_.lookups, keys);
    std::vector<DrawOptions> draws;
    for (const AdvicePiece& piece : pieces) {
      DrawOptions draw;
      draw.lookups = shares.Next(static_cast<double>(read_.FileOf(piece).entries));
      draw.absent_share = options_.absent_share;
      draw.seed = kSeed + 0x9e3779b97f4a7c15 * (draws.size() + 1);
      const std::vector<size_t>& tried = read_.tried[piece.family];
      draw.whole = std::find(tried.begin(), tried.end(), piece.at) != tried.end();
      draws.push_back(draw);
    }
    read_.lookups.resize(read_.families.size());
    AdviceWork work;
    work.step = "drawing lookups";
    work.pieces = pieces.size();
    work.work = [&](size_t i, const WorkerReport&) {
      std::string error;
      const std::vector<std::string> drawn =
          draws[i].lookups == 0 ? std::vector<std::string>()
                                : DrawLookups(read_.FileOf(pieces[i]).path, draws[i], &error);
      return PackKeys(error, drawn);
    };
    work.take = [&](size_t i, const std::string& answer) {
      return UnpackKeys(answer, &read_.FileOf(pieces[i]).error,
                        &read_.lookups[pieces[i].family].keys);
    };
    work.error_of = [&](size_t i) -> std::string& { return read_.FileOf(pieces[i]).error; };
    DoAdviceWork(work, options_.jobs, progress_);
  }

  void AskFiles() {
    const std::vector<AdvicePiece> pieces = read_.AllPieces();
    std::vector<std::vector<AskedRange>> ranges(read_.families.size());
    std::vector<std::vector<std::string>> answers(read_.families.size());
    for (size_t family = 0; family < read_.families.size(); ++family) {
      const ROCKSDB_NAMESPACE::Comparator& comparator = *read_.families[family].comparator;
      std::vector<std::string>& keys = read_.lookups[family].keys;
      std::sort(keys.begin(), keys.end(), [&](const std::string& a, const std::string& b) {
        return comparator.CompareWithoutTimestamp(a, false, b, false) < 0;
      });
      for (const size_t file : read_.families[family].files) {
        ranges[family].push_back(LookupsWithin(keys, read_.files[file], comparator));
      }
      answers[family].resize(ranges[family].size());
    }
    AdviceWork work;
    work.step = "asking the filters that there are";
    work.pieces = pieces.size();
    work.work = [&](size_t i, const WorkerReport&) {
      const auto& [family, at] = pieces[i];
      const AskedRange& range = ranges[family][at];
      std::string error;
      const std::string found =
          range.begin == range.end
              ? std::string()
              : AskFile(read_.FileOf(pieces[i]).path, read_.lookups[family].keys, range, &error);
      return PackKeys(error, {found});
    };
    work.take = [&](size_t i, const std::string& answer) {
      std::vector<std::string> found;
      const bool whole = UnpackKeys(answer, &read_.FileOf(pieces[i]).error, &found);
      answers[pieces[i].family][pieces[i].at] = found.empty() ? std::string() : found.front();
      return whole && !found.empty();
    };
    work.error_of = [&](size_t i) -> std::string& { return read_.FileOf(pieces[i]).error; };
    DoAdviceWork(work, options_.jobs, progress_);
    const bool drop_found = !options_.recorded && options_.absent_share >= 1;
    for (size_t family = 0; family < read_.families.size(); ++family) {
      FollowLookups(ranges[family], answers[family], drop_found, &read_.lookups[family]);
      read_.num_lookups += read_.lookups[family].lookups;
      read_.num_absent += read_.lookups[family].absent;
      std::vector<uint64_t> asks;
      for (const auto& file : read_.lookups[family].asks) {
        asks.push_back(file.size());
      }
      read_.asks.push_back(std::move(asks));
    }
  }

  void Formulate() {
    for (const AdvisedFamily& family : read_.families) {
      read_.keys += family.keys;
    }
    for (size_t family = 0; family < read_.families.size(); ++family) {
      std::vector<size_t> all = read_.tried[family];
      all.insert(all.end(), read_.rest[family].begin(), read_.rest[family].end());
      read_.formulas.push_back(
          FormulaOf(read_.families[family], read_.files, all, read_.asks[family]));
      read_.has_plans = read_.has_plans || read_.formulas.back().has_plans;
    }
  }

  const std::vector<AdviceTable>& tables_;
  const AdviceOptions& options_;
  const AdviceProgress& progress_;
  AdviceReading& read_;
};

}  // namespace

std::string ReadForAdvice(const std::vector<AdviceTable>& tables, const AdviceOptions& options,
                          const AdviceProgress& progress, AdviceReading* reading) {
  return Reader(tables, options, progress, reading).Read();
}

}  // namespace winnow::inspect
