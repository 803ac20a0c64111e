#include "db_bench_ext/read_amplification/system/free_room.h"

#include <absl/strings/strip.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace winnow::bench {
namespace {

namespace fs = std::filesystem;

std::optional<uint64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // including for "max"
}

std::optional<uint64_t> MachineMemory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  uint64_t kilobytes = 0;
  while (file >> name >> kilobytes) {
    if (name == "MemAvailable:") return kilobytes * 1024;
    std::getline(file, unit);
  }
  return std::nullopt;
}

// Returns the memory within a control group's limit. File pages count as used but are reclaimable.
std::optional<uint64_t> GroupMemory() {
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    absl::string_view path = line;
    if (!absl::ConsumePrefix(&path, "0::")) continue;
    const std::string folder = "/sys/fs/cgroup" + std::string(path);
    const auto most = NumberIn(folder + "/memory.max");
    const auto used = NumberIn(folder + "/memory.current");
    if (!most || !used) return std::nullopt;
    uint64_t cached = 0;
    std::ifstream stat(folder + "/memory.stat");
    std::string name;
    uint64_t bytes = 0;
    while (stat >> name >> bytes) {
      if (name == "inactive_file") cached = bytes;
    }
    const uint64_t held = *used - std::min(*used, cached);
    return *most - std::min(*most, held);
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> AvailableMemory() {
  const std::optional<uint64_t> machine = MachineMemory();
  const std::optional<uint64_t> group = GroupMemory();
  if (!machine || !group) return machine ? machine : group;
  return std::min(*machine, *group);
}

std::optional<uint64_t> FreeDisk(const std::string& folder) {
  std::error_code error;
  fs::path path = fs::absolute(folder.empty() ? "." : folder, error);
  while (!error && !fs::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  const fs::space_info space = fs::space(path, error);
  if (error) return std::nullopt;
  return space.available;
}

}  // namespace winnow::bench
