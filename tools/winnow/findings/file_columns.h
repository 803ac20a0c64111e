// Columns shown about an SST file and its filter, as one table: the outputs that have a column, its
// names in them, and its description in the help.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_FILE_COLUMNS_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_FILE_COLUMNS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/sst/classify_block.h"
#include "src/sst/sst_filters.h"
#include "src/text/text_table.h"

namespace winnow::inspect {

enum class Output { kJson, kCsv, kTable, kPage };

// Returns the columns of an output other than JSON.
std::vector<Column> ColumnsOf(Output output);

// Returns the cells of a file's row. Unknown values are empty in CSV, and "-" elsewhere.
std::vector<std::string> CellsOf(const SstReport& file, Output output);

// Returns all columns of a file. Names that are not UTF-8 are also given in hexadecimal digits.
nlohmann::ordered_json ToJson(const SstReport& file);

// Returns the columns of a filter that is in no file.
nlohmann::ordered_json ToJson(const FilterSummary& filter);

// Returns the sizes of Bloom filters, and of Ribbon filters that could replace them.
nlohmann::ordered_json ToJson(const BloomBlocks& bloom);

// Returns the lines of the help on the elements of a document's array "files".
std::string FileFieldsHelp();

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_FILE_COLUMNS_H_
