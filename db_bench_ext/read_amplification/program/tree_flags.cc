#include "db_bench_ext/read_amplification/program/tree_flags.h"

#include <absl/flags/commandlineflag.h>
#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <memory>
#include <utility>

#include "db_bench_ext/read_amplification/keys/read_only_database.h"
#include "db_bench_ext/read_amplification/trees/tree_options_file.h"
#include "src/cli/flags.h"
#include "src/database/options_path.h"
#include "third_party/rocksdb_abi/versions.h"

WINNOW_PROGRAM_FLAG(
    tree, std::string, growth, "planned", TextValue("GROWTH", "planned rocksdb"),
    "what decides which files are merged while a tree grows. planned: a plan by numbers of "
    "keys, which gives every policy the same leveled tree. rocksdb: RocksDB's own compaction "
    "by its options, until none is pending. Its scores count the bytes of filters, so trees "
    "differ by policy; policies whose trees differ by more than 2 % are not compared");
WINNOW_PROGRAM_FLAG(
    tree, int32_t, level0_files, 2, WholeValue("N", 0, 1000),
    "number of flushes that stay on level 0 at the end of planned growth; all earlier ones "
    "are merged down");
WINNOW_PROGRAM_FLAG(
    tree, bool, plan, false, FlagValue(),
    "print how long the run would take, within a factor of two, and how much memory and disk; "
    "grow nothing");
WINNOW_PROGRAM_FLAG(
    tree, std::string, options_file, "", TextValue("FILE"),
    "OPTIONS file, or folder of a database that has one. It sets all options for which no "
    "flag is given, as block_size or num_levels, except paths and the filter policy");

WINNOW_PROGRAM_FLAG(
    tree, int64_t, write_buffer_size, 0, WholeValue("BYTES", 0, 512 << 20),
    "bytes of keys and values in a flush. 0: a two-hundredth of the data, which makes three "
    "levels below level 0; at most 64 MB, and at least 20,000 keys while that leaves two "
    "levels");
WINNOW_PROGRAM_FLAG(tree, int64_t, target_file_size_base, 0, WholeValue("BYTES", 0, 1e18),
                    "bytes of a merged file; 0: as many as a flush has");
WINNOW_PROGRAM_FLAG(
    tree, int64_t, max_bytes_for_level_base, 0, WholeValue("BYTES", 0, 1e18),
    "bytes of keys and values of the level into which flushes are merged; 0: as many as the "
    "flushes of one merge have");
WINNOW_PROGRAM_FLAG(tree, double, max_bytes_for_level_multiplier, 10, NumberValue("N", 1, 1e6),
                    "size of a level divided by that of the level above");
WINNOW_PROGRAM_FLAG(
    tree, bool, level_compaction_dynamic_level_bytes, false, FlagValue(),
    "size the levels from the last level upwards, instead of from level 1 downwards");
WINNOW_PROGRAM_FLAG(tree, int32_t, compaction_style, 0, WholeValue("N", 0, 2),
                    "0: leveled, 1: universal, 2: FIFO; 1 and 2 need --growth=rocksdb");
WINNOW_PROGRAM_FLAG(tree, bool, disable_auto_compactions, false, FlagValue(),
                    "leave all flushes on level 0; needs --growth=rocksdb");
WINNOW_PROGRAM_FLAG(tree, std::string, compression_type, "lz4",
                    TextValue("TYPE", "none snappy lz4 zstd"),
                    "compression of the data: none, snappy, lz4, zstd");
WINNOW_PROGRAM_FLAG(tree, bool, partition_index_and_filters, false, FlagValue(),
                    "make partitioned filters and indexes");
WINNOW_PROGRAM_FLAG(tree, bool, cache_index_and_filter_blocks, false, FlagValue(),
                    "keep filters and indexes in the block cache instead of in table readers; "
                    "--partition_index_and_filters always does");
WINNOW_PROGRAM_FLAG(tree, int64_t, metadata_block_size, 4096, WholeValue("BYTES", 64, 64 << 20),
                    "bytes of a partition of a filter or index");
WINNOW_PROGRAM_FLAG(
    tree, int32_t, prefix_size, 0, WholeValue("BYTES", 0, 1024),
    "number of first bytes of a key that are its prefix; filters then hold prefixes too, but "
    "for policies with range_bits, which get the extractor winnow.range instead. 0: no "
    "prefixes, or the extractor of the --options_file");
WINNOW_PROGRAM_FLAG(
    tree, int64_t, cache_size, 8 << 20, WholeValue("BYTES", 0, 1e18),
    "bytes of the block cache, which is empty when a pass or round begins; 0: no cache");
WINNOW_PROGRAM_FLAG(
    tree, double, cache_share, 0, NumberValue("SHARE", 0, 10),
    "size of the block cache as a share of all keys and values, instead of --cache_size: 0.05 "
    "is a twentieth");

