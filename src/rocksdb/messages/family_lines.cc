#include "src/rocksdb/messages/family_lines.h"

#include <mutex>

#include "src/rocksdb/messages/info_log.h"
#include "src/rocksdb/messages/stderr_line.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::InfoLogLevel;
using ROCKSDB_NAMESPACE::Logger;

std::string Subject(const std::vector<std::string>& families, const std::string& of) {
  if (families.size() == 1) return "column family " + families.front() + of;
  std::string names;
  for (size_t i = 0; i < families.size() && i < FamilyLines::kMostNamed; ++i) {
    names += (i == 0 ? "" : ", ") + families[i];
  }
  if (families.size() > FamilyLines::kMostNamed) names += ", ...";
  return "each of " + std::to_string(families.size()) + " column families" + of + " (" + names +
         ")";
}

}  // namespace

std::string FamilyLines::Next(const std::vector<std::string>& families, const std::string& of,
                              const std::string& end) {
  if (families.empty()) return {};
  std::set<std::string>& lines = lines_[end];
  std::string line = Subject(families, of) + " " + end;
  if (lines.size() == kMostLines || !lines.insert(line).second) return {};
  if (lines.size() == kMostLines) line += "; further column families like it are not named";
  return line;
}

void WarnOfFamiliesInLog(Logger* logger, const std::vector<std::string>& families,
                         const std::string& end) noexcept {
  try {
    if (logger == nullptr) return;
    // Never destroyed: databases may be closed after static objects are destroyed.
    static auto& all = *new LogMemory<FamilyLines>;
    std::string line;
    all.Visit(*logger, [&](FamilyLines* lines) {
      line = lines->Next(families, "", end);
      return true;
    });
    if (!line.empty()) WriteInLog(logger, InfoLogLevel::WARN_LEVEL, line);
  } catch (...) {
    // A missing line in the LOG is better than a failed open or flush.
  }
}

void SayFamiliesOnStderr(const std::string& database, const std::vector<std::string>& families,
                         const std::string& end) noexcept {
  try {
    static std::mutex& mutex = *new std::mutex;
    static auto& all = *new std::map<std::string, FamilyLines>;
    const std::lock_guard<std::mutex> lock(mutex);
    // A process writes no more lines than this.
    if (all.size() == kMaxStderrLines && all.count(database) == 0) return;
    const std::string line = all[database].Next(families, " of " + database, end);
    if (!line.empty()) SayOnStderr(line);
  } catch (...) {
  }
}

}  // namespace winnow::plugin
