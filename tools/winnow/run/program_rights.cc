#include "tools/winnow/run/program_rights.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>

namespace winnow::inspect {
namespace {

// Returns false if the file is on a nosuid mount, where set-ID bits and file capabilities have no
// effect.
bool HeedsRights(const std::string& path) {
  struct statvfs system = {};
  return statvfs(path.c_str(), &system) != 0 || (system.f_flag & ST_NOSUID) == 0;
}

// Returns true if the ID is mapped in the user namespace, which set-ID bits require, or if `map`
// can't be read.
bool IsThere(const char* map, unsigned id) {
  std::ifstream lines(map);
  if (!lines) return true;
  uint64_t first = 0, outside = 0, count = 0;
  while (lines >> first >> outside >> count) {
    if (id >= first && id - first < count) return true;
  }
  return false;
}

// Returns a remark if the ID may stand for any user that the user namespace does not map.
std::string OrNobody(const char* map, const char* overflow, unsigned id) {
  unsigned nobody = 0;
  uint64_t first = 0, outside = 0, count = 0;
  const bool is_partial = std::ifstream(map) >> first >> outside >> count && count < UINT32_MAX;
  return is_partial && std::ifstream(overflow) >> nobody && nobody == id
             ? " (or to one that this name space lacks, which means nothing here)"
             : "";
}

// Returns the end of a sentence if the program would run with another user or group ID than its
// caller, else an empty string.
std::string OtherId(const std::string& path, const struct stat& status) {
  const bool is_heeded = HeedsRights(path) && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
  const bool has_ids = is_heeded && IsThere("/proc/self/uid_map", status.st_uid) &&
                       IsThere("/proc/self/gid_map", status.st_gid);
  const bool sets_user = has_ids && (status.st_mode & S_ISUID) != 0;
  // Without group execute permission, the bit does not mean set-group-ID.
  const bool sets_group = has_ids && (status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
  const auto user = sets_user ? status.st_uid : geteuid();
  const auto group = sets_group ? status.st_gid : getegid();
  if (user != getuid()) {
    return absl::StrCat(sets_user ? "set-user-id to user " : "run with the rights of user ", user,
                        OrNobody("/proc/self/uid_map", "/proc/sys/kernel/overflowuid", user),
                        ", and its caller is user ", getuid());
  }
  if (group != getgid()) {
    return absl::StrCat(sets_group ? "set-group-id to group " : "run with the rights of group ",
                        group,
                        OrNobody("/proc/self/gid_map", "/proc/sys/kernel/overflowgid", group),
                        ", and its caller is of group ", getgid());
  }
  return std::string();
}

// Returns true if the file gives capabilities to a caller other than root, for whom the kernel does
// not set AT_SECURE. With no_new_privs the capabilities are not granted, but AT_SECURE is set.
bool GivesCapabilities(const std::string& path) {
  // Layout of vfs_cap_data in linux/capability.h: a word of version and effective flag, the words
  // of permitted and inheritable capabilities, and both again, all little-endian.
  constexpr unsigned char kInEffect = 1;
  constexpr size_t kWords = 5;
  unsigned char bytes[4 * (kWords + 1)] = {};
  if (getuid() == 0 || getxattr(path.c_str(), "security.capability", bytes, sizeof bytes) <= 0) {
    return false;
  }
  const auto word = [&bytes](size_t number) {
    const unsigned char* const at = bytes + 4 * number;
    return at[0] | unsigned{at[1]} << 8 | unsigned{at[2]} << 16 | unsigned{at[3]} << 24;
  };
  __user_cap_header_struct version = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct own[2] = {};
  syscall(SYS_capget, &version, own);
  return (bytes[0] & kInEffect) != 0 || (word(1) | word(3)) != 0 ||
         ((word(2) & own[0].inheritable) | (word(4) & own[1].inheritable)) != 0;
}

}  // namespace

std::string WhyOnGuard(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return std::string();
  constexpr absl::string_view kIgnored =
      ". The loader ignores LD_PRELOAD in programs with other rights than their caller's. ";
  if (const std::string other = OtherId(path, status); !other.empty()) {
    return absl::StrCat(" is ", other, kIgnored, "Start winnow run as that user and group");
  }
  if (HeedsRights(path) && GivesCapabilities(path)) {
    return absl::StrCat(" has file capabilities (getcap shows them)", kIgnored,
                        "Start winnow run as root, or a copy of the file: it has none, and "
                        "systemd's AmbientCapabilities= gives them in another way");
  }
  return std::string();
}

}  // namespace winnow::inspect
