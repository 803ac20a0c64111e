#include "tools/winnow/inspect/inspect_flags.h"

#include <absl/flags/flag.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/winnow/cli/flags.h"
#include "tools/winnow/cli/kept_values.h"
#include "tools/winnow/findings/family_flag.h"
#include "tools/winnow/findings/table_arguments.h"
#include "tools/winnow/findings/table_folders.h"

namespace winnow::tools {
namespace {

using inspect::FileOrder;

struct LevelList {
  std::vector<int> levels;
};

bool AbslParseFlag(absl::string_view text, LevelList* list, std::string* error) {
  static auto* all = new std::vector<int>;
  for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    int level = -1;
    if (!absl::SimpleAtoi(word, &level) || level < 0) {
      *error = absl::StrCat("'", word, "' is no level; levels are 0, 1, 2, ...");
      return false;
    }
    Keep(level, all);
  }
  list->levels = *all;
  return true;
}

std::string AbslUnparseFlag(const LevelList& list) { return absl::StrJoin(list.levels, ","); }

struct Order {
  FileOrder order = FileOrder::kAsRead;
};

constexpr std::pair<absl::string_view, FileOrder> kOrders[] = {
    {"path", FileOrder::kPath},   {"level", FileOrder::kLevel}, {"entries", FileOrder::kEntries},
    {"bytes", FileOrder::kBytes}, {"bits", FileOrder::kBits},   {"fpr", FileOrder::kFpr}};

bool AbslParseFlag(absl::string_view text, Order* order, std::string* error) {
  for (const auto& [name, value] : kOrders) {
    if (text == name) {
      order->order = value;
      return true;
    }
  }
  *error = "it can be path, level, entries, bytes, bits or fpr";
  return text.empty();
}

std::string AbslUnparseFlag(const Order& order) {
  for (const auto& [name, value] : kOrders) {
    if (order.order == value) {
      return std::string(name);
    }
  }
  return std::string();
}

}  // namespace
}  // namespace winnow::tools

WINNOW_SWITCH(inspect, summary, "list no files; the last line is how much is converted");
WINNOW_TAKES(inspect, kFamilyFlag);
WINNOW_FLAG(inspect, winnow::tools::LevelList, level, {},
            WholeListValue("N", 0, std::numeric_limits<int>::max()),
            "only files of this level; lists as for --cf");
WINNOW_FLAG(inspect, winnow::tools::Order, sort, {}, TextValue("FIELD"),
            "order of the files: path or level, or from the highest down entries, bytes, bits (a "
            "key) or fpr; else by level and path");
WINNOW_FLAG(inspect, std::optional<uint64_t>, limit, std::nullopt, WholeValue("N", 0, 1e15),
            "so many files are listed; sums are over all of them");
WINNOW_TAKES(inspect, kJsonFlag);
WINNOW_SWITCH(inspect, csv, "write comma-separated values (RFC 4180), one line a file");
WINNOW_FLAG(inspect, std::string, html, "", TextValue("FILE"),
            "write a page of sums, charts and files to this file as well; it needs nothing else");
WINNOW_TAKES(inspect, kPathFlag);
WINNOW_TAKES(inspect, kJobsFlag);

namespace winnow::tools {

inspect::FileSelection SelectionOfFlags() {
  inspect::FileSelection selection;
  selection.families = FamiliesOfFlags();
  selection.levels = absl::GetFlag(FLAGS_inspect_level).levels;
  selection.order = absl::GetFlag(FLAGS_inspect_sort).order;
  selection.limit = absl::GetFlag(FLAGS_inspect_summary) ? std::optional<uint64_t>(0)
                                                         : absl::GetFlag(FLAGS_inspect_limit);
  return selection;
}

}  // namespace winnow::tools
