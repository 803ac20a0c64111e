// Temporary folders and files of tests.

#ifndef WINNOW_TESTS_SUPPORT_FILES_H_
#define WINNOW_TESTS_SUPPORT_FILES_H_

#include <string>
#include <string_view>

namespace winnow::testing {

// A new folder, which is removed with its contents on destruction. Throws std::runtime_error if the
// folder can't be made.
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

// Returns the contents of a file. Throws std::runtime_error if it can't be read.
std::string ReadFile(const std::string& path);

// Creates or overwrites a file. Throws std::runtime_error on failure.
void WriteFile(const std::string& path, std::string_view bytes);

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_FILES_H_
