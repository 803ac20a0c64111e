// Formatting of numbers for people, in tables, sentences and pages.

#ifndef WINNOW_SRC_TEXT_NUMBERS_H_
#define WINNOW_SRC_TEXT_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace winnow::inspect {

// Returns the number with at most `most` decimals and no trailing zeros: "0.5", "12".
std::string Decimals(double value, int most);

// Returns the number with three significant digits and no exponent: "0.0286", "1234567", "0".
std::string Figure(double value);

// Returns "1,234,567".
std::string Count(uint64_t count);

// Return "1 key", "1234567 keys"; NumberWithCommas "1,234,567 keys".
std::string Number(uint64_t number, std::string_view noun);
std::string NumberWithCommas(uint64_t number, std::string_view noun);

// Returns bits per key: "6.83"; "-" if there is no filter.
std::string Bits(double bits_per_key);

// Return a share from 0 to 1 as a percentage with three significant digits: "0.957 %"; `unknown`
// for nullopt.
std::string Percent(double share);
std::string Percent(const std::optional<double>& share, std::string_view unknown = "-");

// Returns a share of a whole as a percentage with one decimal: "12.3 %". Values near 0 and 1 are
// not rounded to these: "less than 0.1 %", "more than 99.9 %".
std::string PartOfAll(double share);

// Returns "850 ns", "12.3 µs", "1.5 ms", "2 s".
std::string Duration(double nanoseconds);

// Returns "512 bytes", "12.5 KiB", "3.2 MiB", "1.1 GiB".
std::string ByteSize(double bytes);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_NUMBERS_H_
