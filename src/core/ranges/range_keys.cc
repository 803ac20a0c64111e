#include "src/core/ranges/range_keys.h"

#include <algorithm>

namespace winnow::core {
namespace {

const unsigned char* BytesOf(std::string_view key) noexcept {
  return reinterpret_cast<const unsigned char*>(key.data());
}

// Set of the bytes seen at each place of a word, the last byte first.
class SeenBytes {
 public:
  void Add(uint64_t word) noexcept {
    for (unsigned i = 0; i < kRangeWordBytes; ++i) seen_[i][ByteOf(word, i)] = 1;
  }

  // Adds every stride-th word.
  void Add(const uint64_t* words, size_t n, size_t stride) noexcept {
    for (size_t begin = 0; begin < n; begin += kPiece * stride) {
      AddPiece(words + begin, std::min(n - begin, kPiece * stride), stride);
    }
  }

  const std::array<uint8_t, 256>& At(unsigned i) const noexcept { return seen_[i]; }
  bool Differ(unsigned i) const noexcept { return Count(i) > 1; }

 private:
  static constexpr size_t kPiece = 512;

  static uint8_t ByteOf(uint64_t word, unsigned i) noexcept {
    return static_cast<uint8_t>(word >> 8 * i);
  }

  unsigned Count(unsigned i) const noexcept {
    unsigned count = 0;
    for (const uint8_t is_seen : seen_[i]) count += is_seen;
    return count;
  }

  // Adds a piece of words. Sorted keys agree in most of their bytes within a piece, and all values
  // of random bytes are soon seen, so little is left to do.
  void AddPiece(const uint64_t* words, size_t n, size_t stride) noexcept {
    uint64_t differing = 0;
    for (size_t k = 0; k < n; k += stride) differing |= words[k] ^ words[0];
    Add(words[0]);
    for (unsigned i = 0; i < kRangeWordBytes; ++i) {
      if (ByteOf(differing, i) == 0 || is_full_[i]) continue;
      std::array<uint8_t, 256>& seen = seen_[i];
      for (size_t k = 0; k < n; k += stride) seen[ByteOf(words[k], i)] = 1;
      is_full_[i] = Count(i) == seen.size();
    }
  }

