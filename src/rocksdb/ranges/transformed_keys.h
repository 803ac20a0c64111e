// How a filter learns the bounds of a seek.
//
// RocksDB asks a filter about single keys and prefixes only. But for each file that an iterator
// with an upper bound seeks in, it calls on one thread, one after the other:
//
//   Transform(the key that is sought)    of the prefix extractor
//   Transform(the upper bound)           to see whether both have the same prefix
//   MayMatch(the prefix of the first)    of the filter's reader
//
// The extractor winnow.range (range_extractor.h) gives all keys the same prefix, the empty one. A
// slice without bytes still has an address: that of a note of the key, by which the reader finds
// the key and the one that was transformed next. While a file is built, the builder finds the key
// of a prefix in the same way.
//
// Each thread has a ring of its last kNotes notes, and a range of addresses: note number n is known
// by the address n, modulo kAddresses, in that range. The addresses can be read, as a comparator
// may look at what it believes to be a key, but nothing of ours is there: they are zeros that no
// memory is behind. What was overwritten, what comes from another thread or from elsewhere is not
// found; then the answer is "may match".
//
// Between the two calls RocksDB does nothing else. Where it makes the first one alone, as iterators
// in prefix mode do, other code may run inside the read of the filter block, such as a listener,
// and transform a key of its own: that would be taken for the bound. So a bound counts only if both
// calls came from about the same depth of the stack (kMaxDepth).

#ifndef WINNOW_SRC_ROCKSDB_RANGES_TRANSFORMED_KEYS_H_
#define WINNOW_SRC_ROCKSDB_RANGES_TRANSFORMED_KEYS_H_

#include <rocksdb/slice.h>

#include <cstddef>
#include <cstdint>

namespace winnow::plugin {

// The notes that a thread keeps. RocksDB needs two at once, and a builder of partitions two.
inline constexpr size_t kNotes = 8;
// The addresses of each thread; a prefix would have to be kept for so many others to be taken for a
// later one.
inline constexpr size_t kAddresses = size_t{1} << 24;
// The bytes of stack between the frames of the two calls, at most: the second is made by a function
// of the one that makes the first. What runs inside the read of a block is kilobytes away.
inline constexpr size_t kMaxDepth = 768;

// Notes the key, which is not copied, and returns the address that it is known by: never null, with
// at least 64 bytes that can be read. `frame` is the address of the caller's frame. Where memory is
// short, an address that is known by nothing (Origin::kForgotten).
const char* NoteTransformedKey(const ROCKSDB_NAMESPACE::Slice& key, const void* frame) noexcept;

struct TransformedKey {
  enum class Origin : uint8_t {
    kFound,      // the key is there
    kForgotten,  // it was noted, but by another thread or too long ago, or memory was short
    kElsewhere,  // the address is not one of ours
  };
  Origin origin = Origin::kElsewhere;
  ROCKSDB_NAMESPACE::Slice key;
};

// The key that is known by this address. Its bytes are those of whoever transformed it. If it is
// not one of this thread, this looks through the rings of all threads.
TransformedKey FindTransformedKey(const char* address) noexcept;

// The keys that are known by this address and the next one, if both are there and are the two
// bounds of a seek. Else false.
bool FindSeekBounds(const char* address, ROCKSDB_NAMESPACE::Slice* begin,
                    ROCKSDB_NAMESPACE::Slice* end) noexcept;

// Counts the answer to a question of this thread for its bounds, without an atomic addition. Does
// nothing in a thread that noted no key.
void CountRangeAnswer(bool may_contain) noexcept;

struct RangeCounts {
  uint64_t asked = 0;
  uint64_t denied = 0;  // of these, the answers that no key is in the range
};
// Returns the counts of all threads, also those that ended. Safe from any thread; while others ask,
// each number is one that it had during the call.
RangeCounts CurrentRangeCounts() noexcept;

// A number that no other call gives, in this process or another one, but with a probability of
// 2^-64; a forked child repeats its parent's. Safe from any thread.
uint64_t DifferentNumber() noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_RANGES_TRANSFORMED_KEYS_H_
