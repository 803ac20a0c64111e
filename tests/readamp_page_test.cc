// The page of a real run, in a real browser. Skipped where Debian's package chromium is not
// installed: tools/setup.sh --browser does that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/child_process.h"
#include "tests/files.h"

namespace winnow::inspect {
namespace {

using nlohmann::json;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ReadFile;
using testing::RunProgram;
using testing::TemporaryFolder;
using testing::WriteFile;

bool HaveBrowser() { return RunProgram({"sh", "-c", "command -v chromium"}).status == 0; }

// What the browser says of a page, with its console on stderr.
ChildResult Browse(const std::string& page, const TemporaryFolder& folder,
                   std::vector<std::string> flags) {
  std::vector<std::string> command = {"timeout",
                                      "60",
                                      "chromium",
                                      "--headless=new",
                                      "--disable-gpu",
                                      "--enable-logging=stderr",
                                      "--hide-scrollbars",
                                      "--force-color-profile=srgb",
                                      "--user-data-dir=" + (folder / "profile")};
  if (geteuid() == 0) command.emplace_back("--no-sandbox");  // root has none
  command.insert(command.end(), flags.begin(), flags.end());
  command.push_back("file://" + page);
  return RunProgram(command);
}

class ReadampPageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveBrowser()) {
      GTEST_SKIP() << "skipped: no chromium here; tools/setup.sh --browser installs it";
    }
    const ChildResult run = RunProgram(
        {WINNOW_DB_BENCH_EXT, "--num=20000", "--reads=20000", "--timed_reads=2000",
         "--timed_rounds=1", "--write_buffer_size=200000", "--frontier=6,14",
         "--policies=none,bloomfilter:10,winnow:10", "--json=" + json_, "--html=" + html_});
    ASSERT_EQ(run.status, 0) << run.errors;
  }

  const TemporaryFolder folder_;
  const std::string json_ = folder_ / "run.json";
  const std::string html_ = folder_ / "run.html";
};

// The texts of the cells that the browser made of the page.
void ExpectEveryFigure(const json& value, const std::string& dom) {
  if (value.is_structured() &&
      !(value.is_array() && (value.empty() || !value[0].is_structured()))) {
    for (const json& member : value) ExpectEveryFigure(member, dom);
    return;
  }
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  for (size_t at = 0; (at = text.find('&', at)) != std::string::npos; at += 5) {
    text.replace(at, 1, "&amp;");
  }
  EXPECT_THAT(dom, HasSubstr("<td>" + text + "</td>"));
}

TEST_F(ReadampPageTest, EveryFigureIsInTheDocumentAndTheConsoleIsSilent) {
  const ChildResult result = Browse(html_, folder_, {"--dump-dom"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.errors, Not(HasSubstr("CONSOLE")));
  const json document = json::parse(ReadFile(json_));
  ExpectEveryFigure(document, result.output);
  for (const json& policy : document.at("policies")) {
    EXPECT_THAT(result.output,
                HasSubstr("<summary>" + policy.at("policy").get<std::string>() + "</summary>"));
  }
}

TEST_F(ReadampPageTest, AnErrorOnTheConsoleWouldBeSeen) {
  const std::string page = folder_ / "broken.html";
  WriteFile(page, ReadFile(html_) + "<script>missing.call()</script>");
  EXPECT_THAT(Browse(page, folder_, {"--dump-dom"}).errors, HasSubstr("CONSOLE"));
}

uint32_t BigEndian(const std::string& bytes, size_t at) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

TEST_F(ReadampPageTest, ItHasPicturesOfTwoWidthsAndNothingStandsOut) {
  const std::string probe = folder_ / "probe.html";
  WriteFile(probe, ReadFile(html_) +
                       "<script>document.title = 'reaches ' + "
                       "(document.documentElement.scrollWidth - innerWidth)</script>");
  for (const uint32_t width : {400u, 1280u}) {
    const std::string size = "--window-size=" + std::to_string(width) + ",1500";
    const std::string picture = folder_ / std::to_string(width) + ".png";
    const ChildResult result = Browse(html_, folder_, {size, "--screenshot=" + picture});
    ASSERT_EQ(result.status, 0) << result.errors;
    const std::string png = ReadFile(picture);
    ASSERT_GT(png.size(), 20'000u) << "an empty page takes 6 KB";
    EXPECT_EQ(png.substr(1, 3), "PNG");
    EXPECT_EQ(BigEndian(png, 16), width);
    EXPECT_THAT(Browse(probe, folder_, {size, "--dump-dom"}).output,
                HasSubstr("<title>reaches 0</title>"))
        << "the page is wider than " << width << " pixels";
  }
}

}  // namespace
}  // namespace winnow::inspect
