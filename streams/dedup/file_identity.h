// Identity of files: tells whether two names or descriptors are one file.

#ifndef WINNOW_STREAMS_DEDUP_FILE_IDENTITY_H_
#define WINNOW_STREAMS_DEDUP_FILE_IDENTITY_H_

#include <sys/stat.h>

#include <optional>
#include <string>

namespace winnow::dedup {

// Identity of a regular file. Other files have none: a terminal or /dev/null may well be both input
// and output.
struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;
  friend bool operator==(const FileIdentity& a, const FileIdentity& b) {
    return a.device == b.device && a.number == b.number;
  }
};

// Returns nullopt for missing files and for files that are not regular. Follows symbolic links.
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
