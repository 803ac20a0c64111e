// Tests that the HTML page states the result, has all values, and is self-contained.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "db_bench_ext/read_amplification/report/readamp_headline.h"
#include "db_bench_ext/read_amplification/report/report.h"
#include "src/text/html_page.h"
#include "src/text/svg_text.h"
#include "tests/db_bench_ext/readamp_testing.h"
#include "tests/support/matches.h"

namespace winnow::inspect {
namespace readamp_html_test {

using nlohmann::json;
using testing::ExamplePolicy;
using testing::ExampleReadAmplification;
using ::testing::HasSubstr;
using ::testing::Not;

const Machine kMachine = {"a processor", 2, 1 << 30, "Linux"};

std::string Page(const ReadAmplification& run) { return ReadAmplificationHtml(run, kMachine); }

// Returns all texts between `begin` and `end`.
std::vector<std::string> Between(const std::string& text, const std::string& begin,
                                 const std::string& end) {
  std::vector<std::string> pieces;
  for (size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    pieces.push_back(text.substr(at, text.find(end, at) - at));
  }
  return pieces;
}

size_t Times(const std::string& text, const std::string& what) {
  return Between(text, what, "").size();
}

// Removes markup that only affects the layout of cells.
std::string WithoutLayout(const std::string& page) {
  return std::regex_replace(
      page, std::regex("<wbr>| class=\"(words|long)\"|<span class=\"flag\">|</span>"), "");
}

// Returns results of --use_existing_db, with all files on one level.
ReadAmplification ExistingDatabase() {
  ReadAmplification run = ExampleReadAmplification();
  run.database = run.keys_from = "/var/lib/shop/<db>";
  run.policies = {ExamplePolicy("as it is", "winnow.Filter", 87'500, 500)};
  run.policies[0].build.reset();
  run.policies[0].tree = {{6, 7, 100'000, 87'500, {{"some-kind", 7}}}};
  return run;
}

// Returns results of various measurement modes, with little data.
std::vector<ReadAmplification> Sparse() {
  std::vector<ReadAmplification> runs = {ExampleReadAmplification(), ExistingDatabase()};
  const auto changed = [&](const ReadAmplification& run) -> ReadAmplification& {
    runs.push_back(run);
    return runs.back();
  };
  changed(ExistingDatabase()).policies = {ExamplePolicy("as it is", "", 0, 0)};
  changed(ExistingDatabase()).policies = {ExamplePolicy("as it is", "winnow.Filter", 87'500, 0)};
  changed(ExistingDatabase()).policies[0].workloads.clear();
  ReadAmplification one = ExampleReadAmplification();
  one.policies = {one.policies[2]};
  changed(one).policies.push_back(ExamplePolicy("winnow:14", "winnow.Filter", 122'500, 31));
  changed(one).policies = {ExamplePolicy("none", "", 0, 0)};
  changed(one).policies = {ExamplePolicy("none", "", 0, 0), ExamplePolicy("none", "", 0, 0)};
  ReadAmplification& no_lookups = changed(one);
  no_lookups.policies[0].workloads.clear();
  no_lookups.policies[0].tree.clear();
  ReadAmplification& unlike = changed(ExampleReadAmplification());
  for (LevelShape& level : unlike.policies[2].tree) level.keys *= 2;
  ReadAmplification& no_levels = changed(ExampleReadAmplification());
  for (PolicyResult& policy : no_levels.policies) {
    policy.workloads = {testing::ExampleWorkload("readpresent", 10'000, 0)};
    policy.workloads[0].counts.filter_checks = 10'000;
    policy.workloads[0].counts.levels.clear();
  }
  ReadAmplification& little_time = changed(ExampleReadAmplification());
  for (PolicyResult& policy : little_time.policies) {
    for (WorkloadResult& workload : policy.workloads) workload.times.percentiles = {{50, 800}};
  }
  return runs;
}

void ExpectEveryFigure(const json& value, const std::string& page) {
  if (value.is_structured() &&
      !(value.is_array() && (value.empty() || !value[0].is_structured()))) {
    for (const json& member : value) ExpectEveryFigure(member, page);
    return;
  }
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  EXPECT_THAT(page, HasSubstr("<td>" + EscapeHtml(text) + "</td>"));
}

TEST(ReadampHtmlTest, EveryFigureOfTheJsonIsOnThePage) {
  const ReadAmplification run = ExampleReadAmplification();
  ExpectEveryFigure(json::parse(ReadAmplificationJson(run, kMachine)), WithoutLayout(Page(run)));
}

TEST(ReadampHtmlTest, HeatOfKeyRangesHasTwoChartsAndTheirTables) {
  ReadAmplification run = ExampleReadAmplification();
  const std::string page = Page(run);
  EXPECT_THAT(page, HasSubstr("Heat of key ranges"));
  EXPECT_THAT(page, HasSubstr("bloomfilter:10, until 100,000 keys were written: 0.05 false reads"));
  EXPECT_THAT(page, HasSubstr("winnow:10, 96.7 to 100 % of the range: "));
  EXPECT_THAT(page, HasSubstr(">3.33 to 6.67 %</th>"));
  run.heat.clear();
  for (PolicyResult& policy : run.policies) {
    policy.growth.clear();
    policy.range.clear();
  }
  EXPECT_THAT(Page(run), Not(HasSubstr("Heat of key ranges")));
  EXPECT_THAT(Page(run), Not(HasSubstr("id=\"growth\"")));
}

TEST(ReadampHtmlTest, WhatCameIntoTheCacheIsShownByKindWhereThereIsACache) {
  ReadAmplification run = ExampleReadAmplification();
  EXPECT_THAT(Page(run), HasSubstr("aria-label=\"winnow:10, index: 2.3 bytes a lookup\""));
  EXPECT_THAT(Page(run), HasSubstr("<td>12.3 %</td>")) << "lookups that read a filter";
  run.cache_size = 0;
  EXPECT_THAT(Page(run), Not(HasSubstr("Read into the block cache")));
}

TEST(ReadampHtmlTest, ItNeedsNoNetworkAndNoScript) {
  const std::string page = Page(ExampleReadAmplification());
  for (const char* outside : {"http:", "https:", "<script", "url(", "@import", "src="}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(ReadampHtmlTest, TextsAreEscaped) {
  ReadAmplification run = ExampleReadAmplification();
  run.policies[2].policy = "<b>\"&'\xff\x01";
  const std::string page = Page(run);
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;&quot;&amp;&#39;\xef\xbf\xbd"));
  EXPECT_THAT(
      page,
      HasSubstr("db_bench_ext &#39;<span class=\"flag\">--policies</span>=a b&#39; &lt;&amp;&gt;"));
  EXPECT_EQ(EscapeHtml("\xed\xa0\x80 \xc0\xaf \xe2\x82\xac"),
            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd \xe2\x82\xac");
}

TEST(ReadampHtmlTest, ElementsAreClosedInOrderAndIdsAreUnique) {
  const std::string page = Page(ExampleReadAmplification());
  const std::set<std::string> empty = {"meta", "link", "wbr", "!DOCTYPE"};
  std::vector<std::string> open;
  const std::regex tag("<(/?)([A-Za-z!][A-Za-z0-9]*)([^>]*)>");
  for (std::sregex_iterator at(page.begin(), page.end(), tag), end; at != end; ++at) {
    const std::string name = (*at)[2], rest = (*at)[3];
    if (empty.count(name) > 0 || (!rest.empty() && rest.back() == '/')) continue;
    if ((*at)[1].length() == 0) {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << name;
    ASSERT_EQ(open.back(), name);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
  std::set<std::string> ids;
  const std::regex id(" id=\"([^\"]*)\"");
  for (const std::string& one : testing::AllMatches(page, id, 1)) {
    EXPECT_TRUE(ids.insert(one).second) << one;
  }
  EXPECT_GT(ids.size(), 10u);
}

TEST(ReadampHtmlTest, MarksCanBeReachedAndSayWhatTheyAre) {
  const std::string page = Page(ExampleReadAmplification());
  EXPECT_THAT(page,
              HasSubstr("tabindex=\"0\" role=\"img\" aria-label=\"winnow:10: 7.00 bits per key, "
                        "0.05 false reads a lookup"));
  const std::regex mark("<g class=\"mark[^>]*>"), labelled(
                                                      "<g class=\"mark[^>]*tabindex=\"0\"[^>]*"
                                                      "aria-label=\"[^\"]+\">");
  const auto count = [&](const std::regex& what) { return testing::AllMatches(page, what).size(); };
  EXPECT_GT(count(mark), 30u);
  EXPECT_EQ(count(mark), count(labelled));
}

TEST(ReadampHtmlTest, TreesThatDifferGetNoVerdict) {
  ReadAmplification run = ExampleReadAmplification();
  run.policies[2].tree[0].keys = 9'000;
  EXPECT_THAT(Page(run),
              HasSubstr("No verdict: the trees of winnow:10 and bloomfilter:10 differ by 10.0"));
  EXPECT_THAT(Page(run), Not(HasSubstr("fewer false reads than")));
  EXPECT_THAT(Page(run), HasSubstr("winnow:10 is left out"));
}

TEST(ReadampHtmlTest, LevelsThatRocksDBDoesNotTellAreNotMadeUp) {
  ReadAmplification run = ExampleReadAmplification();
  EXPECT_THAT(Page(run), HasSubstr(", level not known: "));
  for (PolicyResult& policy : run.policies) {
    for (WorkloadResult& workload : policy.workloads) {
      workload.counts.levels = {{1, workload.counts.filter_checks, workload.counts.useful,
                                 workload.counts.false_positive_block_reads, 0, 0}};
    }
  }
  EXPECT_THAT(Page(run), Not(HasSubstr(", level not known: ")));
}

TEST(ReadampHtmlTest, TheHeadlineIsTheFinding) {
  struct Case {
    uint64_t bytes, false_reads;
    const char* headline;
  };
  for (const Case& c :
       {Case{87'500, 100,
             "winnow:10 makes 1/10 of the false reads of bloomfilter:10, with 30 % "
             "less filter memory."},
        Case{125'000, 700,
             "winnow:10 makes 30 % fewer false reads than bloomfilter:10, with the same "
             "filter memory within 2 %."},
        Case{62'500, 1020,
             "winnow:10 makes about as many false reads as bloomfilter:10, with 50 % less "
             "filter memory."},
        Case{150'000, 3000,
             "winnow:10 makes 3 times as many false reads as bloomfilter:10, with 20 % more "
             "filter memory."},
        Case{
            125'000, 0,
            "winnow:10 makes none of the 1,000 false reads of bloomfilter:10, with the same filter "
            "memory within 2 %."}}) {
    ReadAmplification run = ExampleReadAmplification();
    run.policies[2] = ExamplePolicy("winnow:10", "winnow.Filter", c.bytes, c.false_reads);
    EXPECT_EQ(FindingOf(run).headline, c.headline);
  }
  ReadAmplification run = ExampleReadAmplification();
  run.policies = {ExamplePolicy("bloomfilter:10", "bloomfilter", 125'000, 0),
                  ExamplePolicy("winnow:10", "winnow.Filter", 125'000, 12)};
  EXPECT_EQ(
      FindingOf(run).headline,
      "Too few false reads, 12 and 0, to compare winnow:10 with bloomfilter:10, with the same "
      "filter memory within 2 %.");
  run.policies[1] = ExamplePolicy("winnow:10", "winnow.Filter", 125'000, 40);
  EXPECT_EQ(FindingOf(run).headline,
            "winnow:10 makes 40 false reads, and bloomfilter:10 none, with the same filter memory "
            "within 2 %.");
}

// The other policy is winnow:10, which takes 0.7 of the memory of bloomfilter:10 and makes 1010
// false reads to its 1000.
TEST(ReadampHtmlTest, TheBestPolicyLeads) {
  struct Case {
    uint64_t bytes, false_reads;
    const char* beginning;
  };
  for (const Case& c : {Case{90'000, 600, "winnow:10 by level makes 40 % fewer false reads"},
                        Case{126'000, 600, "winnow:10 by level makes 40 % fewer false reads"},
                        Case{150'000, 600, "winnow:10 makes about as many"},
                        Case{80'000, 1020, "winnow:10 by level makes about as many"},
                        Case{90'000, 1000, "winnow:10 makes about as many"}}) {
    ReadAmplification run = ExampleReadAmplification();
    run.policies = {run.policies[1],
                    ExamplePolicy("winnow:10 by level", "winnow.Filter", c.bytes, c.false_reads),
                    ExamplePolicy("winnow:10", "winnow.Filter", 87'500, 1010)};
    EXPECT_THAT(FindingOf(run).headline, ::testing::StartsWith(c.beginning));
    // A policy with a different tree is not mentioned.
    run.policies[1].tree[0].keys /= 2;
    EXPECT_THAT(FindingOf(run).headline, ::testing::StartsWith("winnow:10 makes about as many"));
  }
}

TEST(ReadampHtmlTest, WithNothingToCompareTheHeadlineSaysWhatIsReadAndTaken) {
  ReadAmplification run = ExampleReadAmplification();
  run.policies = {run.policies[2]};
  EXPECT_EQ(FindingOf(run).headline,
            "winnow:10 makes 0.05 false reads a lookup in readabsent, with 7.00 filter bits "
            "per key.");
  run.policies = {ExamplePolicy("none", "", 0, 0)};
  run.policies[0].workloads[0].counts.data_blocks_accessed = 31'000;
  EXPECT_EQ(FindingOf(run).headline,
            "none has no filters and reads 3.1 data blocks a lookup in readabsent.");
  run.policies[0].workloads.clear();
  EXPECT_EQ(FindingOf(run).headline, "none has 0.00 filter bits per key, 0 bytes.");
  EXPECT_THAT(Page(run), HasSubstr("</html>"));
}

// Charts have no room for long policies.
TEST(ReadampHtmlTest, APolicyHasOneNameAndItsTextStandsOnce) {
  ReadAmplification run = ExampleReadAmplification();
  const std::string text = "{id=winnow;bits_per_key=10;level_plan=auto}";
  run.policies[2] = ExamplePolicy(text, "winnow.Filter", 87'500, 100);
  const std::string page = Page(run);
  EXPECT_THAT(page, HasSubstr("<h1>winnow:10 auto makes 1/10 of the false reads"));
  EXPECT_THAT(page, HasSubstr("<p>winnow:10 auto is " + text + ".</p>"));
  EXPECT_THAT(page, HasSubstr(">winnow:10 auto</text>"));
  EXPECT_THAT(page, Not(HasSubstr(">winnow auto</text>")));
  // A headline has room for longer names.
  run.policies[2].policy = "{id=winnow;bits_per_key=10;level_plan=auto;filter_memory=64MiB}";
  EXPECT_THAT(Page(run), HasSubstr("<h1>winnow:10 auto 64MiB makes 1/10 of the false reads"));
}

TEST(ReadampHtmlTest, EveryHeadlineHasANumber) {
  for (const ReadAmplification& run : Sparse()) {
    const std::vector<std::string> headline = Between(Page(run), "<h1>", "</h1>");
    ASSERT_EQ(headline.size(), 1u);
    EXPECT_TRUE(std::regex_search(headline[0], std::regex("(^|[ (])[0-9]"))) << headline[0];
  }
}

// A chart has marks, and a line chart at least two; a figure without a chart has an open and
// nonempty table.
TEST(ReadampHtmlTest, NoChartIsEmpty) {
  for (const ReadAmplification& run : Sparse()) {
    const std::string page = Page(run);
    const std::vector<std::string> figures = Between(page, "<figure>", "</figure>");
    EXPECT_THAT(figures, Not(::testing::IsEmpty()));
    for (const std::string& figure : figures) {
      EXPECT_THAT(figure, HasSubstr("<tr><th scope=\"row\"")) << figure;
      const size_t marks = Times(figure, "class=\"mark");
      const bool has_chart = figure.find("<svg") != std::string::npos;
      EXPECT_EQ(has_chart, figure.find("<details>") != std::string::npos) << figure;
      const bool has_lines = figure.find("class=\"series") != std::string::npos;
      EXPECT_GE(marks, has_lines ? 2u : has_chart ? 1u : 0u) << figure;
    }
  }
}

TEST(ReadampHtmlTest, ADatabaseMeasuredAsItIsIsNamedAndIsAloneOnItsPage) {
  const std::string page = Page(ExistingDatabase());
  EXPECT_THAT(page, HasSubstr("<title>Read amplification of /var/lib/shop/&lt;db&gt;</title>"));
  EXPECT_THAT(page, HasSubstr("<h1>The database makes 0.05 false reads a lookup"));
  for (const std::string& says : Between(page, "<p", "</p>")) {
    if (says.find("<code>") != std::string::npos) continue;  // the command as given
    for (const char* absent : {"--policies", "asked for", "The other trees", "on each tree",
                               "other policies", "to compare", "each policy"}) {
      EXPECT_THAT(says, Not(HasSubstr(absent)));
    }
  }
  EXPECT_THAT(page, Not(HasSubstr("Building the filters")));
}

TEST(ReadampHtmlTest, PoliciesThatDifferInTheirBitsAreOneLine) {
  ReadAmplification run = ExampleReadAmplification();
  const auto lines = [&] {
    const std::string page = Page(run);
    return Times(Between(page, "aria-labelledby=\"memory-title", "</svg>").at(0), "class=\"line");
  };
  EXPECT_EQ(lines(), 0u);
  run.policies.push_back(ExamplePolicy("winnow:14", "winnow.Filter", 122'500, 31));
  EXPECT_EQ(lines(), 1u);
  EXPECT_THAT(WithoutLayout(Page(run)), HasSubstr("in their bits per key are on one line."));
  run.policies[3].tree[0].keys = 5'000;
  EXPECT_EQ(lines(), 0u);
  EXPECT_THAT(Page(run), HasSubstr("winnow:14 is left out"));
}

TEST(ReadampHtmlTest, WhatIsToBeKnownBeforeTheFiguresStandsOnThePage) {
  ReadAmplification run = ExampleReadAmplification();
  run.notes = {"The <database> changed."};
  EXPECT_THAT(Page(run), HasSubstr("<p>Note: The &lt;database&gt; changed.</p>"));
}

// A short cell is not wrapped; a long name may be wrapped after a separator, but not within a
// number.
TEST(ReadampHtmlTest, LinesOfCellsEndBetweenWords) {
  const auto cell = [](const std::string& text) {
    return Between(ToHtml(HtmlTable{{"a"}, {{text}}}), "<th scope=\"row\"", "</th>").at(0);
  };
  EXPECT_EQ(cell("123,456,789,012 & 3 MiB"), " class=\"words\">123,456,789,012 &amp; 3 MiB");
  EXPECT_EQ(cell("/data/of_shop/12.5/000012.sst"),
            " class=\"long\">/<wbr>data/<wbr>of_<wbr>shop/<wbr>12.5/<wbr>000012.sst");
  EXPECT_EQ(cell("levels[0].share is 0.957 or 1:2"),
            " class=\"long\">levels[0].<wbr>share is 0.957 or 1:2");
  std::string letters;
  for (int i = 0; i < 30; ++i) letters += "\xc3\xbc";
  EXPECT_EQ(cell(letters),
            " class=\"long\">" + letters.substr(0, 48) + "<wbr>" + letters.substr(48));
  EXPECT_EQ(cell(std::string(30, '&')).find("<wbr>"), std::string(" class=\"long\">").size() + 120);
}

}  // namespace readamp_html_test
}  // namespace winnow::inspect
