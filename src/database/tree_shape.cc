#include "src/database/tree_shape.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/convenience.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <chrono>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "src/database/describe_policy.h"
#include "src/database/options_path.h"
#include "src/workers/wire.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::Status;

// Empty for a policy that this program does not have: RocksDB then loads none, as for "nullptr".
std::string PolicyText(const BlockBasedTableOptions& table) {
  return table.filter_policy == nullptr ? std::string() : DescribePolicy(*table.filter_policy);
}

TreeShapes Load(const std::string& path) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  ROCKSDB_NAMESPACE::DBOptions options;
  std::vector<ColumnFamilyDescriptor> families;
  TreeShapes shapes;
  try {
    const Status status = ROCKSDB_NAMESPACE::LoadOptionsFromFile(config, path, &options, &families);
    shapes.problem = status.ok() ? "" : status.ToString();
  } catch (const std::exception& exception) {
    shapes.problem = exception.what();
  }
  for (const ColumnFamilyDescriptor& family : families) {
    TreeShape& shape = shapes.families[family.name];
    shape.style = family.options.compaction_style;
    shape.levels = family.options.num_levels;
    shape.size_ratio = family.options.max_bytes_for_level_multiplier;
    shape.has_dynamic_levels = family.options.level_compaction_dynamic_level_bytes;
    shape.last_level_has_filters = !family.options.optimize_filters_for_hits;
    shape.file_bytes = family.options.target_file_size_base;
    shape.file_growth = family.options.target_file_size_multiplier;
    // Other tables than block-based ones have no filters that advice could be on.
    const auto* table = family.options.table_factory == nullptr
                            ? nullptr
                            : family.options.table_factory->GetOptions<BlockBasedTableOptions>();
    if (table != nullptr) {
      shape.table_format = static_cast<int>(table->format_version);
      shape.filters_for_memory = table->optimize_filters_for_memory;
      shape.policy = PolicyText(*table);
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
