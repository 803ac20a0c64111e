// A process whose locale has a decimal comma, as de_DE has.

#ifndef WINNOW_TESTS_SUPPORT_DECIMAL_COMMA_H_
#define WINNOW_TESTS_SUPPORT_DECIMAL_COMMA_H_

#include <cstdlib>
#include <locale>
#include <stdexcept>
#include <string>

#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow::testing {

// Sets the locale of the process, for C and C++, during its lifetime: 1234.5 is "1.234,5". Makes
// the locale with the C library's localedef, as a bare system has none.
class DecimalComma {
 public:
  DecimalComma() {
    WriteFile(folder_ / "source",
              "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\ngrouping 3;3\n"
              "END LC_NUMERIC\n");
    // Without a map of characters, for which localedef complains, there are numbers all the same.
    WriteFile(folder_ / "characters", "CHARMAP\nEND CHARMAP\n");
    const ChildResult made =
        RunProgram({"localedef", "--force", kByteOrder, "-i", folder_ / "source", "-f",
                    folder_ / "characters", folder_ / "comma"});
    ::setenv("LOCPATH", folder_.path().c_str(), 1);
    try {
      std::locale::global(std::locale(std::locale::classic(), "comma", std::locale::numeric));
    } catch (const std::runtime_error&) {
      throw std::runtime_error("localedef made no locale: " + made.errors);
    }
  }
  ~DecimalComma() {
    std::locale::global(std::locale::classic());
    ::unsetenv("LOCPATH");
  }
  DecimalComma(const DecimalComma&) = delete;
  DecimalComma& operator=(const DecimalComma&) = delete;

 private:
  // Byte order of the test, which may run in an emulator.
  static constexpr const char* kByteOrder =
      __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? "--big-endian" : "--little-endian";

  const TemporaryFolder folder_;
};

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_SUPPORT_DECIMAL_COMMA_H_
