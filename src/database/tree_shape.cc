#include "src/database/tree_shape.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/options.h>

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "src/database/loaded_options.h"
#include "src/database/options_path.h"
#include "src/workers/wire.h"

namespace winnow::inspect {
namespace {

TreeShapes Load(const std::string& path) {
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> families;
  TreeShapes shapes;
  shapes.problem = LoadFamilies(path, &families);
  for (const auto& family : families) {
    TreeShape& shape = shapes.families[family.name];
    shape.style = family.options.compaction_style;
    shape.levels = family.options.num_levels;
    shape.size_ratio = family.options.max_bytes_for_level_multiplier;
    shape.has_dynamic_levels = family.options.level_compaction_dynamic_level_bytes;
    shape.last_level_has_filters = !family.options.optimize_filters_for_hits;
    shape.file_bytes = family.options.target_file_size_base;
    shape.file_growth = family.options.target_file_size_multiplier;
    if (const auto* table = TableOptionsOf(family.options)) {
      shape.table_format = static_cast<int>(table->format_version);
      shape.filters_for_memory = table->optimize_filters_for_memory;
      // Empty for a policy that this program does not have: RocksDB then loads none.
      shape.policy = DescribePolicy(table->filter_policy);
    }
  }
  return shapes;
}

}  // namespace

TreeShapes ReadTreeShapes(const std::string& database) {
  constexpr std::chrono::seconds kLimit(60);
  TreeShapes shapes;
  const OptionsPath found = FindOptionsFile(database);
  if (!found.error.empty()) {
    shapes.problem = found.error;
    return shapes;
  }
  std::string problem;
  if (std::optional<TreeShapes> loaded =
          Unpack<TreeShapes>(AskChild([&] { return Pack(Load(found.path)); }, kLimit), &problem)) {
    return *std::move(loaded);
  }
  shapes.problem =
      absl::StrCat("the process that read ", found.path, " did not get through: ", problem);
  return shapes;
}

}  // namespace winnow::inspect
