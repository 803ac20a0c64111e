// Files that tests write and read.

#ifndef WINNOW_TESTS_SUPPORT_FILES_H_
#define WINNOW_TESTS_SUPPORT_FILES_H_

#include <string>
#include <string_view>

namespace winnow::testing {

// A new folder, removed with all that is in it at the end. Throws std::runtime_error if it can't be
// made.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// All bytes of a file. Throws std::runtime_error if it can't be read.
std::string ReadFile(const std::string& path);

// Makes the file, or replaces what is in it. Throws std::runtime_error if it can't.
void WriteFile(const std::string& path, std::string_view bytes);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_FILES_H_
