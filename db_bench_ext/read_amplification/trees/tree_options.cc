#include "db_bench_ext/read_amplification/trees/tree_options.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "winnow/rocksdb_policy.h"

namespace winnow::bench {
namespace {

const std::vector<std::pair<std::string, rocksdb::CompressionType>>& CompressionNames() {
  static const auto* const names =
      new std::vector<std::pair<std::string, rocksdb::CompressionType>>{
          {"none", rocksdb::kNoCompression},
          {"snappy", rocksdb::kSnappyCompression},
          {"lz4", rocksdb::kLZ4Compression},
          {"zstd", rocksdb::kZSTD}};
  return *names;
}

rocksdb::BlockBasedTableOptions TableOptions(const TreeOptions& options, const Policy& policy) {
  rocksdb::BlockBasedTableOptions table;
  if (options.file) table = options.file->table;
  table.filter_policy = policy.object;
  table.block_size = options.block_size;
  table.format_version = options.format_version;
  table.whole_key_filtering = options.whole_key_filtering;
  table.metadata_block_size = options.metadata_block_size;
  table.no_block_cache = options.cache_size == 0;
  table.block_cache = options.cache_size == 0 ? nullptr : rocksdb::NewLRUCache(options.cache_size);
  table.cache_index_and_filter_blocks =
      options.cache_size != 0 &&
      (options.cache_index_and_filter_blocks || options.partition_index_and_filters);
  if (options.partition_index_and_filters) {
    table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  } else if (table.partition_filters) {
    // Overrides the options file.
    table.index_type = rocksdb::BlockBasedTableOptions::kBinarySearch;
  }
  table.partition_filters = options.partition_index_and_filters;
  return table;
}

// Options common to both ways of growth.
rocksdb::Options CommonOptions(const TreeOptions& options, const Policy& policy) {
  rocksdb::Options database;
  if (options.file) database = options.file->database;
  database.table_factory.reset(rocksdb::NewBlockBasedTableFactory(TableOptions(options, policy)));
  database.compression = options.compression;
  database.num_levels = options.num_levels;
  database.level_compaction_dynamic_level_bytes = options.level_compaction_dynamic_level_bytes;
  database.compaction_style = options.compaction_style;
  // Constant values: a policy that has seen two different ones uses neither.
  database.max_bytes_for_level_multiplier = options.max_bytes_for_level_multiplier;
  database.optimize_filters_for_hits = options.optimize_filters_for_hits;
  if (policy.HasRanges()) {
    database.prefix_extractor = NewRangeExtractor();
  } else if (options.prefix_size > 0) {
    database.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(options.prefix_size));
  }
  database.max_open_files = -1;
  return database;
}

std::string NameOf(rocksdb::CompactionStyle style) {
  switch (style) {
    case rocksdb::kCompactionStyleLevel:
      return "level";
    case rocksdb::kCompactionStyleUniversal:
      return "universal";
    case rocksdb::kCompactionStyleFIFO:
      return "FIFO";
    default:
      return "none";
  }
}

inspect::SettingValue Number(uint64_t value) { return static_cast<int64_t>(value); }

}  // namespace

rocksdb::Options RestingOptions(const TreeOptions& options, const Policy& policy) {
  rocksdb::Options database = CommonOptions(options, policy);
  database.disable_auto_compactions = true;
  database.write_buffer_size = size_t{1} << 30;
  if (options.target_file_size_base > 0) {
    database.target_file_size_base = options.target_file_size_base;
  }
  database.level0_slowdown_writes_trigger = std::numeric_limits<int>::max();
  database.level0_stop_writes_trigger = std::numeric_limits<int>::max();
  database.soft_pending_compaction_bytes_limit = 0;
  database.hard_pending_compaction_bytes_limit = 0;
  return database;
}

rocksdb::Options GrowingOptions(const TreeOptions& options, const Policy& policy) {
  rocksdb::Options database = CommonOptions(options, policy);
  database.write_buffer_size = options.write_buffer_size;
  database.target_file_size_base = options.target_file_size_base;
  database.max_bytes_for_level_base = options.max_bytes_for_level_base;
  database.level0_file_num_compaction_trigger =
      static_cast<int>(options.level0_file_num_compaction_trigger);
  database.disable_auto_compactions = options.disable_auto_compactions;
  database.max_background_jobs = options.max_background_jobs;
  return database;
}

absl::StatusOr<rocksdb::CompressionType> ParseCompression(const std::string& name) {
  const std::vector<rocksdb::CompressionType> supported = rocksdb::GetSupportedCompressions();
  std::vector<std::string> available;
  for (const auto& [text, type] : CompressionNames()) {
    if (std::find(supported.begin(), supported.end(), type) == supported.end()) continue;
    if (text == name) return type;
    available.push_back(text);
  }
  return absl::InvalidArgumentError(absl::StrCat("there is no compression type '", name,
                                                 "' here, but ", absl::StrJoin(available, ", ")));
}

std::optional<std::string> CompressionName(rocksdb::CompressionType type) {
  for (const auto& [text, known] : CompressionNames()) {
    if (known == type) return text;
  }
  return std::nullopt;
}

inspect::Settings SettingsOf(const TreeOptions& options) {
  return {
      {"growth", std::string(options.growth == GrowthKind::kPlanned ? "planned" : "rocksdb")},
      {"compaction_style", NameOf(options.compaction_style)},
      {"level_compaction_dynamic_level_bytes", options.level_compaction_dynamic_level_bytes},
      {"level0_files", Number(options.level0_files)},
      {"disable_auto_compactions", options.disable_auto_compactions},
      {"optimize_filters_for_hits", options.optimize_filters_for_hits},
      {"prefix_size", Number(options.prefix_size)},
      {"whole_key_filtering", options.whole_key_filtering},
      {"write_buffer_size", Number(options.write_buffer_size)},
      {"target_file_size_base", Number(options.target_file_size_base)},
      {"max_bytes_for_level_base", Number(options.max_bytes_for_level_base)},
      {"max_bytes_for_level_multiplier", options.max_bytes_for_level_multiplier},
      {"level0_file_num_compaction_trigger", Number(options.level0_file_num_compaction_trigger)},
      {"num_levels", static_cast<int64_t>(options.num_levels)},
      {"compression_type", CompressionName(options.compression).value_or("another")},
      {"block_size", Number(options.block_size)},
      {"format_version", static_cast<int64_t>(options.format_version)},
      {"partition_index_and_filters", options.partition_index_and_filters},
      {"cache_index_and_filter_blocks", options.cache_index_and_filter_blocks},
      {"cache_size", Number(options.cache_size)},
      {"value_size", Number(options.value_size)},
  };
}

}  // namespace winnow::bench
