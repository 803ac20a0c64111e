// Columns shown of an SST file and its filter: one row of a table says in which outputs, under
// which names, and with which words in the help.

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

// The columns of an output that has such: not of JSON.
std::vector<Column> ColumnsOf(Output output);

// The cells below them. In CSV they are empty where nothing is known, else "-".
std::vector<std::string> CellsOf(const SstReport& file, Output output);

// All that is known of a file. Bytes of names that are not UTF-8 are there as hexadecimal digits as
// well.
nlohmann::ordered_json ToJson(const SstReport& file);

// The same of a filter that is in no file.
nlohmann::ordered_json ToJson(const FilterSummary& filter);

// Bloom filters, and what Ribbons in their place would take.
nlohmann::ordered_json ToJson(const BloomBlocks& bloom);

// Lines of the help on the fields of these objects, which a document has in "files".
std::string FileFieldsHelp();

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_FILE_COLUMNS_H_
