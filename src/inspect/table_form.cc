#include "src/inspect/table_form.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <rocksdb/convenience.h>
#include <rocksdb/version.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "third_party/rocksdb_abi/versions.h"

namespace winnow::inspect {
namespace {

// The last eight bytes, as RocksDB's table builders have them.
constexpr uint64_t kBlockBased = 0x88e241b785f4cff7;
constexpr uint64_t kBlockBasedOfLevelDb = 0xdb4775248b80fb57;
constexpr uint64_t kPlain = 0x8242229663bf9564;
constexpr uint64_t kPlainOld = 0x4f3418eb7a8f13b8;
constexpr uint64_t kCuckoo = 0x926789d0c5f17873;
constexpr size_t kShortestFooter = 48;  // LevelDB's, which has no version

uint64_t NumberAt(std::string_view bytes, size_t offset, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i) {
    number |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[offset + i])) << (8 * i);
  }
  return number;
}

std::string OtherFormat(const char* name) {
  return absl::StrCat("it is a ", name,
                      ", another of RocksDB's table formats, which has no filter blocks: only "
                      "block-based tables can be read here");
}

}  // namespace

std::optional<std::string> WhyNoTable(std::string_view end, uint64_t file_bytes) {
  if (file_bytes == 0) {
    return "it is empty: 0 bytes";
  }
  if (end.size() < kShortestFooter) {
    return absl::StrCat("it is no table file, or is cut off: ", file_bytes,
                        file_bytes == 1 ? " byte is" : " bytes are",
                        " less than the footer of a table takes");
  }
  switch (NumberAt(end, end.size() - 8, 8)) {
    case kBlockBased: {
      const uint64_t version = NumberAt(end, end.size() - 12, 4);
      if (version > rocksdb_abi::kLatestTableFormat) {
        return absl::StrCat("its table format has version ", version,
                            ", of a newer RocksDB: this program has RocksDB ",
                            ROCKSDB_NAMESPACE::GetRocksVersionAsString(), ", which reads up to ",
                            rocksdb_abi::kLatestTableFormat);
      }
      return std::nullopt;
    }
    case kBlockBasedOfLevelDb:
      return std::nullopt;
    case kPlain:
    case kPlainOld:
      return OtherFormat("plain table");
    case kCuckoo:
      return OtherFormat("cuckoo table");
    default:
      return absl::StrCat("it is no table file, or is cut off after ", file_bytes,
                          " bytes, or its end is damaged: there is no table's footer");
  }
}

std::optional<std::string> WhyNoTable(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    return std::nullopt;
  }
  char end[kFooterBytes];
  struct stat status {};
  ssize_t got = -1;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    const auto wanted = std::min<off_t>(status.st_size, kFooterBytes);
    got = pread(file, end, static_cast<size_t>(wanted), status.st_size - wanted);
  }
  close(file);
  if (got < 0) {
    return std::nullopt;
  }
  return WhyNoTable(std::string_view(end, static_cast<size_t>(got)),
                    static_cast<uint64_t>(status.st_size));
}

}  // namespace winnow::inspect
