#include "src/rocksdb/log_line.h"

#include <algorithm>

#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/stderr_line.h"
#include "src/rocksdb/version_guard.h"
#include "src/simd/kernels.h"
#include "winnow/version.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::InfoLogLevel;
using ROCKSDB_NAMESPACE::Logger;

namespace {

// What was said of a database, whichever of its policies it was about: column families may have
// one each, and one open makes several.
struct Said {
  const Logger* logger;  // only compared
  size_t size;           // of the log, when it was shown last
  std::string text;
};

bool IsDue(const Logger& logger, const std::string& text) {
  // Never destroyed: databases may be closed after static objects.
  static std::mutex& mutex = *new std::mutex;
  static auto& all = *new std::vector<Said>;
  const size_t size = logger.GetLogFileSize();
  const std::lock_guard<std::mutex> lock(mutex);
  all.erase(
      std::remove_if(all.begin(), all.end(),
                     [&](const Said& said) { return said.logger == &logger && size < said.size; }),
      all.end());
  for (Said& said : all) {
    if (said.logger == &logger && said.text == text) {
      said.size = size;
      return false;
    }
  }
  if (all.size() == LogLine::kMostLogs) {
    all.erase(all.begin());
  }
  all.push_back({&logger, size, text});
  return true;
}

std::string Reading(const char* name, const std::string& builds) {
  return "reads Winnow's and RocksDB's filters for policy " + std::string(name) + ", which " +
         builds;
}

std::string Refusal(const char* name, const std::string& complaint) {
  return "filter policy " + std::string(name) + " can't be as it was asked for (" + complaint +
         ") and builds its filters with ";
}

void Complain(Logger* logger, const std::string& text, bool was_said) {
  if (logger == nullptr) {
    // Of a file that is written for itself. A program may make a policy for each.
    SayOnceOnStderr(text);
  } else if (IsDue(*logger, text)) {
    if (!was_said) {
      SayOnStderr(text);
    }
    WriteInLog(logger, InfoLogLevel::WARN_LEVEL, text);
  }
}

}  // namespace

void WriteInLog(Logger* logger, InfoLogLevel level, const std::string& text) {
  ROCKSDB_NAMESPACE::Log(level, logger, "[winnow] %s", text.c_str());
}

void WarnOnceInLog(Logger* logger, const std::string& text) noexcept {
  try {
    if (logger != nullptr && IsDue(*logger, text)) {
      WriteInLog(logger, InfoLogLevel::WARN_LEVEL, text);
    }
  } catch (...) {
    // A missing line is better than a failed open or flush.
  }
}

bool LogTimes::IsDue(const Logger& logger, std::chrono::seconds interval, bool at_first,
                     std::chrono::steady_clock::time_point now) {
  const size_t size = logger.GetLogFileSize();
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = std::find_if(
      all_.begin(), all_.end(), [&logger](const Shown& shown) { return shown.logger == &logger; });
  if (known == all_.end()) {
    // Of more logs, the oldest are forgotten, and are as if they were new.
    if (all_.size() == LogLine::kMostLogs) all_.erase(all_.begin());
    all_.push_back({&logger, size, now});
    return at_first;
  }
  const bool is_new = size < known->size;
  const bool is_due = is_new ? at_first : now - known->time >= interval;
  known->size = size;
  if (is_new || is_due) known->time = now;
  return is_due;
}

bool LogLine::Note(const Logger& logger, const std::string& text) {
  const size_t size = logger.GetLogFileSize();
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = std::find_if(seen_.begin(), seen_.end(),
                                  [&logger](const Seen& seen) { return seen.logger == &logger; });
  if (known != seen_.end()) {
    const bool is_due = size < known->size || text != known->text;
    known->size = size;
    known->text = text;
    std::rotate(seen_.begin(), known, known + 1);
    return is_due;
  }
  if (seen_.size() == kMostLogs) {
    seen_.pop_back();
  }
  seen_.insert(seen_.begin(), {&logger, size, text});
  return true;
}

void LogLine::Write(Logger* logger, const std::string& text, const std::string& said) {
  if (logger != nullptr && Note(*logger, text)) {
    WriteInLog(logger, InfoLogLevel::INFO_LEVEL,
               std::string(Version()) + " " + said + " (RocksDB " + CompiledVersion() +
                   ", kernels " + simd::ActiveKernels().name + ")");
  }
}

void LogLine::AddToFirst(const std::string& text, bool is_warning) {
  const std::lock_guard<std::mutex> lock(mutex_);
  added_ = text;
  added_is_warning_ = is_warning;
  has_added_ = true;
}

void LogLine::WriteAdded(Logger* logger) {
  if (logger == nullptr || !has_added_.exchange(false)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  WriteInLog(logger, added_is_warning_ ? InfoLogLevel::WARN_LEVEL : InfoLogLevel::INFO_LEVEL,
             added_);
}

void LogLine::WriteOnce(Logger* logger, const char* name, const PolicyOptions& options,
                        const std::string& complaint) noexcept {
  try {
    const std::string text = ToString(options);
    const std::string refusal = complaint.empty() ? std::string() : Refusal(name, complaint) + text;
    if (!refusal.empty()) {
      has_complained_ = true;
      Complain(logger, refusal, was_said_without_log_.exchange(false));
    }
    Write(logger, refusal + text,
          options.build == Build::kWinnow
              ? "builds the filters of policy " + std::string(name) + ": " + text
              : Reading(name, "builds RocksDB's " + BuiltinPolicyId(options)));
    WriteAdded(logger);
  } catch (...) {
    // A missing line is better than a failed flush.
  }
}

void LogLine::WriteReadingOnce(Logger* logger, const char* name,
                               const std::string& builds) noexcept {
  try {
    const std::string said = Reading(name, builds);
    Write(logger, said, said);
  } catch (...) {
  }
}

void LogLine::ComplainOnce(const char* name, const PolicyOptions& options,
                           const std::string& complaint) noexcept {
  try {
    if (!complaint.empty() && !has_complained_.exchange(true)) {
      was_said_without_log_ = true;
      SayOnStderr(Refusal(name, complaint) + ToString(options));
    }
  } catch (...) {
  }
}

}  // namespace winnow::plugin
