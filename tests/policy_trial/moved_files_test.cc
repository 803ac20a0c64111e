#include "src/policy_trial/moved_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace winnow::inspect {
namespace moved_files_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kAuto[] = "{id=winnow;bits_per_key=10;level_plan=auto}";

TreeShape Shape(const std::string& policy) {
  TreeShape shape;
  shape.policy = policy;
  shape.has_dynamic_levels = true;
  return shape;
}

FileInTree File(int level, int below, double rate, uint64_t bytes, const BuiltFor& built_for) {
  FileInTree file;
  file.level = level;
  file.below = below;
  file.keys = 100'000;
  file.filter_bytes = bytes;
  file.rate = rate;
  file.built_for = built_for;
  return file;
}

const FileInTree kLast = File(6, -1, 0.0117, 82'000, {6, 0.0117, "auto", 0});
const FileInTree kByWriter = File(5, 6, 0.0096, 86'000, {-1, 0.0096, "uniform", -1});
const FileInTree kFromAbove = File(6, -1, 0.0003, 145'000, {4, 0.0003, "auto", 2});

std::vector<std::string> Said(const std::string& policy, const std::vector<FileInTree>& files) {
  return SayMovedFilters(Shape(policy), files, "");
}

TEST(MovedFilesTest, FiltersOfSstFileWriterAreWeakAboveTheLastLevel) {
  EXPECT_THAT(Said(kAuto, {kByWriter, kLast}),
              ElementsAre(AllOf(HasSubstr("1 file with 100000 keys, on level 5, has"),
                                HasSubstr("more false reads"), HasSubstr("level_plan=auto"))));
  FileInTree on_last = kByWriter;
  on_last.level = 6;
  on_last.below = -1;
  EXPECT_THAT(Said(kAuto, {on_last, kLast}), IsEmpty());  // little is lost there
}

TEST(MovedFilesTest, FiltersOfSmallLevelsAreLargeBelow) {
  EXPECT_THAT(Said(kAuto, {kFromAbove, kLast}),
              ElementsAre(AllOf(HasSubstr("on level 6, has"), HasSubstr("KiB more"))));
  FileInTree in_place = kFromAbove;
  in_place.built_for->level = 6;
  EXPECT_THAT(Said(kAuto, {in_place, kLast}), IsEmpty());
  FileInTree by_files = kFromAbove;
  by_files.built_for->levels_below = -1;
  EXPECT_THAT(Said(kAuto, {by_files, kLast}), IsEmpty());
}

// A file with another database's plan, in a database without a plan.
TEST(MovedFilesTest, PlannedFiltersAreSaidWhereThePolicyHasNoPlan) {
  const char* const uniform = "{id=winnow;level_plan=uniform}";
  EXPECT_THAT(Said(uniform, {kFromAbove, kLast}), ElementsAre(HasSubstr("(level_plan=uniform)")));
  EXPECT_THAT(Said(uniform, {kByWriter, kLast}), IsEmpty());
}

TEST(MovedFilesTest, FilesThatThePlanLeftWithoutFiltersAreSaidAboveTheLastLevel) {
  FileInTree without = File(5, 6, 1, 0, {});
  without.built_for.reset();
  EXPECT_THAT(Said(kAuto, {without, kLast}), IsEmpty());  // the file has no policy
  without.lacks_planned = true;
  EXPECT_THAT(Said(kAuto, {without, kLast}), ElementsAre(HasSubstr("or none")));
  without.level = 6;
  without.below = -1;
  EXPECT_THAT(Said(kAuto, {without, kLast}), IsEmpty());
}

TEST(MovedFilesTest, RatesThatWereLearnedAreOfNoPlace) {
  FileInTree learned = kFromAbove;
  learned.built_for = BuiltFor{4, 0.0003, "learned", -1};
  EXPECT_THAT(Said("{id=winnow;level_plan=learned}", {learned, kLast}), IsEmpty());
}

TEST(MovedFilesTest, NothingIsSaidWhereThePlanDoesNotSizeFilters) {
  EXPECT_THAT(Said("{id=winnow;level_plan=auto;filter_memory=1MiB}", {kByWriter, kLast}),
              IsEmpty());
  EXPECT_THAT(Said("bloomfilter:10", {kByWriter, kLast}), IsEmpty());
  EXPECT_THAT(Said("", {kByWriter, kLast}), IsEmpty());
  TreeShape universal = Shape(kAuto);
  universal.style = ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
  EXPECT_THAT(SayMovedFilters(universal, {kByWriter, kLast}, ""), IsEmpty());
}

}  // namespace moved_files_test
}  // namespace winnow::inspect
