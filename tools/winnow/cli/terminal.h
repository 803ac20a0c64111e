// Tables that fit the terminal's width.

#ifndef WINNOW_TOOLS_WINNOW_CLI_TERMINAL_H_
#define WINNOW_TOOLS_WINNOW_CLI_TERMINAL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "src/text/text_table.h"

namespace winnow::tools {

// Maximum number of rows of files, or lines about files, on a terminal: more would scroll earlier
// output away.
inline constexpr size_t kRowsOnTerminal = 40;

// Returns whether standard output is a terminal.
bool OutputIsTerminal();

// Returns the width of standard output in columns: COLUMNS of the environment, else the width of
// the terminal, else 0 for unlimited.
size_t OutputWidth();

// Returns the table in lines of at most `width` characters where that is possible; 0 is unlimited.
// Drops spare columns that don't fit, then shortens the paths in the first column in the middle,
// then shortens or drops the last column. Other cells are never shortened. `underlined` draws a
// line under the titles.
std::string FittedTable(std::vector<inspect::Column> columns,
                        std::vector<inspect::TextTable::Row> rows, size_t width,
                        bool underlined = false);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_TERMINAL_H_
