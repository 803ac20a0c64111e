#include "src/sst/sst_filters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>

#include <cmath>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "winnow/filter.h"

namespace winnow::inspect {
namespace sst_filters_test {

using ::testing::HasSubstr;
using testing::PartitionedTableWith;
using testing::ReadFile;
using testing::TableWith;
using testing::TemporaryFolder;
using testing::WriteFile;
using testing::WriteSst;

constexpr uint64_t kKeys = 20'000;

struct PolicyCase {
  const char* name;
  const char* policy;
  const char* kind;
  double lowest_bits;
  double highest_bits;
};

void PrintTo(const PolicyCase& param, std::ostream* out) { *out << param.policy; }

class PolicyTest : public ::testing::TestWithParam<PolicyCase> {
 protected:
  TemporaryFolder folder_;
};

TEST_P(PolicyTest, WholeFile) {
  const PolicyCase& param = GetParam();
  const std::string path = folder_ / "whole.sst";
  WriteSst(TableWith(param.policy), kKeys, path);
  const SstReport report = ReadSst(path);
  ASSERT_FALSE(report.error) << *report.error;
  EXPECT_EQ(report.path, path);
  EXPECT_EQ(report.entries, kKeys);
  EXPECT_EQ(report.comparator, "leveldb.BytewiseComparator");
  EXPECT_FALSE(report.level);
  ASSERT_TRUE(report.filter);
  EXPECT_EQ(report.filter->kind, param.kind);
  EXPECT_EQ(report.filter->keys, kKeys);
  EXPECT_GE(report.filter->bits_per_key, param.lowest_bits);
  EXPECT_LE(report.filter->bits_per_key, param.highest_bits);
  ASSERT_TRUE(report.filter->expected_fpr);
  EXPECT_NEAR(*report.filter->expected_fpr, 0.0096, 0.0005);
  EXPECT_EQ(report.filter->partitions, 0);
  EXPECT_FALSE(report.filter->fault) << *report.filter->fault;
}

TEST_P(PolicyTest, PartitionsAreSummed) {
  const PolicyCase& param = GetParam();
  const std::string path = folder_ / "partitioned.sst";
  auto table = PartitionedTableWith(param.policy);
  table.metadata_block_size = 8192;
  WriteSst(table, kKeys, path);
  const SstReport report = ReadSst(path);
  ASSERT_FALSE(report.error) << *report.error;
  ASSERT_TRUE(report.filter);
  EXPECT_GT(report.filter->partitions, 1);
  EXPECT_EQ(report.filter->kind, param.kind);
  EXPECT_EQ(report.filter->keys, kKeys);
  EXPECT_GE(report.filter->bits_per_key, param.lowest_bits);
  EXPECT_LE(report.filter->bits_per_key, param.highest_bits + 0.6);
  ASSERT_TRUE(report.filter->expected_fpr);
  EXPECT_NEAR(*report.filter->expected_fpr, 0.0096, 0.0012);
  EXPECT_FALSE(report.filter->fault) << *report.filter->fault;
  int blocks = 0;
  for (const auto& [kind, count] : report.filter->kinds) {
    blocks += count;
  }
  EXPECT_EQ(blocks, report.filter->partitions);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, PolicyTest,
    ::testing::Values(PolicyCase{"BuiltinBloom", "bloomfilter:10", "builtin-bloom", 9.9, 10.2},
                      PolicyCase{"BuiltinRibbon", "ribbonfilter:10:-1", "builtin-ribbon", 6.9, 7.5},
                      PolicyCase{"WinnowBloom", "{id=winnow;ribbon_min_keys=1000000}",
                                 "winnow-bloom", 9.9, 10.2},
                      PolicyCase{"WinnowRibbon", "winnow:10", "winnow-ribbon", 6.7, 7.1}),
    [](const auto& parameter) { return std::string(parameter.param.name); });

class SstFiltersTest : public ::testing::Test {
 protected:
  std::string Write(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table, uint64_t keys) {
    const std::string path = folder_ / "file.sst";
    WriteSst(table, keys, path);
    return path;
  }

