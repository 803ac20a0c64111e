// Tells whether two names or descriptors are the same file.

#ifndef WINNOW_STREAMS_DEDUP_FILE_IDENTITY_H_
#define WINNOW_STREAMS_DEDUP_FILE_IDENTITY_H_

#include <sys/stat.h>

#include <optional>
#include <string>

namespace winnow::dedup {

// Regular files only: a terminal or /dev/null may well be both input and output.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  friend bool operator==(const FileIdentity& a, const FileIdentity& b) {
    return a.device == b.device && a.number == b.number;
  }
};

// Nothing for what is not there, and for what is no regular file. Links are followed.
inline std::optional<FileIdentity> IdentityOf(int file) {
  struct stat about = {};
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  return FileIdentity{about.st_dev, about.st_ino};
}
inline std::optional<FileIdentity> IdentityOf(const std::string& path) {
  struct stat about = {};
  if (stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) return std::nullopt;
  return FileIdentity{about.st_dev, about.st_ino};
}

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_FILE_IDENTITY_H_
