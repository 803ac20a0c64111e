#include "src/rocksdb/log_line.h"

#include <set>

#include "src/rocksdb/hash_guard.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/version_guard.h"
#include "src/simd/kernels.h"
#include "winnow/version.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::InfoLogLevel;
using ROCKSDB_NAMESPACE::Logger;

namespace {

std::string Reading(const char* name, const std::string& builds) {
  return "reads Winnow's and RocksDB's filters for policy " + std::string(name) + ", which " +
         builds;
}

std::string Refusal(const char* name, const std::string& complaint) {
  return "filter policy " + std::string(name) + " can't be as it was asked for (" + complaint +
         ") and builds its filters with ";
}

// Lines of all policies in one log.
struct LinesInLog {
  std::set<std::string> all;
  std::string last;
};

LogMemory<LinesInLog>& Lines() {
  // Never destroyed: databases may be closed after static objects are destroyed.
  static auto& lines = *new LogMemory<LinesInLog>;
  return lines;
}

// Returns whether the line is to be written: it is new in the log or, if it tells of a change, not
// the last line there.
bool IsNews(const Logger& logger, const std::string& line, bool is_change) {
  constexpr size_t kMaxLines = 256;
  return Lines().Visit(logger, [&](LinesInLog* of_log) {
    const bool is_new = of_log->all.insert(line).second;
    if (of_log->all.size() > kMaxLines) of_log->all = {line};
    if (!is_new && (!is_change || of_log->last == line)) return false;
    of_log->last = line;
    return true;
  });
}

void Complain(Logger* logger, const std::string& text, bool was_said) {
  if (logger == nullptr) {
    // Files that are written outside of a database (SstFileWriter) have no log. A program may make
    // a policy for each.
    SayOnceOnStderr(text);
  } else if (IsNewInLog(*logger, text)) {
    if (!was_said) {
      SayOnStderr(text);
    }
    WriteInLog(logger, InfoLogLevel::WARN_LEVEL, text);
  }
}

}  // namespace

void LogLine::Write(Logger* logger, const std::string& text, const std::string& said) {
  if (logger == nullptr) return;
  if (!HashProblem().empty()) {
    WarnOnceInLog(logger, HashProblem());
    return;
  }
  // Each call visits the log, so that the size tells when it begins again.
  Lines().Visit(*logger, [](LinesInLog* /*lines*/) { return true; });
  std::string line;
  bool is_change = !before_.empty() && before_ != text;
  const bool is_due = written_.Visit(*logger, [&](std::optional<std::string>* last) {
    if (*last == text) return false;
    // Composed before it is stored as the last line: if this throws bad_alloc, the line is due
    // again.
    line = std::string(Version()) + " " + said + " (RocksDB " + CompiledVersion() + ", kernels " +
           simd::ActiveKernels().name + ")";
    is_change = is_change || last->has_value();
    *last = text;
    return true;
  });
  if (is_due && IsNews(*logger, line, is_change))
    WriteInLog(logger, InfoLogLevel::INFO_LEVEL, line);
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
    // A missing line in the LOG is better than a failed flush.
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
