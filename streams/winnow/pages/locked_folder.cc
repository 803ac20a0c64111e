#include "streams/winnow/pages/locked_folder.h"

#include <absl/strings/str_cat.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace winnow::tools {
namespace {

std::string LockPath(const std::string& folder) { return absl::StrCat(folder, "/lock"); }

// Returns whether the opened file still has its name. A process that created the folder but did not
// keep it removes the lock file, possibly after it was opened here.
bool IsStillThere(int file, const std::string& path) {
  struct stat opened = {}, named = {};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

std::unique_ptr<LockedFolder> LockedFolder::Lock(const std::string& folder, bool make,
                                                 std::string* reason) {
  const bool made = make && mkdir(folder.c_str(), 0777) == 0;
  if (make && !made && errno != EEXIST) {
    *reason = absl::StrCat("can't make the folder ", folder, ": ", strerror(errno));
    return nullptr;
  }
  std::unique_ptr<LockedFolder> locked(new LockedFolder(folder, made));
  const std::string path = LockPath(folder);
  locked->file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (locked->file_ < 0) {
    *reason = absl::StrCat("can't open ", path, ": ", strerror(errno));
    return nullptr;
  }
  errno = 0;
  if (flock(locked->file_, LOCK_EX | LOCK_NB) != 0 && errno != EWOULDBLOCK) {
    *reason = absl::StrCat("can't lock ", path, ": ", strerror(errno));
    return nullptr;
  }
  if (errno == EWOULDBLOCK || !IsStillThere(locked->file_, path)) {
    *reason = absl::StrCat("another process changes the pages in ", folder,
                           " and has locked them: try again when it has ended");
    locked->Keep();
    return nullptr;
  }
  return locked;
}

LockedFolder::~LockedFolder() {
  if (made_) {
    // Removal precedes the unlock, while no other process can have files in the folder.
    unlink(LockPath(folder_).c_str());
    rmdir(folder_.c_str());
  }
  if (file_ >= 0) {
    close(file_);
  }
}

}  // namespace winnow::tools
