// Number parsing for options.

#ifndef WINNOW_SRC_ROCKSDB_PARSE_NUMBER_H_
#define WINNOW_SRC_ROCKSDB_PARSE_NUMBER_H_

#include <charconv>
#include <string_view>
#include <system_error>

namespace winnow::plugin {

// Returns whether the whole text is a number of this type. If not, *number is undefined.
template <typename Number>
bool ParseNumber(std::string_view text, Number* number) noexcept {
  const char* const end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, *number);
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_PARSE_NUMBER_H_
