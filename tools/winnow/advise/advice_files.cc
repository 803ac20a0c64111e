#include "tools/winnow/advise/advice_files.h"

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "src/core/output_levels.h"
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

// Sorts the files of the family in the order of a lookup, and sets their places.
void Place(AdvisedFamily* family) {
  const auto compare = [family](std::string_view a, std::string_view b) {
    return family->comparator->CompareWithoutTimestamp({a.data(), a.size()}, true,
                                                       {b.data(), b.size()}, true);
  };
  absl::c_sort(family->files, [&](const AdvisedFile& a, const AdvisedFile& b) {
    const int level = a.level.value_or(0);
    if (level != b.level.value_or(0)) return level < b.level.value_or(0);
    const int by_key = level > 0 ? compare(a.range.first, b.range.first) : 0;
    if (by_key != 0) return by_key < 0;
    return level > 0 ? a.path < b.path
                     : std::pair(NumberOf(b), b.path) < std::pair(NumberOf(a), a.path);
  });
  family->files.back().is_last = true;
  TreePlace of_tree;
  for (const AdvisedFile& file : family->files) {
    const int level = file.level.value_or(0);
    if (level == 0) continue;
    of_tree.base = of_tree.base < 0 ? level : of_tree.base;
    of_tree.depth = level;
  }
  std::vector<core::FileSpan> spans;
  std::vector<TreePlace*> places;
  for (AdvisedFile& file : family->files) {
    file.place = of_tree;
    file.place.level = file.level.value_or(-1);
    if (!file.level || file.range.empty) continue;
    spans.push_back({*file.level, file.range.first, file.range.last, -1});
    places.push_back(&file.place);
  }
  core::SetBelow(compare, &spans);
  for (size_t i = 0; i < spans.size(); ++i) {
    places[i]->below = spans[i].below;
    // RocksDB never treats a flush as bottommost.
    places[i]->bottommost = spans[i].level > 0 && spans[i].below < 0;
  }
}

}  // namespace

std::string CantReadKeys(const Status& status) {
  return absl::StrCat("its keys can't be read: ", status.ToString());
}

uint64_t NumberOf(const AdvisedFile& file) {
  uint64_t number = 0;
  return absl::SimpleAtoi(std::filesystem::path(file.path).stem().string(), &number) ? number : 0;
}

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
    if (&block != &sst.blocks.front()) continue;  // all partitions have one policy and rate
    file.built_for = filter.built_for;
    file.rate = filter.expected_fpr.value_or(1);
    file.range_bits = filter.range ? filter.range->range_bits : 0;
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

std::vector<AdvisedFamily> PlaceFiles(std::vector<AdvisedFile> files) {
  std::map<std::tuple<std::string, std::string, std::string>, AdvisedFamily> sorted;
  for (AdvisedFile& file : files) {
    AdvisedFamily& family = sorted[{file.database, file.family, file.comparator}];
    family.knows_levels = family.knows_levels && file.level;
    family.files.push_back(std::move(file));
  }
  std::map<std::string, TreeShapes> shapes;  // by database
  std::vector<AdvisedFamily> families;
  for (auto& [place, family] : sorted) {
    family.database = std::get<0>(place);
    family.name = std::get<1>(place);
    family.comparator = FindComparator(std::get<2>(place));
    if (!family.database.empty()) {
      const auto [known, is_new] = shapes.try_emplace(family.database);
      if (is_new) known->second = ReadTreeShapes(family.database);
      const auto shape = known->second.families.find(family.name);
      const bool is_known = shape != known->second.families.end();
      if (is_known) family.shape = shape->second;
      family.shape_problem = known->second.problem;
      if (family.shape_problem.empty() && !is_known) {
        family.shape_problem = "the OPTIONS file does not have the column family";
      }
    }
    family.shape.text.comparator = std::get<2>(place);
    Place(&family);
    families.push_back(std::move(family));
  }
  return families;
}

}  // namespace winnow::inspect
