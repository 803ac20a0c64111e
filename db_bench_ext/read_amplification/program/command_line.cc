#include "db_bench_ext/read_amplification/program/command_line.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <string_view>

namespace winnow::bench {
namespace {

bool IsPlain(char c) {
  constexpr std::string_view kPlain = "%+,-./:=@_^";
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         kPlain.find(c) != std::string_view::npos;
}

bool IsPrintable(char c) { return absl::ascii_isprint(static_cast<unsigned char>(c)); }

std::string Escaped(const std::string& word) {
  std::string text = "$'";
  for (const char c : word) {
    if (c == '\'' || c == '\\') {
      absl::StrAppend(&text, "\\", std::string(1, c));
    } else if (IsPrintable(c)) {
      text += c;
    } else {
      absl::StrAppendFormat(&text, "\\x%02x", static_cast<unsigned char>(c));
    }
  }
  return text + "'";
}

// A hexadecimal digit after \xc3 is not a part of it, since the escape has at most two digits.
std::string Quoted(const std::string& word) {
  if (!std::all_of(word.begin(), word.end(), IsPrintable)) return Escaped(word);
  if (!word.empty() && std::all_of(word.begin(), word.end(), IsPlain)) return word;
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

}  // namespace

std::string ShellCommand(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) {
    absl::StrAppend(&command, command.empty() ? "" : " ", Quoted(word));
  }
  return command;
}

}  // namespace winnow::bench
