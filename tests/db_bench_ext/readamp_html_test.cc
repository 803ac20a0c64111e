// Tests that the HTML page has all values, states the result, and is self-contained.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "db_bench_ext/read_amplification/report/readamp_headline.h"
#include "db_bench_ext/read_amplification/report/report.h"
#include "src/text/report_page.h"
#include "tests/db_bench_ext/readamp_testing.h"

namespace winnow::inspect {
namespace readamp_html_test {

using nlohmann::json;
using testing::ExamplePolicy;
using testing::ExampleReadAmplification;
using ::testing::HasSubstr;
using ::testing::Not;

const Machine kMachine = {"a processor", 2, 1 << 30, "Linux"};

std::string Page(const ReadAmplification& run) { return ReadAmplificationHtml(run, kMachine); }

// Removes markup that only affects the layout of cells.
std::string WithoutLayout(const std::string& page) {
  return std::regex_replace(
      page, std::regex("<wbr>| class=\"(words|long)\"|<span class=\"flag\">|</span>"), "");
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

TEST(ReadampHtmlTest, ItNeedsNoNetworkAndNoScript) {
  const std::string page = Page(ExampleReadAmplification());
  for (const char* outside : {"http:", "https:", "<script", "url(", "@import", "src="}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
}

TEST(ReadampHtmlTest, TextsAreEscapedAndNotesStandOnThePage) {
  ReadAmplification run = ExampleReadAmplification();
  run.policies[2].policy = "<b>\"&'\xff\x01";
  run.notes = {"The <database> changed."};
  const std::string page = Page(run);
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("&lt;b&gt;&quot;&amp;&#39;\xef\xbf\xbd"));
  EXPECT_THAT(page, HasSubstr("<p>Note: The &lt;database&gt; changed.</p>"));
  EXPECT_EQ(EscapeHtml("\xed\xa0\x80 \xc0\xaf \xe2\x82\xac"),
            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd \xe2\x82\xac");
}

TEST(ReadampHtmlTest, TreesThatDifferGetNoVerdict) {
  ReadAmplification run = ExampleReadAmplification();
  run.policies[2].tree[0].keys = 9'000;
  EXPECT_THAT(Page(run),
              HasSubstr("No verdict: the trees of winnow:10 and bloomfilter:10 differ by 10.0"));
  EXPECT_THAT(Page(run), Not(HasSubstr("fewer false reads than")));
  EXPECT_THAT(Page(run), HasSubstr("winnow:10 is left out"));
}

// The reference takes 125,000 bytes.
TEST(ReadampHtmlTest, TheHeadlineIsTheFinding) {
  struct Case {
    uint64_t reads_of_reference, bytes, false_reads;
    const char* says;
  };
  for (const Case& c :
       {Case{1000, 87'500, 100, "makes 1/10 of the false reads of bloomfilter:10, with 30 % less"},
        Case{1000, 125'000, 700, "makes 30 % fewer false reads than bloomfilter:10, with the same"},
        Case{1000, 62'500, 1020, "makes about as many false reads as bloomfilter:10"},
        Case{1000, 150'000, 3000, "makes 3 times as many false reads as bloomfilter:10, with 20 %"},
        Case{1000, 125'000, 0, "makes none of the 1,000 false reads of bloomfilter:10"},
        Case{0, 125'000, 12, "Too few false reads, 12 and 0, to compare winnow:10 with"},
        Case{0, 125'000, 40, "makes 40 false reads, and bloomfilter:10 none"}}) {
    ReadAmplification run = ExampleReadAmplification();
    run.policies = {ExamplePolicy("bloomfilter:10", "bloomfilter", 125'000, c.reads_of_reference),
                    ExamplePolicy("winnow:10", "winnow.Filter", c.bytes, c.false_reads)};
    EXPECT_THAT(FindingOf(run).headline, HasSubstr(c.says));
  }
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

// Results of one policy, of an existing database, and without filters, lookups or levels.
TEST(ReadampHtmlTest, OfLittleDataThereIsAPageWithoutEmptyCharts) {
  const PolicyResult winnow = ExamplePolicy("winnow:10", "winnow.Filter", 87'500, 500);
  const PolicyResult none = ExamplePolicy("none", "", 0, 0);
  PolicyResult no_lookups = winnow;
  no_lookups.workloads.clear();
  PolicyResult no_tree = no_lookups;
  no_tree.tree.clear();
  PolicyResult no_levels = winnow;
  for (WorkloadResult& workload : no_levels.workloads) {
    workload.counts.levels.clear();
    workload.times.percentiles = {{50, 800}};
  }
  for (const std::vector<PolicyResult>& policies : std::vector<std::vector<PolicyResult>>{
           {winnow}, {none}, {none, none}, {no_lookups}, {no_tree}, {no_levels, no_levels}}) {
    for (const char* database : {"", "/var/lib/shop/<db>"}) {
      ReadAmplification run = ExampleReadAmplification();
      run.policies = policies;
      run.database = database;
      EXPECT_TRUE(std::regex_search(FindingOf(run).headline, std::regex("(^|[ (])[0-9]")));
      const std::string page = Page(run);
      for (size_t at = page.find("<svg"); at != std::string::npos; at = page.find("<svg", at + 1)) {
        EXPECT_THAT(page.substr(at, page.find("</svg>", at) - at), HasSubstr("class=\"mark"));
      }
    }
  }
}

}  // namespace readamp_html_test
}  // namespace winnow::inspect
