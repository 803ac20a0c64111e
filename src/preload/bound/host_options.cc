#include "src/preload/bound/host_options.h"

#include <rocksdb/convenience.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cstddef>
#include <new>
#include <string>
#include <unordered_map>

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::Status;
using Texts = std::unordered_map<std::string, std::string>;

// Options with extra room, for a host whose struct is larger. Never destroyed: a struct of another
// layout can't be destroyed by these headers.
template <typename Options>
class Roomy {
 public:
  Roomy() : options_(*new (bytes_) Options()) {}
  Options& operator*() { return options_; }
  Options* operator->() { return &options_; }

 private:
  static constexpr size_t kRoom = 4096;
  alignas(Options) char bytes_[sizeof(Options) + kRoom] = {};
  Options& options_;
};

// Return the name of an option whose offset differs between the host's struct and the headers'
// struct, or null if there is none.
const char* DifferingTableOption() {
  static auto& base = *new Roomy<BlockBasedTableOptions>;
  static auto& set = *new Roomy<BlockBasedTableOptions>;
  const Status status = ROCKSDB_NAMESPACE::GetBlockBasedTableOptionsFromMap(
      ConfigOptions(), *base,
      Texts{{"cache_index_and_filter_blocks", "true"},
            {"block_size", "12345"},
            {"block_restart_interval", "7"},
            {"whole_key_filtering", "false"},
            {"format_version", "5"},
            {"max_auto_readahead_size", "54321"}},
      &*set);
  if (!status.ok()) return "BlockBasedTableOptions";
  if (!set->cache_index_and_filter_blocks) return "cache_index_and_filter_blocks";
  if (set->block_size != 12345) return "block_size";
  if (set->block_restart_interval != 7) return "block_restart_interval";
  if (set->whole_key_filtering) return "whole_key_filtering";
  if (set->format_version != 5) return "format_version";
  return set->max_auto_readahead_size == 54321 ? nullptr : "max_auto_readahead_size";
}

const char* DifferingFamilyOption() {
  static auto& base = *new Roomy<ColumnFamilyOptions>;
  static auto& set = *new Roomy<ColumnFamilyOptions>;
  const Status status = ROCKSDB_NAMESPACE::GetColumnFamilyOptionsFromMap(
      ConfigOptions(), *base,
      Texts{{"write_buffer_size", "1234567"},
            {"num_levels", "5"},
            {"max_bytes_for_level_base", "7654321"},
            {"optimize_filters_for_hits", "true"},
            {"min_blob_size", "4321"}},
      &*set);
  if (status.IsNotSupported()) return nullptr;  // the host lacks the function
  if (!status.ok()) return "ColumnFamilyOptions";
  if (set->write_buffer_size != 1234567) return "write_buffer_size";
  if (set->num_levels != 5) return "num_levels";
  if (set->max_bytes_for_level_base != 7654321) return "max_bytes_for_level_base";
  if (!set->optimize_filters_for_hits) return "optimize_filters_for_hits";
  return set->min_blob_size == 4321 ? nullptr : "min_blob_size";
}

const char* DifferingDatabaseOption() {
  static auto& base = *new Roomy<DBOptions>;
  static auto& set = *new Roomy<DBOptions>;
  const Status status =
      ROCKSDB_NAMESPACE::GetDBOptionsFromMap(ConfigOptions(), *base,
                                             Texts{{"create_if_missing", "true"},
                                                   {"max_open_files", "4711"},
                                                   {"keep_log_file_num", "77"},
                                                   {"delayed_write_rate", "7654321"},
                                                   {"max_bgerror_resume_count", "77"}},
                                             &*set);
  if (status.IsNotSupported()) return nullptr;  // the host lacks the function
  if (!status.ok()) return "DBOptions";
  if (!set->create_if_missing) return "create_if_missing";
  if (set->max_open_files != 4711) return "max_open_files";
  if (set->keep_log_file_num != 77) return "keep_log_file_num";
  if (set->delayed_write_rate != 7654321) return "delayed_write_rate";
  return set->max_bgerror_resume_count == 77 ? nullptr : "max_bgerror_resume_count";
}

}  // namespace

const char* OptionThatDiffers() noexcept {
  try {
    for (const auto differing :
         {DifferingTableOption, DifferingFamilyOption, DifferingDatabaseOption}) {
      if (const char* const option = differing()) return option;
    }
    return nullptr;
  } catch (...) {
    return "memory is short: an option";
  }
}

}  // namespace winnow::preload
