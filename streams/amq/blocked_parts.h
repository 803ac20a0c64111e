// A BlockedBloom in parts: its bytes, for files of filters that memory does not hold twice, and
// additions of which the first half is done ahead.

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

  // The header that Serialize writes before the blocks.
  static Header HeaderOf(const BlockedBloom& filter) noexcept;

  // Bytes of n blocks from the first one on, as Serialize writes them.
  static void Store(const BlockedBloom& filter, uint64_t first, uint64_t n,
                    unsigned char* bytes) noexcept;

  // To be called once for each block of a filter without keys, and then End. Until then the filter
  // can only be destroyed.
  static void Load(const unsigned char* bytes, uint64_t first, uint64_t n,
                   BlockedBloom* filter) noexcept;
  // Empty unless so many keys can't have set these bits; else a sentence.
  static std::string End(uint64_t keys, BlockedBloom* filter);

  // The fewest keys that can have set the filter's bits.
  static uint64_t LeastKeys(const BlockedBloom& filter) noexcept;
  // The most, each of which has set one at least.
  static uint64_t MostKeys(const BlockedBloom& filter) noexcept;

  // BlockedBloom::Add in two steps, between which the blocks are on their way: the places of n
  // keys, as many of each as it has blocks; and the additions, in any number of calls.
  static void Bring(const BlockedBloom& filter, const KeyHash* hashes, size_t n,
                    BlockPlace* places) noexcept;
  static void Add(const BlockPlace* places, size_t n, bool* is_new, BlockedBloom* filter) noexcept;

  // Empty if a header, which ReadHeader has read, is that of a filter; else a sentence.
  static std::string FaultOf(const Header& header);
};

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_BLOCKED_PARTS_H_
