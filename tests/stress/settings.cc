#include "tests/stress/settings.h"

#include <rocksdb/cache.h>
#include <rocksdb/convenience.h>
#include <rocksdb/listener.h>
#include <rocksdb/universal_compaction.h>

#include <stdexcept>

#include "tests/stress/keys.h"
#include "tests/stress/merge_operator.h"
#include "tests/stress/timestamps.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::stress {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterPolicy;

template <typename T, size_t n>
const T& OneOf(Random* random, const T (&all)[n]) {
  return all[random->Below(n)];
}

bool OneIn(Random* random, uint64_t n) { return random->Below(n) == 0; }

std::string RandomPolicy(Random* random) {
  static constexpr const char* kBits[] = {"10", "10", "10", "1",  "4", "6.5",
                                          "8",  "12", "16", "20", "32"};
  // Set or left to the default; files here have a few hundred keys.
  static constexpr const char* kMinRibbon[] = {"", "", ";ribbon_min_keys=0", ";ribbon_min_keys=100",
                                               ";ribbon_min_keys=3000"};
  static constexpr const char* kBloomBefore[] = {"", ";bloom_before_level=-1",
                                                 ";bloom_before_level=-1", ";bloom_before_level=1",
                                                 ";bloom_before_level=2147483647"};
  // The last two build RocksDB's filters and read Winnow's.
  static constexpr const char* kBuild[] = {
      "", "", "", "", "", "", ";build=bloomfilter", ";build=ribbonfilter"};
  static constexpr const char* kPlan[] = {"",
                                          "",
                                          "",
                                          ";level_plan=auto",
                                          ";level_plan=auto;level_size_ratio=4",
                                          ";level_plan=by_level",
                                          ";level_plan=auto;absent_share=0.1",
                                          ";level_plan=auto;absent_share=0",
                                          ";level_plan=learned",
                                          ";level_plan=learned;absent_share=0.1",
                                          ";filter_memory=8KiB",
                                          ";level_plan=auto;filter_memory=8KiB"};
  // range_bits has no effect unless the extractor is winnow.range.
  static constexpr const char* kRanges[] = {"",
                                            ";range_bits=9;range_kind=single",
                                            ";range_bits=15",
                                            ";range_bits=8;range_kind=positions",
                                            ";range_bits=10;range_kind=trees",
                                            ";range_bits=12;range_kind=trees",
                                            ";range_bits=14;range_kind=single",
                                            ";range_bits=2"};
  switch (random->Below(10)) {
    case 0:
      return "";
    case 1:
      return "bloomfilter:10:false";
    case 2:
      return "ribbonfilter:10";
    default:
      return std::string("{id=winnow;bits_per_key=") + OneOf(random, kBits) +
             OneOf(random, kMinRibbon) + OneOf(random, kBloomBefore) + OneOf(random, kBuild) +
             OneOf(random, kPlan) + OneOf(random, kRanges) + "}";
  }
}

Extractor RandomExtractor(Random* random) {
  using Kind = Extractor::Kind;
  static constexpr Extractor kExtractors[] = {
      {Kind::kNone, 0},   {Kind::kFixed, 5},  {Kind::kFixed, 5},  {Kind::kFixed, 1},
      {Kind::kFixed, 7},  {Kind::kFixed, 10}, {Kind::kCapped, 5}, {Kind::kCapped, 9},
      {Kind::kRanges, 0}, {Kind::kRanges, 0}, {Kind::kRanges, 0}, {Kind::kRanges, 0}};
  return OneOf(random, kExtractors);
}

