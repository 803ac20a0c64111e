// Reads a script's interpreter from its first line.

#ifndef WINNOW_TOOLS_WINNOW_RUN_SCRIPT_LINE_H_
#define WINNOW_TOOLS_WINNOW_RUN_SCRIPT_LINE_H_

#include <absl/strings/string_view.h>

#include <cstddef>
#include <optional>
#include <string>

namespace winnow::inspect {

constexpr size_t kLineBytes = 256;  // Linux looks no further for an interpreter

// Contents of a script's first line.
struct FirstLine {
  std::string interpreter;
  std::string argument;  // all the rest is one
};

// Reads a file's first kLineBytes as Linux does; none: this is no script.
std::optional<FirstLine> FirstLineOf(absl::string_view head);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_SCRIPT_LINE_H_
