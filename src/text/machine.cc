#include "src/text/machine.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <thread>

namespace winnow::inspect {
namespace {

std::string Processor() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, 10, "model name") != 0) continue;
    const size_t colon = line.find(':');
    if (colon == std::string::npos) break;
    std::string name = line.substr(colon + 1);
    absl::StripAsciiWhitespace(&name);
    return name;
  }
  return "unknown";
}

}  // namespace

Machine ThisMachine() {
  Machine machine;
  machine.processor = Processor();
  machine.threads = std::thread::hardware_concurrency();
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) {
    machine.memory_bytes = static_cast<uint64_t>(pages) * static_cast<uint64_t>(page);
  }
  utsname name{};
  if (uname(&name) == 0) {
    machine.system = absl::StrCat(name.sysname, " ", name.release, " ", name.machine);
  }
  return machine;
}

}  // namespace winnow::inspect
