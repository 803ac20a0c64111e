#include "tools/winnow/findings/family_flag.h"

#include <absl/flags/flag.h>
#include <absl/strings/str_join.h>
#include <absl/strings/string_view.h>

#include "tools/winnow/cli/kept_values.h"

namespace winnow::tools {
namespace {

struct FamilyList {
  std::vector<std::string> texts;
};

bool AbslParseFlag(absl::string_view text, FamilyList* list, std::string*) {
  static auto* all = new std::vector<std::string>;
  Keep(std::string(text), all);
  list->texts = *all;
  return true;
}

std::string AbslUnparseFlag(const FamilyList& list) { return absl::StrJoin(list.texts, ","); }

}  // namespace
}  // namespace winnow::tools

WINNOW_SHARED_FLAG(
    kFamilyFlag, winnow::tools::FamilyList, cf, {}, TextValue("NAME"),
    "only files of this column family; for several the flag is repeated, or has a list with "
    "commas; a name that has a comma is given by itself");

namespace winnow::tools {

std::vector<std::string> FamiliesOfFlags() { return absl::GetFlag(FLAGS_cf).texts; }

}  // namespace winnow::tools
