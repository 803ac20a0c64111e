// Characters of UTF-8 text.

#ifndef WINNOW_SRC_BASE_UTF8_H_
#define WINNOW_SRC_BASE_UTF8_H_

#include <cstddef>
#include <string_view>

namespace winnow::base {

// Returns the size in bytes of the UTF-8 character at the start of the text, which is not empty; 0
// if it is invalid (RFC 3629).
inline size_t CharacterBytes(std::string_view text) noexcept {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t bytes = first < 0xc2   ? 0
                       : first < 0xe0 ? 2
                       : first < 0xf0 ? 3
                       : first < 0xf5 ? 4
                                      : 0;
  if (bytes == 0 || text.size() < bytes) return 0;
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool is_wrong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                        (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f);
  return is_wrong ? 0 : bytes;
}

}  // namespace winnow::base

#endif  // WINNOW_SRC_BASE_UTF8_H_
