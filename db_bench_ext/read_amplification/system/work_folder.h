// The folder that the trees of a run lie in.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_WORK_FOLDER_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_WORK_FOLDER_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

namespace winnow::bench {

// Removes at its end what it made, unless told to keep it, and nothing else: a folder that was
// there before is never removed, nor is what others put into one that was made.
class WorkFolder {
 public:
  // An empty path makes a folder for temporary files under $TMPDIR or /tmp. Another is made if it
  // is not there.
  static absl::StatusOr<std::unique_ptr<WorkFolder>> Open(const std::string& path, bool keep);

  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  // Makes an empty folder of this name in it, and gives its path. An error if the name is there.
  absl::StatusOr<std::string> MakeChild(const std::string& name);

  const std::string& path() const { return path_; }

 private:
  WorkFolder(std::string path, bool made, bool keep)
      : path_(std::move(path)), made_(made), keep_(keep) {}

  const std::string path_;
  const bool made_;
  const bool keep_;
  std::vector<std::string> children_;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_WORK_FOLDER_H_
