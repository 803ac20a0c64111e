// Tests of the benchmark's and winnow inspect's pages in a real browser. Skipped unless Debian's
// package chromium is installed, for example by tools/setup.sh --browser.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "db_bench_ext/read_amplification/report/report.h"
#include "tests/db_bench_ext/readamp_testing.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tools/winnow/inspect/inspect_report.h"

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

// Runs the browser on a page; its console goes to stderr.
ChildResult Browse(const std::string& page, const TemporaryFolder& folder,
                   std::vector<std::string> flags) {
  std::vector<std::string> command = {"timeout",
                                      "300",
                                      "chromium",
                                      "--headless=new",
                                      "--disable-gpu",
                                      "--no-sandbox",  // unavailable to root and in a chroot
                                      "--enable-logging=stderr",
                                      "--hide-scrollbars",
                                      "--force-color-profile=srgb",
                                      "--user-data-dir=" + (folder / "profile")};
  command.insert(command.end(), flags.begin(), flags.end());
  command.push_back("file://" + page);
  return RunProgram(command);
}

class PageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HaveBrowser()) {
      GTEST_SKIP() << "skipped: no chromium here; tools/setup.sh --browser installs it";
    }
  }

  const TemporaryFolder folder_;
};

class ReadampPageTest : public PageTest {
 protected:
  void SetUp() override {
    PageTest::SetUp();
    if (IsSkipped()) return;
    const ChildResult run =
        RunProgram({WINNOW_DB_BENCH_EXT, "--num=20000", "--reads=20000",
                    "--benchmarks=filluniquerandom,readabsent,readpresent,readheat",
                    "--timed_reads=2000", "--timed_rounds=1", "--write_buffer_size=200000",
                    "--policies=none,bloomfilter:10,winnow:6,winnow:10,winnow:14",
                    "--json=" + json_, "--html=" + html_});
    ASSERT_EQ(run.status, 0) << run.errors;
  }

  const std::string json_ = folder_ / "run.json";
  const std::string html_ = folder_ / "run.html";
};

// Expects all values among the texts of the cells in the browser's DOM.
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

// Removes markup that only affects the layout of cells.
std::string WithoutLayout(const std::string& dom) {
  return std::regex_replace(
      dom, std::regex("<wbr>| class=\"(words|long)\"|<span class=\"flag\">|</span>"), "");
}

