// A live table of a column family, as far as the bits of filters depend on it.

#ifndef WINNOW_SRC_FAMILY_LIVE_FILE_H_
#define WINNOW_SRC_FAMILY_LIVE_FILE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "src/family/file_name.h"

namespace winnow::family {

// Keys are kept up to this size. Files that differ only behind it count as one place.
inline constexpr size_t kMostKeyBytes = 256;

// A file's range is cut into this many pieces of equal numbers of keys.
inline constexpr size_t kPieces = 4;
using Cuts = std::array<std::string, kPieces - 1>;

// Returns the share of the range [first, last] before the key, 0 to 1: linear in the 8 bytes behind
// the common prefix of the two ends.
double ShareBefore(std::string_view first, std::string_view last, std::string_view key) noexcept;

// Range of user keys, both ends included, in bytewise order.
struct KeyRange {
  std::string first;
  std::string last;
  Cuts cuts{};  // keys where pieces begin, ascending; the first is empty if unknown

  // Returns the share of the keys before this one, 0 to 1.
  double Before(std::string_view key) const noexcept;
};

// A file. The first group is constant once readers may have the file (FilterFileMap) or it is live;
// Family's lock guards the second; lookups use the first and the counters.
struct LiveFile {
  KeyRange range;
  double keys = 0;                   // keys in its filter, at least 1
  double bits = 0;                   // log2(1/rate) of its filter; 0 without a filter
  double bytes = 0;                  // of its filter, with a range filter
  bool is_measured = true;           // false if keys, bits and bytes are estimates
  std::shared_ptr<LiveFile> former;  // record of the same file whose counters count, too

  FileName name{};  // unknown until a listener names it
  int level = 0;
  bool is_live = false;
  uint32_t place = 0;  // among the live files
  std::atomic<int> readers{0};
  // Sampled checks that were denied, by piece; halved from time to time.
  std::array<std::atomic<uint32_t>, kPieces> denied{};

  // Counts a sampled check of a key that the filter denied. Never waits.
  void CountDenied(std::string_view key) noexcept;
  // Returns the sampled lookups of absent keys from one share of its keys to another. Filters pass
  // some of them.
  double AskedIn(double from, double to) const noexcept;
  double asked() const noexcept { return AskedIn(0, 1); }
  // Sets the counters to those of so many sampled lookups of absent keys, by piece.
  void SetAsked(const std::array<double, kPieces>& asked) noexcept;
  void HalveCounts() noexcept;
};
using FilePtr = std::shared_ptr<LiveFile>;

}  // namespace winnow::family

#endif  // WINNOW_SRC_FAMILY_LIVE_FILE_H_
