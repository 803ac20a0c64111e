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

 private:
  static constexpr size_t kRoom = 4096;
  alignas(Options) char bytes_[sizeof(Options) + kRoom] = {};
  Options& options_;
};

// An option, and whether a struct has the value of this text by the headers.
template <typename Options>
struct Probe {
  const char* option;
  const char* text;
  bool (*is_set)(const Options& options);
};
#define WINNOW_PROBE(option, value)                                              \
  {                                                                              \
#option, #value, [](const auto& options) { return options.option == value; } \
  }

// The first, middle and last options of each struct, with values that are not their defaults.
constexpr Probe<BlockBasedTableOptions> kTableProbes[] = {
    WINNOW_PROBE(cache_index_and_filter_blocks, true),
    WINNOW_PROBE(block_size, 12345),
    WINNOW_PROBE(block_restart_interval, 7),
    WINNOW_PROBE(whole_key_filtering, false),
    WINNOW_PROBE(format_version, 5),
    WINNOW_PROBE(max_auto_readahead_size, 54321)};
constexpr Probe<ColumnFamilyOptions> kFamilyProbes[] = {
    WINNOW_PROBE(write_buffer_size, 1234567), WINNOW_PROBE(num_levels, 5),
    WINNOW_PROBE(max_bytes_for_level_base, 7654321), WINNOW_PROBE(optimize_filters_for_hits, true),
    WINNOW_PROBE(min_blob_size, 4321)};
constexpr Probe<DBOptions> kDatabaseProbes[] = {
    WINNOW_PROBE(create_if_missing, true), WINNOW_PROBE(max_open_files, 4711),
    WINNOW_PROBE(keep_log_file_num, 77), WINNOW_PROBE(delayed_write_rate, 7654321),
    WINNOW_PROBE(max_bgerror_resume_count, 77)};
#undef WINNOW_PROBE

// Returns the name of an option whose offset differs between the host's struct and the headers'
// struct, or `name` if the host does not set them; null if there is none. The structs stay
// reachable, as leak checkers want.
template <typename Options, size_t kNumProbes>
const char* Differing(const char* name, const Probe<Options> (&probes)[kNumProbes],
                      Status (*set)(const ConfigOptions&, const Options&, const Texts&, Options*)) {
  static auto& base = *new Roomy<Options>;
  static auto& changed = *new Roomy<Options>;
  Texts texts;
  for (const Probe<Options>& probe : probes) texts.emplace(probe.option, probe.text);
  const Status status = set(ConfigOptions(), *base, texts, &*changed);
  if (status.IsNotSupported()) return nullptr;  // the host lacks the function
  if (!status.ok()) return name;
  for (const Probe<Options>& probe : probes) {
    if (!probe.is_set(*changed)) return probe.option;
  }
  return nullptr;
}

}  // namespace

const char* OptionThatDiffers() noexcept {
  using namespace ROCKSDB_NAMESPACE;
  try {
    const char* const differing[] = {
        Differing("BlockBasedTableOptions", kTableProbes, &GetBlockBasedTableOptionsFromMap),
        Differing("ColumnFamilyOptions", kFamilyProbes, &GetColumnFamilyOptionsFromMap),
        Differing("DBOptions", kDatabaseProbes, &GetDBOptionsFromMap)};
    for (const char* const option : differing) {
      if (option != nullptr) return option;
    }
    return nullptr;
  } catch (...) {
    return "memory is short: an option";
  }
}

}  // namespace winnow::preload
