#include "src/sst/unreadable_table.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <errno.h>
#include <rocksdb/convenience.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <system_error>

#include "src/sst/table_blocks.h"

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

// End of a table: format version and magic number, as in RocksDB's table/*/*.cc.
constexpr size_t kEndBytes = 12;
constexpr uint64_t kFirstBlockBasedMagic = 0xdb4775248b80fb57;  // LevelDB's, too
constexpr uint64_t kPlainMagics[] = {0x8242229663bf9564, 0x4f3418eb7a8f13b8};
constexpr uint64_t kCuckooMagic = 0x926789d0c5f17873;
constexpr uint64_t kShortestTable = 48;  // footer size of the first version

uint64_t Fixed(absl::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return number;
}

// Returns a sentence if the end of the file is not that of a table that this RocksDB should read,
// else an empty string.
std::string ByItsEnd(const std::string& path, const std::string& failure) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff bytes = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (bytes < 0) {
    return std::string();
  }
  if (static_cast<uint64_t>(bytes) < kShortestTable) {
    return bytes == 0
               ? "it is empty"
               : absl::StrCat("it has ", bytes, " bytes; no table has fewer than ", kShortestTable);
  }
  char end[kEndBytes] = {};
  file.seekg(bytes - static_cast<std::streamoff>(kEndBytes));
  if (!file.read(end, kEndBytes)) {
    return std::string();
  }
  const absl::string_view view(end, kEndBytes);
  const uint64_t magic = Fixed(view.substr(4));
  if (std::find(std::begin(kPlainMagics), std::end(kPlainMagics), magic) !=
      std::end(kPlainMagics)) {
    return "it is a plain table, which is read without a filter policy";
  }
  if (magic == kCuckooMagic) {
    return "it is a cuckoo table, which has no filter";
  }
  if (magic != kBlockBasedMagic && magic != kFirstBlockBasedMagic) {
    return "it does not end as a table: it is something else, or its end is missing or damaged";
  }
  // RocksDB's message is the only sign that it does not read the version.
  return absl::StrContains(failure, "version")
             ? absl::StrCat("it has format version ", Fixed(view.substr(0, 4)), ", which RocksDB ",
                            ROCKSDB_NAMESPACE::GetRocksVersionAsString(),
                            " does not read, and this tool has no other: a newer RocksDB wrote it, "
                            "or its end is damaged")
             : std::string();
}

}  // namespace

absl::string_view NameOf(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    default:
      return "a device";
  }
}

std::optional<std::string> WhyNotAFile(const std::string& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) {
    return fs::is_symlink(fs::symlink_status(path, code))
               ? absl::StrCat("there is no file where the link ", path, " points to")
               : absl::StrCat("there is no file or folder ", path);
  }
  if (code) {
    return absl::StrCat("can't look at it: ", code.message());
  }
  if (!fs::is_regular_file(status)) {
    return absl::StrCat("it is ", NameOf(status.type()), ", not a regular file");
  }
  return access(path.c_str(), R_OK) == 0
             ? std::nullopt
             : std::optional(absl::StrCat("can't open it: ", strerror(errno)));
}

std::string WhyNotListed(const std::string& folder, const std::error_code& code) {
  return absl::StrCat("can't list the folder ", folder, ": ", code.message());
}

std::string WhyNotATable(const std::string& path, const ROCKSDB_NAMESPACE::Status& failure) {
  const std::string said = failure.ToString();
  const std::string known = ByItsEnd(path, said);
  return absl::StrCat("RocksDB can't read it as an SST file: ", known.empty() ? said : known);
}

}  // namespace winnow::inspect
