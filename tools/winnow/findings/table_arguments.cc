#include "tools/winnow/findings/table_arguments.h"

#include <absl/flags/flag.h>
#include <absl/strings/str_join.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "src/cli/flags.h"
#include "src/database/read_tables.h"
#include "src/database/table_paths.h"
#include "src/text/printable.h"
#include "tools/winnow/findings/families.h"

namespace winnow::tools {
namespace {

struct PathFlag;
struct FamilyFlag;

// Values of all occurrences of a flag, each once; Abseil keeps the last one only. Each flag has its
// own `Name`. The default is the empty text, which a verb's command line can't have.
template <typename Name>
struct KeptTexts {
  std::vector<std::string> texts;
};

template <typename Name>
bool AbslParseFlag(absl::string_view text, KeptTexts<Name>* kept, std::string*) {
  static auto* all = new std::vector<std::string>;
  if (!text.empty() && std::find(all->begin(), all->end(), text) == all->end()) {
    all->emplace_back(text);
  }
  kept->texts = *all;
  return true;
}

template <typename Name>
std::string AbslUnparseFlag(const KeptTexts<Name>& kept) {
  return absl::StrJoin(kept.texts, ",");
}

}  // namespace
}  // namespace winnow::tools

WINNOW_SHARED_FLAG(kJobsFlag, int, jobs, 0, WholeValue("N", 0, 1024),
                   "files to read at once; 0: as many as the machine has processors");
WINNOW_SHARED_FLAG(kPathFlag, winnow::tools::KeptTexts<winnow::tools::PathFlag>, path, {},
                   TextValue("FOLDER"),
                   "a folder in which a database with db_paths or cf_paths has SST files; for "
                   "several folders, repeat the flag, in any order");
WINNOW_SHARED_FLAG(kFamilyFlag, winnow::tools::KeptTexts<winnow::tools::FamilyFlag>, cf, {},
                   TextValue("NAME"),
                   "only files of this column family; for several, repeat the flag or put commas "
                   "between them; a name with a comma needs a flag of its own");

namespace winnow::tools {
namespace {

int ProcessesFor(int jobs) {
  return jobs > 0 ? jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// Sets the column families of tables outside of databases, which their properties name.
void FindFamilies(std::vector<inspect::ListedTable>* tables) {
  std::vector<std::string> paths;
  std::vector<inspect::ListedTable*> unnamed;
  for (inspect::ListedTable& table : *tables) {
    if (table.column_family.empty() && !table.error) {
      paths.push_back(table.path);
      unnamed.push_back(&table);
    }
  }
  inspect::TableReading reading;
  reading.workers = Jobs();
  reading.read = inspect::ReadSstWithoutItsFilter;
  std::vector<inspect::SstReport> reports = inspect::ReadTables(paths, reading);
  for (size_t i = 0; i < reports.size(); ++i) {
    unnamed[i]->column_family = std::move(reports[i].column_family);
  }
}

}  // namespace

std::vector<std::string> TableFolders() { return absl::GetFlag(FLAGS_path).texts; }

std::vector<std::string> FamiliesOfFlags() { return absl::GetFlag(FLAGS_cf).texts; }

Tables TablesOf(const std::vector<std::string>& paths) {
  Tables tables;
  std::set<std::string> known;
  inspect::RealPaths real_paths;
  const int workers = Jobs();
  for (const inspect::TablePath& path : inspect::ExpandPaths(paths)) {
    if (!path.error.empty()) {
      tables.tables.push_back({path.path, std::nullopt, path.error});
      continue;
    }
    inspect::TableList list = inspect::ListTables(path.path, TableFolders(), workers);
    tables.trees_read = tables.trees_read && list.warnings.empty();
    for (const auto* sentences : {&list.warnings, &list.remarks}) {
      std::transform(sentences->begin(), sentences->end(), std::back_inserter(tables.warnings),
                     [](const std::string& sentence) { return inspect::Printable(sentence); });
    }
    for (inspect::ListedTable& table : list.tables) {
      if (known.insert(real_paths.Of(table.path)).second) {
        tables.tables.push_back(std::move(table));
      }
    }
  }
  return tables;
}

std::set<std::string> KnownFamilies(const std::vector<inspect::ListedTable>& tables) {
  std::set<std::string> names;
  for (const inspect::ListedTable& table : tables) {
    if (!table.column_family.empty()) {
      names.insert(table.column_family);
    }
  }
  return names;
}

bool IsOfOtherFamily(const inspect::ListedTable& table, const std::set<std::string>& names) {
  const std::vector<std::string> wanted = inspect::FamiliesNamed(FamiliesOfFlags(), names);
  return !wanted.empty() && !table.column_family.empty() &&
         std::find(wanted.begin(), wanted.end(), table.column_family) == wanted.end();
}

Tables TablesOfFamilies(const std::vector<std::string>& paths, std::string* problem) {
  Tables tables = TablesOf(paths);
  FindFamilies(&tables.tables);
  const std::set<std::string> names = KnownFamilies(tables.tables);
  *problem = inspect::UnknownFamilies(names, inspect::FamiliesNamed(FamiliesOfFlags(), names));
  tables.tables.erase(std::remove_if(tables.tables.begin(), tables.tables.end(),
                                     [&names](const inspect::ListedTable& table) {
                                       return IsOfOtherFamily(table, names);
                                     }),
                      tables.tables.end());
  return tables;
}

bool IsPathArgument(const std::string& argument) { return inspect::NamesPath(argument); }

int Jobs() { return ProcessesFor(absl::GetFlag(FLAGS_jobs)); }

}  // namespace winnow::tools
