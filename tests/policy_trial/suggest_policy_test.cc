#include "src/policy_trial/suggest_policy.h"

#include <gtest/gtest.h>

#include <ostream>

#include "src/text/flag_words.h"

namespace winnow::inspect {
namespace suggest_policy_test {

TEST(SuggestPolicyTest, EditDistanceIgnoresCase) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("winnow", "Winnow"), 0u);
  EXPECT_EQ(EditDistance("winow", "winnow"), 1u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(EditDistance("sitting", "kitten"), 3u);
}

struct Case {
  const char* asked;
  const char* suggestion;
};

void PrintTo(const Case& param, std::ostream* out) { *out << param.asked; }

class SuggestPolicyCases : public ::testing::TestWithParam<Case> {};

TEST_P(SuggestPolicyCases, TheClosestThatWorks) {
  EXPECT_EQ(SuggestPolicy(GetParam().asked), GetParam().suggestion);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SuggestPolicyCases,
    ::testing::Values(Case{"winow:12", "winnow:12"}, Case{"Winnow:12.5", "winnow:12.5"},
                      Case{"winnow=12", "winnow:12"}, Case{"winnow 12", "winnow:12"},
                      Case{"winnow:ten", "winnow:10"}, Case{"winnow:", "winnow:10"},
                      Case{"winnow:99", "winnow:32"}, Case{"winnow:33", "winnow:32"},
                      Case{"winow-12", "winnow:12"}, Case{"winnow.Filtr:12", "winnow:12"},
                      Case{"bloom:12", "bloomfilter:12"}, Case{"blomfilter:12", "bloomfilter:12"},
                      Case{"rocksdb.RibbonFilter:12", "ribbonfilter:12"},
                      Case{"ribbon", "ribbonfilter:10"},
                      Case{"{id=winow;bits_per_key=7}", "{id=winnow;bits_per_key=7}"},
                      Case{"id=winow;bits_per_key=x", "{id=winnow;bits_per_key=10}"},
                      Case{"{id=winnow;bits=3}", "{id=winnow;bits_per_key=3}"},
                      Case{"{id=winnow:33;min_keys=50k}", "{id=winnow:32;ribbon_min_keys=50k}"},
                      Case{"{id=winnow;bits_per_key=12;bloom_before_level=-2}",
                           "{id=winnow;bits_per_key=12;bloom_before_level=-1}"},
                      Case{"{id=winnow;ribbon_min_keys=1999.7;bloom_before_level=9999999999}",
                           "{id=winnow;ribbon_min_keys=2000;bloom_before_level=2147483647}"},
                      Case{"{id=winnow;ribbon_min_keys=-1}", "{id=winnow;ribbon_min_keys=0}"},
                      Case{"{id=winnow;Ribbon_Min_Key=7;colour=red}",
                           "{id=winnow;ribbon_min_keys=7}"},
                      Case{"{id=winnow; bits_per_key = 99}", "{id=winnow;bits_per_key=32}"},
                      Case{"{id=winnow;build=bloom}", "{id=winnow;build=bloomfilter}"},
                      Case{"{id=winnow;built=Ribbon}", "{id=winnow;build=ribbonfilter}"},
                      Case{"{id=winnow;build=winow}", "{id=winnow;build=winnow}"},
                      Case{"{id=bloom;bits_per_key=12;colour=red}", "bloomfilter:12"},
                      Case{"", "winnow:10"}, Case{"speedb.PairedBloomFilter:23", "bloomfilter:23"},
                      Case{"something else", "winnow:10"}, Case{"{{{", "winnow:10"}));

// Files with Winnow's format, unknown to some readers, are harder to roll back than files with
// RocksDB's.
INSTANTIATE_TEST_SUITE_P(
    BuildsThatNobodyCanGuess, SuggestPolicyCases,
    ::testing::Values(Case{"{id=winnow;build=builtin}", "{id=winnow;build=bloomfilter}"},
                      Case{"{id=winnow;build=7}", "{id=winnow;build=bloomfilter}"},
                      Case{"{id=winnow;build=nothing}", "{id=winnow;build=bloomfilter}"},
                      Case{"{id=winnow;build=}", "{id=winnow;build=bloomfilter}"},
                      Case{"{id=winnow;bits_per_key=12;build=off}",
                           "{id=winnow;bits_per_key=12;build=bloomfilter}"}));

// RocksDB takes these as zero bits, and users who want a filter do not want the smallest one.
INSTANTIATE_TEST_SUITE_P(
    NoBits, SuggestPolicyCases,
    ::testing::Values(Case{"winnow:0", "winnow:10"}, Case{"winnow:0.0", "winnow:10"},
                      Case{"winnow:0.4", "winnow:10"}, Case{"winnow:1e-5", "winnow:10"},
                      Case{"winnow:-5", "winnow:10"}, Case{"winow:0", "winnow:10"},
                      Case{"{id=winnow;bits_per_key=0}", "{id=winnow;bits_per_key=10}"},
                      Case{"{id=winnow;bits_per_key=-1}", "{id=winnow;bits_per_key=10}"},
                      Case{"{id=winnow;bits=0;ribbon_min_keys=0}",
                           "{id=winnow;bits_per_key=10;ribbon_min_keys=0}"},
                      Case{"{id=winnow:0;bits_per_key=12}", "{id=winnow:10;bits_per_key=12}"},
                      Case{"bloomfilter:0", "bloomfilter:10"},
                      Case{"ribbonfilter:-1", "ribbonfilter:10"},
                      Case{"{id=bloomfilter;bits_per_key=0}", "bloomfilter:10"}));

// These are not zero bits: RocksDB rounds half a bit up to one.
INSTANTIATE_TEST_SUITE_P(SomeBits, SuggestPolicyCases,
                         ::testing::Values(Case{"winnow:0.5", "winnow:1"},
                                           Case{"winnow:0.9", "winnow:1"},
                                           Case{"winnow:1e9", "winnow:32"},
                                           Case{"winnow:inf", "winnow:32"},
                                           Case{"winnow:nan", "winnow:10"},
                                           Case{"bloomfilter:1e400", "bloomfilter:100"}));

TEST(SuggestPolicyTest, NoBitsAreSeen) {
  for (const char* asked : {"winnow:0", "winnow:-5", "winnow:0.4", "{id=winnow;bits_per_key=0}",
                            "{id=winnow:0;bits_per_key=12}", "bloomfilter:0", "winow:0"}) {
    EXPECT_TRUE(AsksForNoBits(asked)) << asked;
  }
  for (const char* asked : {"", "winnow", "winnow:", "winnow:ten", "winnow:0.5", "winnow:99",
                            "winow-12", "{id=winnow;ribbon_min_keys=0}", "nullptr"}) {
    EXPECT_FALSE(AsksForNoBits(asked)) << asked;
  }
}

// RocksDB's own name of the option, which its Ribbon policy has between colons, and from 8.7 on
// also in braces.
INSTANTIATE_TEST_SUITE_P(
    Levels, SuggestPolicyCases,
    ::testing::Values(Case{"{id=winnow;bloom_before_levels=2}", "{id=winnow;bloom_before_level=2}"},
                      Case{"{id=winnow;bloom_level=2}", "{id=winnow;bloom_before_level=2}"},
                      Case{"{id=winnow;bloom_befor_level=x}", "{id=winnow;bloom_before_level=-1}"},
                      Case{"{id=ribbonfilter;bits_per_key=9;bloom_before_levels=2}",
                           "ribbonfilter:9:2"},
                      Case{"{id=bloomfilter:9;bloom_before_level=2}", "bloomfilter:9"}));

INSTANTIATE_TEST_SUITE_P(
    OnceEach, SuggestPolicyCases,
    ::testing::Values(Case{"{id=winnow;bits_per_key=10;bits_per_keys=12}",
                           "{id=winnow;bits_per_key=10}"},
                      Case{"{id=winnow;bits=12;bits_per_key=10}", "{id=winnow;bits_per_key=10}"},
                      Case{"{id=winnow;bits=12;bits_per_keys=10}", "{id=winnow;bits_per_key=12}"}));

}  // namespace suggest_policy_test
}  // namespace winnow::inspect
