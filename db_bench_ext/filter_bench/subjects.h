// Subjects of the measurements: Winnow's filters and RocksDB's built-in ones, all through the
// classes by which RocksDB uses them.

#ifndef WINNOW_DB_BENCH_EXT_FILTER_BENCH_SUBJECTS_H_
#define WINNOW_DB_BENCH_EXT_FILTER_BENCH_SUBJECTS_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/filter_bench/keys.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::bench {

// NewFilterPolicy of a library.
using PolicyMaker = std::function<ROCKSDB_NAMESPACE::Status(
    const PolicyOptions&, std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>*)>;

struct Subject {
  const char* name;  // "winnow_bloom", "winnow_ribbon", "builtin_bloom", "builtin_ribbon"
  bool is_ribbon;
  bool is_ours;
  PolicyMaker make = nullptr;  // for ours
  std::string path = "";       // of an added plugin
};

// The four, ours first, and then those of added plugins.
const std::vector<Subject>& Subjects();

// Adds the two kinds of a plugin that is a shared library, as NAME_bloom and NAME_ribbon: of two
// builds of it, side by side. To be called before anything else here. Ends the program with the
// reason if the library can't be opened.
void AddPlugin(const std::string& name, const std::string& path);

// Adds a twin for each of ours, NAME_bloom_twin and so on: the same with filters of its own, and of
// a plugin that was added, by a copy of the library.
void AddTwins();

// Null if there is none of this name.
const Subject* FindSubject(std::string_view name);

// The policy that builds this kind whatever the number of keys. Ends the program with the reason if
// RocksDB does not make it.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewPolicy(const Subject& subject,
                                                                 double bits_per_key);

// A builder as a compaction gets it, to the last level.
std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsBuilder> NewBuilder(
    const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Calls use(key) for the keys of filter number `filter`, which is below 2^32, from index `begin` to
// before `end`.
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

// Adds the keys of that filter.
void AddKeys(uint64_t filter, uint64_t num_keys, size_t key_length,
             ROCKSDB_NAMESPACE::FilterBitsBuilder* builder);

// Common shape of the filters of a set.
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

// Filter number `filter` of this shape, by a policy of its bits_per_key.
BuiltFilter BuildFilter(const ROCKSDB_NAMESPACE::FilterPolicy& policy, uint64_t filter,
                        const FilterShape& shape);

// Bytes of a filter and a reader of them.
class ReadableFilter {
 public:
  // misalignment: where the bytes lie, in bytes after a multiple of 64.
  ReadableFilter(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                 const ROCKSDB_NAMESPACE::Slice& contents, size_t misalignment);

  ROCKSDB_NAMESPACE::FilterBitsReader* reader() const { return reader_.get(); }
  std::string_view bytes() const { return bytes_; }

 private:
  std::unique_ptr<char[]> storage_;
  std::string_view bytes_;
  std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader> reader_;
};

// The keys of a group, whose bytes may change later: in RocksDB too a key's Slice was made long
// before a filter is asked.
using KeySlices = std::array<ROCKSDB_NAMESPACE::Slice, KeyGroup::kKeys>;
inline KeySlices SlicesOf(const KeyGroup& keys) {
  KeySlices slices;
  for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
    slices[i] = ROCKSDB_NAMESPACE::Slice(keys.Get(i), keys.length());
  }
  return slices;
}

// Filter number `filter` of this shape. Built at the first call with these arguments and kept until
// the program ends: rows are run again and again.
const ReadableFilter& KeptFilter(const Subject& subject, uint64_t filter, const FilterShape& shape,
                                 size_t misalignment);

// Where a memory allocator puts the bytes of filter number `filter`: glibc's gives multiples of 16,
// none more often than another.
inline size_t UsualMisalignment(uint64_t filter) { return 16 * ((filter + 1) % 4); }

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_FILTER_BENCH_SUBJECTS_H_