  TemporaryFolder folder_;
};

TEST_F(SstFiltersTest, NoFilter) {
  const SstReport report = ReadSst(Write(TableWith(""), 1'000));
  ASSERT_TRUE(report.filter);
  EXPECT_EQ(report.filter->kind, "none");
  EXPECT_EQ(report.filter->bytes, 0u);
  EXPECT_EQ(report.filter->keys, 0u);
  EXPECT_EQ(report.filter->expected_fpr, 1.0);
  EXPECT_EQ(report.entries, 1'000u);
}

TEST_F(SstFiltersTest, ParametersOfBuiltinFilters) {
  const SstReport bloom = ReadSst(Write(TableWith("bloomfilter:10"), kKeys));
  ASSERT_TRUE(bloom.filter->parameters);
  EXPECT_EQ(bloom.filter->policy_name, "bloomfilter");
  EXPECT_EQ(bloom.filter->parameters->format, "FastLocalBloom");
  EXPECT_EQ(bloom.filter->parameters->probes, 6);
  EXPECT_EQ(*bloom.filter->parameters->blocks * 64 + 5, bloom.filter->bytes);
  EXPECT_NEAR(bloom.filter->parameters->fill_ratio.value_or(0), 1 - std::exp(-0.6), 0.02);
  const SstReport ribbon = ReadSst(Write(TableWith("ribbonfilter:10:-1"), kKeys));
  ASSERT_TRUE(ribbon.filter->parameters);
  EXPECT_EQ(ribbon.filter->parameters->format, "Standard128Ribbon");
  EXPECT_NEAR(ribbon.filter->parameters->columns.value_or(0), 6.7, 0.4);
  EXPECT_GT(ribbon.filter->parameters->fill_ratio.value_or(0), 0.85);
  EXPECT_LT(ribbon.filter->parameters->fill_ratio.value_or(0), 1.0);
  auto table = TableWith("bloomfilter:10");
  table.format_version = 4;
  const SstReport legacy = ReadSst(Write(table, kKeys));
  EXPECT_EQ(legacy.filter->kind, "builtin-bloom");
  EXPECT_THAT(legacy.filter->detail, HasSubstr("legacy"));
  EXPECT_NEAR(*legacy.filter->expected_fpr, 0.0125, 0.001);
  EXPECT_EQ(legacy.filter->parameters->format, "LegacyBloom");
  EXPECT_EQ(legacy.filter->parameters->probes, 6);
}

TEST_F(SstFiltersTest, OnePartitionIsPartitionedAndAWholeFilterWithATwoLevelIndexIsNot) {
  const SstReport one = ReadSst(Write(PartitionedTableWith("winnow:10"), 10));
  EXPECT_EQ(one.filter->partitions, 1);
  auto table = PartitionedTableWith("winnow:10");
  table.partition_filters = false;
  const SstReport whole = ReadSst(Write(table, kKeys));
  EXPECT_EQ(whole.filter->partitions, 0);
  EXPECT_EQ(whole.filter->kind, "winnow-ribbon");
}

TEST_F(SstFiltersTest, FewerKeysThanAskedForMakeBloomFilters) {
  const SstReport few = ReadSst(Write(TableWith("winnow:10"), 50));
  EXPECT_EQ(few.filter->kind, "winnow-bloom");
  EXPECT_EQ(few.filter->policy_name, "winnow.Filter");
  const SstReport partitions =
      ReadSst(Write(PartitionedTableWith("{id=winnow;ribbon_min_keys=9000}"), kKeys));
  EXPECT_EQ(partitions.filter->kind, "winnow-bloom");
  EXPECT_EQ(partitions.filter->keys, kKeys);
}

TEST_F(SstFiltersTest, PrefixesCountAndFilesMayBeCompressed) {
  auto options = testing::MakeOptions(TableWith("winnow:10"));
  options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(8));
  options.compression = ROCKSDB_NAMESPACE::kLZ4Compression;
  options.compression_opts.max_dict_bytes = 4096;
  const std::string path = folder_ / "prefix.sst";
  WriteSst(options, kKeys, path);
  const SstReport report = ReadSst(path);
  EXPECT_EQ(report.filter->kind, "winnow-ribbon");
  EXPECT_EQ(report.filter->keys, kKeys + kKeys / 100);
  EXPECT_EQ(report.entries, kKeys);
}

TEST_F(SstFiltersTest, TheBlocksAreTheFilter) {
  std::string error;
  const auto blocks = ReadFilterBlocks(Write(TableWith("winnow:10"), kKeys), &error);
  EXPECT_EQ(error, "");
  ASSERT_EQ(blocks.size(), 1u);
  const FilterView view(blocks.front());
  ASSERT_EQ(view.fault(), Fault::kNone);
  for (uint64_t i = 0; i < kKeys; ++i) {
    ASSERT_TRUE(view.MayContain(HashKey(testing::KeyOf(i)))) << i;
  }
}

// A third-party policy, with a name that is neither RocksDB's nor Winnow's.
class ForeignPolicy final : public ROCKSDB_NAMESPACE::FilterPolicy {
 public:
  ForeignPolicy() : builtin_(ROCKSDB_NAMESPACE::NewBloomFilterPolicy(10)) {}
  const char* Name() const override { return "somebody.Filter"; }
  const char* CompatibilityName() const override { return Name(); }
  ROCKSDB_NAMESPACE::FilterBitsBuilder* GetBuilderWithContext(
      const ROCKSDB_NAMESPACE::FilterBuildingContext& context) const override {
    return builtin_->GetBuilderWithContext(context);
  }
  ROCKSDB_NAMESPACE::FilterBitsReader* GetFilterBitsReader(
      const ROCKSDB_NAMESPACE::Slice& contents) const override {
    return builtin_->GetFilterBitsReader(contents);
  }

 private:
  std::unique_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin_;
};

TEST_F(SstFiltersTest, AFilterOfAnotherPolicyIsUnknown) {
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;
  table.filter_policy = std::make_shared<ForeignPolicy>();
  const SstReport report = ReadSst(Write(table, kKeys));
  ASSERT_TRUE(report.filter);
  EXPECT_EQ(report.filter->kind, "unknown");
  EXPECT_EQ(report.filter->policy_name, "somebody.Filter");
  EXPECT_GT(report.filter->bytes, kKeys);
  EXPECT_EQ(report.filter->keys, kKeys);
  EXPECT_FALSE(report.filter->fault);
  EXPECT_THAT(report.filter->detail, HasSubstr("somebody.Filter"));
}

// Missing files, folders, and files that are not tables.

TEST_F(SstFiltersTest, MissingFilesAndFoldersAreErrors) {
  const SstReport missing = ReadSst(folder_ / "missing.sst");
  EXPECT_THAT(missing.error.value_or(""), HasSubstr("missing.sst"));
  EXPECT_FALSE(missing.filter);
  EXPECT_THAT(ReadSst(folder_ / "").error.value_or(""), HasSubstr("not a regular file"));
}

TEST_F(SstFiltersTest, OtherFilesAreErrors) {
  for (const std::string& bytes : {std::string(), std::string("text"), std::string(10'000, 'x')}) {
    const std::string path = folder_ / "other.sst";
    WriteFile(path, bytes);
    const SstReport report = ReadSst(path);
    EXPECT_THAT(report.error.value_or(""), HasSubstr("can't read it as an SST file"));
    EXPECT_FALSE(report.filter);
  }
}

TEST_F(SstFiltersTest, TruncatedFilesAreErrors) {
  const std::string whole = ReadFile(Write(TableWith("winnow:10"), 2'000));
  for (size_t size = 0; size < whole.size(); size += 1 + whole.size() / 97) {
    const std::string path = folder_ / "truncated.sst";
    WriteFile(path, whole.substr(0, size));
    ASSERT_TRUE(ReadSst(path).error) << size << " of " << whole.size() << " bytes";
  }
}

// Changes a byte of a filter block of a file, counted from the block's begin or, if negative, from
// its end.
void DamageFilter(const std::string& path, size_t number, int64_t at) {
  std::string error;
  const std::string block = ReadFilterBlocks(path, &error).at(number);
  std::string file = ReadFile(path);
  const size_t place = file.find(block);
  ASSERT_NE(place, std::string::npos);
  file[place + static_cast<size_t>(at < 0 ? static_cast<int64_t>(block.size()) + at : at)] ^= 1;
  WriteFile(path, file);
}

TEST_F(SstFiltersTest, ADamagedFilterBlockOrPartitionIsAFault) {
  for (const auto& [table, number] :
       {std::pair(TableWith("winnow:10"), 0), std::pair(TableWith("bloomfilter:10"), 0),
        std::pair(PartitionedTableWith("winnow:10"), 2)}) {
    const std::string path = Write(table, kKeys);
    DamageFilter(path, static_cast<size_t>(number), 500);
    const SstReport report = ReadSst(path);
    ASSERT_FALSE(report.error) << *report.error;
    EXPECT_EQ(report.entries, kKeys);
    EXPECT_EQ(report.filter->kind, "unknown");
    EXPECT_THAT(report.filter->fault.value_or(""), HasSubstr("checksum mismatch"));
    std::string error;
    EXPECT_TRUE(ReadFilterBlocks(path, &error).empty());
    EXPECT_THAT(error, HasSubstr("checksum mismatch"));
  }
}

// RocksDB's block checksum is right, but the filter is damaged: the result of a faulty builder or
// faulty memory.
TEST_F(SstFiltersTest, AFilterThatWasDamagedBeforeItWasWrittenIsAFault) {
  auto table = TableWith("winnow:10");
  table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
  for (const auto& [at, kind, fault] :
       {std::tuple(5'000, "winnow-ribbon", "payload"), std::tuple(-10, "unknown", "Winnow")}) {
    const std::string path = Write(table, kKeys);
    DamageFilter(path, 0, at);
    const SstReport report = ReadSst(path);
    ASSERT_TRUE(report.filter);
    EXPECT_EQ(report.filter->kind, kind);
    EXPECT_THAT(report.filter->fault.value_or(""), HasSubstr(fault));
  }
}

// Debian's RocksDB has assertions enabled: no damage may abort the program.
TEST_F(SstFiltersTest, RandomDamageNeverEndsTheProgram) {
  constexpr uint32_t kSeed = 3;
  SCOPED_TRACE(::testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  const std::string path = folder_ / "file.sst";
  for (const bool partitioned : {false, true}) {
    const std::string file = ReadFile(
        Write(partitioned ? PartitionedTableWith("winnow:10") : TableWith("winnow:10"), 500));
    for (int i = 0; i < 300; ++i) {
      std::string damaged = file;
      for (int flips = 0; flips < 3; ++flips) {
        damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
      }
      WriteFile(path, damaged);
      const SstReport report = ReadSst(path);
      ASSERT_NE(report.error.has_value(), report.filter.has_value());
    }
  }
}

}  // namespace sst_filters_test
}  // namespace winnow::inspect
