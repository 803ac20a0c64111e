#include "tools/winnow/run/script_line.h"

#include <absl/strings/ascii.h>
#include <absl/strings/strip.h>

namespace winnow::inspect {

std::optional<FirstLine> FirstLineOf(absl::string_view head) {
  if (!absl::ConsumePrefix(&head, "#!")) return std::nullopt;
  const bool is_cut = head.find('\n') == absl::string_view::npos && head.size() + 2 == kLineBytes;
  head = head.substr(0, head.find('\n'));
  head = absl::StripLeadingAsciiWhitespace(head.substr(0, head.find('\0')));
  const size_t end = head.find_first_of(" \t");
  if (head.empty() || (is_cut && end == absl::string_view::npos)) return std::nullopt;
  FirstLine line;
  line.interpreter = std::string(head.substr(0, end));
  if (end != absl::string_view::npos) {
    line.argument = std::string(absl::StripAsciiWhitespace(head.substr(end)));
  }
  return line;
}

}  // namespace winnow::inspect
