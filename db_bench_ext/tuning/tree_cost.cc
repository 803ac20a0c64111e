#include "db_bench_ext/tuning/tree_cost.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/system/status.h"
#include "src/base/random.h"
#include "src/core/sizing.h"
#include "src/sst/sst_filters.h"

namespace winnow::bench {
namespace {

constexpr size_t kAskedKeys = 20'000;

FilterOptions WithBits(double bits_per_key) {
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  return options;
}

uint64_t UniformBytes(const std::vector<FilterFile>& files, double bits_per_key) {
  uint64_t bytes = 0;
  for (const FilterFile& file : files) {
    const uint64_t blocks = std::max<uint64_t>(1, file.blocks);
    bytes += blocks * core::EstimateBytes(file.keys / blocks, WithBits(bits_per_key));
  }
  return bytes;
}

uint64_t FilterBytes(const std::vector<FilterFile>& files) {
  uint64_t bytes = 0;
  for (const FilterFile& file : files) bytes += file.bytes;
  return bytes;
}

double EqualBits(const std::vector<FilterFile>& files, uint64_t bytes) {
  double low = kBitsPerKeyOption.least;
  double high = kBitsPerKeyOption.most;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (UniformBytes(files, middle) > bytes ? high : low) = middle;
  }
  return low;
}

bool Has(const FilterFile& file, uint64_t number) {
  return file.numbers && std::binary_search(file.numbers->begin(), file.numbers->end(), number);
}

// Returns the sum of the rates of the files that a lookup of an absent key checks.
double FalseReadsOf(const AskedKey& key, const std::vector<FilterFile>& files,
                    const std::vector<double>& rates) {
  double sum = 0;
  for (size_t f = 0; f < files.size(); ++f) {
    if (key.number < files[f].first || files[f].last < key.number) continue;
    if (key.present && Has(files[f], key.number)) return sum;
    sum += rates[f];
  }
  return key.present ? 0 : sum;
}

template <typename RateOf>
double FalseReads(const std::vector<FilterFile>& files, const std::vector<AskedKey>& lookups,
                  RateOf rate_of) {
  std::vector<double> rates;
  rates.reserve(files.size());
  for (const FilterFile& file : files) rates.push_back(rate_of(file));
  double sum = 0;
  for (const AskedKey& key : lookups) sum += FalseReadsOf(key, files, rates);
  return sum / static_cast<double>(lookups.size());
}

uint64_t NumberOf(const LevelTree& tree, std::string_view key) {
  return NumberInKey(key.substr(tree.prefixes().size()));
}

absl::StatusOr<std::vector<uint64_t>> NumbersOf(const LevelTree& tree, const std::string& path) {
  rocksdb::SstFileReader reader((rocksdb::Options()));
  if (const rocksdb::Status status = reader.Open(path); !status.ok()) {
    return FromRocksDB(status, "open " + path);
  }
  std::vector<uint64_t> numbers;
  const std::unique_ptr<rocksdb::Iterator> key(reader.NewIterator(rocksdb::ReadOptions()));
  for (key->SeekToFirst(); key->Valid(); key->Next()) {
    numbers.push_back(NumberOf(tree, std::string_view(key->key().data(), key->key().size())));
  }
  if (key->status().ok()) return numbers;
  return FromRocksDB(key->status(), "read " + path);
}

absl::StatusOr<FilterFile> ReadFile(const LevelTree& tree, const rocksdb::SstFileMetaData& file,
                                    bool reads_numbers) {
  const std::string path = tree.path() + file.name;
  const inspect::SstReport report = inspect::ReadSst(path);
  if (!report.filter || !report.filter->expected_fpr) {
    return absl::InternalError(absl::StrCat("can't read the filter of ", file.name));
  }
  FilterFile read;
  read.name = file.name;
  read.first = NumberOf(tree, file.smallestkey);
  read.last = NumberOf(tree, file.largestkey);
  read.newest = file.largest_seqno;
  read.keys = file.num_entries;
  if (report.filter->kind != inspect::kNoFilter) {
    read.keys = report.filter->keys;
    read.bytes = report.filter->bytes;
    read.blocks = static_cast<uint64_t>(std::max(1, report.filter->partitions));
    read.rate = *report.filter->expected_fpr;
  }
  if (!reads_numbers) return read;
  absl::StatusOr<std::vector<uint64_t>> numbers = NumbersOf(tree, path);
  if (!numbers.ok()) return numbers.status();
  read.numbers = std::make_shared<const std::vector<uint64_t>>(*std::move(numbers));
  return read;
}

// Prevents the deletion of files replaced by compactions during its lifetime.
class KeepFiles {
 public:
  explicit KeepFiles(rocksdb::DB* db) : db_(db) {
    db_->DisableFileDeletions().PermitUncheckedError();
  }
  ~KeepFiles() { db_->EnableFileDeletions().PermitUncheckedError(); }
  KeepFiles(const KeepFiles&) = delete;
  KeepFiles& operator=(const KeepFiles&) = delete;

