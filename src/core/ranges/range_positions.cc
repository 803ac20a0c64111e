#include "src/core/ranges/range_positions.h"

#include <algorithm>

namespace winnow::core {
namespace {

// Returns the shift of the digit's byte in its word.
uint8_t ShiftOf(const RangeDigit& digit, size_t key_length) noexcept {
  return static_cast<uint8_t>((key_length - 1 - digit.place) % kRangeWordBytes * 8);
}

unsigned WordOf(const RangeDigit& digit, size_t key_length) noexcept {
  return static_cast<unsigned>((key_length - 1 - digit.place) / kRangeWordBytes);
}

// Returns whether the digits of a word are a number of adjacent whole bytes, of which only the
// highest one may lack values.
bool AreNumber(const RangeDigit* begin, const RangeDigit* end) noexcept {
  if (begin == end || begin->intervals != 1) return false;
  for (const RangeDigit* digit = begin + 1; digit != end; ++digit) {
    if (digit->place != digit[-1].place + 1 || digit->Radix() != 256) return false;
  }
  return true;
}

}  // namespace

RangeWordPosition::RangeWordPosition(const RangeDigit* begin, const RangeDigit* end,
                                     size_t key_length, uint64_t* weight) {
  if (AreNumber(begin, end)) {
    const auto count = static_cast<unsigned>(end - begin);
    is_number_ = true;
    const uint8_t shift = ShiftOf(end[-1], key_length);
    number_ = {(UINT64_MAX >> (64 - 8 * count)) << shift, shift,
               uint64_t{begin->first[0]} << 8 * (count - 1), *weight};
    for (const RangeDigit* digit = begin; digit != end; ++digit) *weight *= digit->Radix();
    return;
  }
  tables_.resize(kRangeWordBytes);
  for (unsigned i = 0; end != begin; ++i) {
    const RangeDigit& digit = *--end;
    const unsigned radix = digit.Radix();
    for (unsigned rank = 0; rank < radix; ++rank) tables_[i][digit.ByteOf(rank)] = rank * *weight;
    shifts_[i] = ShiftOf(digit, key_length);
    *weight *= radix;
  }
}

void RangeWordPosition::AddTo(uint64_t* positions, const uint64_t* words, size_t n,
                              size_t stride) const noexcept {
  if (is_number_) {
    const Number number = number_;
    for (size_t k = 0; k < n; ++k) positions[k] += number.Of(words[k * stride]);
    return;
  }
  // Copies, which stores can't change, stay in registers.
  const Table* const tables = tables_.data();
  const auto shifts = shifts_;
  const auto of = [&](uint64_t word, unsigned i) {
    return tables[i][static_cast<uint8_t>(word >> shifts[i])];
  };
  const auto sum_of = [&](uint64_t word) {
    return of(word, 0) + of(word, 1) + of(word, 2) + of(word, 3) + of(word, 4) + of(word, 5) +
           of(word, 6) + of(word, 7);
  };
  // Words of the first bytes mostly equal their predecessor, as keys are sorted.
  uint64_t last = *words;
  uint64_t sum = sum_of(last);
  for (size_t k = 0; k < n; ++k) {
    const uint64_t word = words[k * stride];
    if (word != last) {
      last = word;
      sum = sum_of(word);
    }
    positions[k] += sum;
  }
}

RangePositions::RangePositions(const RangeKeysFormat& format, size_t key_length,
                               const std::vector<uint64_t>& first_key)
    : counted_words_(format.counted_words), first_key_(first_key) {
  const RangeDigit* const begin = format.digits.data();
  const RangeDigit* end = begin + format.digits.size();
  uint64_t weight = 1;
  for (unsigned word = 0; word < counted_words_; ++word) {
    const RangeDigit* first = end;
    while (first != begin && WordOf(first[-1], key_length) == word) --first;
    positions_.emplace_back(first, end, key_length, &weight);
    end = first;
  }
}

void RangePositions::Begin(const RangeSection& section) {
  has_hash_ = section.hashed != 0;
  num_kept_ = section.num_kept;
  hash_ = 0;
  position_ = 0;
  uint32_t kept = section.hashed;
  for (unsigned i = 0; i < num_kept_; ++i) {
    const unsigned index = section.kept[i];
    kept |= uint32_t{1} << index;
    kept_[i] = {index, index < counted_words_ ? &positions_[index] : nullptr};
  }
  for (unsigned index = 0; index < first_key_.size(); ++index) {
    if ((kept >> index & 1) != 0) continue;
    if (index < counted_words_) {
      position_ += positions_[index].Of(first_key_[index]);
    } else {
      hash_ ^= HashRangeWord(index, first_key_[index]);
    }
  }
}

void RangePositions::Read(const uint64_t* words, size_t n, uint64_t* positions,
                          uint64_t* hashes) const noexcept {
  const size_t stride = (has_hash_ ? 1 : 0) + num_kept_;
  std::fill_n(positions, n, position_);
  std::fill_n(hashes, n, hash_);
  if (has_hash_) {
    for (size_t k = 0; k < n; ++k) hashes[k] ^= words[k * stride];
    ++words;
  }
  for (unsigned i = 0; i < num_kept_; ++i, ++words) {
    if (kept_[i].position != nullptr) {
      kept_[i].position->AddTo(positions, words, n, stride);
      continue;
    }
    const unsigned index = kept_[i].index;
    uint64_t last = *words;
    uint64_t hash = HashRangeWord(index, last);
    for (size_t k = 0; k < n; ++k) {
      const uint64_t word = words[k * stride];
      if (word != last) {
        last = word;
        hash = HashRangeWord(index, word);
      }
      hashes[k] ^= hash;
    }
  }
}

void PlacePositions(const RangePlacing& placing_of, const uint64_t* hashes, size_t n,
                    uint64_t* places) noexcept {
  const RangePlacing placing = placing_of;
  if (placing.is_exact || n == 0) return;
  // Adjacent keys are mostly in the same block, or all in separate blocks.
  uint64_t block = places[0] >> placing.block_bits;
  uint64_t hash = hashes[0];
  uint64_t base = placing.Base(hash, places[0]);
  for (size_t k = 0; k < n; ++k) {
    if (places[k] >> placing.block_bits != block || hashes[k] != hash) {
      block = places[k] >> placing.block_bits;
      hash = hashes[k];
      base = placing.Base(hash, places[k]);
    }
    places[k] = placing.InBlock(base, places[k]);
  }
}

}  // namespace winnow::core
