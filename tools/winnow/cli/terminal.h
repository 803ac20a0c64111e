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

// Returns whether standard output is a terminal.
bool OutputIsTerminal();

// Columns that a line of standard output may have: what the environment's COLUMNS says, else the
// width of the terminal; 0: as many as one likes, since it is no terminal.
size_t OutputWidth();

// The table without the spare columns that have no room, and with the first cells of its rows,
// which are paths, shortened in the middle so that lines have at most `width` characters; where
// that leaves too little of the paths, the last cells are cut as well, or left out. Other cells
// stay whole, at any width. 0: nothing is shortened. underlined: with a line under the titles.
std::string FittedTable(std::vector<inspect::Column> columns,
                        std::vector<inspect::TextTable::Row> rows, size_t width,
                        bool underlined = false);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_CLI_TERMINAL_H_
