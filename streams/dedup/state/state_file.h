// File of a state: locked, with all its space allocated, read and written in pieces, so that no
// part of it counts as the program's memory.

#ifndef WINNOW_STREAMS_DEDUP_STATE_STATE_FILE_H_
#define WINNOW_STREAMS_DEDUP_STATE_STATE_FILE_H_

#include <absl/status/status.h>
#include <absl/strings/string_view.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace winnow::dedup {

// Error messages are sentences that name the file.
class StateFile {
 public:
  explicit StateFile(std::string path);
  ~StateFile();  // releases the lock
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  // Takes ownership of this descriptor. Returns an error if another run has locked the file.
  absl::Status Take(int file);

  // Allocates disk space, so that no later write finds the disk full.
  absl::Status TakeRoom(uint64_t size) const;

  absl::Status Read(uint64_t at, void* bytes, size_t n) const;
  absl::Status Write(uint64_t at, const void* bytes, size_t n) const;
  absl::Status WriteZeros(uint64_t at, uint64_t n) const;

  // Syncs the file to the disk.
  absl::Status Sync() const;

  absl::Status Fault(absl::string_view what) const;
  absl::Status ErrorOf(absl::string_view what) const;  // includes errno

 private:
  const std::string path_;
  int file_ = -1;
};

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_STATE_STATE_FILE_H_
