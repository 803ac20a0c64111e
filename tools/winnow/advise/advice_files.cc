#include "tools/winnow/advise/advice_files.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "src/sst/internal_keys.h"
#include "src/sst/known_comparator.h"
#include "src/sst/sst_reader.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableProperties;

std::string DescribeContents(const FilterContents& contents) {
  const std::string prefixes =
      contents.prefixes != nullptr ? contents.prefixes->Name() : contents.unknown_extractor;
  return prefixes.empty()      ? "whole keys"
         : contents.whole_keys ? absl::StrCat("whole keys and prefixes of ", prefixes)
                               : absl::StrCat("prefixes of ", prefixes);
}

std::string CantReadKeys(const Status& status) {
  return absl::StrCat("its keys can't be read: ", status.ToString());
}

uint64_t KeysOf(const TableProperties& properties) {
  return properties.num_filter_entries > 0
             ? properties.num_filter_entries
             : properties.num_entries -
                   std::min(properties.num_entries, properties.num_range_deletions);
}

std::string WhyNotBuilt(const TableProperties& properties, const FilterContents& contents) {
  if (FindComparator(properties.comparator_name) == nullptr) {
    return absl::StrCat("its keys are ordered by ", properties.comparator_name,
                        ", which this program does not have");
  }
  if (!contents.unknown_extractor.empty()) {
    return absl::StrCat("its filter has prefixes of the extractor ", contents.unknown_extractor,
                        ", which this program does not have");
  }
  return std::string();
}

// The number that the file's name is; files without one are older than all others.
uint64_t NumberOf(const AdvisedFile& file) {
  uint64_t number = 0;
  return absl::SimpleAtoi(std::filesystem::path(file.path).stem().string(), &number) ? number : 0;
}

class Placer {
 public:
  Placer(std::vector<AdvisedFile>* files, AdvisedFamily* family)
      : files_(*files), family_(*family) {}

  void Place() {
    SortByLevel();
    files_[family_.files.back()].is_last = true;
    for (const auto& [level, files] : levels_) {
      if (level > 0) {
        base_ = base_ < 0 ? level : base_;
        depth_ = level;
      }
    }
    // From the last level up: what lies above asks whether what lies below is bottommost.
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      for (const size_t file : level->second) {
        PlaceFile(file);
      }
    }
  }

 private:
  // As a lookup asks them, which is by their keys below level 0.
  void SortByLevel() {
    std::vector<size_t>& order = family_.files;
    std::sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      const int level_a = files_[a].level.value_or(0);
      const int level_b = files_[b].level.value_or(0);
      if (level_a != level_b) {
        return level_a < level_b;
      }
      if (level_a > 0) {
        const int by_key = Compare(files_[a].range.first, files_[b].range.first);
        return by_key != 0 ? by_key < 0 : files_[a].path < files_[b].path;
      }
      return std::pair(NumberOf(files_[b]), files_[b].path) <
             std::pair(NumberOf(files_[a]), files_[a].path);
    });
    for (const size_t file : order) {
      levels_[files_[file].level.value_or(0)].push_back(file);
    }
  }

  void PlaceFile(size_t number) {
    AdvisedFile& file = files_[number];
    TreePlace& place = file.place;
    place.level = file.level.value_or(-1);
    place.base = base_;
    place.depth = depth_;
    if (!file.level || file.range.empty) {
      return;
    }
    for (auto level = levels_.upper_bound(*file.level); level != levels_.end(); ++level) {
      for (const size_t other : Overlapping(level->second, file.range)) {
        const int below = files_[other].place.bottommost ? depth_ : level->first;
        place.below = place.below < 0 ? below : std::min(place.below, below);
      }
    }
    // RocksDB calls no flush bottommost.
    place.bottommost = *file.level > 0 && place.below < 0;
    const bool lies_over_flush =
        *file.level == 0 && std::any_of(levels_[0].begin(), levels_[0].end(), [&](size_t other) {
          return other != number && Overlap(files_[other].range, file.range);
        });
    if (lies_over_flush && base_ > 0) place.below = base_;
  }

  // Of a level below 0, whose files lie one after the other.
  std::vector<size_t> Overlapping(const std::vector<size_t>& level, const StoredRange& range) {
    std::vector<size_t> found;
    auto next = std::partition_point(level.begin(), level.end(), [&](size_t file) {
      return Compare(files_[file].range.last, range.first) < 0;
    });
    for (; next != level.end() && Compare(files_[*next].range.first, range.last) <= 0; ++next) {
      if (!files_[*next].range.empty) {
        found.push_back(*next);
      }
    }
    return found;
  }

  bool Overlap(const StoredRange& a, const StoredRange& b) {
    return !a.empty && !b.empty && Compare(a.first, b.last) <= 0 && Compare(b.first, a.last) <= 0;
  }

  int Compare(const std::string& a, const std::string& b) {
    return family_.comparator->CompareWithoutTimestamp(a, true, b, true);
  }

  std::vector<AdvisedFile>& files_;
  AdvisedFamily& family_;
  std::map<int, std::vector<size_t>> levels_;
  int base_ = -1;
  int depth_ = -1;
};

}  // namespace

bool IsOnLastLevel(const AdvisedFile& file) {
  return file.place.level > 0 && file.place.level == file.place.depth;
}

