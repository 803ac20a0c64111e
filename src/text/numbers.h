// Numbers for people: the same in tables, sentences and pages.

#ifndef WINNOW_SRC_TEXT_NUMBERS_H_
#define WINNOW_SRC_TEXT_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::inspect {

// At most so many decimals, and none behind the last that is not 0: "0.5", "12".
std::string Decimals(double value, int most);

// With three significant digits and no exponent: "0.0286", "1234567", "0".
std::string Figure(double value);

// "1,234,567".
std::string Count(uint64_t count);

// "1 key", "1234567 keys"; with commas "1,234,567 keys".
std::string Number(uint64_t number, std::string_view noun);
std::string NumberWithCommas(uint64_t number, std::string_view noun);

// Bits a key: "6.83"; "-" of none.
std::string Bits(double bits_per_key);

// A share from 0 to 1, with three significant digits: "0.957 %". What is not known is `unknown`.
std::string Percent(double share);
std::string Percent(const std::optional<double>& share, std::string_view unknown = "-");

// A share of something whole, with one decimal: "12.3 %". What isn't all or nothing does not look
// as if it were: "less than 0.1 %", "more than 99.9 %".
std::string PartOfAll(double share);

// "850 ns", "12.3 µs", "1.5 ms", "2 s".
std::string Duration(double nanoseconds);

// "512 bytes", "12.5 KiB", "3.2 MiB", "1.1 GiB".
std::string ByteSize(double bytes);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_NUMBERS_H_
