// Lock of a folder that one process at a time may change.

#ifndef WINNOW_STREAMS_WINNOW_PAGES_LOCKED_FOLDER_H_
#define WINNOW_STREAMS_WINNOW_PAGES_LOCKED_FOLDER_H_

#include <memory>
#include <string>
#include <utility>

namespace winnow::tools {

// Uses a kernel lock on the file "lock" in the folder, which is released when its process ends in
// any way; the file stays.
class LockedFolder {
 public:
  // Locks the folder, and creates it first if `make` is true and it does not exist. Returns null
  // and sets *reason if another process has the lock, or the folder cannot be created or written
  // to.
  static std::unique_ptr<LockedFolder> Lock(const std::string& folder, bool make,
                                            std::string* reason);

  // Removes the folder if it was created here, is empty, and Keep() was not called.
  ~LockedFolder();
  LockedFolder(const LockedFolder&) = delete;
  LockedFolder& operator=(const LockedFolder&) = delete;

  void Keep() noexcept { made_ = false; }

 private:
  LockedFolder(std::string folder, bool made) : folder_(std::move(folder)), made_(made) {}

  const std::string folder_;
  bool made_;
  int file_ = -1;
};

}  // namespace winnow::tools

#endif  // WINNOW_STREAMS_WINNOW_PAGES_LOCKED_FOLDER_H_
