// Tests that ticks are round numbers, and that marks are at the positions of their values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "src/text/numbers.h"
#include "src/text/report_page.h"
#include "tests/support/matches.h"

namespace winnow::inspect {
namespace report_charts_test {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

TEST(ReportChartsTest, TicksAreRound) {
  const auto near = [](const std::vector<double>& ticks, const std::vector<double>& expected) {
    EXPECT_THAT(ticks, Pointwise(DoubleNear(1e-9), expected));
  };
  near(Ticks(0, 10, false, 5), {0, 2, 4, 6, 8, 10});
  near(Ticks(6.1, 9.9, false, 4), {7, 8, 9});
  near(Ticks(0.001, 1, true, 5), {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1});
  near(Ticks(0.02, 0.5, true, 5), {0.02, 0.05, 0.1, 0.2, 0.5});
  near(Ticks(1e-5, 1, true, 5), {1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1});
}

Chart Example() {
  Chart chart;
  chart.id = "example";
  chart.title = "A & B";
  chart.x = {"x", false, Figure, {}};
  chart.y = {"y", true, Figure, {}};
  chart.series = {{"first", 1, {{1, 0.1, std::nullopt, "one"}, {2, 0.01, std::nullopt, "two"}}}};
  return chart;
}

TEST(ReportChartsTest, ALogarithmicAxisHasEqualRoomForEachFactorAndNoneIsOnItsLowerEdge) {
  Chart chart = Example();
  chart.series[0].points.push_back({3, 0.001, std::nullopt, "three"});
  chart.series[0].points.push_back({4, 0, std::nullopt, "nothing"});
  std::vector<double> y;
  const std::regex circle("cy=\"([0-9.]+)\"");
  for (const std::string& at : testing::AllMatches(ToSvg(chart), circle, 1)) {
    y.push_back(std::stod(at));
  }
  ASSERT_EQ(y.size(), 4u);
  EXPECT_GT(y[1], y[0] + 50);
  EXPECT_NEAR(y[1] - y[0], y[2] - y[1], 0.2);
  EXPECT_EQ(y[3], y[2]);
}

TEST(ReportChartsTest, ItHasANameForThoseWhoDoNotSeeItAndOnePointIsNoChart) {
  Chart chart = Example();
  EXPECT_THAT(ToSvg(chart), HasSubstr("<title id=\"example-title\">A &amp; B</title>"));
  chart.series[0].points.pop_back();
  EXPECT_EQ(ToSvg(chart), "");
  EXPECT_EQ(ToSvg(Chart{}), "");
}

// Viewers other than browsers, such as librsvg, do not support CSS variables: lines and marks would
// be black or missing.
TEST(ReportChartsTest, AFileOfItsOwnHasNoVariablesOfCss) {
  const std::string svg = StandaloneSvg(Example());
  EXPECT_THAT(svg, Not(HasSubstr("--")));
  EXPECT_THAT(svg, Not(HasSubstr("var(")));
  EXPECT_THAT(svg, HasSubstr(".c1 { color: #0072b2; }"));
  EXPECT_THAT(svg, HasSubstr(".line { fill: none; stroke: currentColor;"));
}

}  // namespace report_charts_test
}  // namespace winnow::inspect
