// A range of keys, taken as fractions, and the order of keys relative to it.

#ifndef WINNOW_SRC_CORE_RANGES_RANGE_BOUNDS_H_
#define WINNOW_SRC_CORE_RANGES_RANGE_BOUNDS_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "src/core/ranges/range_bits.h"

namespace winnow::core {

// Order of the keys below a place in the tree relative to the range, as far as their bits are
// known.
enum class Lies : uint8_t {
  kOutside,
  kAtBegin,  // equal to the first bound so far
  kAtEnd,    // equal to the second bound so far, and greater than the first
  kInside,
};

class RangeBounds {
 public:
  // begin must be less than end.
  RangeBounds(std::string_view begin, std::string_view end) noexcept
      : begin_(begin), end_(end), parting_(CommonBits(begin, end)), shared_(parting_) {
    uint64_t common = std::min<uint64_t>(parting_ / 8, std::min(begin.size(), end.size()));
    if (end.size() == common + 1 && begin.size() > common &&
        static_cast<unsigned char>(end.back()) == static_cast<unsigned char>(begin[common]) + 1) {
      // With the end of all keys that have a prefix, they have the byte before the last one's, too.
      ++common;
      shared_ = 8 * common;
      parting_ = UINT64_MAX;
    } else if (parting_ == 8 * std::max(begin.size(), end.size())) {
      parting_ = shared_ = UINT64_MAX;  // the bounds are equal as fractions
    }
    least_length_ = common + (begin.size() > common ? 1 : 0);
  }

  // Returns the number of first bits in which all keys in the range agree.
  uint64_t shared_bits() const noexcept { return shared_; }

  // Returns the bit in which keys at the first bound part from those at the second; UINT64_MAX if
  // none is at the second.
  uint64_t parting() const noexcept { return parting_; }

  // Returns the least length of a key in the range. All keys in it begin with the same bytes, and
  // have more if `begin` has.
  uint64_t least_length() const noexcept { return least_length_; }

  std::string_view begin() const noexcept { return begin_; }

  // Returns a bit of the bound that keys with this order are equal to, kAtBegin or kAtEnd.
  bool BoundBit(Lies lies, uint64_t at) const noexcept {
    return FractionBit(lies == Lies::kAtBegin ? begin_ : end_, at) != 0;
  }

  // Returns the order after `bits` known bits, at most 57, from bit `at` on.
  Lies After(Lies lies, uint64_t at, unsigned bits, uint64_t value) const noexcept {
    if (bits == 0) return lies;
    if (lies == Lies::kAtBegin) {
      const uint64_t differing = value ^ FractionBits(begin_, at, bits);
      if (differing == 0) return lies;
      const auto same = static_cast<unsigned>(__builtin_clzll(differing)) - (64 - bits);
      if (at + same < shared_) return Lies::kOutside;
      if (at + same != parting_) {
        return (value >> (bits - 1 - same) & 1) != 0 ? Lies::kInside : Lies::kOutside;
      }
      at = parting_ + 1;
      bits -= same + 1;
      lies = Lies::kAtEnd;
      if (bits == 0) return lies;
      value &= (uint64_t{1} << bits) - 1;
    }
    const uint64_t bound = FractionBits(end_, at, bits);
    return value == bound ? lies : value < bound ? Lies::kInside : Lies::kOutside;
  }

 private:
  const std::string_view begin_;
  const std::string_view end_;
  uint64_t parting_;
  uint64_t shared_;
  uint64_t least_length_;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_RANGES_RANGE_BOUNDS_H_
