// A program that is compiled with these headers, for a library whose structs may have grown since:
// it builds filters and asks them as before. The argument is "grown" where the library that it is
// started with has another option, added_later, with a range of 7 to 9; else it is "same".

#include <cstring>
#include <string>

#include "tests/interface/fenced.h"
#include "winnow/builder.h"
#include "winnow/candidates.h"
#include "winnow/filter.h"
#include "winnow/filter_set.h"
#include "winnow/range_filter.h"
#include "winnow/winnow.h"

namespace {

using winnow::testing::Expect;
using winnow::testing::Fenced;

// These never grow: programs have them in arrays, return them and read them by inline functions.
static_assert(sizeof(winnow::KeyHash) == 8);
static_assert(sizeof(winnow::FilterBlock) == 16 && sizeof(winnow::PlacedBlock) == 24);
static_assert(sizeof(winnow::FilterBuilder) == 256 && sizeof(winnow::FilterView) == 120);
static_assert(sizeof(winnow::FilterSet) == 16 && sizeof(winnow::FilterSetEdit) == 24);
static_assert(sizeof(winnow::IndexRange) == 16 && sizeof(winnow::UnusableFilter) == 24);
static_assert(sizeof(winnow::WordSpan) == 16 && sizeof(winnow::ConstWordSpan) == 16);
static_assert(sizeof(winnow::CandidateList) == 16 && sizeof(winnow::CandidateRows) == 32);
static_assert(sizeof(winnow::RangeFilterBuilder) == 512 && sizeof(winnow::RangeFilterView) == 168);

bool HasOption(const std::string& name) {
  for (size_t i = 0; winnow_option_name(i) != nullptr; ++i) {
    if (winnow_option_name(i) == name) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  Expect(argc == 2, "the argument is grown or same");
  Expect(HasOption("added_later") == (std::strcmp(argv[1], "grown") == 0),
         "the library that is loaded is the one that was asked for");

  Fenced<winnow::FilterOptions> asked;
  asked.own.bits_per_key = 12;
  asked.own.kind = winnow::FilterKind::kRibbon;
  asked.own.level_plan = winnow::LevelPlan::kByLevel;
  asked.own.levels_below = 1.5;
  asked.own.absent_share = 0.5;
  std::string problem = winnow::CheckOptions(asked.own);
  Expect(problem.empty(), "what it doesn't give is at its default", problem.c_str());
  Expect(winnow::NeedsFilter(asked.own), "a level above the last one needs a filter");
  asked.own.levels_below = 0;
  asked.own.absent_share = 0;
  Expect(!winnow::NeedsFilter(asked.own), "a last level that is never asked in vain needs none");
  asked.own.bits_per_key = 99;
  problem = winnow::CheckOptions(asked.own);
  Expect(problem == "bits_per_key is 99, but must be from 1 to 32", "a bad value is refused",
         problem.c_str());

  // Its own options reach the builder, each in its place.
  asked.own.bits_per_key = 12;
  asked.own.levels_below = 1.5;
  asked.own.absent_share = 0.5;
  winnow::FilterBuilder builder{winnow::FilterOptions()};
  for (int round = 0; round < 2; ++round) {
    if (round == 0) {
      builder = winnow::FilterBuilder(asked.own);
    } else {
      asked.own.kind = winnow::FilterKind::kBloom;
      builder.SetOptions(asked.own);
    }
    for (int i = 0; i < 10000; ++i) builder.Add(winnow::HashKey("key " + std::to_string(i)));
    const winnow::FilterBlock block = builder.Finish();
    const winnow::FilterView filter(block.bytes());
    for (int i = 0; i < 10000; ++i) {
      Expect(filter.MayContain(winnow::HashKey("key " + std::to_string(i))), "each key is found");
    }
    Fenced<winnow::FilterInfo> info;
    info.own = filter.info();
    Expect(info.own.kind == *asked.own.kind, "the filter is of the kind that was asked for");
    Expect(info.own.num_hashes == 10000 && info.own.size_bytes == block.size, "it has all keys");
    Expect(info.own.level_plan == winnow::LevelPlan::kByLevel && info.own.levels_below == 1.5,
           "it has the plan that was asked for");
    Expect((info.own.probes > 0) == (round == 1) && (info.own.columns > 0) == (round == 0),
           "the last members say what they mean");
    Expect(info.IsIntact(), "nothing is written behind what it asked for");
  }
  Expect(asked.IsIntact(), "its options stay");

  Fenced<winnow::RangeFilterOptions> range_asked;
  range_asked.own.range_bits = 9;
  winnow::RangeFilterBuilder range_builder(range_asked.own);
  for (int i = 10000; i < 20000; ++i) range_builder.Add(std::to_string(i * 3));
  const winnow::FilterBlock range_filter = range_builder.Finish();
  const winnow::RangeFilterView ranges(range_filter.bytes());
  Expect(ranges.MayContain("30000", "30001"), "each key's range is found");
  Fenced<winnow::RangeFilterInfo> range_info;
  range_info.own = ranges.info();
  Expect(range_info.own.num_keys == 10000 && range_info.own.range_bits == 9,
         "the range filter is the one that was asked for");
  Expect(range_info.IsIntact() && range_asked.IsIntact(), "nothing is written behind its structs");
  std::printf("core: all is well with libwinnow %s (%s)\n", winnow::Version(), argv[1]);
  return 0;
}
