// Numbers as the cells of the tool's tables.

#ifndef WINNOW_TOOLS_WINNOW_CLI_CELLS_H_
#define WINNOW_TOOLS_WINNOW_CLI_CELLS_H_

#include <cstdint>
#include <optional>
#include <string>

namespace winnow::tools {

// "1234567", "6.83", "0.957 %"; "-" where the number is not known.
std::string Count(uint64_t number);
std::string Bits(double bits_per_key);
std::string Percent(const std::optional<double>& share);

// "1 key", "2 keys"
std::string Number(uint64_t number, const char* noun);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_CELLS_H_
