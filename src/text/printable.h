// Printable form of names, since paths and column family names may have any bytes.

#ifndef WINNOW_SRC_TEXT_PRINTABLE_H_
#define WINNOW_SRC_TEXT_PRINTABLE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow::inspect {

// Returns the size in bytes of the UTF-8 character at the start of the text, which is not empty; 0
// if invalid.
size_t CharacterBytes(std::string_view text);

// Returns whether the bytes are valid UTF-8: no overlong forms, no surrogates, nothing above
// U+10FFFF.
bool IsUtf8(std::string_view text);

// Returns the text in one line, with control characters, backslashes and invalid UTF-8 escaped as
// in C, by letters or two hexadecimal digits. Distinct texts have distinct results.
std::string Printable(std::string_view text);

// Shortens a UTF-8 text to at most `width` characters, with "..." in the middle: the ends of a path
// are the most informative. A width below 8 counts as 8.
std::string ShortenedInTheMiddle(std::string_view text, size_t width);

// Shortens a UTF-8 text to at most `width` characters, with "..." at the end.
std::string ShortenedAtTheEnd(std::string_view text, size_t width);

// Returns the number of characters (code points) of a UTF-8 text.
size_t Width(std::string_view text);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_PRINTABLE_H_
