#include "src/database/tree_shape.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/options.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/database/loaded_options.h"
#include "src/database/options_path.h"
#include "src/database/options_text.h"
#include "src/workers/wire.h"

namespace winnow::inspect {
namespace {

MetadataCaching CachingOf(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) {
  MetadataCaching caching;
  caching.in_cache = table.cache_index_and_filter_blocks;
  caching.high_priority = table.cache_index_and_filter_blocks_with_high_priority;
  caching.pin_level_0 = table.pin_l0_filter_and_index_blocks_in_cache;
  caching.pin_top_level = table.pin_top_level_index_and_filter;
  caching.top_level = table.metadata_cache_options.top_level_index_pinning;
  caching.partition = table.metadata_cache_options.partition_pinning;
  caching.unpartitioned = table.metadata_cache_options.unpartitioned_pinning;
  caching.no_block_cache = table.no_block_cache;
  caching.block_bytes = table.metadata_block_size;
  caching.deviation = table.block_size_deviation;
  caching.decoupled = rocksdb_abi::DecouplesPartitionedFilters(table);
  return caching;
}

TreeShapes Load(const std::string& path) {
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> families;
  TreeShapes shapes;
  shapes.problem = LoadFamilies(path, &families);
  std::map<std::string, FamilyText> texts;
  std::vector<FamilyText> list;
  if (ReadFamilies(path, &list).empty()) {
    for (FamilyText& text : list) texts[text.name] = std::move(text);
  }
  for (const auto& family : families) {
    TreeShape& shape = shapes.families[family.name];
    shape.text = texts[family.name];
    SetShape(family.options, &shape);
    shape.file_bytes = family.options.target_file_size_base;
    shape.file_growth = family.options.target_file_size_multiplier;
    if (const auto* table = TableOptionsOf(family.options)) {
      shape.table_format = static_cast<int>(table->format_version);
      shape.filters_for_memory = table->optimize_filters_for_memory;
      // Empty for a policy that this program does not have: RocksDB then loads nullptr.
      shape.policy = DescribePolicy(table->filter_policy);
      shape.has_no_policy = shape.policy.empty() && shape.text.policy == "nullptr";
      shape.whole_keys = table->whole_key_filtering;
      shape.caching = CachingOf(*table);
      shape.caching.flush_bytes = family.options.write_buffer_size / 2 * 3;
    }
  }
  return shapes;
}

}  // namespace

void SetShape(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family, TreeShape* shape) {
  shape->style = family.compaction_style;
  shape->levels = family.num_levels;
  shape->size_ratio = family.max_bytes_for_level_multiplier;
  shape->has_dynamic_levels = family.level_compaction_dynamic_level_bytes;
  shape->last_level_has_filters = !family.optimize_filters_for_hits;
}

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
