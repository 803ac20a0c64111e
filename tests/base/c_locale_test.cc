// Numbers as text in a process whose locale has a decimal comma.

#include "src/base/c_locale.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include "tests/support/decimal_comma.h"
#include "tests/support/files.h"

namespace winnow::base {
namespace {

using testing::DecimalComma;

std::string ByTheLocale(double number) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

TEST(CLocaleTest, HasAPointWhateverTheProgramSetsAndEndsWithItsScope) {
  EXPECT_EQ(ByTheLocale(0.5), "0.5");
  {
    const DecimalComma comma;
    EXPECT_EQ(ByTheLocale(0.5), "0,5");
    {
      const CLocale c;
      EXPECT_EQ(ByTheLocale(0.5), "0.5");
      EXPECT_EQ(std::strtod("9.9", nullptr), 9.9);
      const CLocale inner;
      EXPECT_EQ(ByTheLocale(0.5), "0.5");
    }
    EXPECT_EQ(ByTheLocale(0.5), "0,5");
    EXPECT_EQ(Text("%.2f bits of %s", 6.98, "7"), "6.98 bits of 7");
    EXPECT_EQ(Text("%.3g", 0.0125), "0.0125");
  }
  EXPECT_EQ(ByTheLocale(0.5), "0.5");
}

TEST(CLocaleTest, TextIsCutAtItsMost) {
  EXPECT_EQ(Text("%s", std::string(2 * kMaxTextBytes, 'x').c_str()),
            std::string(kMaxTextBytes, 'x'));
}

// Libraries run in programs that set a locale; our own programs set none.
TEST(CLocaleTest, LibrariesPrintFractionsByNothingElse) {
  const std::regex fraction(R"(printf\([^;]*%[-+ #0-9.*]*l?[aefgAEFG][^;]*;)");
  const std::regex stream(
      R"(ostringstream [a-z]+;(?!\s*[a-z]+\.imbue\(std::locale::classic\(\)\);))");
  const std::filesystem::path root = WINNOW_SOURCE_DIR;
  int files = 0;
  for (const char* const folder : {"src/base", "src/simd", "src/core", "src/c_api", "src/rocksdb",
                                   "src/preload", "streams/amq", "bindings"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string end = entry.path().extension().string();
      if (end != ".cc" && end != ".h") continue;
      const std::string source = testing::ReadFile(entry.path().string());
      EXPECT_FALSE(std::regex_search(source, fraction)) << entry.path() << ": use base::Text";
      EXPECT_FALSE(std::regex_search(source, stream)) << entry.path() << ": use imbue";
      ++files;
    }
  }
  EXPECT_GT(files, 200);
}

}  // namespace
}  // namespace winnow::base
