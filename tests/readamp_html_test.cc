// The page says what was found, has every figure, and needs nothing else.

#include "src/inspect/readamp_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "src/inspect/readamp_headline.h"
#include "src/inspect/readamp_json.h"
#include "src/inspect/svg_text.h"
#include "tests/readamp_testing.h"

namespace winnow::inspect {
namespace {

using nlohmann::json;
using testing::ExamplePolicy;
using testing::ExampleReadAmplification;
using ::testing::HasSubstr;
using ::testing::Not;

const Machine kMachine = {"a processor", 2, 1 << 30, "Linux"};

std::string Page(const ReadAmplification& run) { return ReadAmplificationHtml(run, kMachine); }

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
  ExpectEveryFigure(json::parse(ReadAmplificationJson(run, kMachine)), Page(run));
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
  EXPECT_THAT(page, HasSubstr("db_bench_ext &#39;--policies=a b&#39; &lt;&amp;&gt;"));
  EXPECT_EQ(EscapeHtml("\xed\xa0\x80 \xc0\xaf \xe2\x82\xac"),
            "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd \xe2\x82\xac");
}

TEST(ReadampHtmlTest, ElementsAreClosedInOrderAndIdsAreUnique) {
  const std::string page = Page(ExampleReadAmplification());
  const std::set<std::string> empty = {"meta", "link", "!DOCTYPE"};
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
  for (std::sregex_iterator at(page.begin(), page.end(), id), end; at != end; ++at) {
    EXPECT_TRUE(ids.insert((*at)[1]).second) << (*at)[1];
  }
  EXPECT_GT(ids.size(), 10u);
}

TEST(ReadampHtmlTest, MarksCanBeReachedAndSayWhatTheyAre) {
  const std::string page = Page(ExampleReadAmplification());
  EXPECT_THAT(page,
              HasSubstr("tabindex=\"0\" role=\"img\" aria-label=\"winnow:14: 9.80 bits a key, "
                        "0.0031 false reads a lookup"));
  const std::regex mark("<g class=\"mark[^>]*>"), labelled(
                                                      "<g class=\"mark[^>]*tabindex=\"0\"[^>]*"
                                                      "aria-label=\"[^\"]+\">");
  const auto count = [&](const std::regex& what) {
    return std::distance(std::sregex_iterator(page.begin(), page.end(), what), {});
  };
  EXPECT_GT(count(mark), 30);
  EXPECT_EQ(count(mark), count(labelled));
}

TEST(ReadampHtmlTest, TreesThatDifferGetNoVerdict) {
  ReadAmplification run = ExampleReadAmplification();
  run.policies[2].tree[0].keys = 9'000;
  EXPECT_THAT(Page(run),
              HasSubstr("No verdict: the trees of winnow:10 and bloomfilter:10 differ."));
  EXPECT_THAT(Page(run), Not(HasSubstr("blocks for nothing")));
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
             "winnow:10 reads 1/10 of the blocks for nothing that bloomfilter:10 reads, with 30 % "
             "less filter memory."},
        Case{125'000, 700,
             "winnow:10 reads 30 % fewer blocks for nothing than bloomfilter:10, with the same "
             "filter memory within 2 %."},
        Case{62'500, 1020,
             "winnow:10 reads about as many blocks for nothing as bloomfilter:10, with 50 % less "
             "filter memory."},
        Case{150'000, 3000,
             "winnow:10 reads 3 times as many blocks for nothing as bloomfilter:10, with 20 % more "
             "filter memory."},
        Case{125'000, 0,
             "Too few false reads to compare winnow:10 with bloomfilter:10, with the same filter "
             "memory within 2 %."}}) {
    ReadAmplification run = ExampleReadAmplification();
    run.policies[2] = ExamplePolicy("winnow:10", "winnow.Filter", c.bytes, c.false_reads);
    EXPECT_EQ(FindingOf(run).headline, c.headline);
  }
}

TEST(ReadampHtmlTest, RunsOfOnePolicyAndOfNoFiltersHavePagesToo) {
  ReadAmplification run = ExampleReadAmplification();
  run.frontier.clear();
  run.policies = {run.policies[2]};
  EXPECT_THAT(Page(run), HasSubstr("no policy to compare it with"));
  run.policies = {ExamplePolicy("none", "", 0, 0)};
  EXPECT_THAT(Page(run), HasSubstr("No policy of this run has filters."));
  run.policies[0].workloads.clear();
  EXPECT_THAT(Page(run), HasSubstr("</html>"));
}

}  // namespace
}  // namespace winnow::inspect
