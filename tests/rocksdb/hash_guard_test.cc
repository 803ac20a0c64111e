// A build whose HashKey() differs from the format's, as with an incompatible xxHash. The linker
// replaces HashKey() outside the core.

#include "src/rocksdb/hash_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>
#include <rocksdb/table_properties.h>

#include <cstdint>
#include <memory>
#include <regex>
#include <string>
#include <string_view>

#include "src/base/stderr_line.h"
#include "src/core/hash_inline.h"
#include "tests/support/files.h"
#include "tests/support/matches.h"
#include "tests/support/rocksdb_testing.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/builder.h"
#include "winnow/hash.h"
#include "winnow/rocksdb_policy.h"

extern "C" winnow::KeyHash WrappedHashKey(std::string_view key) noexcept
    __asm__("__wrap__ZN6winnow7HashKeyESt17basic_string_viewIcSt11char_traitsIcEE");
extern "C" winnow::KeyHash WrappedHashKey(std::string_view key) noexcept {
  const uint64_t hash = winnow::core::HashKeyInline(key.data(), key.size());
  return {key.size() == 16 ? hash + 1 : hash};
}

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::FlushOptions;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::TablePropertiesCollection;
using ROCKSDB_NAMESPACE::WriteOptions;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(HashGuardTest, ABuildThatHashesOtherwiseBuildsNoFiltersAndSaysSo) {
  const testing::TemporaryFolder folder;
  ::testing::internal::CaptureStderr();
  base::SetStderrAtStart(base::StderrNow());  // stderr at start differs from the program's
  EXPECT_EQ(winnow_rocksdb_register(), 0);
  BlockBasedTableOptions table;
  table.filter_policy = testing::MakePolicyFrom("winnow:10");
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(said,
              AllOf(StartsWith("winnow: this Winnow hashes keys in another way than its filters"),
                    HasSubstr("a key of 16 bytes: found 0x9da23836adf2be1f, expected "
                              "0x9da23836adf2be1e"),
                    HasSubstr("xxHash 0.8.0 or later")));

  const std::unique_ptr<DB> database =
      testing::OpenDatabase(testing::MakeOptions(table), folder / "db");
  for (int file = 0; file < 2; ++file) {
    for (int key = 0; key < 1000; ++key) {
      ASSERT_STATUS_OK(database->Put(WriteOptions(), std::to_string(key), "value"));
    }
    ASSERT_STATUS_OK(database->Flush(FlushOptions()));
  }
  TablePropertiesCollection files;
  ASSERT_STATUS_OK(database->GetPropertiesOfAllTables(&files));
  EXPECT_EQ(files.size(), 2u);
  for (const auto& [name, properties] : files) EXPECT_EQ(properties->filter_size, 0u) << name;
  const std::string log = testing::ReadFile(folder / "db/LOG");
  EXPECT_THAT(testing::AllMatches(log, std::regex("[^\n]*\\[winnow\\][^\n]*\n")),
              ::testing::ElementsAre(HasSubstr(said.substr(sizeof "winnow: " - 1))));
}

// A build with another hash cannot trust a negative answer of the filter.
TEST(HashGuardTest, ABuildThatHashesOtherwiseDeniesNoKey) {
  EXPECT_EQ(winnow_rocksdb_register(), 0);
  FilterBuilder builder(FilterOptions{});
  builder.Add("present");
  const FilterBlock block = builder.Finish();
  const std::shared_ptr<const FilterPolicy> policy = testing::MakePolicyFrom("winnow:10");
  const std::unique_ptr<FilterBitsReader> reader(
      policy->GetFilterBitsReader({block.data.get(), block.size}));
  // RocksDB treats a null reader as "may match".
  EXPECT_TRUE(reader == nullptr || reader->MayMatch(ROCKSDB_NAMESPACE::Slice("absent")));
}

}  // namespace
}  // namespace winnow::plugin
