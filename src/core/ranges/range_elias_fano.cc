#include "src/core/ranges/range_elias_fano.h"

#include <algorithm>

#include "src/formulas/bytes.h"

namespace winnow::core {
namespace {

using formulas::LoadLittle32;
using formulas::LoadLittle64;
using formulas::StoreLittle;
using formulas::StoreLittle32;
using formulas::StoreLittle64;

// Words per run; the number of ones before each run is stored.
constexpr uint64_t kRunWords = 8;
constexpr uint64_t kRunBits = 64 * kRunWords;

constexpr uint64_t kNowhere = UINT64_MAX;

// Maximum number of values that are searched sequentially, which is faster than a binary search for
// so few.
constexpr uint64_t kFewNumbers = 8;

constexpr uint64_t kEachByte = 0x0101010101010101;

// Returns the number of ones up to the end of each byte. Does not use the compiler's popcount,
// which is a function call unless the instruction is known to exist.
uint64_t OnesUpToBytes(uint64_t word) noexcept {
  word -= (word >> 1) & 0x5555555555555555;
  word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
  return ((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f) * kEachByte;
}

unsigned Ones(uint64_t word) noexcept { return static_cast<unsigned>(OnesUpToBytes(word) >> 56); }

// Returns the first bit of the first byte that is not less than `number`; one must be so. Bytes and
// the number are less than 128.
unsigned FirstNotLess(uint64_t bytes, unsigned number) noexcept {
  const uint64_t high_bits = 0x80 * kEachByte;
  const uint64_t not_less = ((bytes | high_bits) - number * kEachByte) & high_bits;
  return static_cast<unsigned>(__builtin_ctzll(not_less)) & ~7u;
}

// Returns the index of the one with this number, from 1 on (select). Broadword (Vigna 2008), for
// the byte and then for the bit, without a loop, whose end can't be predicted.
unsigned PlaceOfOne(uint64_t word, uint64_t ones_up_to_bytes, unsigned number) noexcept {
  const unsigned byte = FirstNotLess(ones_up_to_bytes, number);
  number -= static_cast<unsigned>(ones_up_to_bytes << 8 >> byte & 0xff);
  const uint64_t bits = (word >> byte & 0xff) * kEachByte & 0x8040201008040201;  // one in each byte
  const uint64_t ones = (bits + 0x7f * kEachByte) >> 7 & kEachByte;
  return byte + FirstNotLess(ones * kEachByte, number) / 8;
}

uint64_t LowMask(unsigned bits) noexcept { return (uint64_t{1} << bits) - 1; }

}  // namespace

unsigned EliasFanoShape::LowBits() const noexcept {
  return 63u - static_cast<unsigned>(__builtin_clzll(bound / count));
}

uint64_t EliasFanoShape::Buckets() const noexcept { return ((bound - 1) >> LowBits()) + 1; }

uint64_t EliasFanoShape::LowBytes() const noexcept { return (count * LowBits() + 7) / 8; }

uint64_t EliasFanoShape::HighWords() const noexcept { return (count + Buckets() + 63) / 64; }

uint64_t EliasFanoShape::CountEntries() const noexcept {
  return (HighWords() + kRunWords - 1) / kRunWords;
}

uint64_t EliasFanoShape::Bytes() const noexcept {
  return LowBytes() + 8 * HighWords() + 4 * CountEntries();
}

EliasFanoWriter::EliasFanoWriter(const EliasFanoShape& shape, unsigned char* bytes) noexcept
    : shape_(shape), low_bits_(shape.LowBits()), lows_(bytes), highs_(bytes + shape.LowBytes()) {}

void EliasFanoWriter::Add(const uint64_t* numbers, size_t n) noexcept {
  if (low_bits_ != 0) AddLows(numbers, n);
  const unsigned low_bits = low_bits_;
  const uint64_t before = added_;
  uint64_t word = high_;
  uint64_t index = high_index_;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t bit = (numbers[i] >> low_bits) + before + i;
    if (bit / 64 != index) {
      StoreLittle64(highs_ + 8 * index, word);
      index = bit / 64;
      word = 0;
    }
    word |= uint64_t{1} << bit % 64;
  }
  high_ = word;
  high_index_ = index;
  added_ += n;
}

void EliasFanoWriter::AddLows(const uint64_t* numbers, size_t n) noexcept {
  const unsigned bits = low_bits_;
  const uint64_t mask = LowMask(bits);
  unsigned char* lows = lows_;
  uint64_t pending = pending_;
  unsigned pending_bits = pending_bits_;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t low = numbers[i] & mask;
    pending |= low << pending_bits;
    pending_bits += bits;
    if (pending_bits < 64) continue;
    StoreLittle64(lows, pending);
    lows += 8;
    pending_bits -= 64;
    pending = pending_bits == 0 ? 0 : low >> (bits - pending_bits);
  }
  lows_ = lows;
  pending_ = pending;
  pending_bits_ = pending_bits;
}

void EliasFanoWriter::Finish() noexcept {
  StoreLittle(lows_, pending_, (pending_bits_ + 7) / 8);
  StoreLittle64(highs_ + 8 * high_index_, high_);
  unsigned char* counts = highs_ + 8 * shape_.HighWords();
  uint64_t ones = 0;
  for (uint64_t word = 0; word < shape_.HighWords(); ++word) {
    if (word % kRunWords == 0) {
      StoreLittle32(counts, static_cast<uint32_t>(ones));
      counts += 4;
    }
    ones += Ones(LoadLittle64(highs_ + 8 * word));
  }
}

