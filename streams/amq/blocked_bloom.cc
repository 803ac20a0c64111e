#include "winnow/amq/blocked_bloom.h"

#include <algorithm>
#include <cmath>

#include "streams/amq/block_kernels.h"
#include "streams/amq/block_pattern.h"
#include "streams/amq/block_sizing.h"
#include "streams/amq/blocked_parts.h"
#include "streams/amq/large_memory.h"
#include "streams/amq/plan.h"
#include "streams/amq/serialized.h"

namespace winnow::amq {
namespace {

constexpr auto kKind = Serialized::kBlockedBloom;

}  // namespace

BlockedBloom::BlockedBloom(const Plan& plan) : BlockedBloom(ShapeFor(plan), plan.capacity) {}

BlockedBloom::BlockedBloom(const BlockedShape& shape, uint64_t capacity)
    : blocks_(std::max<uint64_t>(shape.num_blocks, 1)),
      blocks_per_key_(std::clamp(shape.blocks_per_key, 1u, kMaxBlocksPerKey)),
      bits_per_block_(std::clamp(shape.bits_per_block, 1u, kBlockWords)) {
  capacity_ = std::min(capacity, kMostKeys);
  planned_fpr_ = std::min(1.0, BlockedRate(capacity_, this->shape()) + EqualHashRate(capacity_));
}

void* BlockedBloom::AllocateLarge(size_t bytes) { return AllocateLargeUnset(bytes); }

void BlockedBloom::FreeLarge(void* memory) noexcept { amq::FreeLarge(memory); }

inline BlockArray BlockedBloom::Array() const noexcept {
  // BlockArray has non-const words because Add() changes them; lookups do not.
  return {const_cast<uint64_t*>(blocks_.front().words), blocks_.size(), blocks_per_key_,
          bits_per_block_};
}

bool BlockedBloom::Add(KeyHash hash) noexcept {
  uint64_t* const words = blocks_.front().words;
  uint64_t added = 0;
  for (unsigned i = 0; i < blocks_per_key_; ++i) {
    const BlockPlace place = PlaceOfKey(hash.value, i, blocks_.size());
    const BlockPattern pattern(place.pattern);
    for (unsigned j = 0; j < bits_per_block_; ++j) {
      uint64_t& word = words[place.first_word + pattern.Word(j)];
      added += (word & pattern.Bit(j)) == 0;
      word |= pattern.Bit(j);
    }
  }
  ones_ += added;
  added_ += added != 0;
  return added != 0;
}

void BlockedBloom::Add(const KeyHash* hashes, size_t n, bool* is_new) noexcept {
  const BatchAdded added = ChosenBlockKernels().add(Array(), hashes, n, is_new);
  ones_ += added.bits;
  added_ += added.keys;
}

bool BlockedBloom::MayContain(KeyHash hash) const noexcept {
  const uint64_t* const words = blocks_.front().words;
  for (unsigned i = 0; i < blocks_per_key_; ++i) {
    const BlockPlace place = PlaceOfKey(hash.value, i, blocks_.size());
    const BlockPattern pattern(place.pattern);
    for (unsigned j = 0; j < bits_per_block_; ++j) {
      if ((words[place.first_word + pattern.Word(j)] & pattern.Bit(j)) == 0) return false;
    }
  }
  return true;
}

void BlockedBloom::MayContain(const KeyHash* hashes, size_t n, bool* results) const noexcept {
  ChosenBlockKernels().ask(Array(), hashes, n, results);
}

void BlockedBloom::Clear() noexcept {
  std::fill(blocks_.begin(), blocks_.end(), Block{});
  ones_ = 0;
  added_ = 0;
}

double BlockedBloom::fill_ratio() const noexcept {
  return static_cast<double>(ones_) / (static_cast<double>(blocks_.size()) * kBlockBits);
}

double BlockedBloom::expected_fpr() const noexcept {
  const double sum = ChosenBlockKernels().sum_chances(Array());
  const double rate = std::pow(sum / static_cast<double>(blocks_.size()), blocks_per_key_);
  return std::min(1.0, rate + EqualHashRate(added_));
}

size_t BlockedBloom::serialized_size() const noexcept { return kHeaderBytes + size_bytes(); }

std::string BlockedBloom::Serialize() const {
  std::string bytes(serialized_size(), 0);
  Serialize(bytes.data());
  return bytes;
}

void BlockedBloom::Serialize(char* bytes) const noexcept {
  auto* const to = reinterpret_cast<unsigned char*>(bytes);
  BlockedBloomParts::Store(*this, 0, blocks_.size(), to + kHeaderBytes);
  WriteHeader(BlockedBloomParts::HeaderOf(*this), to);
}

std::optional<BlockedBloom> BlockedBloom::Deserialize(std::string_view bytes, std::string* reason) {
  Header header;
  *reason = ReadHeader(bytes, kKind, &header);
  if (reason->empty()) *reason = BlockedBloomParts::FaultOf(header);
  if (!reason->empty()) return std::nullopt;
  std::optional<BlockedBloom> filter(std::in_place, BlockedShape{header.count, header.a, header.b},
                                     header.x);
  BlockedBloomParts::Load(reinterpret_cast<const unsigned char*>(bytes.data()) + kHeaderBytes, 0,
                          header.count, &*filter);
  *reason = BlockedBloomParts::End(header.keys, &*filter);
  if (!reason->empty()) return std::nullopt;
  return filter;
}

Header BlockedBloomParts::HeaderOf(const BlockedBloom& filter) noexcept {
  Header header;
  header.kind = kKind;
  header.a = static_cast<uint8_t>(filter.blocks_per_key_);
  header.b = static_cast<uint8_t>(filter.bits_per_block_);
  header.payload = filter.size_bytes();
  header.count = filter.blocks_.size();
  header.keys = filter.added_;
  header.x = filter.capacity_;
  return header;
}

std::string BlockedBloomParts::FaultOf(const Header& header) {
  const uint64_t blocks = header.payload / kBytesPerBlock;
  if (header.a < 1 || header.a > kMaxBlocksPerKey) {
    return OutOfRange(kKind, "blocks a key", uint64_t{header.a}, 1, kMaxBlocksPerKey);
  }
  if (header.b < 1 || header.b > kBlockWords) {
    return OutOfRange(kKind, "bits a block", uint64_t{header.b}, 1, kBlockWords);
  }
  if (header.count < 1) {
    return OutOfRange(kKind, "blocks", header.count, 1, UINT64_MAX / kBytesPerBlock);
  }
  if (header.count != blocks || header.payload % kBytesPerBlock != 0) {
    return Contradiction(kKind, "the number of blocks", header.count, blocks);
  }
  if (header.x > kMostKeys) return OutOfRange(kKind, "planned keys", header.x, 0, kMostKeys);
  if (header.y != 0) return Contradiction(kKind, "the last number of the header", header.y, 0);
  return "";
}

void BlockedBloomParts::Store(const BlockedBloom& filter, uint64_t first, uint64_t n,
                              unsigned char* bytes) noexcept {
  static_assert(sizeof(BlockedBloom::Block) == kBytesPerBlock);
  for (uint64_t i = 0; i < n; ++i) {
    StoreWords(filter.blocks_[first + i].words, kBlockWords, bytes + i * kBytesPerBlock);
  }
}

void BlockedBloomParts::Load(const unsigned char* bytes, uint64_t first, uint64_t n,
                             BlockedBloom* filter) noexcept {
  uint64_t ones = 0;
  for (uint64_t i = 0; i < n; ++i) {
    uint64_t* const words = filter->blocks_[first + i].words;
    LoadWords(bytes + i * kBytesPerBlock, kBlockWords, words);
    for (unsigned j = 0; j < kBlockWords; ++j) {
      ones += static_cast<unsigned>(__builtin_popcountll(words[j]));
    }
  }
  filter->ones_ += ones;
}

// Each addition that changed the filter set at least one bit and at most all bits of a key.
uint64_t BlockedBloomParts::LeastKeys(const BlockedBloom& filter) noexcept {
  const uint64_t bits = uint64_t{filter.blocks_per_key_} * filter.bits_per_block_;
  return (filter.ones_ + bits - 1) / bits;
}

uint64_t BlockedBloomParts::MostKeys(const BlockedBloom& filter) noexcept { return filter.ones_; }

std::string BlockedBloomParts::End(uint64_t keys, BlockedBloom* filter) {
  const uint64_t least = LeastKeys(*filter), most = MostKeys(*filter);
  if (keys < least || keys > most) {
    return OutOfRange(kKind, "the number of keys, by the bits that are set,", keys, least, most);
  }
  filter->added_ = keys;
  return "";
}

void BlockedBloomParts::Bring(const BlockedBloom& filter, const KeyHash* hashes, size_t n,
                              BlockPlace* places) noexcept {
  BringBlocks(filter.Array(), hashes, n, places);
}

void BlockedBloomParts::Add(const BlockPlace* places, size_t n, bool* is_new,
                            BlockedBloom* filter) noexcept {
  const BatchAdded added = ChosenBlockKernels().add_placed(filter->Array(), places, n, is_new);
  filter->ones_ += added.bits;
  filter->added_ += added.keys;
}

}  // namespace winnow::amq
