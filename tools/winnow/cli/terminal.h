// Tables that fit the terminal.

#ifndef WINNOW_TOOLS_WINNOW_CLI_TERMINAL_H_
#define WINNOW_TOOLS_WINNOW_CLI_TERMINAL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "src/text/text_table.h"

namespace winnow::tools {

// So many rows of files, or lines about them, are shown on a terminal: more is hard to look at, and
// takes what came before off its screen.
inline constexpr size_t kRowsOnTerminal = 40;

// Whether standard output is a terminal.
bool OutputIsTerminal();

// Columns that a line of standard output may have: what the environment's COLUMNS says, else the
// width of the terminal; 0: as many as one likes, since it is no terminal.
size_t OutputWidth();

// How a table fits, besides.
struct Fit {
  std::vector<std::string> spare;  // titles of columns that are left out, in this order, at need
  bool underlined = false;         // with a line under the titles
};

// The table with the first cells of its rows, which are paths, shortened in the middle so that
// lines have at most `width` characters; where that leaves too little of the paths, the last cells
// are cut as well, or left out. Other cells stay whole, at any width. 0: nothing is shortened.
std::string FittedTable(std::vector<inspect::Column> columns,
                        std::vector<inspect::TextTable::Row> rows, size_t width,
                        const Fit& fit = {});

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_TERMINAL_H_
