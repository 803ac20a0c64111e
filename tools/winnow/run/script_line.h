// Parses the interpreter in a script's first line.

#ifndef WINNOW_TOOLS_WINNOW_RUN_SCRIPT_LINE_H_
#define WINNOW_TOOLS_WINNOW_RUN_SCRIPT_LINE_H_

#include <absl/strings/string_view.h>

#include <cstddef>
#include <optional>
#include <string>

namespace winnow::inspect {

constexpr size_t kLineBytes = 256;  // Linux reads no more bytes to find the interpreter

// Interpreter and argument of a script's first line.
struct FirstLine {
  std::string interpreter;
  std::string argument;  // the rest of the line
};

// Parses a file's first kLineBytes as Linux does. Returns nullopt if the file is no script.
std::optional<FirstLine> FirstLineOf(absl::string_view head);

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_SCRIPT_LINE_H_
