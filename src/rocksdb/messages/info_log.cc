#include "src/rocksdb/messages/info_log.h"

#include <set>

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::InfoLogLevel;
using ROCKSDB_NAMESPACE::Logger;

void WriteInLog(Logger* logger, InfoLogLevel level, const std::string& text) {
  ROCKSDB_NAMESPACE::Log(level, logger, "[winnow] %s", text.c_str());
}

// Counts per database, not per policy: each column family may have a policy, and one open makes
// several.
bool IsNewInLog(const Logger& logger, const std::string& text) {
  constexpr size_t kMaxTexts = 256;
  // Never destroyed: databases may be closed after static objects are destroyed.
  static auto& said = *new LogMemory<std::set<std::string>>;
  return said.Visit(logger, [&text](std::set<std::string>* texts) {
    const bool is_new = texts->insert(text).second;
    if (texts->size() > kMaxTexts) *texts = {text};
    return is_new;
  });
}

void WarnOnceInLog(Logger* logger, const std::string& text) noexcept {
  try {
    if (logger != nullptr && IsNewInLog(*logger, text)) {
      WriteInLog(logger, InfoLogLevel::WARN_LEVEL, text);
    }
  } catch (...) {
    // A missing line in the LOG is better than a failed open or flush.
  }
}

bool LogTimes::Write(Logger* logger, InfoLogLevel level, std::chrono::seconds interval,
                     bool at_first, std::chrono::steady_clock::time_point now,
                     const std::function<std::string()>& compose) noexcept {
  try {
    std::string line;
    const bool is_due = logger != nullptr && times_.Visit(*logger, [&](auto* time) {
      if (*time ? now - **time >= interval : at_first) line = compose();
      if (!*time || !line.empty()) *time = now;
      return !line.empty();
    });
    if (is_due) WriteInLog(logger, level, line);
    return is_due;
  } catch (...) {
    return false;  // a missing line in the LOG is better than a failed flush
  }
}

}  // namespace winnow::plugin
