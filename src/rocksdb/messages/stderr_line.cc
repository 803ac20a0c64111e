#include "src/rocksdb/messages/stderr_line.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>

#include "src/base/stderr_line.h"
#include "src/base/switch.h"

namespace winnow::plugin {

void SayOnStderr(const std::string& line) noexcept {
  static std::atomic<size_t> number{0};
  const size_t before = number.fetch_add(1, std::memory_order_relaxed);
  if (before < kMaxStderrLines) {
    base::StderrLine whole;
    whole.Add(line.c_str());
    if (before + 1 == kMaxStderrLines) {
      whole.Add("; further lines of this process are left out");
    }
    whole.Write();
  }
}

void SayOnceOnStderr(const std::string& line) noexcept {
  try {
    // Never destroyed: policies live as long as databases that a program does not close.
    static std::mutex& mutex = *new std::mutex;
    static std::set<std::string>& said = *new std::set<std::string>;
    const std::lock_guard<std::mutex> lock(mutex);
    if (said.size() < kMaxStderrLines && said.insert(line).second) {
      SayOnStderr(line);
    }
  } catch (...) {
  }
}

bool IsLogging() noexcept {
  static const bool is_logging = base::IsOn(std::getenv("WINNOW_LOG"));
  return is_logging;
}

std::string Quoted(std::string_view text) {
  char quoted[base::kMaxQuotedSize];
  return std::string(quoted, base::Quote(text.data(), text.size(), quoted));
}

}  // namespace winnow::plugin
