// Counts and sizes as text for messages, and sizes for options.

#ifndef WINNOW_SRC_ROCKSDB_MESSAGES_SIZE_TEXT_H_
#define WINNOW_SRC_ROCKSDB_MESSAGES_SIZE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "src/base/c_locale.h"

namespace winnow::plugin {

// Returns, for example, "1 file" or "2 files".
inline std::string Counted(uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Returns, for example, "412 MiB" or "1.9 GiB".
inline std::string SizeText(double bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return base::Text("%.*f %s", unit > 0 && bytes < 10 ? 1 : 0, bytes, kUnits[unit]);
}

// Returns, for example, "256MiB": the exact number of bytes in the largest unit that divides it.
inline std::string ExactSizeText(uint64_t bytes) {
  constexpr char kUnits[] = {'K', 'M', 'G', 'T'};
  size_t power = 0;
  while (power < std::size(kUnits) && bytes != 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++power;
  }
  return std::to_string(bytes) + (power == 0 ? "" : std::string(1, kUnits[power - 1]) + "iB");
}

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_MESSAGES_SIZE_TEXT_H_