 private:
  rocksdb::DB* const db_;
};

}  // namespace

absl::StatusOr<std::vector<FilterFile>> FilterReader::Read(const LevelTree& tree) {
  const KeepFiles keep(tree.db());
  rocksdb::ColumnFamilyMetaData metadata;
  tree.db()->GetColumnFamilyMetaData(&metadata);
  std::map<std::string, FilterFile> known = std::exchange(files_, {});
  std::vector<FilterFile> files;
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      auto found = known.extract(file.name);
      if (found.empty()) {
        absl::StatusOr<FilterFile> read = ReadFile(tree, file, reads_numbers_);
        if (!read.ok()) return read.status();
        files_.emplace(file.name, *std::move(read));
      } else {
        files_.insert(std::move(found));
      }
      FilterFile& now = files_.at(file.name);
      now.level = static_cast<size_t>(level.level);
      files.push_back(now);
    }
  }
  std::stable_sort(files.begin(), files.end(), [](const FilterFile& a, const FilterFile& b) {
    return a.level != b.level ? a.level < b.level : a.level == 0 && a.newest > b.newest;
  });
  return files;
}

std::vector<FilterFile> WithFilters(std::vector<FilterFile> files) {
  files.erase(std::remove_if(files.begin(), files.end(),
                             [](const FilterFile& file) { return file.blocks == 0; }),
              files.end());
  return files;
}

std::vector<AskedKey> EvenLookups(const std::vector<FilterFile>& files) {
  uint64_t least = std::numeric_limits<uint64_t>::max();
  uint64_t greatest = 0;
  for (const FilterFile& file : files) {
    least = std::min(least, file.first);
    greatest = std::max(greatest, file.last);
  }
  Random random(1);
  std::vector<AskedKey> lookups(kAskedKeys);
  for (AskedKey& key : lookups) key = {least + random() % (greatest - least + 1), false};
  return lookups;
}

std::vector<AskedKey> LookupsByKeys(const std::vector<FilterFile>& files) {
  uint64_t keys = 0;
  for (const FilterFile& file : files) keys += file.keys;
  std::vector<AskedKey> lookups;
  lookups.reserve(kAskedKeys);
  Random random(1);
  uint64_t before = 0;  // keys of preceding files; every kAskedKeys-th key is looked up
  for (const FilterFile& file : files) {
    before += file.keys;
    while (lookups.size() * keys < before * kAskedKeys) {
      lookups.push_back({file.first + random() % (file.last - file.first + 1), false});
    }
  }
  return lookups;
}

void MostMemory::See(const std::vector<FilterFile>& files) {
  const uint64_t uniform = UniformBytes(files, bits_per_key_);
  if (uniform == 0) return;
  share_ = std::max(share_, static_cast<double>(FilterBytes(files)) / static_cast<double>(uniform));
}

TreeCost CostOf(const std::vector<FilterFile>& files, const std::vector<AskedKey>& lookups,
                double bits_per_key) {
  TreeCost cost;
  for (const FilterFile& file : files) {
    cost.keys += file.keys;
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
  cost.filter_bytes = FilterBytes(files);
  cost.uniform_bytes = UniformBytes(files, bits_per_key);
  cost.equal_bits = EqualBits(files, cost.filter_bytes);
  cost.false_reads = FalseReads(files, lookups, [](const FilterFile& file) { return file.rate; });
  for (size_t level = 0; level < cost.keys_by_level.size(); ++level) {
    cost.files_by_level.push_back(FalseReads(files, lookups, [level](const FilterFile& file) {
      return file.level == level ? 1.0 : 0.0;
    }));
  }
  const double uniform_rate = core::RateForBits(cost.equal_bits);
  cost.uniform_false_reads =
      FalseReads(files, lookups, [&](const FilterFile&) { return uniform_rate; });
  return cost;
}

}  // namespace winnow::bench
