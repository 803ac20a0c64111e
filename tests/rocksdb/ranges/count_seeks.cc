// Program for tools/count_instructions.sh --seeks: runs SEEKS seeks or lookups in an in-memory
// database with 100,000 random numbers in eight sorted runs, whose blocks are cached.
//
//   count_seeks POLICY EXTRACTOR KEYS KIND SEEKS
//
// EXTRACTOR may be none. KEYS are integers (of 8 bytes) or decimals (of 16 digits). KIND is
//   behind     seek past a key, with a bound before the next one: no row
//   present    seek to a key, with a bound: one row
//   new        present, with a new iterator each time
//   wide       seek to a key, with a bound beyond keys of each run
//   asked      wide, with a filter check for each seek: every 256th is rejected
//   newwide    wide, with a new iterator each time
//   auto       newwide, with auto_prefix_mode
//   unbound    seek to a key, without a bound
//   get        Get of a present key
//   absent     Get of an absent key

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/rocksdb/ranges/big_endian.h"
#include "third_party/rocksdb_abi/versions.h"

namespace {

using winnow::testing::BigEndian;

constexpr int kRuns = 8;
constexpr int kKeysOfRun = 12'500;

void ExpectOk(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "count_seeks: %s\n", status.ToString().c_str());
  std::exit(1);
}

std::string Decimal(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(16 - digits.size(), '0') + digits;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::string_view extractor = argv[2];
  const bool is_decimal = std::string_view(argv[3]) == "decimals";
  const std::string_view kind = argv[4];
  const long seeks = std::strtol(argv[5], nullptr, 10);
  const bool is_new_wide = kind == "newwide" || kind == "auto";
  const bool is_wide = kind == "wide" || kind == "asked" || is_new_wide;
  const bool is_new = kind == "new" || is_new_wide;
  const auto key_of = is_decimal ? Decimal : BigEndian;

  const std::unique_ptr<rocksdb::Env> memory(rocksdb::NewMemEnv(rocksdb::Env::Default()));
  rocksdb::ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  rocksdb::Options options;
  std::string text = std::string("block_based_table_factory={filter_policy=") + argv[1] + "}";
  if (extractor != "none") text += ";prefix_extractor=" + std::string(extractor);
  ExpectOk(rocksdb::GetColumnFamilyOptionsFromString(strict, options, text, &options));
  options.env = memory.get();
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  winnow::rocksdb_abi::OpenedDB opened{};
  ExpectOk(rocksdb::DB::Open(options, "/database", &opened));
  const std::unique_ptr<rocksdb::DB> database = winnow::rocksdb_abi::Own(std::move(opened));

  std::mt19937_64 random(1);
  std::vector<uint64_t> keys;
  for (int run = 0; run < kRuns; ++run) {
    for (int i = 0; i < kKeysOfRun; ++i) {
      // Keeps every bound greater than its key and of equal length.
      keys.push_back(is_decimal ? random() % 9'000'000'000'000'000 : random() >> 1);
      ExpectOk(database->Put({}, key_of(keys.back()), "value"));
    }
    ExpectOk(database->Flush({}));
  }

  // Ranges are generated beforehand, so that only seeks are counted.
  constexpr size_t kAsked = 512;
  std::vector<std::pair<std::string, std::string>> ranges;
  for (size_t i = 0; i < kAsked; ++i) {
    const bool is_behind =
        kind == "behind" || kind == "absent" || (kind == "asked" && i % 256 == 0);
    const uint64_t begin = keys[i * 191 % keys.size()] + (is_behind ? 1 : 0);
    const uint64_t wide = is_decimal ? 70'000'000'000'000 : uint64_t{1} << 56;
    ranges.emplace_back(key_of(begin), key_of(begin + (is_wide && !is_behind ? wide : 64)));
  }
  // Loads all blocks into the cache without a filter check.
  rocksdb::ReadOptions read_all;
  read_all.total_order_seek = true;
  std::unique_ptr<rocksdb::Iterator> all(database->NewIterator(read_all));
  for (all->SeekToFirst(); all->Valid(); all->Next()) {
  }
  ExpectOk(all->status());
  all.reset();
  rocksdb::Slice bound;
  rocksdb::ReadOptions read;
  read.auto_prefix_mode = kind == "auto";
  if (kind != "unbound") read.iterate_upper_bound = &bound;
  bound = ranges[0].second;
  std::unique_ptr<rocksdb::Iterator> iterator(database->NewIterator(read));
  std::string value;
  long found = 0;
  for (long i = 0; i < seeks; ++i) {
    const auto& [begin, end] = ranges[static_cast<size_t>(i) % kAsked];
    if (kind == "get" || kind == "absent") {
      found += database->Get({}, begin, &value).ok() ? 1 : 0;
      continue;
    }
    bound = end;
    if (is_new) iterator.reset(database->NewIterator(read));
    iterator->Seek(begin);
    found += iterator->Valid() ? 1 : 0;
  }
  ExpectOk(iterator->status());
  iterator.reset();
  std::printf("found %ld of %ld\n", found, seeks);
  return 0;
}
