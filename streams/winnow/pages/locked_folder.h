// A folder that one process at a time may change.

#ifndef WINNOW_STREAMS_WINNOW_PAGES_LOCKED_FOLDER_H_
#define WINNOW_STREAMS_WINNOW_PAGES_LOCKED_FOLDER_H_

#include <memory>
#include <string>
#include <utility>

namespace winnow::tools {

// The lock is one of the kernel on the file "lock" in the folder, and gone with the process that
// has it, however that ends; the file stays.
class LockedFolder {
 public:
  // Makes the folder where `make` says so and there is none. Null if another process has the lock,
  // or the folder can't be made or written to: *reason is a sentence that names it.
  static std::unique_ptr<LockedFolder> Lock(const std::string& folder, bool make,
                                            std::string* reason);

  // A folder that was made, and not kept, is removed if nothing is in it.
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
