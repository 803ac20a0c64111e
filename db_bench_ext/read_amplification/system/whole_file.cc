#include "db_bench_ext/read_amplification/system/whole_file.h"

#include <absl/strings/str_cat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

namespace winnow::bench {
namespace {

namespace fs = std::filesystem;

absl::Status CanNotWrite(const std::string& path, const std::string& reason) {
  return absl::UnavailableError(absl::StrCat("can't write ", path, ": ", reason));
}

absl::Status Fill(const std::string& path, const std::string& text, const std::string& shown) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return absl::OkStatus();
  return CanNotWrite(shown, errno != 0 ? std::strerror(errno) : "not all of it was taken");
}

// Returns a temporary name in the same folder, since files cannot be renamed across file systems.
std::string NameBeside(const std::string& path) {
  std::random_device random;
  return absl::StrCat(path, ".part-", absl::Hex(random(), absl::kZeroPad8));
}

// Target of a path.
struct Target {
  std::string path;  // symbolic links resolved
  bool there = false;
  bool special = false;  // a device, a pipe or a folder
};

Target TargetOf(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  Target target{path, fs::exists(status), fs::exists(status) && !fs::is_regular_file(status)};
  if (!target.there || target.special) return target;
  const fs::path real = fs::canonical(path, error);
  if (!error) target.path = real.string();
  return target;
}

}  // namespace

absl::Status WriteWhole(const std::string& path, const std::string& text) {
  const Target target = TargetOf(path);
  if (target.special) return Fill(path, text, path);

  const std::string part = NameBeside(target.path);
  absl::Status status = Fill(part, text, path);
  std::error_code error;
  if (status.ok() && target.there) {
    fs::permissions(part, fs::status(target.path, error).permissions(), error);
    if (error) status = CanNotWrite(path, error.message());
  }
  if (status.ok()) {
    fs::rename(part, target.path, error);
    if (error) status = CanNotWrite(path, error.message());
  }
  if (!status.ok()) fs::remove(part, error);
  return status;
}

absl::Status CheckCanWrite(const std::string& path) {
  const Target target = TargetOf(path);
  if (target.special) {
    errno = 0;
    if (std::ofstream(path, std::ios::binary | std::ios::app)) return absl::OkStatus();
    return CanNotWrite(path, std::strerror(errno));
  }
  const std::string part = NameBeside(target.path);
  const absl::Status status = Fill(part, "", path);
  std::error_code ignored;
  fs::remove(part, ignored);
  return status;
}

}  // namespace winnow::bench
