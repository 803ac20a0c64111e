#include "tools/winnow/findings/traced_keys.h"

#include <absl/flags/flag.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/db.h>

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "src/database/table_paths.h"
#include "src/database/tree_levels.h"
#include "src/text/key_list.h"
#include "tools/winnow/findings/table_arguments.h"

namespace winnow::tools {
namespace {

// Returns the ID of the column family, or nullopt if no path is a database that has the family.
std::optional<uint32_t> FamilyNumber(const std::string& name,
                                     const std::vector<std::string>& paths) {
  if (name == ROCKSDB_NAMESPACE::kDefaultColumnFamilyName) {
    return 0;
  }
  for (const inspect::TablePath& path : inspect::ExpandPaths(paths)) {
    std::error_code code;
    if (!std::filesystem::is_directory(path.path, code)) continue;
    const inspect::TreeLevels tree = inspect::ReadTreeLevels(path.path, {}, {});
    if (const auto found = tree.family_ids.find(name); found != tree.family_ids.end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

std::string VisitTracedKeys(const std::string& path, VisitKey visit,
                            std::vector<std::string>* warnings,
                            const std::vector<std::string>& databases,
                            const inspect::VisitSeek& visit_seek) {
  if (absl::GetFlag(FLAGS_hex)) {
    return absl::StrCat(path, " is a RocksDB trace, and --hex is for lists of lines: leave it out");
  }
  const std::vector<std::string> families = FamiliesOfFlags();
  if (families.size() > 1) {
    return absl::StrCat(path,
                        " is a trace of RocksDB's, of which the lookups of one column family are "
                        "taken, and --cf is there several times");
  }
  const std::string family =
      families.empty() ? ROCKSDB_NAMESPACE::kDefaultColumnFamilyName : families.front();
  const std::optional<uint32_t> number = FamilyNumber(family, databases);
  if (!number) {
    return absl::StrCat(path,
                        " is a trace of RocksDB's, which has column families by number, and the "
                        "number of '",
                        family, "' is not known: no path is a database that has this family");
  }
  inspect::TraceNotes notes;
  const std::string problem = inspect::VisitTrace(
      path, *number,
      [&visit](absl::string_view key) {
        visit({key.data(), key.size()});
      },
      &notes, visit_seek);
  if (!problem.empty()) {
    return problem;
  }
  const std::string sentence = notes.Sentence();
  if (notes.lookups + notes.taken_seeks == 0) {
    return absl::StrCat(path, " has no lookups of the column family '", family, "'",
                        sentence.empty() ? "" : absl::StrCat(": ", sentence),
                        families.empty() ? "; --cf names another" : "");
  }
  if (!sentence.empty()) {
    warnings->push_back(absl::StrCat(path, ": ", sentence));
  }
  return std::string();
}

// Reader of traces for verbs that use only the keys.
std::string ReadTraceKeys(const std::string& path, VisitKey visit,
                          std::vector<std::string>* warnings,
                          const std::vector<std::string>& databases) {
  return VisitListedKeys(path, visit, warnings, databases, nullptr);
}

[[maybe_unused]] const bool has_reader = AddTraceReader(ReadTraceKeys);

}  // namespace

std::string VisitListedKeys(const std::string& path, VisitKey visit,
                            std::vector<std::string>* warnings,
                            const std::vector<std::string>& databases,
                            const inspect::VisitSeek& visit_seek) {
  if (inspect::IsTraceFile(path)) {
    return VisitTracedKeys(path, visit, warnings, databases, visit_seek);
  }
  return VisitListedKeys(path, visit, warnings, databases);
}

}  // namespace winnow::tools