bool IsFilterSkipped(const AdvisedFile& file) {
  return IsOnLastLevel(file) || (file.place.level == 0 && file.place.depth < 0 && file.is_last);
}

AdvisedFile ReadAdvisedFile(const std::string& path) {
  AdvisedFile file;
  const RawSst sst = ReadRawSst(path);
  if (sst.error || sst.filter_fault) {
    file.error = sst.error ? *sst.error : *sst.filter_fault;
    return file;
  }
  const TableProperties& properties = *sst.properties;
  const FilterContents contents = ContentsOf(properties);
  file.error = WhyNotBuilt(properties, contents);
  file.family = properties.column_family_name;
  file.comparator = properties.comparator_name;
  file.data_bytes = properties.data_size;
  file.entries = properties.num_entries;
  file.keys = KeysOf(properties);
  file.keys_are_known = properties.num_filter_entries > 0;
  file.range_bytes = RangeFilterBytes(sst);
  file.filter_bytes = FilterBytes(sst) - file.range_bytes;
  file.unread_filter = sst.blocks.empty() && properties.filter_size > 0;
  file.policy = properties.filter_policy_name;
  file.contents = DescribeContents(contents);
  file.extractor =
      contents.prefixes != nullptr ? properties.prefix_extractor_name : contents.unknown_extractor;
  file.has_prefixes_only = !contents.whole_keys;
  for (const std::string& block : sst.blocks) {
    const FilterSummary filter = ClassifyBlock(block, 0);
    if (filter.fault) file.error = *filter.fault;
    if (sst.partitioned) file.partitions.push_back(block.size());
    if (&block != &sst.blocks.front()) continue;  // partitions are alike
    file.built_for = filter.built_for;
    file.rate = filter.expected_fpr.value_or(1);
  }
  if (!file.error.empty()) {
    return file;
  }
  const Comparator* comparator = FindComparator(file.comparator);
  file.error = StoredFilter(path, sst, comparator).problem();
  std::unique_ptr<InternalKeys> keys;
  Status status = InternalKeys::Open(path, comparator, &keys);
  if (status.ok()) {
    status = ReadRange(keys.get(), &file.range);
  }
  if (!status.ok()) {
    file.error = CantReadKeys(status);
  }
  return file;
}

std::vector<AdvisedFamily> PlaceFiles(std::vector<AdvisedFile>* files) {
  std::map<std::tuple<std::string, std::string, std::string>, AdvisedFamily> sorted;
  std::map<std::string, TreeShapes> shapes;
  for (size_t i = 0; i < files->size(); ++i) {
    const AdvisedFile& file = (*files)[i];
    if (!file.error.empty()) {
      continue;
    }
    AdvisedFamily& family = sorted[{file.database, file.family, file.comparator}];
    family.files.push_back(i);
    family.knows_levels = family.knows_levels && file.level;
  }
  std::vector<AdvisedFamily> families;
  for (auto& [place, family] : sorted) {
    family.database = std::get<0>(place);
    family.name = std::get<1>(place);
    family.comparator = FindComparator(std::get<2>(place));
    if (!family.database.empty()) {
      const auto [known, is_new] = shapes.try_emplace(family.database);
      if (is_new) {
        known->second = ReadTreeShapes(family.database);
      }
      const auto shape = known->second.families.find(family.name);
      family.shape_problem = known->second.problem;
      if (family.shape_problem.empty() && shape == known->second.families.end()) {
        family.shape_problem = "the OPTIONS file does not have the column family";
      }
      family.shape = shape == known->second.families.end() ? TreeShape() : shape->second;
    }
    Placer(files, &family).Place();
    families.push_back(std::move(family));
  }
  return families;
}

void DoPackedWork(const AdviceWork& pieces,
                  const std::function<std::string(size_t piece, const WorkerReport&)>& work,
                  const std::function<bool(size_t piece, const std::string& answer)>& take,
                  const ErrorOfPiece& error_of) {
  size_t answered = 0;
  double done = 0;
  std::vector<double> shares(pieces.sizes.size());
  const double all = std::accumulate(pieces.sizes.begin(), pieces.sizes.end(), 0.0);
  const auto tell = [&](size_t piece, double share) {
    done += (share - shares[piece]) * pieces.sizes[piece];
    shares[piece] = share;
    pieces.progress({pieces.step, answered, pieces.sizes.size(),
                     all > 0 ? std::clamp(done / all, 0.0, 1.0) : 1});
  };
  PooledWork pooled;
  pooled.work = work;
  pooled.on_report = [&](size_t piece, std::string_view report) {
    if (const std::optional<double> share = Unpack<double>(report)) {
      tell(piece, *share);
    }
  };
  pooled.on_answer = [&](size_t piece, const ChildAnswer& answer) {
    if (!answer.text || !take(piece, *answer.text)) {
      error_of(piece) = LostFile(answer.text ? "its answer did not arrive whole" : answer.problem);
    }
    ++answered;
    tell(piece, 1);
  };
  pooled.workers = pieces.jobs;
  pooled.longest_silence = kLongestSilence;
  pieces.progress({pieces.step, 0, pieces.sizes.size(), 0});
  RunInWorkers(pieces.sizes.size(), pooled);
}

}  // namespace winnow::inspect
