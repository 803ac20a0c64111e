// Folder for the trees of a run.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_WORK_FOLDER_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_SYSTEM_WORK_FOLDER_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

namespace winnow::bench {

// Removes in its destructor what it created, unless told to keep it: never a folder that existed
// before, nor files that others have put into a created one.
class WorkFolder {
 public:
  // Opens the folder and creates it if it does not exist. An empty path means a new temporary
  // folder in $TMPDIR or /tmp.
  static absl::StatusOr<std::unique_ptr<WorkFolder>> Open(const std::string& path, bool keep);

  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  // Creates an empty folder of this name in it, and returns its path. Returns an error if the name
  // exists.
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
