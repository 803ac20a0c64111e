#include "tools/winnow/findings/families.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "src/text/printable.h"

namespace winnow::inspect {

std::set<std::string> FamiliesOf(const std::vector<SstReport>& files) {
  std::set<std::string> names;
  for (const SstReport& file : files) {
    if (!file.column_family.empty()) {
      names.insert(file.column_family);
    }
  }
  return names;
}

std::string UnknownFamilies(const std::set<std::string>& names,
                            const std::vector<std::string>& wanted) {
  std::set<std::string> known;
  for (const std::string& name : names) {
    known.insert(Printable(name));
  }
  std::vector<std::string> unknown;
  for (const std::string& family : wanted) {
    if (known.count(Printable(family)) == 0) {
      unknown.push_back(Printable(family));
    }
  }
  return unknown.empty()
             ? std::string()
             : absl::StrCat("no file is of the column family ", absl::StrJoin(unknown, ", "),
                            "; there are: ",
                            known.empty() ? "none that is known" : absl::StrJoin(known, ", "));
}

}  // namespace winnow::inspect