EliasFanoReader::EliasFanoReader(const EliasFanoShape& shape, const unsigned char* bytes) noexcept
    : lows_(bytes),
      highs_(bytes + shape.LowBytes()),
      count_(shape.count),
      words_(shape.HighWords()),
      share_(static_cast<uint32_t>((count_ << 31) / shape.Buckets())),
      low_bits_(static_cast<uint8_t>(shape.LowBits())) {}

// The low bits are followed by the words of the high bits, so eight bytes can be loaded.
uint64_t EliasFanoReader::Low(uint64_t index) const noexcept {
  const uint64_t bit = index * low_bits_;
  return (LoadLittle64(lows_ + bit / 8) >> bit % 8) & LowMask(low_bits_);
}

uint64_t EliasFanoReader::Word(uint64_t index) const noexcept {
  return LoadLittle64(highs_ + 8 * index);
}

uint64_t EliasFanoReader::ZerosBefore(uint64_t run) const noexcept {
  return run * kRunBits - LoadLittle32(highs_ + 8 * words_ + 4 * run);
}

// Returns the last run with fewer than `bucket` zeros before it, by a galloping search from the run
// that evenly filled buckets would give.
uint64_t EliasFanoReader::RunOf(uint64_t bucket) const noexcept {
  const uint64_t runs = (words_ + kRunWords - 1) / kRunWords;
  const uint64_t guess = (bucket + ((bucket * share_) >> 31)) / kRunBits;
  uint64_t low = std::min(guess, runs - 1);
  uint64_t high = low + 1;
  __builtin_prefetch(highs_ + 8 * kRunWords * low);
  if (ZerosBefore(low) < bucket) {
    for (uint64_t step = 1; high < runs && ZerosBefore(high) < bucket; step *= 2) {
      low = high;
      high = std::min(high + step, runs);
    }
  } else {
    for (uint64_t step = 1; low != 0 && ZerosBefore(low) >= bucket; step *= 2) {
      high = low;
      low -= std::min(low, step);
    }
  }
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (ZerosBefore(middle) < bucket ? low : high) = middle;
  }
  return low;
}

// Returns the bit behind the zero that ends the previous bucket.
uint64_t EliasFanoReader::BeginOf(uint64_t bucket) const noexcept {
  if (bucket == 0) return 0;
  const uint64_t run = RunOf(bucket);
  uint64_t zeros = bucket - ZerosBefore(run);
  if (zeros == 0) return kNowhere;
  const uint64_t end = std::min((run + 1) * kRunWords, words_);
  for (uint64_t index = run * kRunWords; index < end; ++index) {
    const uint64_t word = ~Word(index);
    const uint64_t ones = OnesUpToBytes(word);
    const uint64_t here = ones >> 56;
    if (zeros <= here) return index * 64 + PlaceOfOne(word, ones, static_cast<unsigned>(zeros)) + 1;
    zeros -= here;
  }
  return kNowhere;
}

// Returns the first index from `begin` on whose low bits are not less than `low`, or `end`.
uint64_t EliasFanoReader::FirstLow(uint64_t begin, uint64_t end, uint64_t low) const noexcept {
  while (end - begin > kFewNumbers) {
    const uint64_t middle = begin + (end - begin) / 2;
    if (Low(middle) < low) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  while (begin != end && Low(begin) < low) ++begin;
  return begin;
}

bool EliasFanoReader::Has(uint64_t number) const noexcept {
  const uint64_t bucket = number >> low_bits_;
  const uint64_t begin = BeginOf(bucket);
  if (begin == kNowhere || begin < bucket) return true;
  const uint64_t low = number & LowMask(low_bits_);
  for (uint64_t bit = begin; bit < begin + kFewNumbers; ++bit) {
    if (bit >= words_ * 64) return true;
    if ((Word(bit / 64) >> bit % 64 & 1) == 0) return false;  // the bucket ends
    const uint64_t index = bit - bucket;
    if (index >= count_) return true;
    const uint64_t here = Low(index);
    if (here >= low) return here == low;
  }
  return AnyWithin(number, number);
}

bool EliasFanoReader::AnyWithin(uint64_t least, uint64_t most) const noexcept {
  const uint64_t mask = LowMask(low_bits_);
  const uint64_t bucket = least >> low_bits_;
  const uint64_t last_bucket = most >> low_bits_;
  const uint64_t begin = BeginOf(bucket);
  if (begin == kNowhere || begin >= words_ * 64) return true;
  // The zero that ends the bucket is mostly in the same word.
  const uint64_t ended = ~Word(begin / 64) >> begin % 64;
  const uint64_t end =
      ended != 0 ? begin + static_cast<unsigned>(__builtin_ctzll(ended)) : BeginOf(bucket + 1) - 1;
  const uint64_t end_index = end - bucket;
  if (end < begin || end_index > count_ || begin < bucket) return true;
  const uint64_t found = FirstLow(begin - bucket, end_index, least & mask);
  if (found != end_index) return bucket != last_bucket || Low(found) <= (most & mask);
  if (bucket == last_bucket) return false;
  // This bucket has no more numbers, so the next number is the first of its bucket.
  const uint64_t last_begin = last_bucket == bucket + 1 ? end + 1 : BeginOf(last_bucket);
  if (last_begin - last_bucket != end_index) return true;
  if (last_begin >= words_ * 64 || (Word(last_begin / 64) >> last_begin % 64 & 1) == 0)
    return false;
  return end_index >= count_ || Low(end_index) <= (most & mask);
}

}  // namespace winnow::core
