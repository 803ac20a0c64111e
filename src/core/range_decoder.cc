#include "src/core/range_decoder.h"

namespace winnow::core {
namespace {

// Of the digit's byte in its word.
uint8_t ShiftOf(const RangeDigit& digit, size_t key_length) noexcept {
  return static_cast<uint8_t>((key_length - 1 - digit.place) % kRangeWordBytes * 8);
}

unsigned WordOf(const RangeDigit& digit, size_t key_length) noexcept {
  return static_cast<unsigned>((key_length - 1 - digit.place) / kRangeWordBytes);
}

// Whether the digits of a word are one number of whole bytes, whose highest byte alone may lack
// values.
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
    shift_ = ShiftOf(end[-1], key_length);
    mask_ = (UINT64_MAX >> (64 - 8 * count)) << shift_;
    least_ = uint64_t{begin->first[0]} << 8 * (count - 1);
    weight_ = *weight;
    for (const RangeDigit* digit = begin; digit != end; ++digit) *weight *= digit->Radix();
    return;
  }
  while (end != begin) {
    const RangeDigit& digit = *--end;
    const unsigned radix = digit.Radix();
    auto& table = tables_.emplace_back();
    for (unsigned rank = 0; rank < radix; ++rank) table[digit.ByteOf(rank)] = rank * *weight;
    shifts_[num_tables_++] = ShiftOf(digit, key_length);
    *weight *= radix;
  }
}

RangeDecoder::RangeDecoder(const RangeKeysFormat& format, const RangePlacing& placing,
                           size_t key_length, const std::vector<uint64_t>& first_key)
    : placing_(placing), counted_words_(format.counted_words), first_key_(first_key) {
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

void RangeDecoder::Begin(const RangeSection& section) {
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

}  // namespace winnow::core
