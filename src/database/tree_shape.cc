#include "src/database/tree_shape.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/convenience.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_util.h>

#include <chrono>
#include <exception>
#include <nlohmann/json.hpp>
#include <vector>

#include "src/database/describe_policy.h"
#include "src/database/options_path.h"
#include "src/workers/worker_pool.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::Status;

// Empty for a policy that this program does not have: RocksDB then loads none, as for "nullptr".
std::string PolicyText(const BlockBasedTableOptions* table) {
  return table == nullptr || table->filter_policy == nullptr
             ? std::string()
             : DescribePolicy(*table->filter_policy);
}

std::string Load(const std::string& path) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unknown_options = true;
  config.ignore_unsupported_options = true;
  ROCKSDB_NAMESPACE::DBOptions options;
  std::vector<ColumnFamilyDescriptor> families;
  nlohmann::json json = {{"problem", ""}, {"families", nlohmann::json::array()}};
  try {
    const Status status = ROCKSDB_NAMESPACE::LoadOptionsFromFile(config, path, &options, &families);
    json["problem"] = status.ok() ? "" : status.ToString();
  } catch (const std::exception& exception) {
    json["problem"] = exception.what();
  }
  for (const ColumnFamilyDescriptor& family : families) {
    // Other tables than block-based ones have no filters that advice could be on.
    const auto* table = family.options.table_factory == nullptr
                            ? nullptr
                            : family.options.table_factory->GetOptions<BlockBasedTableOptions>();
    const BlockBasedTableOptions defaults;
    const BlockBasedTableOptions& of_table = table == nullptr ? defaults : *table;
    json["families"].push_back(
        {family.name, static_cast<int>(family.options.compaction_style), family.options.num_levels,
         family.options.max_bytes_for_level_multiplier,
         family.options.level_compaction_dynamic_level_bytes,
         !family.options.optimize_filters_for_hits, of_table.format_version,
         of_table.optimize_filters_for_memory, PolicyText(table),
         family.options.target_file_size_base, family.options.target_file_size_multiplier});
  }
  const std::vector<uint8_t> bytes = nlohmann::json::to_msgpack(json);
  return std::string(bytes.begin(), bytes.end());
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
  const ChildAnswer answer = AskChild([&] { return Load(found.path); }, kLimit);
  if (!answer.text) {
    shapes.problem = absl::StrCat("the process that read ", found.path,
                                  " did not get through: ", answer.problem);
    return shapes;
  }
  const nlohmann::json json =
      nlohmann::json::from_msgpack(*answer.text, true, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    shapes.problem = "the answer of the process that read it is not whole";
    return shapes;
  }
  shapes.problem = json.at("problem").get<std::string>();
  for (const nlohmann::json& family : json.at("families")) {
    TreeShape shape;
    shape.style = static_cast<ROCKSDB_NAMESPACE::CompactionStyle>(family.at(1).get<int>());
    shape.levels = family.at(2).get<int>();
    shape.size_ratio = family.at(3).get<double>();
    shape.has_dynamic_levels = family.at(4).get<bool>();
    shape.last_level_has_filters = family.at(5).get<bool>();
    shape.table_format = family.at(6).get<int>();
    shape.filters_for_memory = family.at(7).get<bool>();
    shape.policy = family.at(8).get<std::string>();
    shape.file_bytes = family.at(9).get<uint64_t>();
    shape.file_growth = family.at(10).get<int>();
    shapes.families[family.at(0).get<std::string>()] = shape;
  }
  return shapes;
}

}  // namespace winnow::inspect
