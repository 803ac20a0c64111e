// Files that are read in place, and tables in them.

#ifndef WINNOW_TOOLS_WINNOW_RUN_MAPPED_FILE_H_
#define WINNOW_TOOLS_WINNOW_RUN_MAPPED_FILE_H_

#include <absl/strings/string_view.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace winnow::inspect {

// A memory-mapped file; empty if it can't be read.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) error_ = std::strerror(errno);
    struct stat status = {};
    if (file < 0) return;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      size_ = static_cast<size_t>(status.st_size);
      memory_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (memory_ == MAP_FAILED) size_ = 0;
    }
    close(file);
  }
  ~MappedFile() {
    if (size_ > 0) munmap(memory_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  absl::string_view bytes() const { return {static_cast<const char*>(memory_), size_}; }

  // Returns why the file could not be opened; empty if it could.
  const std::string& error() const { return error_; }

 private:
  std::string error_;
  void* memory_ = nullptr;
  size_t size_ = 0;
};

// Returns copies of a table's entries; empty if the table does not lie within the file.
template <typename Entry>
std::vector<Entry> Entries(absl::string_view file, uint64_t offset, uint64_t size) {
  std::vector<Entry> entries;
  if (offset > file.size() || size > file.size() - offset) return entries;
  entries.resize(size / sizeof(Entry));
  std::memcpy(static_cast<void*>(entries.data()), file.data() + offset,
              entries.size() * sizeof(Entry));
  return entries;
}

// Returns the text up to a zero byte; empty if it does not lie within the file.
inline absl::string_view NameAt(absl::string_view file, uint64_t offset) {
  if (offset >= file.size()) return {};
  const absl::string_view rest = file.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_RUN_MAPPED_FILE_H_
