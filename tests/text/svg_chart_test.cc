// Tests that ticks are round numbers, and that marks are at the positions of their values.

#include "src/text/svg_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "src/text/numbers.h"
#include "src/text/svg_text.h"
#include "tests/support/matches.h"

namespace winnow::inspect {
namespace svg_chart_test {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

TEST(SvgChartTest, TicksAreRound) {
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

std::vector<double> HeightsOfCircles(const std::string& svg) {
  std::vector<double> heights;
  const std::regex circle("cy=\"([0-9.]+)\"");
  for (const std::string& y : testing::AllMatches(svg, circle, 1)) heights.push_back(std::stod(y));
  return heights;
}

TEST(SvgChartTest, ALogarithmicAxisHasEqualRoomForEachFactor) {
  Chart chart = Example();
  chart.series[0].points.push_back({3, 0.001, std::nullopt, "three"});
  const std::vector<double> y = HeightsOfCircles(ToSvg(chart));
  ASSERT_EQ(y.size(), 3u);
  EXPECT_GT(y[1], y[0] + 50);
  EXPECT_NEAR(y[1] - y[0], y[2] - y[1], 0.2);
}

TEST(SvgChartTest, NoneOfItIsDrawnOnTheLowerEdge) {
  Chart chart = Example();
  chart.series[0].points.push_back({3, 0, std::nullopt, "nothing"});
  const std::vector<double> y = HeightsOfCircles(ToSvg(chart));
  ASSERT_EQ(y.size(), 3u);
  EXPECT_EQ(y[2], y[1]) << "0.01 is the lower edge";
}

double Last(const std::string& svg, const char* pattern) {
  std::smatch match;
  EXPECT_TRUE(std::regex_search(svg, match, std::regex(pattern))) << pattern;
  return std::stod(match[1]);
}

TEST(SvgChartTest, LabelsOfLinesThatEndTogetherAreMovedApart) {
  Chart chart = Example();
  for (size_t i = 2; i < 6; ++i) {
    chart.series.push_back({"line", i, {{2, 0.01, std::nullopt, "same"}}});
  }
  const std::string svg = ToSvg(chart);
  std::vector<double> y;
  const std::regex label("class=\"label\" x=\"[0-9.]+\" y=\"([0-9.]+)\"");
  for (const std::string& at : testing::AllMatches(svg, label, 1)) y.push_back(std::stod(at));
  std::sort(y.begin(), y.end());
  ASSERT_EQ(y.size(), 5u);
  for (size_t i = 1; i < y.size(); ++i) EXPECT_GE(y[i], y[i - 1] + 15);
  const double tick =
      Last(svg, "class=\"tick\" x=\"[0-9.]+\" y=\"([0-9.]+)\" text-anchor=\"middle\"");
  EXPECT_GE(tick, y.back() + 15) << "the figures of the axis are below the lowest";
}

TEST(SvgChartTest, ALineMayHaveNoName) {
  Chart chart = Example();
  EXPECT_THAT(ToSvg(chart), HasSubstr("class=\"leader\""));
  chart.series[0].label = "";
  EXPECT_THAT(ToSvg(chart), Not(HasSubstr("class=\"leader\"")));
}

TEST(SvgChartTest, ItHasANameForThoseWhoDoNotSeeIt) {
  EXPECT_THAT(ToSvg(Example()), HasSubstr("<title id=\"example-title\">A &amp; B</title>"));
  EXPECT_EQ(ToSvg(Chart{}), "");
}

// Viewers other than browsers, such as librsvg, do not support CSS variables: lines and marks would
// be black or missing.
TEST(SvgChartTest, AFileOfItsOwnHasNoVariablesOfCss) {
  const std::string svg = StandaloneSvg(Example());
  EXPECT_THAT(svg, Not(HasSubstr("--")));
  EXPECT_THAT(svg, Not(HasSubstr("var(")));
  EXPECT_THAT(svg, HasSubstr(".c1 { color: #0072b2; }"));
  EXPECT_THAT(svg, HasSubstr(".line { fill: none; stroke: currentColor;"));
}

TEST(SvgChartTest, OnePointIsNoChart) {
  Chart chart = Example();
  chart.series[0].points.pop_back();
  EXPECT_EQ(ToSvg(chart), "");
}

TEST(SvgChartTest, ManyNamesAndTicksHaveRoom) {
  Chart chart = Example();
  for (size_t i = 0; i < 60; ++i) {
    chart.series.push_back({"line " + std::to_string(i), i, {{2, 0.01, std::nullopt, "same"}}});
    chart.x.ticks.emplace_back(1 + static_cast<double>(i) / 59, "L" + std::to_string(i));
  }
  const std::string svg = ToSvg(chart);
  const double height = Last(svg, "viewBox=\"0 0 480 ([0-9.]+)\"");
  const std::regex label("class=\"label\" x=\"[0-9.]+\" y=\"(-?[0-9.]+)\"");
  const std::vector<std::string> labels = testing::AllMatches(svg, label, 1);
  for (const std::string& y : labels) {
    EXPECT_GE(std::stod(y), 10);
    EXPECT_LE(std::stod(y), height);
  }
  EXPECT_EQ(labels.size(), 61u);
  const std::regex tick("class=\"tick\" x=\"([0-9.]+)\"[^>]*\"middle\">(L[0-9]+)<");
  double free = 0;
  for (std::sregex_iterator at(svg.begin(), svg.end(), tick), end; at != end; ++at) {
    const double half = TextWidth((*at)[2].length()) / 2;
    EXPECT_GE(std::stod((*at)[1]) - half, free) << (*at)[2];
    free = std::stod((*at)[1]) + half;
  }
  EXPECT_GT(free, 0);
}

}  // namespace svg_chart_test
}  // namespace winnow::inspect
