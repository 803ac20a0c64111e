// Tests of printing arbitrary bytes as one line of text, and of truncation to a width.

#include "src/text/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace winnow::inspect {
namespace printable_test {

TEST(PrintableTest, NamesOfPrintableCharactersStayAsTheyAre) {
  for (const char* name :
       {"", "db/000007.sst", "a b 'c' \"d\"", "Schl\xc3\xbcssel", "\xf0\x9f\x94\x91"}) {
    EXPECT_EQ(Printable(name), name);
    EXPECT_TRUE(IsUtf8(name));
  }
}

TEST(PrintableTest, OddNamesAreEscaped) {
  EXPECT_EQ(Printable("a\nb\tc\r"), "a\\nb\\tc\\r");
  EXPECT_EQ(Printable("a\\nb"), "a\\\\nb");  // the input has no line break
  EXPECT_EQ(Printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(Printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(Printable("\x7f"), "\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\xc2\\x9b");  // C1: CSI
  EXPECT_EQ(Printable("x\xff\xfey"), "x\\xff\\xfey");
  EXPECT_EQ(Printable("\xc3"), "\\xc3");
}

TEST(PrintableTest, WhatIsNoUtf8) {
  for (const char* name : {"\xff", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                           "\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "a\x80"}) {
    EXPECT_FALSE(IsUtf8(name)) << Printable(name);
  }
}

TEST(PrintableTest, LongTextsLoseTheirMiddle) {
  EXPECT_EQ(ShortenedInTheMiddle("0123456789", 10), "0123456789");
  EXPECT_EQ(ShortenedInTheMiddle("0123456789a", 10), "01...6789a");
  const std::string path = "/var/lib/very/long/database/000123.sst";
  for (size_t width = 8; width < path.size(); ++width) {
    const std::string cut = ShortenedInTheMiddle(path, width);
    EXPECT_EQ(cut.size(), width);
    EXPECT_EQ(cut[0], '/');
    EXPECT_EQ(cut.substr(cut.size() - 3), "sst");
  }
  // Multibyte characters are never split.
  const std::string umlauts =
      "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc";
  EXPECT_EQ(Width(umlauts), 9u);
  EXPECT_EQ(ShortenedInTheMiddle(umlauts, 9), umlauts);
  EXPECT_EQ(Width(ShortenedInTheMiddle(umlauts, 8)), 8u);
  EXPECT_TRUE(IsUtf8(ShortenedInTheMiddle(umlauts, 8)));
}

TEST(PrintableTest, LongTextsLoseTheirEnd) {
  EXPECT_EQ(ShortenedAtTheEnd("0123456789", 10), "0123456789");
  EXPECT_EQ(ShortenedAtTheEnd("0123456789a", 10), "0123456...");
  EXPECT_EQ(ShortenedAtTheEnd(
                "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 8),
            "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6...");
}

}  // namespace printable_test
}  // namespace winnow::inspect
