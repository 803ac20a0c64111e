// Thread-local notes of transformed keys, which pass the bounds of a seek to a filter.
//
// RocksDB checks a filter for single keys and prefixes only. But for each file that an iterator
// with an upper bound seeks in, it makes these calls in one thread, one after the other:
//
//   Transform(the key that is sought)    of the prefix extractor
//   Transform(the upper bound)           to see whether both have equal prefixes
//   MayMatch(the prefix of the first)    of the filter's reader
//
// The extractor winnow.range (range_extractor.h) gives all keys the empty prefix. An empty slice
// still has an address: that of a note of the key, by which the reader finds the key and the key
// that was transformed next. When a file is built, the builder finds the key of a prefix in this
// way, too.
//
// Each thread has a ring buffer of its last kNotes notes. Each note has one of kAddresses
// addresses, which all threads share: a thread takes a run of those that were taken longest ago.
// The addresses are readable, as a comparator may look at the supposed key, but hold no data: they
// are zero pages without memory. Notes that were overwritten, or are of another thread, are not
// found, nor are other addresses; then the answer is "may match".
//
// Between the two calls, RocksDB does nothing else. If it makes only the first one, as iterators in
// prefix mode do, other code may run during the read of the filter block, such as a listener, and
// transform another key, which would be taken for the bound. So a bound counts only if both calls
// came from similar stack depths (kMaxDepth).

#ifndef WINNOW_SRC_ROCKSDB_RANGES_TRANSFORMED_KEYS_H_
#define WINNOW_SRC_ROCKSDB_RANGES_TRANSFORMED_KEYS_H_

#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>

namespace winnow::plugin {

// Number of notes that a thread keeps. RocksDB needs two at once, and a builder of partitions two.
inline constexpr size_t kNotes = 8;
// Number of addresses, for all threads of the process. A prefix would be mistaken for a later one
// only after about this many others.
inline constexpr size_t kAddresses = size_t{1} << 20;
// Maximum distance in bytes between the stack frames of the two calls: the second call is made by a
// function that the caller of the first one calls. Code that runs during the read of a block is
// kilobytes away.
inline constexpr size_t kMaxDepth = 768;

// Records the key, without a copy of its bytes, and returns the address that identifies it: never
// null, with at least 64 readable bytes. `frame` is the address of the caller's frame. If out of
// memory, returns an address without a note (Origin::kForgotten).
const char* NoteTransformedKey(const ROCKSDB_NAMESPACE::Slice& key, const void* frame) noexcept;

struct TransformedKey {
  enum class Origin : uint8_t {
    kFound,      // the key is there
    kForgotten,  // recorded by another thread or too long ago, or out of memory
    kElsewhere,  // address is not one of a note
  };
  Origin origin = Origin::kElsewhere;
  ROCKSDB_NAMESPACE::Slice key;
};

// Returns the key of this address. Its bytes belong to whoever transformed it.
TransformedKey FindTransformedKey(const char* address) noexcept;

// Finds the keys of this address and of the next one. Returns false unless both are there and are
// the two bounds of a seek.
bool FindSeekBounds(const char* address, ROCKSDB_NAMESPACE::Slice* begin,
                    ROCKSDB_NAMESPACE::Slice* end) noexcept;

// Counts the answer to a range query of this thread, without an atomic addition. Does nothing in a
// thread without notes.
void CountRangeAnswer(bool may_contain) noexcept;

struct RangeCounts {
  uint64_t asked = 0;
  uint64_t denied = 0;  // ranges among `asked` that have no key
};
// Returns the sums over all threads, including those that ended. Thread-safe; while others count,
// each number is one of the values that it had during the call.
RangeCounts CurrentRangeCounts() noexcept;

// Returns a number that no other call in this or another process returns, except with a probability
// of 2^-64; a forked child repeats its parent's numbers. Thread-safe.
uint64_t DifferentNumber() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_RANGES_TRANSFORMED_KEYS_H_
