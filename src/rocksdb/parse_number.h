// Numbers in the text of options.

#ifndef WINNOW_SRC_ROCKSDB_PARSE_NUMBER_H_
#define WINNOW_SRC_ROCKSDB_PARSE_NUMBER_H_

#include <charconv>
#include <string_view>
#include <system_error>

namespace winnow::plugin {

// The whole text must be a number of this type. False if it is not; *number is then undefined.
template <typename Number>
bool ParseNumber(std::string_view text, Number* number) noexcept {
  const char* const end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, *number);
  return result.ec == std::errc() && result.ptr == end;
}

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_PARSE_NUMBER_H_
