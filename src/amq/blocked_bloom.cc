#include "winnow/amq/blocked_bloom.h"

#include <algorithm>
#include <cmath>

#include "src/amq/block_kernels.h"
#include "src/amq/block_pattern.h"
#include "src/amq/block_sizing.h"
#include "src/amq/plan.h"
#include "src/amq/serialized.h"

namespace winnow::amq {
BlockedBloom::BlockedBloom(const Plan& plan) : BlockedBloom(ShapeFor(plan), plan.capacity) {}

BlockedBloom::BlockedBloom(const BlockedShape& shape, uint64_t capacity)
    : blocks_(std::max<uint64_t>(shape.num_blocks, 1)),
      blocks_per_key_(std::clamp(shape.blocks_per_key, 1u, kMostBlocksPerKey)),
      bits_per_block_(std::clamp(shape.bits_per_block, 1u, kBlockWords)) {
  capacity_ = std::min(capacity, kMostKeys);
  planned_fpr_ = std::min(1.0, BlockedRate(capacity_, this->shape()) + EqualHashRate(capacity_));
}

inline BlockArray BlockedBloom::Array() const noexcept {
  // As of a filter that is changed, as Add does; asking leaves the words alone.
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
  double sum = 0;
  for (const Block& block : blocks_) {
    unsigned ones[kBlockWords];
    for (unsigned i = 0; i < kBlockWords; ++i) {
      ones[i] = static_cast<unsigned>(__builtin_popcountll(block.words[i]));
    }
    sum += ChanceOfPattern(ones, bits_per_block_);
  }
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
  auto* to = reinterpret_cast<unsigned char*>(bytes);
  for (size_t i = 0; i < blocks_.size(); ++i) {
    StoreWords(blocks_[i].words, kBlockWords, to + kHeaderBytes + i * sizeof(Block));
  }
  Header header;
  header.kind = Serialized::kBlockedBloom;
  header.a = static_cast<uint8_t>(blocks_per_key_);
  header.b = static_cast<uint8_t>(bits_per_block_);
  header.payload = size_bytes();
  header.count = blocks_.size();
  header.keys = added_;
  header.x = capacity_;
  WriteHeader(header, to);
}

std::optional<BlockedBloom> BlockedBloom::Deserialize(std::string_view bytes, std::string* reason) {
  constexpr auto kKind = Serialized::kBlockedBloom;
  Header header;
  *reason = ReadHeader(bytes, kKind, &header);
  if (!reason->empty()) return std::nullopt;
  const uint64_t blocks = header.payload / sizeof(Block);
  if (header.a < 1 || header.a > kMostBlocksPerKey) {
    *reason = OutOfRange(kKind, "blocks a key", uint64_t{header.a}, 1, kMostBlocksPerKey);
  } else if (header.b < 1 || header.b > kBlockWords) {
    *reason = OutOfRange(kKind, "bits a block", uint64_t{header.b}, 1, kBlockWords);
  } else if (header.count < 1) {
    *reason = OutOfRange(kKind, "blocks", header.count, 1, UINT64_MAX / sizeof(Block));
  } else if (header.count != blocks || header.payload % sizeof(Block) != 0) {
    *reason = Contradiction(kKind, "the number of blocks", header.count, blocks);
  } else if (header.x > kMostKeys) {
    *reason = OutOfRange(kKind, "planned keys", header.x, 0, kMostKeys);
  } else if (header.y != 0) {
    *reason = Contradiction(kKind, "the last number of the header", header.y, 0);
  }
  if (!reason->empty()) return std::nullopt;

  std::optional<BlockedBloom> filter(std::in_place, BlockedShape{blocks, header.a, header.b},
                                     header.x);
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data()) + kHeaderBytes;
  uint64_t ones = 0;
  for (Block& block : filter->blocks_) {
    LoadWords(from, kBlockWords, block.words);
    for (const uint64_t word : block.words)
      ones += static_cast<unsigned>(__builtin_popcountll(word));
    from += sizeof(Block);
  }
  // Each addition that changed the filter set at least one bit, and at most all of a key.
  const uint64_t least =
      (ones + uint64_t{header.a} * header.b - 1) / (uint64_t{header.a} * header.b);
  if (header.keys < least || header.keys > ones) {
    *reason = OutOfRange(kKind, "the number of keys, by the bits that are set,", header.keys, least,
                         ones);
    return std::nullopt;
  }
  filter->ones_ = ones;
  filter->added_ = header.keys;
  return filter;
}

}  // namespace winnow::amq