TEST_F(ReadampPageTest, EveryFigureIsInTheDocumentAndTheConsoleIsSilent) {
  const ChildResult result = Browse(html_, folder_, {"--dump-dom"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.errors, Not(HasSubstr("CONSOLE")));
  const json document = json::parse(ReadFile(json_));
  ExpectEveryFigure(document, WithoutLayout(result.output));
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

TEST_F(ReadampPageTest, ItHasPicturesOfThreeWidths) {
  for (const uint32_t width : {400u, 1280u, 1920u}) {
    const std::string size = "--window-size=" + std::to_string(width) + ",1500";
    const std::string picture = folder_ / std::to_string(width) + ".png";
    const ChildResult result = Browse(html_, folder_, {size, "--screenshot=" + picture});
    ASSERT_EQ(result.status, 0) << result.errors;
    const std::string png = ReadFile(picture);
    ASSERT_GT(png.size(), 20'000u) << "an empty page takes 6 KB";
    EXPECT_EQ(png.substr(1, 3), "PNG");
    EXPECT_EQ(BigEndian(png, 16), width);
  }
}

// Script that finds faults in a page's layout, with all tables closed and then open: content beyond
// the window, except in scrollable elements; words and numbers in cells, and flags in sentences,
// that are wrapped; charts without a mark; blank table rows, whose height is that of cells beyond
// the window; and, in wide windows, truncated tables.
constexpr char kLook[] = R"(<script>
function look(frame) {
  const page = frame.contentDocument, width = frame.contentWindow.innerWidth, found = new Set();
  const shown = (what) => [...page.querySelectorAll(what)].filter(e => e.checkVisibility());
  const say = (fault, e) => found.add(fault + ' ' + e.tagName + ' ' + e.textContent.slice(0, 30));
  for (const details of [false, true]) {
    for (const e of page.querySelectorAll('details')) e.open = details;
    for (const e of shown('body *')) {
      const box = e.getBoundingClientRect();
      const scrolls = e.parentElement.closest('.scroll') !== null;
      if (!scrolls && (box.left < -1 || box.right > width + 1)) say('outside:', e);
    }
    for (const cell of shown('th, td, p, li')) {
      const texts = page.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const whole = cell.matches('p, li') ? /--[a-z_]+/g : /[A-Za-z0-9.,]+/g;
      while (texts.nextNode()) {
        for (const word of texts.currentNode.data.matchAll(whole)) {
          const range = page.createRange();
          range.setStart(texts.currentNode, word.index);
          range.setEnd(texts.currentNode, word.index + word[0].length);
          const heights = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
          if (heights.size > 1) say('broken:', cell);
        }
      }
    }
    for (const row of shown('tbody tr')) {
      const heights = [...row.cells].filter(e => e.getBoundingClientRect().left < width).map(e => {
        const range = page.createRange();
        range.selectNodeContents(e);
        return range.getBoundingClientRect().height;
      });
      const white = row.getBoundingClientRect().height - Math.max(...heights);
      if (white > 50) say('white:', row);
    }
    for (const e of shown('svg')) if (!e.querySelector('.mark')) say('empty:', e);
    for (const e of shown('.scroll')) {
      const cut = width > 1000 && !e.closest('details') && e.scrollWidth > e.clientWidth + 1;
      if (cut) say('cut:', e);
    }
  }
  return width + ': ' + [...found].slice(0, 3).join(' / ').replace(/\s+/g, ' ');
}
addEventListener('load', () => {
  document.title = [...document.querySelectorAll('iframe')].map(look).join(' | ');
});
</script>)";

// Runs the script with the page in frames: Chromium's windows are at least 500 pixels wide, but
// frames can be narrower.
std::string Look(const std::string& html, const TemporaryFolder& folder) {
  std::string quoted = std::regex_replace(html, std::regex("&"), "&amp;");
  quoted = std::regex_replace(quoted, std::regex("\""), "&quot;");
  std::string page = "<!DOCTYPE html>\n<title>not looked at</title>\n";
  for (const char* width : {"400", "1280", "1920"}) {
    page += std::string("<iframe style=\"border: 0; height: 1500px; width: ") + width +
            "px\" srcdoc=\"" + quoted + "\"></iframe>\n";
  }
  WriteFile(folder / "look.html", page + kLook);
  const std::string dom = Browse(folder / "look.html", folder, {"--dump-dom"}).output;
  const size_t begin = dom.find("<title>") + 7;
  return dom.substr(begin, dom.find("</title>") - begin);
}

constexpr char kGood[] = "400:  | 1280:  | 1920: ";

TEST_F(PageTest, FaultsOfTheLayoutWouldBeSeen) {
  const std::string faults = Look(
      "<body style='margin: 0'><p style='width: 1400px'>x</p><svg></svg>"
      "<div class='scroll' style='overflow: auto'><table><td style='min-width: 1400px'>"
      "<div style='width: 2rem; overflow-wrap: anywhere'>123,456</div></table></div>",
      folder_);
  EXPECT_EQ(faults,
            "400: outside: P x / broken: TD 123,456 / empty: svg  | "
            "1280: outside: P x / broken: TD 123,456 / empty: svg  | "
            "1920: broken: TD 123,456 / empty: svg ");
  EXPECT_EQ(
      Look("<div class='scroll' style='overflow: auto'><p style='width: 1400px'>x</div>", folder_),
      "400:  | 1280: cut: DIV x | 1920: ");
}

TEST_F(ReadampPageTest, ARealRunIsLaidOutWell) { EXPECT_EQ(Look(ReadFile(html_), folder_), kGood); }

TEST_F(PageTest, ADatabaseMeasuredAsItIsIsLaidOutWell) {
  ReadAmplification run = testing::ExampleReadAmplification();
  run.database = run.keys_from = "/srv/" + std::string(200, 'd') + "/db";
  run.notes = {"The database changed while it was measured: " + std::string(200, 'n')};
  for (int i = 0; i < 40; ++i) run.notes.back() += " --write_buffer_size=" + std::to_string(i);
  run.policies = {testing::ExamplePolicy("as it is", "winnow.Filter", 87'500, 500)};
  run.policies[0].tree.pop_back();
  run.policies[0].build.reset();
  EXPECT_EQ(Look(ReadAmplificationHtml(run, {"a processor", 2, 1 << 30, "Linux"}), folder_), kGood);
}

TEST_F(PageTest, ManyPoliciesWithLongNamesAreLaidOutWell) {
  ReadAmplification run = testing::ExampleReadAmplification();
  for (uint64_t i = 0; i < 16; ++i) {
    run.policies.push_back(testing::ExamplePolicy(
        "{id=winnow;bits_per_key=" + std::to_string(i) + ";more=" + std::string(12 * i, 'x') + "}",
        "winnow.Filter", 87'500 + 1000 * i, 500 + i));
  }
  for (PolicyResult& policy : run.policies) {
    for (int level = 3; level < 30; ++level) policy.tree.push_back({level, 1, 10, 10, {}});
  }
  EXPECT_EQ(Look(ReadAmplificationHtml(run, {"a processor", 2, 1 << 30, "Linux"}), folder_), kGood);
}

SstReport File(size_t number, const std::string& folder, const std::string& family) {
  constexpr std::string_view kKinds[] = {kWinnowRibbon, kBuiltinBloom, kWinnowBloom, kNoFilter};
  SstReport file;
  file.path = folder + "/" + std::to_string(100'000 + number) + ".sst";
  file.level = static_cast<int>(number % 7);
  file.column_family = family;
  file.database = folder;
  file.entries = 123'456'789 + number;
  FilterSummary& filter = file.filter.emplace();
  filter.kind = kKinds[number % 4];
  if (filter.kind == kNoFilter) {
    filter.expected_fpr = 1;
    return file;
  }
  filter.keys = file.entries;
  filter.bytes = filter.keys * 5 / 4;
  filter.bits_per_key = 10;
  filter.expected_fpr = 0.00957;
  filter.detail = "7.43 columns, 3 layers, winnow format 1, XXH3, seed 0; for 0.957 % on level 2";
  return file;
}

std::string PageOf(std::vector<SstReport> files, const std::string& folder) {
  return InspectHtml(MakeInspectReport(std::move(files), {"a remark"}, {}), {folder});
}

TEST_F(PageTest, FilesOfADatabaseAreLaidOutWell) {
  const std::string folder = "/var/lib/shop/data/db";
  std::vector<SstReport> files;
  for (size_t i = 0; i < 9; ++i) files.push_back(File(i, folder, i < 5 ? "default" : "other"));
  EXPECT_EQ(Look(PageOf(files, folder), folder_), kGood);
}

TEST_F(PageTest, FilesWithRangeFiltersAreLaidOutWell) {
  const std::string folder = "/var/lib/shop/data/db";
  std::vector<SstReport> files = {File(0, folder, "default"), File(1, folder, "default")};
  for (SstReport& file : files) {
    file.filter->detail += "; range filter of 5.78 bits per key, range_bits 15, keys of 16 bytes";
    RangeSummary& range = file.filter->range.emplace();
    range.kind = "positions";
    range.keys = file.filter->keys;
    range.bytes = file.filter->keys / 2;
  }
  EXPECT_EQ(Look(PageOf(files, folder), folder_), kGood);
}

TEST_F(PageTest, LongNamesOfManyFamiliesAreLaidOutWell) {
  const std::string folder = "/srv/databases/production/eu-central-1/replica-0007/rocksdb-data";
  const std::string names[] = {"users_by_registration_date_and_country_secondary_index",
                               std::string(200, 'x'), "<b>&amp;\"'", "\x01\x02\n\xff",
                               "\xd0\x9f\xd0\xbe\xd0\xba\xd1\x83\xd0\xbf\xd0\xba\xd0\xb8"};
  std::vector<SstReport> files;
  for (size_t i = 0; i < 600; ++i) {
    files.push_back(File(i, folder, names[i % 5] + std::to_string(i % 300)));
  }
  files[2].filter->fault = "the filter has a wrong checksum, so RocksDB reads the file without it";
  files[3].filter.reset();
  files[3].error = "Corruption: block checksum mismatch in " + files[3].path;
  EXPECT_EQ(Look(PageOf(files, folder), folder_), kGood);
}

TEST_F(PageTest, DatabasesWithoutFiltersOrFilesAreLaidOutWell) {
  SstReport unreadable;
  unreadable.path = "/nowhere/1.sst";
  unreadable.error = "there is no such file";
  for (const std::vector<SstReport>& files :
       {std::vector<SstReport>{}, {File(3, "/db", "default")}, {unreadable}}) {
    EXPECT_EQ(Look(PageOf(files, "/db"), folder_), kGood);
  }
}

}  // namespace
}  // namespace winnow::inspect
