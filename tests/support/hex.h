// Conversion of bytes to lower-case hexadecimal digits.

#ifndef WINNOW_TESTS_SUPPORT_HEX_H_
#define WINNOW_TESTS_SUPPORT_HEX_H_

#include <string>
#include <string_view>

namespace winnow::testing {

inline std::string Hex(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4];
    hex += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_HEX_H_
