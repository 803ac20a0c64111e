// A Bloom filter that keys are added to and that reads few cache lines: 1 to 5 a key, as many as
// the rate wants. FilterBuilder makes smaller ones of keys that are all known.

#ifndef WINNOW_AMQ_BLOCKED_BLOOM_H_
#define WINNOW_AMQ_BLOCKED_BLOOM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

struct BlockArray;
struct BlockedBloomParts;

struct BlockedShape {
  uint64_t num_blocks = 1;      // of 512 bits each; at least 1
  unsigned blocks_per_key = 1;  // 1 to 5
  unsigned bits_per_block = 8;  // that a key sets in each of its blocks, 1 to 8
};

// Blocks of 512 bits (Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters",
// 2007), in 8 words of 64. A key sets one bit in each of w successive words, from a random one on,
// in each of b random blocks. A key's blocks are chosen independently of one another, so that with
// r the mean over all blocks of the chance that a block has all bits of a random pattern, the rate
// is r^b. With T = b n patterns thrown into B blocks, r is by inclusion and exclusion the sum over
// the subsets S of w words
//   (-1)^|S| (1 - (1 - q(S)) / B)^T,   q(S) = mean over windows W of (63/64)^|S and W|.
// One block alone has more keys than another; more blocks a key even that out and bring the size
// near to that of StandardBloom: 45.1 bits a key at 1e-9 with four blocks, 43.1 there.
//
// Lookups are safe from any number of threads while none adds. A filter that was moved from can
// only be destroyed or assigned to.
class WINNOW_EXPORT BlockedBloom {
 public:
  // The shape with round(log2(1/rate) / 8) blocks a key, 1 to 5, and the bits in each that make it
  // smallest. See CheckPlan.
  static BlockedShape ShapeFor(const Plan& plan) noexcept;

  explicit BlockedBloom(const Plan& plan);
  // Makes a filter of this shape, planned for `capacity` keys. Values out of their range count as
  // the nearest.
  BlockedBloom(const BlockedShape& shape, uint64_t capacity);

  // False if the filter would have said "may contain" before.
  bool Add(KeyHash hash) noexcept;
  // The same for n hashes in turn; every one of the n results is assigned. In filters larger than
  // the caches this is several times faster, since the misses overlap.
  void Add(const KeyHash* hashes, size_t n, bool* is_new) noexcept;

  // False only if no key with this hash was added.
  bool MayContain(KeyHash hash) const noexcept;
  void MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept;

  // Forgets all keys, and keeps the memory.
  void Clear() noexcept;

  // Bytes of the blocks, a multiple of 64.
  size_t size_bytes() const noexcept { return blocks_.size() * sizeof(Block); }
  BlockedShape shape() const noexcept { return {blocks_.size(), blocks_per_key_, bits_per_block_}; }

  // How many additions changed the filter.
  uint64_t num_added() const noexcept { return added_; }

  // The share of bits that are set, 0 to 1. Takes constant time.
  double fill_ratio() const noexcept;

  // The share of absent keys that the filter would say "may contain" to as it is now: of the bits
  // that are set, and n / 2^64 for equal hashes. Reads all blocks.
  double expected_fpr() const noexcept;
  // The same with `capacity` keys, as planned.
  double planned_fpr() const noexcept { return planned_fpr_; }

  // The filter in bytes, the same on every machine (streams/amq/FORMAT.md): as a string, or written
  // to the serialized_size() bytes from this address on. Nothing may change the filter meanwhile.
  size_t serialized_size() const noexcept;
  std::string Serialize() const;
  void Serialize(char* bytes) const noexcept;

  // The filter of such bytes. Nothing if they are damaged, cut off or not those of a filter of this
  // kind: *reason is then a sentence that says what was expected, what was found and what to do.
  // Allocates hardly more than there are bytes, whatever they say; throws std::bad_alloc.
  static std::optional<BlockedBloom> Deserialize(std::string_view bytes, std::string* reason);

 private:
  friend struct BlockedBloomParts;

  struct alignas(64) Block {
    uint64_t words[8];
  };

  // Memory of filters beyond the caches comes in huge pages, where the system has them.
  static void* AllocateLarge(size_t bytes);
  static void FreeLarge(void* memory) noexcept;
  template <typename Value>
  struct LargeAllocator {
    using value_type = Value;
    LargeAllocator() noexcept = default;
    template <typename Other>
    LargeAllocator(const LargeAllocator<Other>& /*other*/) noexcept {}
    Value* allocate(size_t n) {
      return static_cast<Value*>(BlockedBloom::AllocateLarge(n * sizeof(Value)));
    }
    void deallocate(Value* values, size_t /*n*/) noexcept { BlockedBloom::FreeLarge(values); }
    friend bool operator==(const LargeAllocator&, const LargeAllocator&) noexcept { return true; }
    friend bool operator!=(const LargeAllocator&, const LargeAllocator&) noexcept { return false; }
  };

  WINNOW_HIDDEN BlockArray Array() const noexcept;

  std::vector<Block, LargeAllocator<Block>> blocks_;
  unsigned blocks_per_key_ = 1;
  unsigned bits_per_block_ = 8;
  uint64_t ones_ = 0;
  uint64_t added_ = 0;
  uint64_t capacity_ = 0;
  double planned_fpr_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_BLOCKED_BLOOM_H_