namespace winnow::bench {
namespace {

// Selects each value from its flag, or from the file if the flag is not given.
class Chooser {
 public:
  Chooser(const GivenFlags& given, std::string file, std::vector<std::string>* notes)
      : given_(given), file_(std::move(file)), notes_(notes) {}

  template <typename OfFlag, typename OfFile, typename Option>
  void Choose(const absl::Flag<OfFlag>& flag, const OfFile& of_file, Option* option) const {
    const OfFlag of_flag = absl::GetFlag(flag);
    const absl::string_view name = absl::GetFlagReflectionHandle(flag).Name();
    *option = static_cast<Option>(of_flag);
    if (file_.empty() || *option == static_cast<Option>(of_file)) return;
    if (given_.count(name) == 0) {
      *option = static_cast<Option>(of_file);
      return;
    }
    notes_->push_back(absl::StrCat("--", name, "=", Text(of_flag), " wins over ", Text(of_file),
                                   " in ", file_, "."));
  }

  // Sets an option that has no flag.
  template <typename OfFile, typename Option>
  void Follow(const OfFile& of_file, Option* option) const {
    if (!file_.empty()) *option = static_cast<Option>(of_file);
  }

 private:
  static std::string Text(bool value) { return value ? "true" : "false"; }
  template <typename Value>
  static std::string Text(Value value) {
    return absl::StrCat(value);
  }

