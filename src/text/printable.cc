#include "src/text/printable.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>

#include "src/base/utf8.h"

namespace winnow::inspect {
namespace {

unsigned char ByteAt(std::string_view text, size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// Returns whether the character is in C0, DEL, or C1, which is 0xc2 and a byte below 0xa0 in UTF-8.
bool IsControl(std::string_view character) {
  const unsigned char first = ByteAt(character, 0);
  return first < 0x20 || first == 0x7f ||
         (character.size() == 2 && first == 0xc2 && ByteAt(character, 1) < 0xa0);
}

std::string Escaped(std::string_view bytes) {
  if (bytes == "\n") return "\\n";
  if (bytes == "\t") return "\\t";
  if (bytes == "\r") return "\\r";
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    absl::StrAppend(&text, absl::StrFormat("\\x%02x", ByteAt(bytes, i)));
  }
  return text;
}

bool StartsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

}  // namespace

size_t CharacterBytes(std::string_view text) { return base::CharacterBytes(text); }

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = CharacterBytes(text);
    if (size == 0) {
      return false;
    }
    text.remove_prefix(size);
  }
  return true;
}

std::string Printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const size_t size = CharacterBytes(text);
    const std::string_view character = text.substr(0, std::max<size_t>(size, 1));
    if (character == "\\") {
      printable += "\\\\";
    } else if (size == 0 || IsControl(character)) {
      printable += Escaped(character);
    } else {
      printable += character;
    }
    text.remove_prefix(character.size());
  }
  return printable;
}

size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), StartsCharacter));
}

std::string ShortenedAtTheEnd(std::string_view text, size_t width) {
  constexpr std::string_view kGap = "...";
  width = std::max<size_t>(width, 8);
  if (Width(text) <= width) {
    return std::string(text);
  }
  size_t seen = 0;
  size_t end = 0;
  while (seen <= width - kGap.size()) {
    seen += StartsCharacter(text[end]) ? 1 : 0;
    end += seen <= width - kGap.size() ? 1 : 0;
  }
  return std::string(text.substr(0, end)).append(kGap);
}

std::string ShortenedInTheMiddle(std::string_view text, size_t width) {
  constexpr std::string_view kGap = "...";
  width = std::max<size_t>(width, 8);
  const size_t all = Width(text);
  if (all <= width) {
    return std::string(text);
  }
  // Keeps slightly more of the end, where files have their numbers.
  const size_t front = (width - kGap.size()) * 2 / 5;
  const size_t back = width - kGap.size() - front;
  size_t seen = 0;
  size_t front_end = 0;
  size_t back_begin = text.size();
  for (size_t i = 0; i < text.size(); ++i) {
    if (!StartsCharacter(text[i])) {
      continue;
    }
    front_end = seen == front ? i : front_end;
    back_begin = seen == all - back ? i : back_begin;
    ++seen;
  }
  return std::string(text.substr(0, front_end)).append(kGap).append(text.substr(back_begin));
}

}  // namespace winnow::inspect
