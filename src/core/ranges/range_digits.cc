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

// Converts a little-endian word's bytes within the mask to a number in this radix, at most 16;
// `zero` is the byte for 0. Returns false if a byte is not a digit.
inline bool TextNumber(uint64_t word, uint64_t mask, unsigned zero, uint64_t radix,
                       uint64_t* number) noexcept {
  constexpr uint64_t kEachByte = 0x0101010101010101;
  // A byte that is less than `zero` leaves one that is no digit, as sums of digits and `zero` have
  // no carry.
  const uint64_t values = (word & mask) - (zero * kEachByte & mask);
  const uint64_t too_large = values + (0x80 - radix) * kEachByte;
  if (((values | too_large) & 0x80 * kEachByte) != 0) return false;
  // Combines two digits in 16 bits, four in 32, eight in 64.
  const uint64_t square = radix * radix;
  const uint64_t twos = (values * ((radix << 8) + 1)) >> 8 & 0x00ff00ff00ff00ff;
  const uint64_t fours = (twos * ((square << 16) + 1)) >> 16 & 0x0000ffff0000ffff;
  *number = (fours * ((square * square << 32) + 1)) >> 32;
  return true;
}

// TextNumber for the digits of a run, the last bytes of the word. Decimal ones are faster.
inline bool TextNumber(uint64_t word, const RangeRun& run, uint64_t* number) noexcept {
  const uint64_t mask = UINT64_MAX << (64 - 8 * run.digits);
  return run.radix == 10 ? TextNumber(word, mask, run.zero, 10, number)
                         : TextNumber(word, mask, run.zero, run.radix, number);
}

// Compares the bound's bytes from `begin` to `end` with those of keys; a bound that ends before
// `end` is less.
int ComparePart(std::string_view bound, std::string_view key, size_t begin, size_t end) noexcept {
  if (begin == end) return 0;
  return bound.substr(std::min(begin, bound.size()), end - begin)
      .compare(key.substr(begin, end - begin));
}

// Returns a run of one digit of one or two intervals.
RangeRun RunOf(const RangeDigit& digit) noexcept {
  RangeRun run;
  run.last = digit.place;
  run.digits = 1;
  run.first = digit.first[0];
  run.more = static_cast<uint8_t>(digit.last[digit.intervals - 1] - run.first);
  if (digit.intervals == 2) {
    run.gap_begin = static_cast<uint8_t>(digit.last[0] + 1);
    run.gap = static_cast<uint8_t>(digit.first[1] - run.gap_begin);
  }
  return run;
}

