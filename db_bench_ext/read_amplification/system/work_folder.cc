#include "db_bench_ext/read_amplification/system/work_folder.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace winnow::bench {
namespace {

namespace fs = std::filesystem;

absl::Status CanNotMake(const std::string& path, const std::string& reason) {
  return absl::UnavailableError(absl::StrCat("can't make the folder ", path, ": ", reason));
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkFolder>> WorkFolder::Open(const std::string& path, bool keep) {
  std::error_code error;
  if (path.empty()) {
    std::string pattern = fs::temp_directory_path(error).string() + "/db_bench_ext-XXXXXX";
    if (error || mkdtemp(pattern.data()) == nullptr) {
      return CanNotMake(pattern, error ? error.message() : std::strerror(errno));
    }
    return std::unique_ptr<WorkFolder>(new WorkFolder(pattern, true, keep));
  }
  const bool made = fs::create_directories(path, error);
  if (error) return CanNotMake(path, error.message());
  return std::unique_ptr<WorkFolder>(new WorkFolder(path, made, keep));
}

WorkFolder::~WorkFolder() {
  if (keep_) return;
  std::error_code ignored;
  for (const std::string& child : children_) fs::remove_all(child, ignored);
  if (made_) fs::remove(path_, ignored);
}

absl::StatusOr<std::string> WorkFolder::MakeChild(const std::string& name) {
  const std::string path = absl::StrCat(path_, "/", name);
  std::error_code error;
  const bool made = fs::create_directory(path, error);
  if (error) return CanNotMake(path, error.message());
  if (!made) {
    return CanNotMake(path,
                      "it is there already, and what is in it is not overwritten; give another "
                      "folder with --db, or remove this one");
  }
  children_.push_back(path);
  return path;
}

}  // namespace winnow::bench
