// Subjects of the measurements: Winnow's filters and RocksDB's built-in ones, all through the
// classes that RocksDB uses.

#ifndef WINNOW_DB_BENCH_EXT_FILTER_BENCH_SUBJECTS_H_
#define WINNOW_DB_BENCH_EXT_FILTER_BENCH_SUBJECTS_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/filter_bench/keys.h"
#include "db_bench_ext/filter_bench/plugin_library.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::bench {

struct Subject {
  const char* name;  // "winnow_bloom", "winnow_ribbon", "builtin_bloom", "builtin_ribbon"
  bool is_ribbon;
  bool is_ours;
  std::optional<PluginLibrary> library = std::nullopt;  // unset: linked, or RocksDB's own
  std::string opened_from = "";                         // NAME=FILE of the library
};

// Returns the four subjects, Winnow's first, followed by those of added libraries.
const std::vector<Subject>& Subjects();

// Adds the two kinds of the plugin of "NAME=FILE", as NAME_bloom and NAME_ribbon, for comparing
// builds. Must be called before all other functions here. Exits with the reason if the library
// cannot be opened.
void AddLibrary(const std::string& text);

// Adds a twin for each of Winnow's subjects, NAME_bloom_twin and so on: with its own filters and,
// for an added library, with a copy of the library.
void AddTwins();

// Returns null if no subject has this name.
const Subject* FindSubject(std::string_view name);

// Returns the policy that builds this kind for any number of keys. Exits with the reason if RocksDB
// does not create it.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewPolicy(const Subject& subject,
                                                                 double bits_per_key);

// Returns a builder as for a compaction to the last level.
std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> NewBuilder(
    const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Calls use(key) for the keys of filter number `filter`, below 2^32, with indices in [begin, end).
template <typename Use>
void ForKeys(uint64_t filter, uint64_t begin, uint64_t end, size_t key_length, Use use) {
  KeyGroup keys(key_length);
  for (uint64_t first = begin; first < end; first += KeyGroup::kKeys) {
    const size_t n = std::min<uint64_t>(KeyGroup::kKeys, end - first);
    for (size_t i = 0; i < n; ++i) {
      keys.Set(i, NumberOf(filter, first + i));
    }
    for (size_t i = 0; i < n; ++i) {
      use(ROCKSDB_NAMESPACE::Slice(keys.Get(i), keys.length()));
    }
  }
}

// Adds the keys of filter number `filter`.
void AddKeys(uint64_t filter, uint64_t num_keys, size_t key_length,
             ROCKSDB_NAMESPACE::FilterBitsBuilder* builder);

// Common parameters of a set of filters.
struct FilterShape {
  uint64_t num_keys = 0;
  size_t key_length = KeyGroup::kUsualLength;
  double bits_per_key = 10;
};

// Result of a builder's Finish.
struct BuiltFilter {
  std::unique_ptr<const char[]> buffer;
  ROCKSDB_NAMESPACE::Status status;
  ROCKSDB_NAMESPACE::Slice contents;
};

// Builds filter number `filter` of this shape by a policy with its bits_per_key.
BuiltFilter BuildFilter(const ROCKSDB_NAMESPACE::FilterPolicy& policy, uint64_t filter,
                        const FilterShape& shape);

// A filter's bytes and a reader of them.
class ReadableFilter {
 public:
  // misalignment: offset of the bytes from a multiple of 64.
  ReadableFilter(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                 const ROCKSDB_NAMESPACE::Slice& contents, size_t misalignment);

  ROCKSDB_NAMESPACE::FilterBitsReader* reader() const { return reader_.get(); }
  std::string_view bytes() const { return bytes_; }

 private:
  std::unique_ptr<char[]> storage_;
  std::string_view bytes_;
  std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader> reader_;
};

// Slices of a group's keys, whose bytes may change later: in RocksDB too, a key's Slice is made
// long before a filter is checked.
using KeySlices = std::array<ROCKSDB_NAMESPACE::Slice, KeyGroup::kKeys>;
inline KeySlices SlicesOf(const KeyGroup& keys) {
  KeySlices slices;
  for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
    slices[i] = ROCKSDB_NAMESPACE::Slice(keys.Get(i), keys.length());
  }
  return slices;
}

// Returns filter number `filter` of this shape. Built by the first call with these arguments and
// kept until the program ends, since rows run repeatedly.
const ReadableFilter& KeptFilter(const Subject& subject, uint64_t filter, const FilterShape& shape,
                                 size_t misalignment);

// Returns the alignment that an allocator gives to filter number `filter`: glibc's returns
// multiples of 16, uniformly distributed.
inline size_t UsualMisalignment(uint64_t filter) { return 16 * ((filter + 1) % 4); }

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_SUBJECTS_H_