// Adds a digit to a run, and returns true, if it can be another than the first.
bool Join(const RangeDigit& digit, RangeRun* run) noexcept {
  const unsigned zero = digit.first[0];
  const unsigned last = digit.last[0];
  const bool has_all = zero == 0 && last == UINT8_MAX;
  const bool is_text = last - zero < kMostTextRadix && last < 0x80 && run->gap == 0 &&
                       run->first >= zero && run->first + run->more <= last;
  const auto radix = static_cast<uint8_t>(last - zero + 1);  // 0 for 256
  if (digit.place != run->last + 1 || digit.intervals != 1 || run->digits == kRangeWordBytes ||
      (!has_all && !is_text) || (run->digits != 1 && (run->zero != zero || run->radix != radix))) {
    return false;
  }
  run->zero = static_cast<uint8_t>(zero);
  run->radix = radix;
  run->last = digit.place;
  ++run->digits;
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

void RangeDigits::FindRuns() noexcept {
  const unsigned char* at = Digits();
  unsigned found = 0;
  second_span = 1;
  for (unsigned i = 0; i < count; ++i) {
    RangeDigit digit;
    ReadCheckedDigit(&at, &digit);
    if (found == 0 || !Join(digit, &runs[found - 1])) {
      if (found == kMostRuns || digit.intervals > 2) return;
      runs[found++] = RunOf(digit);
    }
    if (found == 2) second_span *= digit.Radix();
  }
  num_runs = static_cast<uint8_t>(found);
  uint64_t number;
  uint64_t position;
  if (found == 0 || !ReadRuns(last_key, &number) || !ReadDigits(last_key, &position)) return;
  least_number = number - position;
  if (hashed == 0) last_position = position;
  const RangeRun& run = runs[0];
  is_number = found == 1 && run.radix == 0 && run.gap == 0 && run.last + 1 == key_length &&
              key_length - hashed <= int{kRangeWordBytes};
  number_base = RangeWord(last_key, key_length, 0) - position;
}

// Returns whether bytes are those that all keys have there.
inline bool RangeDigits::HasCommonBytes(const unsigned char* key, size_t begin,
                                        size_t end) const noexcept {
  constexpr size_t kAtOnce = sizeof(uint64_t);
  const auto differing = [&](size_t at) {
    return formulas::LoadLittle64(key + at) ^ formulas::LoadLittle64(last_key + at);
  };
  if (begin == end) return true;
  for (; end - begin > kAtOnce; begin += kAtOnce) {
    if (differing(begin) != 0) return false;
  }
  if (key_length < kAtOnce) return std::equal(key + begin, key + end, last_key + begin);
  const size_t at = std::min(begin, key_length - kAtOnce);
  return differing(at) >> 8 * (begin - at) << 8 * (kAtOnce - (end - begin)) == 0;
}

bool RangeDigits::ReadRuns(const unsigned char* key, uint64_t* number) const noexcept {
  size_t compared = hashed;
  uint64_t sum = 0;
  for (unsigned i = 0; i < num_runs; ++i) {
    const RangeRun& run = runs[i];
    const size_t end = run.last + size_t{1};
    const size_t begin = end - run.digits;
    if (!HasCommonBytes(key, compared, begin)) return false;
    compared = end;
    const auto above = static_cast<uint8_t>(key[begin] - run.first);
    if (above > run.more) return false;
    uint64_t of_run = RangeBytesBefore(key, key_length, end);
    if (run.radix != 0) {
      if (!TextNumber(of_run, run, &of_run)) return false;
    } else {
      of_run = __builtin_bswap64(of_run) & UINT64_MAX >> (64 - 8 * run.digits);
      if (run.gap != 0 && key[begin] >= run.gap_begin) {
        if (key[begin] - run.gap_begin < run.gap) return false;
        of_run -= uint64_t{run.gap} << 8 * (run.digits - 1);
      }
    }
    sum = sum * second_span + of_run;
  }
  *number = sum;
  return HasCommonBytes(key, compared, key_length);
}

bool RangeDigits::ReadDigits(const unsigned char* key, uint64_t* number) const noexcept {
  const unsigned char* at = Digits();
  size_t compared = hashed;
  uint64_t sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    RangeDigit digit;
    ReadCheckedDigit(&at, &digit);
    if (!HasCommonBytes(key, compared, digit.place)) return false;
    compared = digit.place + size_t{1};
    bool is_in;
    sum = sum * digit.Radix() + digit.Rank(key[digit.place], &is_in);
    if (!is_in) return false;
  }
  *number = sum;
  return HasCommonBytes(key, compared, key_length);
}

bool RangeDigits::LowerBound(std::string_view bound, RangeNumber* number) const noexcept {
  const std::string_view key = LastKey();
  // The hashed bytes may have any values.
  if (hashed != 0) {
    const size_t given = std::min<size_t>(hashed, bound.size());
    std::memcpy(number->hashed, bound.data(), given);
    std::memset(number->hashed + given, 0, hashed - given);
  }

  // Order of the bound relative to all keys that begin with the bytes compared so far.
  enum { kWithin, kBefore, kBehind } lies = bound.size() <= hashed ? kBefore : kWithin;
  size_t compared = hashed;
  uint64_t position = 0;
  uint64_t most = 0;        // maximum position of the digits so far
  bool is_carried = false;  // the position exceeds `most`
  const auto compare_until = [&](size_t end) {
    const int part = ComparePart(bound, key, compared, end);
    if (part != 0) lies = part < 0 ? kBefore : kBehind;
    compared = end;
  };
  const auto carry = [&] {
    is_carried = position == most;
    position = is_carried ? 0 : position + 1;
  };
  const unsigned char* at = Digits();
  unsigned i = 0;
  // The fast path, for nearly all digits of nearly all bounds: one interval, which includes the
  // bound's byte.
  const auto* const bytes = reinterpret_cast<const unsigned char*>(bound.data());
  for (; lies == kWithin && i < count && at[1] == 1; ++i, at += kDigitBytes) {
    const size_t place = at[0];
    const unsigned first = at[2];
    const unsigned last = at[3];
    if (place >= bound.size() || bytes[place] < first || bytes[place] > last) break;
    if (place != compared &&
        std::memcmp(bytes + compared, key.data() + compared, place - compared) != 0) {
      break;
    }
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

uint64_t RangeDigits::HashOf(const unsigned char* bytes) const noexcept {
  uint64_t hash = 0;
  const unsigned words = RangeWords(hashed);
  const unsigned first = RangeWords(key_length) - words;
  for (unsigned i = 0; i < words; ++i) {
    hash ^= HashRangeWord(first + i, RangeWord(bytes, hashed, i));
  }
  return hash;
}

}  // namespace winnow::core
