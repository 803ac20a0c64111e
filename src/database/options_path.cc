#include "src/database/options_path.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <rocksdb/env.h>
#include <rocksdb/status.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "src/sst/unreadable_table.h"

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

using ROCKSDB_NAMESPACE::Status;

constexpr absl::string_view kExpected = "expected is an OPTIONS file or a database's folder";

// Enough for thousands of column families of about 10 KB each.
constexpr uint64_t kMaxBytes = uint64_t{256} << 20;

// Maximum length of comments at the beginning of an OPTIONS file.
constexpr size_t kHeadBytes = 64 << 10;

std::string Quoted(const std::string& path) { return absl::StrCat("'", path, "'"); }

std::string MissingError(const std::string& path) {
  const absl::string_view sign = SignOfPath(path);
  return absl::StrCat("there is no file or folder ", Quoted(path),
                      sign.empty() ? "" : absl::StrCat(" (taken for a path, as ", sign, ")"), "; ",
                      kExpected);
}

// Returns true if the first line that is neither empty nor a comment is a section header, or if
// there is no such line in the whole file.
bool BeginsWithSection(absl::string_view head, bool is_all) {
  for (absl::string_view line : absl::StrSplit(head, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty() && line.front() != '#') {
      return line.front() == '[';
    }
  }
  return is_all;
}

// Returns an error message if the file can't be an OPTIONS file, else an empty string.
std::string ErrorOfContent(const std::string& path) {
  std::error_code code;
  const uint64_t size = fs::file_size(path, code);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string head(static_cast<size_t>(std::min<uint64_t>(code ? 0 : size, kHeadBytes)), '\0');
  if (code || !file || !file.read(head.data(), static_cast<std::streamsize>(head.size()))) {
    const std::error_code reason = code ? code : std::error_code(errno, std::generic_category());
    return absl::StrCat("can't read ", Quoted(path), ": ",
                        reason ? reason.message() : "it is shorter than it was", "; ", kExpected);
  }
  if (!BeginsWithSection(head, head.size() == size)) {
    return absl::StrCat(Quoted(path),
                        " is not a RocksDB options file: it does not begin with a section such as "
                        "[Version]; ",
                        kExpected);
  }
  return size <= kMaxBytes ? std::string()
                           : absl::StrCat(Quoted(path), " has ", size,
                                          " bytes, but no OPTIONS file has more than ", kMaxBytes,
                                          "; ", kExpected);
}

std::string ErrorOfFile(const std::string& path) {
  std::error_code code;
  const fs::file_type type = fs::status(path, code).type();
  if (type == fs::file_type::not_found) {
    return MissingError(path);
  }
  if (type == fs::file_type::none || type == fs::file_type::unknown) {
    return absl::StrCat("can't read ", Quoted(path), ": ", code.message(), "; ", kExpected);
  }
  if (type != fs::file_type::regular) {
    return absl::StrCat(
        Quoted(path), " is ", NameOf(type), "; ", kExpected,
        type == fs::file_type::fifo ? ", so copy what comes out of it into a file" : "");
  }
  return ErrorOfContent(path);
}

}  // namespace

absl::string_view SignOfPath(absl::string_view text) {
  if (absl::StartsWith(text, "{") || absl::StartsWith(text, "filter_policy=")) {
    return absl::string_view();
  }
  if (absl::StrContains(text, '/')) {
    return "it has a slash";
  }
  return absl::StartsWith(text, "OPTIONS") || absl::EndsWith(text, ".ini")
             ? "it is called like an OPTIONS file"
             : absl::string_view();
}

OptionsPath FindOptionsFile(const std::string& path) {
  OptionsPath found;
  found.path = path;
  std::error_code code;
  if (fs::is_directory(path, code)) {
    std::string name;
    const Status status =
        ROCKSDB_NAMESPACE::GetLatestOptionsFileName(path, ROCKSDB_NAMESPACE::Env::Default(), &name);
    if (!status.ok()) {
      found.error = absl::StrCat("there is no OPTIONS file in the folder ", Quoted(path), " (",
                                 status.ToString(), "); ", kExpected);
      return found;
    }
    found.path = (fs::path(path) / name).string();
  }
  found.error = ErrorOfFile(found.path);
  return found;
}

}  // namespace winnow::inspect
