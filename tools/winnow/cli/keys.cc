#include "tools/winnow/cli/keys.h"

#include <absl/flags/flag.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "src/text/key_list.h"

WINNOW_SHARED_FLAG(kHexFlag, bool, hex, false, FlagValue(),
                   "keys are hexadecimal digits, two a byte, with 0x before them or not");
WINNOW_SHARED_FLAG(kKeysFlag, std::string, keys, "", TextValue("FILE"),
                   "a file of further keys, one a line, plain or LZ4; - is standard input");

namespace winnow::tools {
namespace {

// Null before dynamic initialization, in which AddTraceReader() sets it.
ReadTrace trace_reader = nullptr;

bool IsPlain(char character) { return character > ' ' && character <= '~'; }

}  // namespace

std::string KeyOfArgument(const std::string& text, std::string* problem) {
  if (!absl::GetFlag(FLAGS_hex)) {
    return text;
  }
  const std::optional<std::string> bytes = inspect::ParseHexKey(text);
  if (!bytes) {
    *problem =
        absl::StrCat("'", text, "' is no key of hexadecimal digits, two a byte, as --hex says");
  }
  return bytes.value_or("");
}

bool AddTraceReader(ReadTrace read) {
  trace_reader = read;
  return true;
}

std::string VisitListedKeys(const std::string& path, VisitKey visit,
                            std::vector<std::string>* warnings,
                            const std::vector<std::string>& databases) {
  if (inspect::IsTraceFile(path)) {
    return trace_reader != nullptr
               ? trace_reader(path, visit, warnings, databases)
               : absl::StrCat(path,
                              " is a trace of RocksDB's, and this winnow is built without "
                              "RocksDB");
  }
  const inspect::KeyFormat format =
      absl::GetFlag(FLAGS_hex) ? inspect::KeyFormat::kHex : inspect::KeyFormat::kLine;
  const auto notes = inspect::ForEachKey(path, format, visit);
  if (!notes.ok()) {
    // The reader's message names --key_format=hex, which is --hex here.
    return absl::StrReplaceAll(notes.status().message(), {{"--key_format=hex", "--hex"}});
  }
  if (const std::string left_out = notes->Sentence(); !left_out.empty()) {
    warnings->push_back(absl::StrCat(path, ": ", left_out));
  }
  return std::string();
}

std::string KeyName(std::string_view key) {
  const std::string hex = absl::StrCat("0x", absl::BytesToHexString({key.data(), key.size()}));
  return !key.empty() && std::all_of(key.begin(), key.end(), IsPlain)
             ? absl::StrCat(absl::string_view(key.data(), key.size()), " (", hex, ")")
             : hex;
}

}  // namespace winnow::tools