BlockBasedTableOptions RandomTable(Random* random, const Extractor& extractor) {
  static constexpr size_t kBlockSizes[] = {256, 1024, 4096, 16384};
  static constexpr uint64_t kMetadataBlockSizes[] = {128, 256, 512, 1024, 4096};
  static constexpr size_t kCacheSizes[] = {64 << 10, 1 << 20, 8 << 20};
  static constexpr uint32_t kFormats[] = {3, 4, 5, 5};
  BlockBasedTableOptions table;
  table.block_size = OneOf(random, kBlockSizes);
  table.format_version = OneOf(random, kFormats);
  table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(OneOf(random, kCacheSizes), 2);
  table.cache_index_and_filter_blocks = OneIn(random, 2);
  table.pin_l0_filter_and_index_blocks_in_cache = OneIn(random, 2);
  table.pin_top_level_index_and_filter = OneIn(random, 2);
  table.metadata_block_size = OneOf(random, kMetadataBlockSizes);
  switch (random->Below(5)) {
    case 0:
    case 1:
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
      break;
    case 2:
      table.index_type = BlockBasedTableOptions::kBinarySearchWithFirstKey;
      break;
    default:
      break;
  }
  if (OneIn(random, 3)) {
    table.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
  }
  table.whole_key_filtering = extractor.kind == Extractor::Kind::kNone || !OneIn(random, 3);
  // Before 9.5 RocksDB omits the last prefix of a partition from the next partition's filter if it
  // has no whole keys, so that SeekForPrev misses keys with any builder: "fix major bug with
  // prefixes, SeekForPrev, and partitioned filters" (facebook/rocksdb#12872).
  if (table.partition_filters && !WINNOW_ROCKSDB_AT_LEAST(9, 5)) table.whole_key_filtering = true;
  table.detect_filter_construct_corruption = OneIn(random, 4);
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
  table.decouple_partitioned_filters = OneIn(random, 2);
#endif
  return table;
}

void ChooseCompaction(Random* random, ColumnFamilyOptions* options) {
  // Constant, since a database can't be opened with fewer levels than are in use.
  options->num_levels = 5;
  options->level0_file_num_compaction_trigger = static_cast<int>(2 + random->Below(9));
  options->target_file_size_base = uint64_t{8 << 10} << random->Below(5);
  options->max_bytes_for_level_base = uint64_t{64 << 10} << random->Below(5);
  options->max_bytes_for_level_multiplier = static_cast<double>(2 + random->Below(4));
  options->level_compaction_dynamic_level_bytes = OneIn(random, 2);
  options->disable_auto_compactions = OneIn(random, 8);
  if (OneIn(random, 4)) {
    options->compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
    options->compaction_options_universal.size_ratio = static_cast<unsigned>(random->Below(100));
    options->compaction_options_universal.max_size_amplification_percent = 50;
  }
}

FamilySettings RandomFamily(Random* random) {
  FamilySettings family;
  family.policy = RandomPolicy(random);
  family.is_watched = family.IsWinnow() && OneIn(random, 2);
  family.extractor = RandomExtractor(random);
  family.table = RandomTable(random, family.extractor);
  ChooseCompaction(random, &family.options);
  family.options.prefix_extractor = family.extractor.Make();
  family.options.merge_operator = NewConcatenation();
  family.options.write_buffer_size = size_t{64 << 10} << random->Below(3);
  family.options.max_write_buffer_number = static_cast<int>(2 + random->Below(3));
  family.options.optimize_filters_for_hits = OneIn(random, 4);
  family.options.compression =
      OneIn(random, 4) ? ROCKSDB_NAMESPACE::kLZ4Compression : ROCKSDB_NAMESPACE::kNoCompression;
  if (OneIn(random, 4)) {
    family.options.memtable_prefix_bloom_size_ratio = 0.1;
    family.options.memtable_whole_key_filtering = OneIn(random, 2);
  }
  return family;
}

}  // namespace

std::string Extractor::Text() const {
  switch (kind) {
    case Kind::kNone:
      return "nullptr";
    case Kind::kFixed:
      return "fixed:" + std::to_string(length);
    case Kind::kCapped:
      return "capped:" + std::to_string(length);
    case Kind::kRanges:
      return "winnow.range";
  }
  return "";
}

bool Extractor::InDomain(std::string_view key) const {
  return kind == Kind::kCapped || kind == Kind::kRanges ||
         (kind == Kind::kFixed && key.size() >= length);
}

bool Extractor::TakesAll() const {
  return kind == Kind::kCapped || kind == Kind::kRanges ||
         (kind == Kind::kFixed && length <= kMinKeyBytes);
}

std::string Extractor::PrefixOf(std::string_view key) const {
  return std::string(key.substr(0, length));
}

