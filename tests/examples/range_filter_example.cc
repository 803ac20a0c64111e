// Builds a range filter of three keys, stores it with a filter, and asks both.
#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/range_filter.h"

int main() {
  winnow::FilterBuilder filter_builder{winnow::FilterOptions{}};
  winnow::RangeFilterBuilder range_builder{winnow::RangeFilterOptions{}};
  for (const char* key : {"user0017", "user0018", "user0042"}) {
    filter_builder.Add(winnow::HashKey(key));
    range_builder.Add(key);
  }
  const winnow::FilterBlock filter = filter_builder.Finish();
  const winnow::FilterBlock range_filter = range_builder.Finish();
  const winnow::FilterBlock block = winnow::WithRangeFilter(filter.bytes(), range_filter.bytes());

  const winnow::FilterView keys(block.bytes());
  const winnow::RangeFilterView ranges(winnow::RangeFilterOf(block.bytes()));
  const bool is_right = keys.MayContain(winnow::HashKey("user0042")) &&
                        ranges.MayContain("user0010", "user0018") &&
                        !ranges.MayContain("user0020", "user0030");
  return is_right ? 0 : 1;
}
