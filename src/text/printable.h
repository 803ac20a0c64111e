// Names as they can be shown: paths and column families are any bytes.

#ifndef WINNOW_SRC_TEXT_PRINTABLE_H_
#define WINNOW_SRC_TEXT_PRINTABLE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow::inspect {

// Bytes of the character of UTF-8 that the text, which is not empty, begins with; 0 if that is
// none.
size_t CharacterBytes(std::string_view text);

// Returns whether the bytes are UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

// The text with control characters, backslashes and bytes that are no UTF-8 escaped as in C, by
// letters or by two hexadecimal digits: one line that tells one name from every other.
std::string Printable(std::string_view text);

// At most `width` characters of a text of UTF-8, where need be with "..." in the middle: the ends
// of a path say most. A width below 8 counts as 8.
std::string ShortenedInTheMiddle(std::string_view text, size_t width);

// The same with "..." at the end.
std::string ShortenedAtTheEnd(std::string_view text, size_t width);

// Characters (code points) of a text of UTF-8.
size_t Width(std::string_view text);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_PRINTABLE_H_
