#include "db_bench_ext/read_amplification/tree_settings.h"

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

inspect::SettingValue Number(uint64_t value) { return static_cast<int64_t>(value); }

}  // namespace

inspect::Settings SettingsOf(const TreeOptions& options) {
  return {
      // The plan of merges (compaction_plan.h) knows no other style, and gives each level the
      // target that its number says.
      {"compaction_style", std::string("level")},
      {"level_compaction_dynamic_level_bytes", false},
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
