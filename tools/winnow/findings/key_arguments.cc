#include "tools/winnow/findings/key_arguments.h"

#include <absl/flags/flag.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <rocksdb/db.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "src/database/tree_levels.h"
#include "src/text/key_list.h"
#include "tools/winnow/findings/table_arguments.h"

WINNOW_SHARED_FLAG(kHexFlag, bool, hex, false, FlagValue(),
                   "keys are hexadecimal digits, two a byte, with 0x before them or not");
WINNOW_SHARED_FLAG(kKeysFlag, std::string, keys, "", TextValue("FILE"),
                   "a file of further keys, one a line, plain or LZ4; - is standard input");

namespace winnow::tools {
namespace {

bool IsPlain(char character) { return character > ' ' && character <= '~'; }

// The number of the family; unset where none of the paths is a database that has it.
std::optional<uint32_t> FamilyNumber(const std::string& name,
                                     const std::vector<std::string>& paths) {
  if (name == ROCKSDB_NAMESPACE::kDefaultColumnFamilyName) {
    return 0;
  }
  for (const std::string& path : paths) {
    std::error_code code;
    if (!std::filesystem::is_directory(path, code)) continue;
    const inspect::TreeLevels tree = inspect::ReadTreeLevels(path, {}, {});
    if (const auto found = tree.family_ids.find(name); found != tree.family_ids.end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

std::string VisitTracedKeys(const std::string& path,
                            absl::FunctionRef<void(std::string_view key, bool joins)> visit,
                            std::vector<std::string>* warnings,
                            const std::vector<std::string>& databases, bool* may_read_one_by_one,
                            const inspect::VisitSeek& visit_seek) {
  if (absl::GetFlag(FLAGS_hex)) {
    return absl::StrCat(path,
                        " is a trace of RocksDB's, and --hex is of lists of lines: leave it away");
  }
  const std::vector<std::string> families = FamiliesOfFlags();
  if (families.size() > 1) {
    return absl::StrCat(path,
                        " is a trace of RocksDB's, of which the lookups of one column family are "
                        "taken, and --cf is there several times");
  }
  const std::string family =
      families.empty() ? ROCKSDB_NAMESPACE::kDefaultColumnFamilyName : families.front();
  const std::optional<uint32_t> number = FamilyNumber(family, databases);
  if (!number) {
    return absl::StrCat(path,
                        " is a trace of RocksDB's, which has column families by number, and the "
                        "number of '",
                        family, "' is not known: no path is a database that has this family");
  }
  inspect::TraceNotes notes;
  const std::string problem = inspect::VisitTrace(
      path, *number,
      [&visit](absl::string_view key, bool joins) {
        visit({key.data(), key.size()}, joins);
      },
      &notes, visit_seek);
  *may_read_one_by_one = notes.may_read_one_by_one;
  if (!problem.empty()) {
    return problem;
  }
  const std::string sentence = notes.Sentence();
  if (notes.lookups + notes.taken_seeks == 0) {
    return absl::StrCat(path, " has no lookups of the column family '", family, "'",
                        sentence.empty() ? "" : absl::StrCat(": ", sentence),
                        families.empty() ? "; --cf names another" : "");
  }
  if (!sentence.empty()) {
    warnings->push_back(absl::StrCat(path, ": ", sentence));
  }
  return std::string();
}

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

std::string VisitListedKeys(const std::string& path,
                            absl::FunctionRef<void(std::string_view)> visit,
                            std::vector<std::string>* warnings,
                            const std::vector<std::string>& databases,
                            const inspect::VisitSeek& visit_seek) {
  bool may_read_one_by_one = false;
  return VisitListedLookups(
      path, [&visit](std::string_view key, bool /*joins*/) { visit(key); }, warnings, databases,
      &may_read_one_by_one, visit_seek);
}

std::string VisitListedLookups(const std::string& path,
                               absl::FunctionRef<void(std::string_view key, bool joins)> visit,
                               std::vector<std::string>* warnings,
                               const std::vector<std::string>& databases, bool* may_read_one_by_one,
                               const inspect::VisitSeek& visit_seek) {
  if (inspect::IsTraceFile(path)) {
    return VisitTracedKeys(path, visit, warnings, databases, may_read_one_by_one, visit_seek);
  }
  const inspect::KeyFormat format =
      absl::GetFlag(FLAGS_hex) ? inspect::KeyFormat::kHex : inspect::KeyFormat::kLine;
  const auto notes =
      inspect::ForEachKey(path, format, [&visit](std::string_view key) { visit(key, false); });
  if (!notes.ok()) {
    // Its reader speaks of a flag that has another name here.
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
