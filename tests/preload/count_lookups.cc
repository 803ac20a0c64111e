// Program for tools/count_instructions.sh --ways: builds a filter of 100,000 keys by the policy
// that a program gets for 10 bits per key, and looks up LOOKUPS keys, half of them present.
//
//   count_lookups LOOKUPS

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "third_party/rocksdb_abi/filter_bits.h"

namespace {

constexpr int kKeys = 100'000;

// Writes a key of 16 bytes to `bytes`.
rocksdb::Slice Key(int number, char (&bytes)[17]) {
  std::snprintf(bytes, sizeof bytes, "%016d", number);
  return {bytes, 16};
}

}  // namespace

int main(int argc, char** argv) {
  const long lookups = argc == 2 ? std::strtol(argv[1], nullptr, 10) : 0;
  rocksdb::BlockBasedTableOptions table;
  const std::unique_ptr<const rocksdb::FilterPolicy> policy(rocksdb::NewBloomFilterPolicy(10));
  const std::unique_ptr<rocksdb::FilterBitsBuilder> builder(
      policy->GetBuilderWithContext(rocksdb::FilterBuildingContext(table)));
  char bytes[17];
  for (int i = 0; i < kKeys; ++i) builder->AddKey(Key(2 * i, bytes));
  std::unique_ptr<const char[]> memory;
  const rocksdb::Slice filter = builder->Finish(&memory);
  const std::unique_ptr<rocksdb::FilterBitsReader> reader(policy->GetFilterBitsReader(filter));

  // Keys are generated beforehand, so that only lookups are counted.
  constexpr int kAsked = 1024;
  static char keys[kAsked][17];
  for (int i = 0; i < kAsked; ++i) Key(97 * i, keys[i]);
  long found = 0;
  for (long i = 0; i < lookups; ++i) {
    found += reader->MayMatch(rocksdb::Slice(keys[i % kAsked], 16)) ? 1 : 0;
  }
  std::printf("found %ld of %ld, in a filter of %zu bytes\n", found, lookups, filter.size());
  return 0;
}
