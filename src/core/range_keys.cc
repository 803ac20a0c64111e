#include "src/core/range_keys.h"

#include <algorithm>
#include <cstring>

#include "src/formulas/bytes.h"

namespace winnow::core {
namespace {

uint64_t Load(const char* at) noexcept {
  return formulas::LoadLittle64(reinterpret_cast<const unsigned char*>(at));
}

uint8_t ByteAt(std::string_view key, size_t place) noexcept {
  return static_cast<uint8_t>(key[place]);
}

// Both have `size` bytes. `size` if they are equal.
size_t FirstDifference(const char* a, const char* b, size_t size) noexcept {
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    const uint64_t difference = Load(a + i) ^ Load(b + i);
    if (difference != 0) return i + static_cast<unsigned>(__builtin_ctzll(difference)) / 8;
  }
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

bool RangeKeys::Add(std::string_view key) {
  if (size_ == 0) {
    if (key.empty() || key.size() > kMaxRangeKeyBytes) return false;
    AddFirst(key);
    return true;
  }
  if (key.size() != last_.size()) return false;
  const size_t changed = FirstDifference(key.data(), last_.data(), key.size());
  if (changed == key.size()) return true;
  if (ByteAt(key, changed) < ByteAt(last_, changed)) return false;
  const size_t place = FirstNewPlace(key, changed);
  if (place != key.size()) BeginSection(key, place);
  Keep(key, changed);
  std::memcpy(&last_[changed], key.data() + changed, key.size() - changed);
  ++size_;
  return true;
}

void RangeKeys::AddFirst(std::string_view key) {
  first_.assign(key);
  last_.assign(key);
  varies_.assign(key.size(), '\xff');
  size_ = 1;
}

// The first place from there on where keys were equal so far; the key's size if there is none.
size_t RangeKeys::FirstNewPlace(std::string_view key, size_t from) const noexcept {
  size_t i = from;
  for (; i + 8 <= key.size(); i += 8) {
    const uint64_t found = (Load(&key[i]) ^ Load(&first_[i])) & Load(&varies_[i]);
    if (found != 0) return i + static_cast<unsigned>(__builtin_ctzll(found)) / 8;
  }
  while (i < key.size() && (key[i] == first_[i] || varies_[i] == 0)) ++i;
  return i;
}

void RangeKeys::BeginSection(std::string_view key, size_t from) {
  for (size_t i = from; i < key.size(); i = FirstNewPlace(key, i)) {
    const auto at = std::lower_bound(places_.begin(), places_.end(), i) - places_.begin();
    places_.insert(places_.begin() + at, static_cast<uint8_t>(i));
    const auto seen = seen_.insert(seen_.begin() + at, Seen{});
    (*seen)[ByteAt(first_, i)] = 1;
    varies_[i] = 0;
  }
  Section section;
  section.places = places_;
  section.hashed =
      static_cast<unsigned>(places_.size() - std::min(places_.size(), size_t{kMaxKept}));
  hash_ = 0;
  for (unsigned i = 0; i < section.hashed; ++i) {
    hash_ ^= HashByteAt(places_[i], ByteAt(last_, places_[i]));
  }
  sections_.push_back(std::move(section));
}

// All before `changed` is as in the last key.
void RangeKeys::Keep(std::string_view key, size_t changed) {
  Section& section = sections_.back();
  unsigned i = 0;
  for (; i < section.hashed; ++i) {
    const uint8_t place = places_[i];
    const uint8_t byte = ByteAt(key, place);
    if (place < changed || byte == ByteAt(last_, place)) continue;
    seen_[i][byte] = 1;
    hash_ ^= HashByteAt(place, ByteAt(last_, place)) ^ HashByteAt(place, byte);
  }
  if (section.hashed != 0) words_.Add(hash_);
  while (i < places_.size()) {
    uint64_t word = 0;
    for (unsigned shift = 0; shift < 64 && i < places_.size(); shift += 8, ++i) {
      const uint8_t byte = ByteAt(key, places_[i]);
      seen_[i][byte] = 1;
      word |= uint64_t{byte} << shift;
    }
    words_.Add(word);
  }
  ++section.keys;
}

RangeKeysFormat RangeKeys::Format() const {
  RangeKeysFormat format;
  for (size_t i = 0; i < places_.size(); ++i) {
    format.digits.push_back(DigitOf(places_[i], seen_[i].data()));
  }
  format.hashed = static_cast<unsigned>(places_.size());
  const unsigned least = sections_.empty() ? 0 : sections_.back().hashed;
  while (format.hashed > least &&
         CountDigit(format.digits[format.hashed - 1].Radix(), &format.most_position)) {
    --format.hashed;
  }
  return format;
}

RangeDecoder::RangeDecoder(const RangeKeysFormat& format, const RangePlacing& placing,
                           std::string_view first_key)
    : format_(format), placing_(placing), first_key_(first_key), tables_(format.digits.size()) {
  uint64_t weight = 1;
  for (size_t i = format.digits.size(); i-- != 0;) {
    const RangeDigit& digit = format.digits[i];
    const unsigned radix = digit.Radix();
    for (unsigned rank = 0; rank < radix; ++rank) {
      const unsigned byte = digit.ByteOf(rank);
      tables_[i][byte] = i < format.hashed ? HashByteAt(digit.place, byte) : rank * weight;
    }
    weight *= radix;
  }
}

void RangeDecoder::Begin(const std::vector<uint8_t>& places, unsigned hashed) {
  hash_ = 0;
  position_ = 0;
  has_hash_ = hashed != 0;
  hashed_.clear();
  counted_.clear();
  size_t at = 0;
  for (size_t i = 0; i < format_.digits.size(); ++i) {
    const uint8_t place = format_.digits[i].place;
    const bool is_counted = i >= format_.hashed;
    if (at < places.size() && places[at] == place) {
      if (at++ >= hashed) (is_counted ? counted_ : hashed_).push_back(&tables_[i]);
      continue;
    }
    const uint64_t value = tables_[i][static_cast<uint8_t>(first_key_[place])];
    if (is_counted) {
      position_ += value;
    } else {
      hash_ ^= value;
    }
  }
}

}  // namespace winnow::core