  std::array<std::array<uint8_t, 256>, kRangeWordBytes> seen_{};
  std::array<bool, kRangeWordBytes> is_full_{};
};

}  // namespace

bool RangeKeys::Add(std::string_view key) {
  if (size_ == 0) return AddFirst(key);
  if (key.size() != key_length_) return false;
  const unsigned char* const bytes = BytesOf(key);
  uint64_t* const last = last_.data();
  const uint64_t* const equal = equal_.data();
  unsigned index = num_words_;
  uint64_t word;
  do {
    if (index == 0) return true;
    word = RangeWord(bytes, key_length_, --index);
  } while (word == last[index]);
  if (word < last[index]) return false;

  // Words behind the first one that differs may have any value.
  const unsigned changed = index;
  uint64_t new_bits = equal[index];
  last[index] = word;
  while (index != 0) {
    word = RangeWord(bytes, key_length_, --index);
    new_bits |= (word ^ last[index]) & equal[index];
    last[index] = word;
  }
  if (new_bits != 0 && NoteDiffering()) {
    BeginSection();
  } else if (changed >= first_hashed_) {
    hash_ = HashOf(sections_.back().hashed);
  }
  RangeSection& section = sections_.back();
  if (section.hashed != 0) words_.Add(hash_);
  words_.Add(last[section.kept[0]]);
  if (section.num_kept > 1) words_.Add(last[section.kept[1]]);
  ++section.keys;
  ++size_;
  return true;
}

bool RangeKeys::AddFirst(std::string_view key) {
  if (key.empty() || key.size() > kMaxRangeKeyBytes) return false;
  key_length_ = key.size();
  num_words_ = RangeWords(key_length_);
  for (unsigned i = 0; i < num_words_; ++i) {
    first_.push_back(RangeWord(BytesOf(key), key_length_, i));
  }
  last_ = first_;
  equal_.assign(num_words_, UINT64_MAX);
  size_ = 1;
  return true;
}

// Returns whether the last key differs from its predecessors in a word in which these are equal.
bool RangeKeys::NoteDiffering() {
  bool has_new_word = false;
  for (unsigned index = 0; index < num_words_; ++index) {
    const uint64_t differing = (last_[index] ^ first_[index]) & equal_[index];
    if (differing == 0) continue;
    has_new_word = has_new_word || equal_[index] == UINT64_MAX;
    for (uint64_t byte = 0xff; byte != 0; byte <<= 8) {
      if ((differing & byte) == 0) continue;
      equal_[index] &= ~byte;
      ++differing_bytes_;
    }
  }
  return has_new_word;
}

void RangeKeys::BeginSection() {
  static_assert(RangeSection::kMostKept == 2);
  RangeSection section;
  for (unsigned index = num_words_; index-- != 0;) {
    section.hashed |= (equal_[index] != UINT64_MAX ? uint32_t{1} : 0) << index;
  }
  while (section.hashed != 0 && section.num_kept < RangeSection::kMostKept) {
    section.kept[section.num_kept++] = static_cast<uint8_t>(__builtin_ctz(section.hashed));
    section.hashed &= section.hashed - 1;
  }
  std::reverse(section.kept.begin(), section.kept.begin() + section.num_kept);
  first_hashed_ = section.hashed != 0 ? static_cast<unsigned>(__builtin_ctz(section.hashed))
                                      : static_cast<unsigned>(kMaxRangeWords);
  hash_ = HashOf(section.hashed);
  sections_.push_back(section);
}

uint64_t RangeKeys::HashOf(uint32_t words) const noexcept {
  uint64_t hash = 0;
  for (; words != 0; words &= words - 1) {
    const auto index = static_cast<unsigned>(__builtin_ctz(words));
    hash ^= HashRangeWord(index, last_[index]);
  }
  return hash;
}

size_t RangeKeys::MostDigits() const noexcept {
  if (sections_.empty()) return 0;
  return std::min(key_length_, sections_.back().num_kept * kRangeWordBytes);
}

bool RangeKeys::has_gaps() const noexcept {
  unsigned runs = 0;
  bool is_run = false;
  for (const uint64_t equal : equal_) {
    for (unsigned i = 0; i < kRangeWordBytes; ++i) {
      const bool differs = (equal >> 8 * i & 0xff) == 0;
      runs += differs && !is_run ? 1 : 0;
      is_run = differs;
    }
  }
  return runs > 1;
}

std::string RangeKeys::LastKey() const { return KeyOf(last_); }

std::string RangeKeys::KeyOf(const std::vector<uint64_t>& words) const {
  std::string key;
  for (size_t i = key_length_; i-- != 0;) {
    key.push_back(static_cast<char>(words[i / kRangeWordBytes] >> 8 * (i % kRangeWordBytes)));
  }
  return key;
}

RangeKeysFormat RangeKeys::Format() const {
  RangeKeysFormat format;
  format.counted_words = num_words_;
  if (sections_.empty()) return format;

  // Words that are counted in the end were kept since they first differed.
  const RangeSection& last = sections_.back();
  std::array<SeenBytes, RangeSection::kMostKept> seen;
  const unsigned num_kept = std::min<unsigned>(last.num_kept, RangeSection::kMostKept);
  for (unsigned i = 0; i < num_kept; ++i) seen[i].Add(first_[last.kept[i]]);
  auto section = sections_.cbegin();
  uint64_t left = section->keys * section->words();
  size_t in_key = 0;
  words_.ForEach([&](const uint64_t* words, size_t n) {
    while (n != 0) {
      const size_t stride = section->words();
      const auto piece = static_cast<size_t>(std::min<uint64_t>(left, n));
      for (unsigned i = 0; i < num_kept; ++i) {
        for (unsigned j = 0; j < section->num_kept; ++j) {
          if (section->kept[j] != last.kept[i]) continue;
          const size_t in_words = stride - section->num_kept + j;
          const size_t first = (in_words + stride - in_key) % stride;
          if (first < piece) seen[i].Add(words + first, piece - first, stride);
        }
      }
      in_key = (in_key + piece) % stride;
      words += piece;
      n -= piece;
      left -= piece;
      if (left == 0 && ++section != sections_.cend()) left = section->keys * section->words();
    }
  });

  // Counts whole words from the last byte on, as many as have positions of up to 64 bits.
  if (last.hashed != 0) format.counted_words = static_cast<unsigned>(__builtin_ctz(last.hashed));
  for (unsigned i = last.num_kept; i-- != 0;) {
    const size_t end = key_length_ - kRangeWordBytes * last.kept[i];
    std::vector<RangeDigit> digits;
    uint64_t most_position = format.most_position;
    bool fits = true;
    for (unsigned j = 0; j < std::min(end, kRangeWordBytes) && fits; ++j) {
      if (!seen[i].Differ(j)) continue;
      digits.push_back(DigitOf(static_cast<unsigned>(end - 1 - j), seen[i].At(j).data()));
      fits = CountDigit(digits.back().Radix(), &most_position);
    }
    if (!fits) {
      format.counted_words = last.kept[i];
      break;
    }
    format.most_position = most_position;
    format.digits.insert(format.digits.end(), digits.begin(), digits.end());
  }
  std::reverse(format.digits.begin(), format.digits.end());
  if (format.counted_words != num_words_) {
    format.hashed_bytes =
        static_cast<unsigned>(key_length_ - kRangeWordBytes * format.counted_words);
  }
  return format;
}

}  // namespace winnow::core
