// Tests of the report of `winnow size`.

#include "tools/winnow/size/size_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "streams/winnow/size/stream_kinds.h"
#include "tests/support/random_hashes.h"
#include "winnow/amq/sizes.h"
#include "winnow/builder.h"
#include "winnow/filter.h"

namespace winnow::inspect {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SizeReport ReportSizes(const SizeWish& wish) { return ReportSizes(wish, StreamKinds()); }
std::string WhatIsWrong(const SizeWish& wish) { return WhatIsWrong(wish, StreamKinds()); }

SizeWish Wish(uint64_t keys, double rate) {
  SizeWish wish;
  wish.keys = keys;
  wish.rate = rate;
  return wish;
}

SizeWish InMemory(uint64_t keys, uint64_t bytes) {
  SizeWish wish;
  wish.keys = keys;
  wish.bytes = bytes;
  return wish;
}

const SizedKind& Find(const SizeReport& report, const std::string& kind) {
  static const SizedKind none;
  for (const SizedKind& found : report.kinds) {
    if (found.kind == kind) return found;
  }
  ADD_FAILURE() << "no kind " << kind;
  return none;
}

TEST(SizeReport, RangeFiltersComeOnTopOfTheFiltersOfFiles) {
  SizeWish wish = Wish(1'000'000, 0.01);
  const SizeReport without = ReportSizes(wish);
  wish.range_bits = 15;
  const SizeReport report = ReportSizes(wish);
  EXPECT_EQ(report.impossible, "");
  EXPECT_NEAR(8 * static_cast<double>(report.range_bytes) / 1e6, 15.1, 0.1);
  EXPECT_EQ(report.filter_policy, "{id=winnow;bits_per_key=9.91;level_plan=uniform;range_bits=15}");
  EXPECT_EQ(Find(report, "Winnow Ribbon").bytes, Find(without, "Winnow Ribbon").bytes);
  const nlohmann::json json = nlohmann::json::parse(SizeJson(report));
  EXPECT_EQ(json.at("range_bits"), 15);
  EXPECT_EQ(json.at("range_bytes"), report.range_bytes);
  EXPECT_EQ(nlohmann::json::parse(SizeJson(without)).count("range_bytes"), 0u);
  // No file has so many keys: they are spread over many files.
  wish.keys = uint64_t{1} << 34;
  EXPECT_NEAR(8 * static_cast<double>(ReportSizes(wish).range_bytes) / std::ldexp(1, 34), 15.1,
              0.1);
  wish.deletes = true;
  EXPECT_THAT(ReportSizes(wish).impossible, HasSubstr("range_bits goes with"));
  SizeWish page = Wish(10, 0.01);
  page.page_bytes = 1024;
  page.range_bits = 15;
  EXPECT_THAT(ReportSizes(page).impossible, HasSubstr("range_bits"));
  wish = Wish(10, 0.01);
  wish.range_bits = 33;
  EXPECT_THAT(ReportSizes(wish).impossible, HasSubstr("from 1 to 32"));
}

// Returns the recommended kind.
std::string Taken(const SizeWish& wish) {
  const std::string advice = ReportSizes(wish).advice;
  return advice.substr(5, advice.find(':') - 5);
}

TEST(SizeReport, OfKeysAndARateHasEveryKind) {
  const SizeReport report = ReportSizes(Wish(1'000'000, 0.01));
  EXPECT_EQ(report.impossible, "");
  // The core has two further kinds.
  EXPECT_EQ(report.kinds.size(), amq::SizesFor({1'000'000, 0.01}).size() + 2);
  EXPECT_EQ(report.kinds.front().kind, "Winnow Ribbon");
  EXPECT_EQ(Find(report, "standard").bits, 7u);
  EXPECT_NEAR(Find(report, "standard").bits_per_key, 9.59, 0.01);
  for (const SizedKind& kind : report.kinds) EXPECT_LE(kind.rate, 0.0101) << kind.kind;
  EXPECT_EQ(report.filter_policy, "{id=winnow;bits_per_key=9.91;level_plan=uniform}");
  EXPECT_EQ(report.shards, 1u);
  EXPECT_NEAR(static_cast<double>(report.pages), 1'000'000 / 848.0, 10);
  const auto json = nlohmann::json::parse(SizeJson(report));
  EXPECT_EQ(json["schema"], "winnow.size/1");
  EXPECT_EQ(json["kinds"].size(), report.kinds.size());
  EXPECT_EQ(json["kinds"][0]["kind"], "Winnow Ribbon");
  EXPECT_TRUE(json["bytes"].is_null());
  EXPECT_EQ(json["filter_policy"], report.filter_policy);
}

// Compares the core's kinds with built filters.
TEST(SizeReport, HasTheSizesAndRatesOfFiltersThatAreBuilt) {
  const SizeReport report = ReportSizes(Wish(100'000, 0.003));
  for (const FilterKind kind : {FilterKind::kBloom, FilterKind::kRibbon}) {
    const SizedKind& said =
        Find(report, kind == FilterKind::kBloom ? "Winnow Bloom" : "Winnow Ribbon");
    FilterOptions options;
    options.kind = kind;
    options.bits_per_key =
        std::stod(report.filter_policy.substr(std::string("{id=winnow;bits_per_key=").size()));
    FilterBuilder builder(options);
    for (const KeyHash hash : testing::RandomHashes(1).Take(100'000)) builder.Add(hash);
    const FilterBlock block = builder.Finish();
    EXPECT_NEAR(static_cast<double>(block.size), static_cast<double>(said.bytes),
                0.02 * static_cast<double>(said.bytes));
    EXPECT_NEAR(FilterView(block.bytes()).info().expected_fpr, said.rate, 0.02 * said.rate);
  }
}

TEST(SizeReport, InMemoryHasTheLowestRates) {
  const SizeReport report = ReportSizes(InMemory(1'000'000, 1'250'000));
  EXPECT_EQ(report.impossible, "");
  for (const SizedKind& kind : report.kinds) EXPECT_LE(kind.bytes, 1'250'000u) << kind.kind;
  EXPECT_EQ(report.kinds.front().kind, "Winnow Ribbon");
  EXPECT_NEAR(Find(report, "standard").rate, 0.0082, 0.0002);
  EXPECT_EQ(report.filter_policy, "");
}

TEST(SizeReport, TakesTheKindThatDoesWhatIsWished) {
  SizeWish wish = Wish(1'000'000, 0.01);
  EXPECT_EQ(Taken(wish), "Winnow Ribbon");
  wish.grows = true;
  EXPECT_EQ(Taken(wish), "standard");
  EXPECT_THAT(ReportSizes(wish).advice, HasSubstr("not known before: scalable."));
  wish.deletes = true;
  EXPECT_EQ(Taken(wish), "cuckoo");
  wish.deletes = false;
  wish.threads = true;
  EXPECT_EQ(Taken(wish), "concurrent");
  SizeWish deep = Wish(1'000'000, 1e-11);
  deep.deletes = true;
  EXPECT_EQ(Taken(deep), "counting");  // no fingerprint is long enough
}

// A wrong wish is told from a right one that can't be had.
TEST(SizeReport, WhatCantBeHadGetsASentence) {
  const auto impossible = [](const SizeWish& wish, bool is_wrong = true) {
    EXPECT_EQ(!WhatIsWrong(wish).empty(), is_wrong);
    const SizeReport report = ReportSizes(wish);
    EXPECT_THAT(report.kinds, IsEmpty());
    EXPECT_THAT(report.page, IsEmpty());
    return report.impossible;
  };
  EXPECT_THAT(impossible(Wish(0, 0.1)), HasSubstr("keys are 0, but must be from 1 to"));
  EXPECT_THAT(impossible(Wish(10, 0.6)), HasSubstr("the rate is 0.6, but must be from 1e-15"));
  EXPECT_THAT(impossible(Wish(10, std::nan(""))), HasSubstr("the rate is nan"));
  EXPECT_THAT(impossible(Wish(1'000'000'000, 1e-12), false),
              HasSubstr("hashes of 64 bits in common with others at a rate of 5.421e-11"));
  EXPECT_THAT(impossible(InMemory(1'000'000, 1000), false),
              HasSubstr("no kind holds 1000000 keys in 1000 bytes"));
  SizeWish both = Wish(1000, 0.1);
  both.deletes = both.threads = true;
  EXPECT_THAT(impossible(both, false),
              HasSubstr("no kind lets several threads add and keys be removed"));
  SizeWish low = Wish(1000, 1e-9);
  low.threads = true;
  EXPECT_THAT(impossible(low, false),
              HasSubstr("no kind has the rate 1e-09 where several threads add"));
  EXPECT_THAT(impossible({}), HasSubstr("keys and a rate are wanted"));
  SizeWish three = Wish(1000, 0.1);
  three.bytes = 5;
  EXPECT_THAT(impossible(three), HasSubstr("keys and a rate are wanted, or keys and memory"));
  SizeWish page;
  page.page_bytes = 7;
  EXPECT_THAT(impossible(page), HasSubstr("a page wants a rate"));
  page.rate = 0.1;
  EXPECT_THAT(impossible(page),
              HasSubstr("bytes of a page are 7, but must be a multiple of 8 from 64 to 1048576"));
}

TEST(SizeReport, ItIsSaidWhyThereIsNoPolicy) {
  EXPECT_EQ(ReportSizes(Wish(1'000'000, 0.01)).no_filter_policy, "");
  const SizeReport low = ReportSizes(Wish(1'000'000, 1e-6));
  EXPECT_EQ(low.filter_policy, "");
  EXPECT_THAT(low.no_filter_policy, HasSubstr("at most 32 bits per key"));
}

TEST(SizeReport, NoPolicyIsNamedWhereAFilterHasToChange) {
  for (bool SizeWish::*const change : {&SizeWish::grows, &SizeWish::deletes, &SizeWish::threads}) {
    SizeWish wish = Wish(1'000'000, 0.01);
    wish.*change = true;
    const SizeReport report = ReportSizes(wish);
    EXPECT_EQ(report.filter_policy, "");
    EXPECT_THAT(report.no_filter_policy, HasSubstr("built once"));
    // Paged and sharded filters are not recommended either if they do not fit.
    EXPECT_EQ(report.pages > 0, Find(report, "paged").fits_wish);
    EXPECT_EQ(report.shards > 0, Find(report, "standard").fits_wish);
  }
}

TEST(SizeReport, APageEndsWithAChoice) {
  SizeWish wish;
  wish.page_bytes = 1024;
  wish.rate = 0.01;
  EXPECT_EQ(ReportSizes(wish).advice,
            "Take k = 7: 853 keys have the rate 0.01, the most of any k.");
  wish.keys = 800;
  const SizeReport by_k = ReportSizes(wish);
  ASSERT_GE(by_k.page.size(), 7u);
  EXPECT_EQ(by_k.page[5].k, 6u);
  EXPECT_EQ(by_k.page[5].keys, 851u);
  EXPECT_NEAR(*by_k.page[5].at_rate, 0.0076, 0.00005);
  wish.keys = 2000;
  EXPECT_THAT(ReportSizes(wish).advice,
              AllOf(HasSubstr("Take k = 3: 2000 keys have the rate 0.14, the lowest"),
                    HasSubstr("above 0.01: with k = 7 853 keys"), HasSubstr("more pages")));
  wish.rate.reset();
  // The reported maximum number of keys is accepted, and one more is not.
  wish.keys = 5678;
  EXPECT_THAT(ReportSizes(wish).advice, HasSubstr("Take k = 1: 5678 keys"));
  for (const uint64_t keys : {uint64_t{5679}, uint64_t{1'000'000'000}}) {
    wish.keys = keys;
    const SizeReport report = ReportSizes(wish);
    EXPECT_THAT(report.page, IsEmpty());
    EXPECT_THAT(report.impossible, HasSubstr("at most 5678 have a rate up to 0.5 in it"));
  }
}

TEST(SizeReport, PlansOfABillionKeysAreInShards) {
  const SizeReport report = ReportSizes(Wish(1'000'000'000, 1e-9));
  EXPECT_EQ(report.shards, 11u);  // 43.3 bits per key
  EXPECT_EQ(Find(report, "blocked").bits, 28u);
  // The rate includes 0.054e-9 for equal hashes.
  EXPECT_NEAR(Find(report, "standard").rate, 1e-9, 0.001e-9);
}

}  // namespace
}  // namespace winnow::inspect
