#include "db_bench_ext/read_amplification/trees/tree_settings.h"

#include <string>

namespace winnow::bench {
namespace {

std::string NameOf(rocksdb::CompressionType type) {
  switch (type) {
    case rocksdb::kNoCompression:
      return "none";
    case rocksdb::kSnappyCompression:
      return "snappy";
    case rocksdb::kLZ4Compression:
      return "lz4";
    case rocksdb::kZSTD:
      return "zstd";
    default:
      return "another";
  }
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
      {"compression_type", NameOf(options.compression)},
      {"block_size", Number(options.block_size)},
      {"format_version", static_cast<int64_t>(options.format_version)},
      {"partition_index_and_filters", options.partition_index_and_filters},
      {"cache_size", Number(options.cache_size)},
      {"value_size", Number(options.value_size)},
  };
}

}  // namespace winnow::bench
