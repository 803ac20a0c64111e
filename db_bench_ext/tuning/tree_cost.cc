#include "db_bench_ext/tuning/tree_cost.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "db_bench_ext/read_amplification/keys/random.h"
#include "db_bench_ext/tuning/level_keys.h"
#include "src/core/sizing.h"
#include "src/sst/sst_filters.h"

namespace winnow::bench {
namespace {

struct File {
  size_t level;
  uint64_t first;
  uint64_t last;
  uint64_t keys;
  uint64_t bytes;
  double rate;
};

FilterOptions WithBits(double bits_per_key) {
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  return options;
}

uint64_t UniformBytes(const std::vector<File>& files, double bits_per_key) {
  uint64_t bytes = 0;
  for (const File& file : files) bytes += core::EstimateBytes(file.keys, WithBits(bits_per_key));
  return bytes;
}

double EqualBits(const std::vector<File>& files, uint64_t bytes) {
  double low = kBitsPerKeyOption.least;
  double high = kBitsPerKeyOption.most;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (UniformBytes(files, middle) > bytes ? high : low) = middle;
  }
  return low;
}

// The sum of the rates of the files that hold a key, on an average over keys of the whole range.
template <typename RateOf>
double FalseReads(const std::vector<File>& files, RateOf rate_of) {
  constexpr int kKeys = 20'000;
  uint64_t least = std::numeric_limits<uint64_t>::max();
  uint64_t greatest = 0;
  for (const File& file : files) {
    least = std::min(least, file.first);
    greatest = std::max(greatest, file.last);
  }
  std::vector<double> rates;
  rates.reserve(files.size());
  for (const File& file : files) rates.push_back(rate_of(file));
  Random random(1);
  double sum = 0;
  for (int i = 0; i < kKeys; ++i) {
    const uint64_t key = least + random() % (greatest - least + 1);
    for (size_t f = 0; f < files.size(); ++f) {
      if (files[f].first <= key && key <= files[f].last) sum += rates[f];
    }
  }
  return sum / kKeys;
}

absl::StatusOr<std::vector<File>> FilesOf(const LevelTree& tree) {
  rocksdb::ColumnFamilyMetaData metadata;
  tree.db()->GetColumnFamilyMetaData(&metadata);
  const auto number = [&](const std::string& key) {
    return LevelKeyNumber(std::string_view(key).substr(tree.prefix().size()));
  };
  std::vector<File> files;
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      const inspect::SstReport report = inspect::ReadSst(tree.path() + file.name);
      if (!report.filter || !report.filter->expected_fpr) {
        return absl::InternalError(absl::StrCat("can't read the filter of ", file.name));
      }
      if (report.filter->kind == inspect::kNoFilter) continue;
      files.push_back({static_cast<size_t>(level.level), number(file.smallestkey),
                       number(file.largestkey), file.num_entries, report.filter->bytes,
                       *report.filter->expected_fpr});
    }
  }
  if (files.empty()) return absl::InternalError("the tree has no filters");
  return files;
}

}  // namespace

absl::Status MostMemory::Look(const LevelTree& tree) {
  rocksdb::ColumnFamilyMetaData metadata;
  tree.db()->GetColumnFamilyMetaData(&metadata);
  double filter = 0;
  double uniform = 0;
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      auto found = files_.find(file.name);
      if (found == files_.end()) {
        const inspect::SstReport report = inspect::ReadSst(tree.path() + file.name);
        if (!report.filter) continue;
        const bool has_filter = report.filter->kind != inspect::kNoFilter;
        const uint64_t alike =
            has_filter ? core::EstimateBytes(report.filter->keys, WithBits(bits_per_key_)) : 0;
        found = files_.emplace(file.name, Bytes{report.filter->bytes, alike}).first;
      }
      filter += static_cast<double>(found->second.filter);
      uniform += static_cast<double>(found->second.uniform);
    }
  }
  if (uniform > 0) share_ = std::max(share_, filter / uniform);
  return absl::OkStatus();
}

absl::StatusOr<TreeCost> MeasureTree(const LevelTree& tree, double bits_per_key) {
  absl::StatusOr<std::vector<File>> files = FilesOf(tree);
  if (!files.ok()) return files.status();
  TreeCost cost;
  for (const File& file : *files) {
    cost.keys += file.keys;
    cost.filter_bytes += file.bytes;
    if (cost.keys_by_level.size() <= file.level) {
      cost.keys_by_level.resize(file.level + 1);
      cost.bits_by_level.resize(file.level + 1);
    }
    cost.keys_by_level[file.level] += file.keys;
    cost.bits_by_level[file.level] += 8.0 * static_cast<double>(file.bytes);
  }
  for (size_t level = 0; level < cost.keys_by_level.size(); ++level) {
    const uint64_t keys = cost.keys_by_level[level];
    if (keys > 0) cost.bits_by_level[level] /= static_cast<double>(keys);
  }
  cost.uniform_bytes = UniformBytes(*files, bits_per_key);
  cost.equal_bits = EqualBits(*files, cost.filter_bytes);
  cost.false_reads = FalseReads(*files, [](const File& file) { return file.rate; });
  for (size_t level = 0; level < cost.keys_by_level.size(); ++level) {
    cost.files_by_level.push_back(
        FalseReads(*files, [level](const File& file) { return file.level == level ? 1.0 : 0.0; }));
  }
  const double uniform_rate = core::RateForBits(cost.equal_bits);
  cost.uniform_false_reads = FalseReads(*files, [&](const File&) { return uniform_rate; });
  return cost;
}

}  // namespace winnow::bench
