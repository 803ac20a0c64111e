#include "tools/winnow/family_flag.h"

#include <absl/flags/flag.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include "tools/winnow/kept_values.h"

namespace winnow::tools {
namespace {

struct FamilyList {
  std::vector<std::string> names;
};

bool AbslParseFlag(absl::string_view text, FamilyList* list, std::string*) {
  static auto* all = new std::vector<std::string>;
  for (const absl::string_view name : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    Keep(std::string(name), all);
  }
  list->names = *all;
  return true;
}

std::string AbslUnparseFlag(const FamilyList& list) { return absl::StrJoin(list.names, ","); }

}  // namespace
}  // namespace winnow::tools

ABSL_FLAG(winnow::tools::FamilyList, cf, {},
          "only files of this column family; for several the flag is repeated, or has a list with "
          "commas");

namespace winnow::tools {

std::vector<std::string> FamiliesOfFlags() { return absl::GetFlag(FLAGS_cf).names; }

}  // namespace winnow::tools