std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> Extractor::Make() const {
  using Made = std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform>;
  switch (kind) {
    case Kind::kNone:
      return nullptr;
    case Kind::kFixed:
      return Made(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(length));
    case Kind::kCapped:
      return Made(ROCKSDB_NAMESPACE::NewCappedPrefixTransform(length));
    case Kind::kRanges:
      return NewRangeExtractor();
  }
  return nullptr;
}

ColumnFamilyOptions FamilySettings::With(std::shared_ptr<const FilterPolicy> filter_policy) const {
  BlockBasedTableOptions with_policy = table;
  with_policy.filter_policy = std::move(filter_policy);
  ColumnFamilyOptions all = options;
  all.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(with_policy));
  return all;
}

std::string Settings::ToString() const {
  static constexpr const char* kKinds[] = {"DB", "TransactionDB", "OptimisticTransactionDB"};
  std::string text = kKinds[static_cast<size_t>(kind)];
  text += ", max_open_files=" + std::to_string(options.max_open_files) +
          ", mmap=" + std::to_string(options.allow_mmap_reads);
  for (const FamilySettings& family : families) {
    text += "\n  policy=" + (family.policy.empty() ? "none" : family.policy) +
            (family.is_watched ? " (watched)" : "") + " extractor=" + family.extractor.Text() +
            " partitions=" + std::to_string(family.table.partition_filters) +
            " metadata_block_size=" + std::to_string(family.table.metadata_block_size) +
            " block_size=" + std::to_string(family.table.block_size) +
            " whole_key=" + std::to_string(family.table.whole_key_filtering) +
            " format=" + std::to_string(family.table.format_version) +
            " in_cache=" + std::to_string(family.table.cache_index_and_filter_blocks) +
            " for_hits=" + std::to_string(family.options.optimize_filters_for_hits) +
            " universal=" +
            std::to_string(family.options.compaction_style ==
                           ROCKSDB_NAMESPACE::kCompactionStyleUniversal) +
            " memtable_bloom=" + std::to_string(family.HasMemtableFilter());
  }
  return text;
}

Settings RandomSettings(Random* random) {
  Settings settings;
  const uint64_t kind = random->Below(6);
  settings.kind = kind == 0   ? DatabaseKind::kTransactions
                  : kind == 1 ? DatabaseKind::kOptimisticTransactions
                              : DatabaseKind::kPlain;
  DBOptions& options = settings.options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.max_background_jobs = static_cast<int>(1 + random->Below(4));
  options.max_subcompactions = static_cast<uint32_t>(1 + random->Below(3));
  options.max_open_files = OneIn(random, 3) ? 20 : -1;
  options.allow_mmap_reads = OneIn(random, 4);  // filter blocks then have any alignment
  options.avoid_flush_during_recovery = OneIn(random, 2);
  options.avoid_flush_during_shutdown = OneIn(random, 2);
  // Up to 7.10.1 an atomic flush asserts that no other flush has set another reason for a column
  // family (HISTORY.md: "a data race on ColumnFamilyData::flush_reason"), and Debian's package has
  // assertions.
  options.atomic_flush = WINNOW_ROCKSDB_AT_LEAST(8, 0) && OneIn(random, 4);
  options.keep_log_file_num = 4;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  // Without the listener only the default column family has range filters.
  std::shared_ptr<ROCKSDB_NAMESPACE::EventListener> listener;
  ROCKSDB_NAMESPACE::EventListener::CreateFromString(ROCKSDB_NAMESPACE::ConfigOptions(), "winnow",
                                                     &listener)
      .PermitUncheckedError();
  options.listeners.push_back(listener);
  for (FamilySettings& family : settings.families) family = RandomFamily(random);
  settings.families[kTimedFamily].options.comparator = TimestampComparator();
  settings.families[kTimedFamily].options.merge_operator = nullptr;
  return settings;
}

std::shared_ptr<const FilterPolicy> MakePolicy(const std::string& text) {
  if (text.empty()) return nullptr;
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unsupported_options = false;  // an unknown policy must not mean "no filter"
  std::shared_ptr<const FilterPolicy> policy;
  const ROCKSDB_NAMESPACE::Status status = FilterPolicy::CreateFromString(config, text, &policy);
  if (!status.ok() || policy == nullptr) {
    throw std::runtime_error("no filter policy " + text + ": " + status.ToString());
  }
  return policy;
}

}  // namespace winnow::stress
