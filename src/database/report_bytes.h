// What is known of table files as bytes, on their way from a worker process to its parent.

#ifndef WINNOW_SRC_DATABASE_REPORT_BYTES_H_
#define WINNOW_SRC_DATABASE_REPORT_BYTES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/database/tree_levels.h"
#include "src/sst/sst_filters.h"

namespace winnow::inspect {

// Bytes of no use elsewhere, and back; nothing from other bytes, or from a part of them.
std::string PackReports(const std::vector<SstReport>& reports);
std::optional<std::vector<SstReport>> UnpackReports(std::string_view bytes);

std::string PackTree(const TreeLevels& tree);
std::optional<TreeLevels> UnpackTree(std::string_view bytes);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_REPORT_BYTES_H_
