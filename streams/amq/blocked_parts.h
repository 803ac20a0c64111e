// Access to parts of a BlockedBloom: its serialized bytes, for files larger than the memory left
// for a copy; and additions in two steps, prefetch and update.

#ifndef WINNOW_STREAMS_AMQ_BLOCKED_PARTS_H_
#define WINNOW_STREAMS_AMQ_BLOCKED_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "streams/amq/block_kernels.h"
#include "streams/amq/serialized.h"
#include "winnow/amq/blocked_bloom.h"

namespace winnow::amq {

struct BlockedBloomParts {
  static constexpr uint64_t kBytesPerBlock = 64;

  // Returns the header that Serialize() writes before the blocks.
  static Header HeaderOf(const BlockedBloom& filter) noexcept;

  // Writes n blocks from block `first` on to `bytes`, in the form of Serialize().
  static void Store(const BlockedBloom& filter, uint64_t first, uint64_t n,
                    unsigned char* bytes) noexcept;

  // Loads n blocks from block `first` on into a filter without keys. Call once for each block, then
  // End(); before End(), the filter can only be destroyed.
  static void Load(const unsigned char* bytes, uint64_t first, uint64_t n,
                   BlockedBloom* filter) noexcept;
  // Ends loading. Returns an empty string, or an error message if `keys` keys cannot have set these
  // bits.
  static std::string End(uint64_t keys, BlockedBloom* filter);

  // Returns the smallest number of keys that can have set the filter's bits.
  static uint64_t LeastKeys(const BlockedBloom& filter) noexcept;
  // Returns the largest number of keys if each has set at least one bit.
  static uint64_t MostKeys(const BlockedBloom& filter) noexcept;

  // BlockedBloom::Add() in two steps, between which the prefetch completes. Bring() computes the
  // places of n keys, one per block of a key, and prefetches the blocks. Add() then adds the keys,
  // in any number of calls.
  static void Bring(const BlockedBloom& filter, const KeyHash* hashes, size_t n,
                    BlockPlace* places) noexcept;
  static void Add(const BlockPlace* places, size_t n, bool* is_new, BlockedBloom* filter) noexcept;

  // Returns an empty string if `header`, from ReadHeader(), describes a valid filter, else an error
  // message.
  static std::string FaultOf(const Header& header);
};

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_BLOCKED_PARTS_H_
