// Text in aligned columns.

#ifndef WINNOW_TOOLS_TEXT_TABLE_H_
#define WINNOW_TOOLS_TEXT_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace winnow::tools {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kRight;
};

// Every row has a cell for every column. Two spaces between columns, none at the ends of lines.
std::string TextTable(const std::vector<Column>& columns,
                      const std::vector<std::vector<std::string>>& rows);

// "1234567", "6.83", "0.957 %"; "-" where the number is not known.
std::string Count(uint64_t number);
std::string Bits(double bits_per_key);
std::string Percent(const std::optional<double>& share);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_TEXT_TABLE_H_
