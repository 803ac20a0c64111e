// Blocked Bloom filter: a dynamic filter that reads 1 to 5 cache lines per key, depending on the
// rate. FilterBuilder builds smaller filters of key sets that are known in advance.

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
  uint64_t num_blocks = 1;      // blocks of 512 bits; at least 1
  unsigned blocks_per_key = 1;  // 1 to 5
  unsigned bits_per_block = 8;  // bits that a key sets in each of its blocks, 1 to 8
};

// Blocks of 512 bits (Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters",
// 2007), in 8 words of 64 bits. A key sets one bit in each of w consecutive words, from a random
// one on, in each of b random blocks. A key's blocks are chosen independently of each other. Let r
// be the mean over all blocks of the probability that a block has all bits of a random pattern; the
// false-positive rate is then r^b. With T = b n patterns thrown into B blocks, r is by
// inclusion-exclusion the sum over the subsets S of w words
//   (-1)^|S| (1 - (1 - q(S)) / B)^T,   q(S) = mean over windows W of (63/64)^|S and W|.
// Blocks have varying numbers of keys; more blocks per key even out the variation and bring the
// size close to that of StandardBloom: 45.1 bits per key at 1e-9 with four blocks, compared to
// 43.1.
//
// Lookups are thread-safe while no thread adds keys. A moved-from filter can only be destroyed or
// assigned to.
class WINNOW_EXPORT BlockedBloom {
 public:
  // Returns the shape with round(log2(1/rate) / 8) blocks per key, 1 to 5, and the number of bits
  // per block that makes the filter smallest. See CheckPlan().
  static BlockedShape ShapeFor(const Plan& plan) noexcept;

  explicit BlockedBloom(const Plan& plan);
  // Creates a filter of this shape, planned for `capacity` keys. A value out of range is replaced
  // by the nearest valid one.
  BlockedBloom(const BlockedShape& shape, uint64_t capacity);

  // Adds a key. Returns false if the filter already contained it or a false positive.
  bool Add(KeyHash hash) noexcept;
  // Adds n keys in order; sets each of the n results. Several times faster than single additions in
  // filters larger than the caches, since the cache misses overlap.
  void Add(const KeyHash* hashes, size_t n, bool* is_new) noexcept;

  // Returns false only if no key with this hash was added.
  bool MayContain(KeyHash hash) const noexcept;
  void MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept;

  // Removes all keys and keeps the memory.
  void Clear() noexcept;

  // Size of the blocks in bytes, a multiple of 64.
  size_t size_bytes() const noexcept { return blocks_.size() * sizeof(Block); }
  BlockedShape shape() const noexcept { return {blocks_.size(), blocks_per_key_, bits_per_block_}; }

  // Number of additions that changed the filter.
  uint64_t num_added() const noexcept { return added_; }

  // Share of set bits, 0 to 1. Takes constant time.
  double fill_ratio() const noexcept;

  // Expected false-positive rate of the current content: from the set bits, plus n / 2^64 for equal
  // hashes. Reads all blocks.
  double expected_fpr() const noexcept;
  // Expected false-positive rate with `capacity` keys, as planned.
  double planned_fpr() const noexcept { return planned_fpr_; }

  // Return or write the serialized filter, identical on all machines (streams/amq/FORMAT.md). The
  // pointer version writes serialized_size() bytes. The filter must not change during the call.
  size_t serialized_size() const noexcept;
  std::string Serialize() const;
  void Serialize(char* bytes) const noexcept;

  // Reads a serialized filter. Returns nullopt if the bytes are damaged, truncated or not of a
  // filter of this kind; *reason is then an error message with the expected value, the found value
  // and what to do. Allocates hardly more than the size of `bytes`, whatever they contain; throws
  // std::bad_alloc.
  static std::optional<BlockedBloom> Deserialize(std::string_view bytes, std::string* reason);

 private:
  friend struct BlockedBloomParts;

  struct alignas(64) Block {
    uint64_t words[8];
  };

  // Memory of filters larger than the caches is in huge pages, if the system has them.
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
