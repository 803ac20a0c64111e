// Tests of the benchmark's and winnow inspect's pages in a real browser. Skipped unless Debian's
// package chromium is installed, for example by tools/setup.sh --browser.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
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

using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ReadFile;
using testing::RunProgram;
using testing::TemporaryFolder;
using testing::WriteFile;

// Runs the browser on a page and returns the document and, as errors, the console.
ChildResult Browse(const std::string& page, const TemporaryFolder& folder) {
  return RunProgram({"timeout", "300", "chromium", "--headless=new", "--disable-gpu",
                     "--no-sandbox",  // unavailable to root and in a chroot
                     "--enable-logging=stderr", "--hide-scrollbars", "--force-color-profile=srgb",
                     "--user-data-dir=" + (folder / "profile"), "--dump-dom", "file://" + page});
}

class PageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (RunProgram({"sh", "-c", "command -v chromium"}).status != 0) {
      GTEST_SKIP() << "skipped: no chromium here; tools/setup.sh --browser installs it";
    }
  }

  const TemporaryFolder folder_;
};

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
  const std::string dom = Browse(folder / "look.html", folder).output;
  const size_t begin = dom.find("<title>") + 7;
  return dom.substr(begin, dom.find("</title>") - begin);
}

constexpr char kGood[] = "400:  | 1280:  | 1920: ";

TEST_F(PageTest, ARealRunIsLaidOutWellAndTheConsoleIsSilent) {
  const std::string html = folder_ / "run.html";
  const ChildResult run =
      RunProgram({WINNOW_DB_BENCH_EXT, "--num=20000", "--reads=20000",
                  "--benchmarks=filluniquerandom,readabsent,readpresent,readheat",
                  "--timed_reads=2000", "--timed_rounds=1", "--write_buffer_size=200000",
                  "--policies=none,bloomfilter:10,winnow:6,winnow:10,winnow:14", "--html=" + html});
  ASSERT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(Look(ReadFile(html), folder_), kGood);
  const ChildResult browsed = Browse(html, folder_);
  ASSERT_EQ(browsed.status, 0) << browsed.errors;
  EXPECT_THAT(browsed.errors, Not(HasSubstr("CONSOLE")));
}

TEST_F(PageTest, RunsWithLongNamesAreLaidOutWell) {
  ReadAmplification many = testing::ExampleReadAmplification();
  for (uint64_t i = 0; i < 16; ++i) {
    many.policies.push_back(testing::ExamplePolicy(
        "{id=winnow;bits_per_key=" + std::to_string(i) + ";more=" + std::string(12 * i, 'x') + "}",
        "winnow.Filter", 87'500 + 1000 * i, 500 + i));
  }
  for (PolicyResult& policy : many.policies) {
    for (int level = 3; level < 30; ++level) policy.tree.push_back({level, 1, 10, 10, {}});
  }
  ReadAmplification existing = testing::ExampleReadAmplification();
  existing.database = existing.keys_from = "/srv/" + std::string(200, 'd') + "/db";
  existing.notes = {"The database changed while it was measured: " + std::string(200, 'n')};
  for (int i = 0; i < 40; ++i) existing.notes[0] += " --write_buffer_size=" + std::to_string(i);
  existing.policies = {testing::ExamplePolicy("as it is", "winnow.Filter", 87'500, 500)};
  for (const ReadAmplification& run : {many, existing}) {
    EXPECT_EQ(Look(ReadAmplificationHtml(run, {"a processor", 2, 1 << 30, "Linux"}), folder_),
              kGood);
  }
}

SstReport File(size_t number, const std::string& folder, const std::string& family) {
  SstReport file;
  file.path = folder + "/" + std::to_string(100'000 + number) + ".sst";
  file.level = static_cast<int>(number % 7);
  file.column_family = family;
  file.database = folder;
  file.entries = 123'456'789 + number;
  FilterSummary& filter = file.filter.emplace();
  filter.kind = number % 4 == 0 ? kWinnowBloom : kWinnowRibbon;
  filter.keys = file.entries;
  filter.bytes = filter.keys * 5 / 4;
  filter.bits_per_key = 10;
  filter.expected_fpr = 0.00957;
  filter.detail =
      "7.43 columns, 3 layers, winnow format 1, XXH3, seed 0; for 0.957 % on level 2; range filter "
      "of 5.78 bits per key, range_bits 15, keys of 16 bytes";
  return file;
}

TEST_F(PageTest, FilesOfADatabaseAreLaidOutWell) {
  const std::string folder = "/srv/databases/production/eu-central-1/replica-0007/rocksdb-data";
  const std::string names[] = {"users_by_registration_date_and_country_secondary_index",
                               std::string(200, 'x'), "<b>&amp;\"'", "\x01\x02\n\xff",
                               "\xd0\x9f\xd0\xbe\xd0\xba\xd1\x83\xd0\xbf\xd0\xba\xd0\xb8"};
  std::vector<SstReport> many;
  for (size_t i = 0; i < 600; ++i) {
    many.push_back(File(i, folder, names[i % 5] + std::to_string(i % 300)));
  }
  many[2].filter->fault = "the filter has a wrong checksum, so RocksDB reads the file without it";
  many[3].filter.reset();
  many[3].error = "Corruption: block checksum mismatch in " + many[3].path;
  for (const std::vector<SstReport>& files :
       {std::vector<SstReport>{}, {many[0]}, {many[3]}, many}) {
    EXPECT_EQ(Look(InspectHtml(MakeInspectReport(files, {"a remark"}, {}), {folder}), folder_),
              kGood);
  }
}

}  // namespace
}  // namespace winnow::inspect