  const GivenFlags& given_;
  const std::string file_;
  std::vector<std::string>* const notes_;
};

void ChooseShape(const rocksdb::Options& file, const Chooser& chooser, TreeOptions* options) {
  chooser.Choose(FLAGS_write_buffer_size, file.write_buffer_size, &options->write_buffer_size);
  chooser.Choose(FLAGS_target_file_size_base, file.target_file_size_base,
                 &options->target_file_size_base);
  chooser.Choose(FLAGS_max_bytes_for_level_base, file.max_bytes_for_level_base,
                 &options->max_bytes_for_level_base);
  chooser.Choose(FLAGS_max_bytes_for_level_multiplier, file.max_bytes_for_level_multiplier,
                 &options->max_bytes_for_level_multiplier);
  chooser.Follow(file.level0_file_num_compaction_trigger,
                 &options->level0_file_num_compaction_trigger);
  chooser.Follow(file.num_levels, &options->num_levels);
  chooser.Choose(FLAGS_level_compaction_dynamic_level_bytes,
                 file.level_compaction_dynamic_level_bytes,
                 &options->level_compaction_dynamic_level_bytes);
  chooser.Choose(FLAGS_compaction_style, static_cast<int>(file.compaction_style),
                 &options->compaction_style);
  chooser.Choose(FLAGS_disable_auto_compactions, file.disable_auto_compactions,
                 &options->disable_auto_compactions);
  chooser.Follow(file.max_background_jobs, &options->max_background_jobs);
}

absl::Status ChooseTable(const FileOptions& file, const Chooser& chooser, TreeOptions* options) {
  const rocksdb::BlockBasedTableOptions& table = file.table;
  const std::string name = absl::GetFlag(FLAGS_compression_type);
  const absl::StatusOr<rocksdb::CompressionType> compression = ParseCompression(name);
  if (!compression.ok()) return compression.status();
  const rocksdb::CompressionType of_file = file.database.compression;
  std::string chosen;
  chooser.Choose(
      FLAGS_compression_type,
      CompressionName(of_file).value_or(absl::StrCat("type ", static_cast<int>(of_file))), &chosen);
  options->compression = chosen == name ? *compression : of_file;
  chooser.Follow(table.block_size, &options->block_size);
  chooser.Follow(table.format_version, &options->format_version);
  chooser.Choose(FLAGS_partition_index_and_filters, table.partition_filters,
                 &options->partition_index_and_filters);
  chooser.Choose(FLAGS_cache_index_and_filter_blocks, table.cache_index_and_filter_blocks,
                 &options->cache_index_and_filter_blocks);
  chooser.Choose(FLAGS_metadata_block_size, table.metadata_block_size,
                 &options->metadata_block_size);
  chooser.Follow(table.whole_key_filtering, &options->whole_key_filtering);
  chooser.Follow(file.database.optimize_filters_for_hits, &options->optimize_filters_for_hits);
  options->prefix_size = static_cast<size_t>(absl::GetFlag(FLAGS_prefix_size));
  const uint64_t file_cache = table.no_block_cache ? 0
                              : table.block_cache
                                  ? rocksdb_abi::CacheCapacity(*table.block_cache)
                                  : static_cast<uint64_t>(absl::GetFlag(FLAGS_cache_size));
  chooser.Choose(FLAGS_cache_size, file_cache, &options->cache_size);
  options->cache_share = absl::GetFlag(FLAGS_cache_share);
  return absl::OkStatus();
}

absl::Status CheckTogether(const TreeOptions& options, const GivenFlags& given) {
  const bool planned = options.growth == GrowthKind::kPlanned;
  const bool leveled = options.compaction_style == rocksdb::kCompactionStyleLevel;
  const int style = static_cast<int>(options.compaction_style);
  const bool prefixes =
      options.prefix_size > 0 || (options.file && options.file->database.prefix_extractor);
  return FirstOf({
      {planned && !leveled,
       "--growth=planned grows leveled trees only, but the compaction style is another: give "
       "--growth=rocksdb, or --compaction_style=0"},
      {planned && options.disable_auto_compactions,
       "--growth=planned merges by its own plan, whatever disable_auto_compactions says: give "
       "--growth=rocksdb for a backlog, or --level0_files for files on level 0"},
      {!planned && given.count("level0_files") != 0,
       "--level0_files is of --growth=planned; with --growth=rocksdb what stays on level 0 is "
       "RocksDB's decision"},
      {given.count("cache_size") != 0 && options.cache_share > 0,
       "--cache_size and --cache_share both say how large the block cache is: give one of them"},
      {style < 0 || style > 2,
       absl::StrCat("the compaction style is ", style,
                    ", but has to be 0 (leveled), 1 (universal) or 2 (FIFO): give a "
                    "--compaction_style")},
      {options.num_levels < 2 && leveled,
       absl::StrCat("a leveled tree has at least 2 levels, but num_levels is ", options.num_levels,
                    " in the options file")},
      {options.partition_index_and_filters && options.cache_size == 0 && options.cache_share == 0,
       "--partition_index_and_filters needs a block cache: give a --cache_size above 0"},
      {!options.whole_key_filtering && !prefixes,
       "filters that hold neither whole keys (whole_key_filtering=false) nor prefixes are empty: "
       "give a --prefix_size"},
  });
}

// Adds notes on options of a file that planned growth ignores.
void NoteUnplanned(const TreeOptions& options, std::vector<std::string>* notes) {
  if (!options.file || options.growth != GrowthKind::kPlanned) return;
  const rocksdb::Options& file = options.file->database;
  if (file.target_file_size_multiplier != 1) {
    notes->push_back(absl::StrCat(
        "Planned growth makes merged files of one size on all levels; target_file_size_multiplier=",
        file.target_file_size_multiplier, " of the options file is followed by --growth=rocksdb."));
  }
}

// Adapts the options of an existing database, which were not written for a run: incompatible ones
// are replaced, with a note, unless a flag was given.
void FollowDatabase(const GivenFlags& given, TreeRequest* request) {
  TreeOptions& options = request->options;
  if (options.disable_auto_compactions && given.count("disable_auto_compactions") == 0) {
    options.disable_auto_compactions = false;
    request->notes.push_back(
        "Its options disable automatic compaction, which is not followed: the trees are merged.");
  }
  if (options.compaction_style != rocksdb::kCompactionStyleLevel &&
      options.growth == GrowthKind::kPlanned && given.count("growth") == 0) {
    options.growth = GrowthKind::kRocksDB;
    request->notes.push_back(
        "Its compaction is not leveled, so the trees are grown as with --growth=rocksdb.");
  }
}

absl::StatusOr<GrowthKind> ParseGrowth(const std::string& name) {
  if (name == "planned") return GrowthKind::kPlanned;
  if (name == "rocksdb") return GrowthKind::kRocksDB;
  return absl::InvalidArgumentError(
      absl::StrCat("--growth is '", name, "', but has to be planned or rocksdb"));
}

}  // namespace

absl::StatusOr<TreeRequest> TreeRequestOfFlags(const GivenFlags& given, const std::string& like) {
  const absl::StatusOr<GrowthKind> growth = ParseGrowth(absl::GetFlag(FLAGS_growth));
  if (!growth.ok()) return growth.status();
  TreeRequest request;
  TreeOptions& options = request.options;
  request.plan_only = absl::GetFlag(FLAGS_plan);
  options.growth = *growth;
  options.level0_files = static_cast<uint64_t>(absl::GetFlag(FLAGS_level0_files));

  LoadedOptions loaded;
  std::string path = absl::GetFlag(FLAGS_options_file);
  bool like_database = false;
  if (path.empty() && IsDatabase(like) && inspect::FindOptionsFile(like).error.empty()) {
    path = like;
    like_database = true;
    request.notes.push_back(absl::StrCat("Options without a flag are those of ", like, "."));
  }
  if (!path.empty()) {
    absl::StatusOr<LoadedOptions> read = LoadTreeOptions(path);
    if (!read.ok()) return read.status();
    loaded = *std::move(read);
    request.notes.insert(request.notes.end(), loaded.notes.begin(), loaded.notes.end());
  }
  const Chooser chooser(given, loaded.path, &request.notes);
  ChooseShape(loaded.options.database, chooser, &options);
  if (like_database) FollowDatabase(given, &request);
  if (absl::Status status = ChooseTable(loaded.options, chooser, &options); !status.ok()) {
    return status;
  }
  if (!path.empty()) options.file = std::make_shared<FileOptions>(std::move(loaded.options));
  if (absl::Status status = CheckTogether(options, given); !status.ok()) return status;
  NoteUnplanned(options, &request.notes);
  return request;
}

}  // namespace winnow::bench
