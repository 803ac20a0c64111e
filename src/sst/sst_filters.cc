#include "src/sst/sst_filters.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "src/sst/sst_reader.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::TableProperties;

// Returns the number of keys in a built-in filter: the property of newer files, or the number of
// entries as an upper bound.
uint64_t BuiltinKeys(const TableProperties& properties) {
  return properties.num_filter_entries > 0
             ? properties.num_filter_entries
             : properties.num_entries -
                   std::min(properties.num_entries, properties.num_range_deletions);
}

// Returns the keys in the first `bytes` of `all_bytes` of partitions, in proportion to the bytes:
// partitions of one file have the same number of bits per key.
uint64_t KeysWithin(uint64_t keys, uint64_t bytes, uint64_t all_bytes) {
  if (all_bytes == 0) {
    return 0;
  }
  const double share = static_cast<double>(bytes) / static_cast<double>(all_bytes);
  return static_cast<uint64_t>(std::llround(static_cast<double>(keys) * share));
}

void CountKind(const FilterSummary& part, FilterSummary* sum) {
  for (auto& [kind, count] : sum->kinds) {
    if (kind == part.kind) {
      ++count;
      return;
    }
  }
  sum->kinds.emplace_back(part.kind, 1);
}

std::string KindWithMostKeys(const std::vector<FilterSummary>& parts) {
  std::vector<std::pair<std::string, uint64_t>> keys_by_kind;
  for (const FilterSummary& part : parts) {
    auto found = std::find_if(keys_by_kind.begin(), keys_by_kind.end(),
                              [&part](const auto& entry) { return entry.first == part.kind; });
    if (found == keys_by_kind.end()) {
      keys_by_kind.emplace_back(part.kind, part.keys);
    } else {
      found->second += part.keys;
    }
  }
  const auto most =
      std::max_element(keys_by_kind.begin(), keys_by_kind.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first;
}

// Returns the mean of the parts' rates, weighted by keys; the highest rate if no part has keys.
std::optional<double> MeanRate(const std::vector<FilterSummary>& parts) {
  double weight = 0;
  double sum = 0;
  std::optional<double> highest;
  for (const FilterSummary& part : parts) {
    if (part.expected_fpr) {
      highest = std::max(highest.value_or(0), *part.expected_fpr);
      weight += static_cast<double>(part.keys);
      sum += static_cast<double>(part.keys) * *part.expected_fpr;
    }
  }
  return weight > 0 ? sum / weight : highest;
}

FilterSummary SumOfPartitions(const std::vector<FilterSummary>& parts) {
  FilterSummary sum;
  sum.kind = KindWithMostKeys(parts);
  sum.partitions = static_cast<int>(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    sum.keys += parts[i].keys;
    sum.bytes += parts[i].bytes;
    sum.bloom += parts[i].bloom;
    AddTo(parts[i].range, &sum.range);
    CountKind(parts[i], &sum);
    if (parts[i].fault && !sum.fault) {
      sum.fault = absl::StrCat("partition ", i + 1, " of ", parts.size(), ": ", *parts[i].fault);
    }
  }
  sum.bits_per_key =
      sum.keys == 0 ? 0 : 8 * static_cast<double>(sum.bytes) / static_cast<double>(sum.keys);
  sum.expected_fpr = MeanRate(parts);
  sum.detail = parts.front().detail;
  sum.parameters = parts.front().parameters;
  sum.built_for = parts.front().built_for;
  return sum;
}

FilterSummary SummaryOfBlocks(const RawSst& sst) {
  const uint64_t keys = BuiltinKeys(*sst.properties);
  const uint64_t bytes = FilterBytes(sst);
  std::vector<FilterSummary> parts;
  uint64_t bytes_before = 0;
  for (const std::string& block : sst.blocks) {
    const uint64_t keys_before = KeysWithin(keys, bytes_before, bytes);
    bytes_before += block.size();
    parts.push_back(ClassifyBlock(block, KeysWithin(keys, bytes_before, bytes) - keys_before));
  }
  if (sst.partitioned) {
    return SumOfPartitions(parts);
  }
  FilterSummary summary = std::move(parts.front());
  summary.kinds = {{summary.kind, 1}};
  return summary;
}

// Returns the summary for a file without filter blocks that RocksDB could read.
FilterSummary SummaryWithoutBlocks(const RawSst& sst) {
  FilterSummary summary;
  summary.expected_fpr = 1;
  summary.fault = sst.filter_fault;
  summary.obsolete = sst.obsolete_filter;
  summary.bytes = sst.properties->filter_size;
  summary.keys = sst.properties->num_filter_entries;
  summary.bits_per_key = summary.keys == 0 ? 0
                                           : 8 * static_cast<double>(summary.bytes) /
                                                 static_cast<double>(summary.keys);
  if (sst.filter_fault || sst.obsolete_filter || summary.bytes > 0) {
    summary.detail = sst.obsolete_filter ? "obsolete block-based filter, not read since RocksDB 7.0"
                     : sst.filter_fault  ? "can't be read"
                                         : absl::StrCat("filter of the policy ",
                                                        sst.properties->filter_policy_name);
    return summary;
  }
  summary.kind = std::string(kNoFilter);
  summary.keys = 0;
  return summary;
}

// Returns the report without the filter.
SstReport ReportOfTable(const std::string& path, const RawSst& sst) {
  SstReport report;
  report.path = path;
  std::error_code code;
  const uint64_t file_bytes = std::filesystem::file_size(path, code);
  report.file_bytes = code ? 0 : file_bytes;
  if (sst.error) {
    report.error = sst.error;
    return report;
  }
  report.entries = sst.properties->num_entries;
  report.range_deletions = sst.properties->num_range_deletions;
  report.column_family = sst.properties->column_family_name;
  report.comparator = sst.properties->comparator_name;
  return report;
}

SstReport Report(const std::string& path, const RawSst& sst) {
  SstReport report = ReportOfTable(path, sst);
  if (report.error) {
    return report;
  }
  report.filter = sst.blocks.empty() ? SummaryWithoutBlocks(sst) : SummaryOfBlocks(sst);
  report.filter->policy_name = sst.properties->filter_policy_name;
  report.filter->stored_bytes = sst.properties->filter_size;
  return report;
}

}  // namespace

BloomFiles BloomsOf(const std::vector<SstReport>& files) {
  BloomFiles blooms;
  for (const SstReport& file : files) {
    if (file.filter) {
      (file.filter->partitions > 0 ? blooms.partitions : blooms.files) += file.filter->bloom.blocks;
      blooms.all += file.filter->bloom;
    }
  }
  return blooms;
}

SstReport ReadSst(const std::string& path) { return Report(path, ReadRawSst(path)); }

SstReport ReadSstWithoutItsFilter(const std::string& path) {
  return ReportOfTable(path, ReadSstWithoutFilter(path));
}

std::vector<std::string> ReadFilterBlocks(const std::string& path, std::string* error) {
  RawSst sst = ReadRawSst(path);
  *error = sst.error ? *sst.error : sst.filter_fault.value_or(std::string());
  return std::move(sst.blocks);
}

}  // namespace winnow::inspect
