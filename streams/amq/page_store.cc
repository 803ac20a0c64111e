#include "winnow/amq/page_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>
#include <utility>

namespace winnow::amq {
namespace {

std::string Failure(const char* what, const std::string& path, int error) {
  return std::string("can't ") + what + " " + path + ": " + std::generic_category().message(error);
}

// A file descriptor that the destructor closes.
class File {
 public:
  File(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~File() { Close(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const noexcept { return fd_ >= 0; }
  int fd() const noexcept { return fd_; }

  // Returns false and sets errno if written data may be lost.
  bool Close() noexcept {
    const int fd = std::exchange(fd_, -1);
    return fd < 0 || ::close(fd) == 0;
  }

  bool Read(std::string* bytes) {
    struct stat status {};
    if (::fstat(fd_, &status) != 0) return false;
    bytes->resize(static_cast<size_t>(status.st_size));
    size_t done = 0;
    while (done < bytes->size()) {
      const ssize_t part = ::read(fd_, bytes->data() + done, bytes->size() - done);
      if (part < 0 && errno != EINTR) return false;
      if (part == 0) break;
      if (part > 0) done += static_cast<size_t>(part);
    }
    bytes->resize(done);
    return true;
  }

  bool Write(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
      const ssize_t part = ::write(fd_, bytes.data(), bytes.size());
      if (part < 0 && errno != EINTR) return false;
      if (part > 0) bytes.remove_prefix(static_cast<size_t>(part));
    }
    return true;
  }

 private:
  int fd_;
};

}  // namespace

PageStore::~PageStore() = default;
MemoryPageStore::~MemoryPageStore() = default;
FolderPageStore::~FolderPageStore() = default;

bool PageStore::Flush(std::string* /*reason*/) { return true; }

PageStore::Found MemoryPageStore::Load(const std::string& name, std::string* bytes,
                                       std::string* /*reason*/) {
  const auto found = all_.find(name);
  if (found == all_.end()) return Found::kNo;
  *bytes = found->second;
  return Found::kYes;
}

bool MemoryPageStore::Store(const std::string& name, std::string_view bytes,
                            std::string* /*reason*/) {
  std::string copy(bytes);
  all_[name].swap(copy);
  return true;
}

bool MemoryPageStore::Remove(const std::string& name, std::string* /*reason*/) {
  all_.erase(name);
  return true;
}

FolderPageStore::FolderPageStore(std::string folder) : folder_(std::move(folder)) {}

PageStore::Found FolderPageStore::Load(const std::string& name, std::string* bytes,
                                       std::string* reason) {
  const std::string path = folder_ + "/" + name;
  File file(path, O_RDONLY);
  if (!file.is_open() && errno == ENOENT) {
    // If the folder itself is missing, nothing is known about its files.
    if (::access(folder_.c_str(), F_OK) == 0) return Found::kNo;
    *reason = Failure("open", folder_, ENOENT);
    return Found::kFailed;
  }
  if (!file.is_open() || !file.Read(bytes)) {
    *reason = Failure("read", path, errno);
    return Found::kFailed;
  }
  return Found::kYes;
}

bool FolderPageStore::Store(const std::string& name, std::string_view bytes, std::string* reason) {
  const std::string path = folder_ + "/" + name;
  const std::string written = path + ".new";
  File file(written, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file.is_open() || !file.Write(bytes) || !file.Close()) {
    *reason = Failure("write", written, errno);
    if (file.is_open()) ::unlink(written.c_str());
    return false;
  }
  if (::rename(written.c_str(), path.c_str()) != 0) {
    *reason = Failure("rename to its name", written, errno);
    ::unlink(written.c_str());
    return false;
  }
  return true;
}

bool FolderPageStore::Remove(const std::string& name, std::string* reason) {
  const std::string path = folder_ + "/" + name;
  ::unlink((path + ".new").c_str());  // may be left over from a crash
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return true;
  *reason = Failure("remove", path, errno);
  return false;
}

bool FolderPageStore::Flush(std::string* reason) {
  const File folder(folder_, O_RDONLY | O_DIRECTORY);
  if (folder.is_open() && ::syncfs(folder.fd()) == 0) return true;
  *reason = Failure("write to its device", folder_, errno);
  return false;
}

}  // namespace winnow::amq
