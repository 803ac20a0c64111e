// Policies tried on some or all of the files.

#include "tools/winnow/advise/advice_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/tools/advise/advised_databases.h"

namespace winnow::inspect {
namespace advice_rows_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class AdviceRowsTest : public AdvisedDatabase {};

TEST_F(AdviceRowsTest, OutOfTimeOneFileIsTried) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  AdviceOptions options = Quick();
  options.seconds = 1e-9;
  const Advice advice = AdviseOn(folder_ / "db", options);
  EXPECT_TRUE(advice.out_of_time);
  EXPECT_EQ(advice.tried_files, 1u);
  EXPECT_THAT(advice.assumptions, Contains(HasSubstr("--seconds=1e-09 were over")));
  options.seconds = 0;
  const Advice whole = AdviseOn(folder_ / "db", options);
  EXPECT_FALSE(whole.out_of_time);
  EXPECT_EQ(whole.tried_files, whole.files);
  EXPECT_NEAR(RowOf(advice, "winnow:10").bytes / RowOf(whole, "winnow:10").bytes, 1, 0.03);
  EXPECT_NEAR(RowOf(advice, "winnow:10").false_reads / RowOf(whole, "winnow:10").false_reads, 1,
              0.3);
}

TEST_F(AdviceRowsTest, ASampleIsNearTheWhole) {
  const Options database = MakeOptions(TableWith("bloomfilter:10"));
  Grow(OpenDatabase(database, folder_ / "db").get());
  const Advice whole = AdviseOn(folder_ / "db", Quick());
  ASSERT_GT(whole.files, 12u);
  EXPECT_EQ(whole.tried_files, whole.files);
  AdviceOptions options = Quick();
  options.sample_keys = whole.keys / 4;
  const Advice sample = AdviseOn(folder_ / "db", options);
  EXPECT_LT(sample.tried_files, whole.files / 2);
  EXPECT_NEAR(static_cast<double>(sample.tried_keys), static_cast<double>(options.sample_keys),
              0.5 * static_cast<double>(options.sample_keys));
  EXPECT_EQ(sample.rows.front().bytes, whole.rows.front().bytes);
  for (const char* policy : {"bloomfilter:10", "winnow:10"}) {
    EXPECT_NEAR(RowOf(sample, policy).bytes / RowOf(whole, policy).bytes, 1, 0.02) << policy;
    EXPECT_NEAR(RowOf(sample, policy).false_reads / RowOf(whole, policy).false_reads, 1, 0.25)
        << policy;
  }
  EXPECT_THAT(sample.assumptions, Contains(HasSubstr("a sample of the files")));
  options.sample_keys = 1;
  EXPECT_EQ(AdviseOn(folder_ / "db", options).tried_files, 1u);
}

// Files that a database in use deletes between two steps.
class GoneFilesTest : public AdvisedDatabase {
 protected:
  // Deletes files once all lookups are asked.
  Advice AdviseWhileFilesGo(size_t left) {
    const std::vector<AdviceTable> tables = TablesOf(folder_ / "db");
    AdviceOptions options = Quick();
    options.seconds = 1e-9;
    std::string problem;
    Advice advice = Advise(
        tables, options,
        [&](const AdviceStep& step) {
          if (step.name == "building filters" && step.done == 0) {
            for (size_t i = 0; i + left < tables.size(); ++i) {
              std::filesystem::remove(tables[i].path);
            }
          }
        },
        &problem);
    EXPECT_THAT(problem, IsEmpty());
    EXPECT_GT(tables.size(), 12u);
    return advice;
  }
};

TEST_F(GoneFilesTest, AnotherFileIsTriedWhereTheFirstOneIsGone) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  EXPECT_EQ(AdviseWhileFilesGo(1).tried_files, 1u);
}

TEST_F(GoneFilesTest, WhereNothingIsBuiltItIsSaid) {
  Grow(OpenDatabase(MakeOptions(TableWith("bloomfilter:10")), folder_ / "db").get());
  const Advice advice = AdviseWhileFilesGo(0);
  EXPECT_EQ(advice.tried_files, 0u);
  for (const AdviceRow& row : advice.rows) {
    EXPECT_FALSE(row.nanoseconds_a_key) << row.OnePolicy();
  }
  const AdviceRow& same = RowOf(advice, "bloomfilter:10");
  EXPECT_EQ(same.false_reads, advice.rows.front().false_reads);
  EXPECT_EQ(same.bytes, advice.rows.front().bytes);
  EXPECT_THAT(advice.assumptions, AllOf(Contains(HasSubstr("No filter was built")),
                                        Not(Contains(HasSubstr("for a sample of the files"))),
                                        Not(Contains(HasSubstr("Nanoseconds a key")))));
}

}  // namespace advice_rows_test
}  // namespace winnow::inspect
