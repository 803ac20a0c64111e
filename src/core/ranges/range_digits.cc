#include "src/core/ranges/range_digits.h"

#include <algorithm>
#include <cstring>

#include "src/core/ranges/range_hash.h"

namespace winnow::core {
namespace {

// Minimum share of a digit's range, 1/16, of a gap that is left out of the digit: an interval takes
// two bytes of the filter, and a digit that is less than that larger hardly matters.
constexpr unsigned kGapShare = 16;

struct Gap {
  unsigned begin;
  unsigned end;  // one past its last byte

  unsigned size() const noexcept { return end - begin; }
};

// ReadDigit for a digit that has been validated.
void ReadCheckedDigit(const unsigned char** at, RangeDigit* digit) noexcept {
  const unsigned char* bytes = *at;
  digit->place = bytes[0];
  digit->intervals = bytes[1];
  for (unsigned i = 0; i < digit->intervals; ++i) {
    digit->first[i] = bytes[2 + 2 * i];
    digit->last[i] = bytes[3 + 2 * i];
  }
  *at = bytes + 2 + 2 * digit->intervals;
}

constexpr unsigned kDigitBytes = 4;      // bytes of a digit of one interval
constexpr unsigned kMostTextRadix = 16;  // two digits fit into a byte

// Converts a word's bytes within the mask to a number in this radix, highest byte first; `zero` is
// the byte for 0. Returns false if a byte is not a digit.
bool TextNumber(uint64_t word, uint64_t mask, unsigned char zero, uint64_t radix,
                uint64_t* number) noexcept {
  constexpr uint64_t kEachByte = 0x0101010101010101;
  constexpr uint64_t kHighBits = 0x80 * kEachByte;
  const uint64_t zeros = zero * kEachByte;
  word = (word & mask) | (zeros & ~mask);
  const uint64_t above = (word | kHighBits) - zeros;  // high bit: not less than `zero`
  const uint64_t values = above ^ kHighBits;
  const uint64_t too_large = values + (0x80 - radix) * kEachByte;
  if (((word | ~above | too_large) & kHighBits) != 0) return false;
  // Combines two digits in 16 bits, four in 32, eight in 64.
  const uint64_t twos = (values >> 8 & 0x00ff00ff00ff00ff) * radix + (values & 0x00ff00ff00ff00ff);
  const uint64_t square = radix * radix;
  const uint64_t fours = (twos >> 16 & 0x0000ffff0000ffff) * square + (twos & 0x0000ffff0000ffff);
  *number = (fours >> 32) * (square * square) + (fours & 0xffffffff);
  return true;
}

// Compares the bound's bytes from `begin` to `end` with those of keys; a bound that ends before
// `end` is less.
int ComparePart(std::string_view bound, std::string_view key, size_t begin, size_t end) noexcept {
  if (begin == end) return 0;
  return bound.substr(std::min(begin, bound.size()), end - begin)
      .compare(key.substr(begin, end - begin));
}

// Returns whether n bytes are equal. Faster than a call of memcmp for few bytes.
inline bool AreEqual(const unsigned char* a, const unsigned char* b, size_t n) noexcept {
  for (; n >= 8; n -= 8, a += 8, b += 8) {
    if (formulas::LoadLittle64(a) != formulas::LoadLittle64(b)) return false;
  }
  for (size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

unsigned RangeDigit::Radix() const noexcept {
  unsigned radix = 0;
  for (unsigned i = 0; i < intervals; ++i) radix += last[i] - first[i] + 1u;
  return radix;
}

unsigned RangeDigit::Rank(unsigned byte, bool* is_in) const noexcept {
  unsigned rank = 0;
  *is_in = false;
  for (unsigned i = 0; i < intervals && byte >= first[i]; ++i) {
    *is_in = byte <= last[i];
    rank += *is_in ? byte - first[i] : last[i] - first[i] + 1u;
  }
  return rank;
}

unsigned RangeDigit::ByteOf(unsigned rank) const noexcept {
  for (unsigned i = 0; i < intervals; ++i) {
    const unsigned size = last[i] - first[i] + 1u;
    if (rank < size) return first[i] + rank;
    rank -= size;
  }
  return 0;
}

RangeDigit DigitOf(unsigned place, const uint8_t seen[256]) noexcept {
  unsigned least = 0;
  unsigned most = 255;
  while (least < most && seen[least] == 0) ++least;
  while (most > least && seen[most] == 0) --most;

  // Keeps the largest gaps, and then sorts these by their bytes.
  Gap gaps[kGapShare];
  unsigned num_gaps = 0;
  for (unsigned byte = least; byte < most;) {
    Gap gap{byte + 1, byte + 1};
    while (seen[gap.end] == 0) ++gap.end;
    if (gap.size() != 0 && gap.size() * kGapShare >= most - least + 1) gaps[num_gaps++] = gap;
    byte = gap.end;
  }
  std::stable_sort(gaps, gaps + num_gaps,
                   [](const Gap& a, const Gap& b) { return a.size() > b.size(); });
  num_gaps = std::min(num_gaps, RangeDigit::kMaxIntervals - 1);
  std::sort(gaps, gaps + num_gaps, [](const Gap& a, const Gap& b) { return a.begin < b.begin; });

  RangeDigit digit;
  digit.place = static_cast<uint8_t>(place);
  for (unsigned i = 0; i <= num_gaps; ++i) {
    digit.first[i] = static_cast<uint8_t>(i == 0 ? least : gaps[i - 1].end);
    digit.last[i] = static_cast<uint8_t>(i == num_gaps ? most : gaps[i].begin - 1);
  }
  digit.intervals = static_cast<uint8_t>(num_gaps + 1);
  return digit;
}

void AppendDigit(const RangeDigit& digit, std::string* bytes) {
  bytes->push_back(static_cast<char>(digit.place));
  bytes->push_back(static_cast<char>(digit.intervals));
  for (unsigned i = 0; i < digit.intervals; ++i) {
    bytes->push_back(static_cast<char>(digit.first[i]));
    bytes->push_back(static_cast<char>(digit.last[i]));
  }
}

bool ReadDigit(const unsigned char** at, const unsigned char* end, RangeDigit* digit) noexcept {
  const unsigned char* bytes = *at;
  if (end - bytes < 2) return false;
  digit->place = *bytes++;
  digit->intervals = *bytes++;
  if (digit->intervals < 1 || digit->intervals > RangeDigit::kMaxIntervals) return false;
  if (end - bytes < 2 * digit->intervals) return false;
  for (unsigned i = 0; i < digit->intervals; ++i) {
    digit->first[i] = *bytes++;
    digit->last[i] = *bytes++;
    if (digit->first[i] > digit->last[i]) return false;
    if (i != 0 && digit->first[i] <= digit->last[i - 1]) return false;
  }
  *at = bytes;
  return digit->Radix() >= 2;
}

bool AreOfSeveralFields(const std::vector<RangeDigit>& digits) noexcept {
  unsigned most = 0;
  for (const RangeDigit& digit : digits) most = std::max(most, digit.Radix());
  for (size_t i = 1; i < digits.size(); ++i) {
    const bool has_few = digits[i].intervals == 1 && 2 * digits[i].Radix() < most;
    if (has_few || digits[i].place != digits[i - 1].place + 1) return true;
  }
  return false;
}

bool CountDigit(unsigned radix, uint64_t* most) noexcept {
  if (*most > (UINT64_MAX - (radix - 1)) / radix) return false;
  *most = *most * radix + (radix - 1);
  return true;
}

std::vector<RangeDigit> RangeDigits::All() const {
  std::vector<RangeDigit> all(count);
  const unsigned char* at = Digits();
  for (RangeDigit& digit : all) ReadCheckedDigit(&at, &digit);
  return all;
}

void RangeDigits::FindNumber() noexcept {
  number_radix = 0;
  if (hashed != 0 || count == 0 || count > 2 * kRangeWordBytes) return;
  const unsigned char* const last = Digits() + kDigitBytes * (count - 1);
  const unsigned radix = last[3] - last[2] + 1u;
  const bool is_binary = radix == 256 && count <= kRangeWordBytes;
  if (!is_binary && (radix > kMostTextRadix || last[3] >= 0x80)) return;
  const unsigned char* at = Digits();
  for (unsigned i = 0; i < count; ++i, at += kDigitBytes) {
    if (at[0] != key_length - count + i || at[1] != 1) return;
    const bool is_same = at[2] == last[2] && at[3] == last[3];
    if (!is_same && (i != 0 || at[2] < last[2] || at[3] > last[3])) return;
  }
  number_radix = is_binary ? kBinary : static_cast<uint8_t>(radix);
  number_least = Digits()[2] - last[2];
  for (unsigned i = 1; i < count; ++i) number_least *= radix;
  NumberOf(LastKey(), &last_position);
}

void RangeDigits::FindRuns() noexcept {
  num_runs = 0;
  if (number_radix != 0 || key_length < kRangeWordBytes) return;
  RangeRun found[kMostRuns];
  unsigned runs_found = 0;
  const unsigned char* at = Digits();
  for (unsigned i = 0; i < count; ++i, at += kDigitBytes) {
    const unsigned place = at[0];
    if (at[1] != 1 || place == UINT8_MAX) return;
    RangeRun* const run = runs_found == 0 ? nullptr : &found[runs_found - 1];
    if (run != nullptr && place == run->end && run->bytes < kRangeWordBytes && at[2] == 0 &&
        at[3] == UINT8_MAX) {
      ++run->end;
      ++run->bytes;
    } else {
      if (runs_found == kMostRuns) return;
      found[runs_found++] = {static_cast<uint8_t>(place + 1), 1};
    }
  }
  std::copy_n(found, kMostRuns, runs);
  num_runs = static_cast<uint8_t>(runs_found);
}

bool RangeDigits::NumberOf(std::string_view bound, uint64_t* position) const noexcept {
  if (number_radix == 0 || bound.size() < key_length) return false;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(bound.data());
  if (!AreEqual(bytes, last_key, key_length - size_t{count})) return false;
  const unsigned in_last = std::min<unsigned>(count, kRangeWordBytes);
  const uint64_t mask = UINT64_MAX >> (64 - 8 * in_last);
  const uint64_t word = RangeWord(bytes, key_length, 0);
  uint64_t number = word & mask;
  if (number_radix != kBinary) {
    const unsigned char zero = Digits()[kDigitBytes * (count - 1) + 2];
    if (!TextNumber(word, mask, zero, number_radix, &number)) return false;
    if (count > kRangeWordBytes) {
      const uint64_t mask_before = UINT64_MAX >> (64 - 8 * (count - kRangeWordBytes));
      uint64_t before;
      if (!TextNumber(RangeWord(bytes, key_length, 1), mask_before, zero, number_radix, &before)) {
        return false;
      }
      const uint64_t square = uint64_t{number_radix} * number_radix;
      number += before * (square * square) * (square * square);
    }
  }
  *position = number - number_least;
  return *position <= most_position;
}

bool RangeDigits::PositionOfRuns(const unsigned char* key, uint64_t* hash,
                                 uint64_t* position) const noexcept {
  const unsigned char* digit = Digits();
  size_t compared = hashed;
  uint64_t sum = 0;
  for (unsigned i = 0; i < num_runs; ++i) {
    const unsigned end = runs[i].end;
    const unsigned bytes = runs[i].bytes;
    const unsigned first = digit[2];
    const unsigned last = digit[3];
    const size_t begin = end - bytes;
    if (!AreEqual(key + compared, last_key + compared, begin - compared)) return false;
    compared = end;
    if (key[begin] < first || key[begin] > last) return false;
    const uint64_t word = end >= kRangeWordBytes
                              ? RangeWord(key, end, 0)
                              : RangeWord(key, kRangeWordBytes, 0) >> 8 * (kRangeWordBytes - end);
    const unsigned shift = 8 * (bytes - 1);
    const uint64_t number = (word & UINT64_MAX >> (56 - shift)) - (uint64_t{first} << shift);
    sum = sum * (uint64_t{last - first + 1} << shift) + number;
    digit += kDigitBytes * bytes;
  }
  if (!AreEqual(key + compared, last_key + compared, key_length - compared)) return false;
  *hash = hashed == 0 ? 0 : HashOf(key);
  *position = sum;
  return true;
}

bool RangeDigits::PositionOfDigits(const unsigned char* bytes, uint64_t* hash,
                                   uint64_t* position) const noexcept {
  *hash = 0;
  if (number_radix != 0) {
    return NumberOf({reinterpret_cast<const char*>(bytes), key_length}, position);
  }
  const unsigned char* at = Digits();
  size_t compared = hashed;
  uint64_t sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    const size_t place = at[0];
    const unsigned intervals = at[1];
    if (!AreEqual(bytes + compared, last_key + compared, place - compared)) return false;
    compared = place + 1;
    const unsigned byte = bytes[place];
    if (__builtin_expect(intervals == 1, 1)) {
      const unsigned first = at[2];
      const unsigned radix = at[3] - first + 1u;
      const unsigned rank = byte - first;
      if (rank >= radix) return false;
      sum = sum * radix + rank;
      at += kDigitBytes;
      continue;
    }
    RangeDigit digit;
    ReadCheckedDigit(&at, &digit);
    bool is_in;
    const unsigned rank = digit.Rank(byte, &is_in);
    if (!is_in) return false;
    sum = sum * digit.Radix() + rank;
  }
  if (!AreEqual(bytes + compared, last_key + compared, key_length - compared)) return false;
  if (hashed != 0) *hash = HashOf(bytes);
  *position = sum;
  return true;
}

bool RangeDigits::ReadBoth(std::string_view begin, std::string_view end, uint64_t far,
                           RangeProgress* of_begin, RangeProgress* of_end) const noexcept {
  RangeProgress progress{Digits(), 0, hashed, 0, 0};
  uint64_t apart = 0;  // position of `end` less that of `begin`
  unsigned tests = 2;  // remaining tests of `far`: more digits hardly change the result
  const size_t shorter = std::min(begin.size(), end.size());
  const bool is_same_hashed =
      shorter > hashed && (hashed == 0 || std::memcmp(begin.data(), end.data(), hashed) == 0);
  const unsigned char* at = Digits();
  for (unsigned i = 0; is_same_hashed && i < count && at[1] == 1; ++i, at += kDigitBytes) {
    const size_t place = at[0];
    const unsigned first = at[2];
    const unsigned last = at[3];
    if (place >= shorter) break;
    const auto low = static_cast<unsigned char>(begin[place]);
    const auto high = static_cast<unsigned char>(end[place]);
    if (low < first || low > last || high < first || high > last) break;
    const size_t between = place - progress.compared;
    if (between != 0 &&
        (std::memcmp(begin.data() + progress.compared, last_key + progress.compared, between) !=
             0 ||
         std::memcmp(end.data() + progress.compared, last_key + progress.compared, between) != 0)) {
      break;
    }
    const unsigned radix = last - first + 1;
    progress = {at + 4, i + 1, place + 1, progress.position * radix + (low - first),
                progress.most * radix + (radix - 1)};
    apart = apart * radix + high - low;
    if (apart > 1 && i + 1 < count && tests != 0) {
      --tests;
      // Number of positions of the remaining digits. The product is at most most_position.
      const uint64_t behind = most_position / (progress.most + 1) + 1;
      if ((apart - 1) * behind > far) return false;
    }
  }
  *of_begin = progress;
  *of_end = progress;
  of_end->position += apart;
  return true;
}

bool RangeDigits::LowerBound(std::string_view bound, RangeProgress progress,
                             RangeNumber* number) const noexcept {
  const std::string_view key = LastKey();
  // The hashed bytes may have any values.
  if (hashed != 0) {
    const size_t given = std::min<size_t>(hashed, bound.size());
    std::memcpy(number->hashed, bound.data(), given);
    std::memset(number->hashed + given, 0, hashed - given);
  }

  // Order of the bound relative to all keys that begin with the bytes compared so far.
  enum { kWithin, kBefore, kBehind } lies = bound.size() <= hashed ? kBefore : kWithin;
  size_t compared = progress.compared;
  uint64_t position = progress.position;
  uint64_t most = progress.most;  // maximum position of the digits so far
  bool is_carried = false;        // the position exceeds `most`
  const auto compare_until = [&](size_t end) {
    const int part = ComparePart(bound, key, compared, end);
    if (part != 0) lies = part < 0 ? kBefore : kBehind;
    compared = end;
  };
  const auto carry = [&] {
    is_carried = position == most;
    position = is_carried ? 0 : position + 1;
  };
  const unsigned char* at = progress.at;
  unsigned i = progress.read;
  // The fast path, for nearly all digits of nearly all bounds: one interval, which includes the
  // bound's byte.
  const auto* const bytes = reinterpret_cast<const unsigned char*>(bound.data());
  for (; lies == kWithin && i < count && at[1] == 1; ++i, at += kDigitBytes) {
    const size_t place = at[0];
    const unsigned first = at[2];
    const unsigned last = at[3];
    if (place >= bound.size() || bytes[place] < first || bytes[place] > last) break;
    if (std::memcmp(bytes + compared, key.data() + compared, place - compared) != 0) break;
    compared = place + 1;
    position = position * (last - first + 1) + (bytes[place] - first);
    most = most * (last - first + 1) + (last - first);
  }
  for (; i < count; ++i) {
    RangeDigit digit;
    ReadCheckedDigit(&at, &digit);
    if (lies == kWithin) {
      compare_until(digit.place);
      if (lies == kBehind) carry();
    }
    const unsigned radix = digit.Radix();
    unsigned rank = 0;
    if (lies == kWithin && compared == bound.size()) lies = kBefore;
    if (lies == kWithin) {
      bool is_in;
      rank = digit.Rank(static_cast<unsigned char>(bound[compared++]), &is_in);
      if (rank == radix) {
        lies = kBehind;
        carry();
        rank = 0;
      } else if (!is_in) {
        lies = kBefore;
      }
    }
    position = position * radix + rank;
    most = most * radix + (radix - 1);
  }
  if (lies == kWithin) {
    compare_until(key_length);
    if (lies == kWithin && bound.size() > key_length) lies = kBehind;
    if (lies == kBehind) carry();
  }
  number->position = position;
  return !is_carried || NextHashed(number);
}

bool RangeDigits::Decrement(RangeNumber* number) const noexcept {
  if (number->position != 0) {
    --number->position;
    return true;
  }
  number->position = most_position;
  for (unsigned i = hashed; i-- != 0;) {
    if (number->hashed[i]-- != 0) return true;
  }
  return false;
}

bool RangeDigits::NextHashed(RangeNumber* number) const noexcept {
  number->position = 0;
  for (unsigned i = hashed; i-- != 0;) {
    if (++number->hashed[i] != 0) return true;
  }
  return false;
}

int RangeDigits::CompareHashed(const RangeNumber& a, const RangeNumber& b) const noexcept {
  return std::memcmp(a.hashed, b.hashed, hashed);
}

uint64_t RangeDigits::HashOf(const unsigned char* key) const noexcept {
  uint64_t hash = 0;
  const unsigned first = RangeWords(key_length) - RangeWords(hashed);
  for (unsigned i = 0; i < RangeWords(hashed); ++i) {
    hash ^= HashRangeWord(first + i, RangeWord(key, hashed, i));
  }
  return hash;
}

}  // namespace winnow::core
