#include "src/rocksdb/engine.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "src/core/format.h"
#include "src/core/ranges/range_note.h"
#include "src/core/struct_size.h"
#include "src/core/tree_note.h"
#include "src/rocksdb/bits_reader.h"
#include "src/rocksdb/builders/bits_builder.h"
#include "src/rocksdb/builders/last_built_filter.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/hash_guard.h"
#include "src/rocksdb/loads/caches_seen.h"
#include "src/rocksdb/loads/loaded_filter.h"
#include "src/rocksdb/messages/family_lines.h"
#include "src/rocksdb/messages/info_log.h"
#include "src/rocksdb/metrics_file.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "src/rocksdb/totals.h"
#include "src/rocksdb/use/use_text.h"
#include "third_party/rocksdb_abi/versions.h"
#include "winnow/filter.h"
#include "winnow/rocksdb_filter_loads.h"

namespace winnow {
namespace plugin {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

namespace {

// List of all engines. Never destroyed: policies may live longer than static objects.
struct AllEngines {
  std::mutex mutex;
  std::vector<Engine*> engines;
};
AllEngines& Engines() {
  static AllEngines& all = *new AllEngines;
  return all;
}

// Returns whether a file's filter has one reader while the file is open. This is not the case if
// the block cache holds the filter.
bool HasOneReaderAFile(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) {
  return !table.cache_index_and_filter_blocks && !table.partition_filters;
}

constexpr char kExtractorWithoutBits[] =
    "prefix_extractor=winnow.range has no effect: range_bits is 0, so that the policy builds no "
    "range filters";

constexpr char kByLevel[] =
    "which files live is not known, so that the bits of filters go by level, and are equal in "
    "universal and FIFO compaction: add listeners=winnow to the DBOptions, in code "
    "winnow::NewListener. Only with max_open_files=-1 and filters that are neither in the block "
    "cache nor in partitions do the readers of filters tell";

constexpr char kAskedIfTold[] =
    "range_bits: with prefix_seek_opt_in_only=true, only scans with auto_prefix_mode=true ask "
    "range filters; without that option, all scans with an upper bound do";

// Says which of the options have no effect.
void SayWithoutEffect(const PolicyOptions& options, const FilterBuildingContext& context) noexcept {
  try {
    if (options.build == Build::kWinnow) {
      if (const std::string text = WithoutEffect(options); !text.empty()) {
        WarnOnceInLog(context.info_log, text);
      }
      return;
    }
    const std::string why = " has no effect with build=" + PolicyOptionText("build", options);
    if (options.filter_memory > 0) {
      WarnOnceInLog(context.info_log, "filter_memory" + why +
                                          ": RocksDB's filters have bits_per_key=" +
                                          PolicyOptionText("bits_per_key", options));
    }
    if (options.range_bits > 0) {
      WarnOnceInLog(context.info_log,
                    "range_bits" + why + ": RocksDB's filters know single keys and prefixes");
    }
  } catch (...) {
    // The warning is best-effort.
  }
}

// Writes to the LOG why a file has no range filter.
void SayWhyNoRange(RangeProof proof, const FilterBuildingContext& context) {
  const auto say = [&context](const char* why) {
    WarnOfFamiliesInLog(context.info_log, {context.column_family_name},
                        std::string("has range_bits, but files without range filters") + why);
  };
  switch (proof) {
    case RangeProof::kProven:
      return;
    case RangeProof::kOtherOrder:
      return say(
          ", as a comparator other than the bytewise one orders its keys, or those of another "
          "family that the policy was shown");
    case RangeProof::kNoListener:
      return say(
          ", as nothing proves that their keys are in the order of their bytes: add "
          "listeners=winnow to the DBOptions, in code winnow::NewListener");
    case RangeProof::kFirstFile:
      return say(
          " until a flush or a compaction has written one: the listener learns the order of their "
          "keys from it");
    case RangeProof::kOtherReason:
      return WarnOnceInLog(context.info_log,
                           "range_bits: files of recovery, repair and SstFileWriter have no range "
                           "filters, as the order of their keys is not known; compactions add "
                           "them");
  }
}

// Returns the bits of a file's range filter: range_bits is the mean over its tree.
double RangeBitsOf(const PolicyOptions& options, const BuildFacts& facts, TreeRecord* record) {
  if (record == nullptr || facts.level < 0 || options.level_plan == LevelPlan::kUniform ||
      options.filter_memory > 0) {
    return options.range_bits;
  }
  const std::shared_ptr<const family::Shape> shape = record->family.Look();
  const int level = facts.is_bottommost ? record->family.levels().depth : facts.level;
  return std::clamp(options.range_bits + shape->MoreOnLevel(level), 1.0, kRangeBitsOption.most);
}

// Returns a builder of the file's range filters, or null for none. `record` may be null.
std::unique_ptr<RangePart> NewRange(const PolicyOptions& options,
                                    const FilterBuildingContext& context,
                                    const std::shared_ptr<TreeRecord>& record) noexcept {
  if (options.range_bits == 0) return nullptr;
  try {
    AskedRanges none;
    std::shared_ptr<AskedRanges> asked;
    if (record != nullptr) asked = {record, &record->asked_ranges};
    core::TableRangePlan plan =
        (asked != nullptr ? asked.get() : &none)->PlanFor(options.range_kind, options.range_bits);
    RangeKind kind = options.range_kind;
    if (kind == RangeKind::kSingle && options.filter_memory > 0) {
      RangePart::SayNotSingle("filter_memory shares out the bits of both", context.info_log);
      kind = RangeKind::kPositions;
    }
    return std::make_unique<RangePart>(plan, context.table_options.whole_key_filtering,
                                       context.info_log, kind, std::move(asked));
  } catch (...) {
    return nullptr;  // out of memory
  }
}

FamilyOptions FamilyOptionsOf(const ROCKSDB_NAMESPACE::DBOptions& database,
                              const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) {
  FamilyOptions options;
  options.size_ratio = family.max_bytes_for_level_multiplier;
  options.has_dynamic_levels = family.level_compaction_dynamic_level_bytes;
  options.has_last_level_without_filters = family.optimize_filters_for_hits;
  options.is_leveled = family.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  const auto* const table = TableOptionsOf(family);
  options.readers_tell =
      database.max_open_files == -1 && table != nullptr && HasOneReaderAFile(*table);
  options.is_bytewise =
      family.comparator != nullptr && OrderOf(family.comparator->Name()) == KeyOrder::kBytewise;
  return options;
}

}  // namespace

Engine::Engine(const FilterPolicy* policy, std::shared_ptr<KnownFiles> known, InForce in_force,
               std::string before)
    : policy_(policy),
      known_(known != nullptr ? std::move(known) : std::make_shared<KnownFiles>()),
      in_force_(std::move(in_force)),
      log_line_(std::move(before)) {
  HashProblem();  // reported on stderr now, and computed before memory may run out
  AllEngines& all = Engines();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.engines.push_back(this);
  ++known_->engines;
}

Engine::~Engine() {
  --known_->engines;
  AllEngines& all = Engines();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.engines.erase(std::find(all.engines.begin(), all.engines.end(), this));
}

Engine* EngineOf(const FilterPolicy* policy) noexcept {
  AllEngines& all = Engines();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = std::find_if(all.engines.begin(), all.engines.end(),
                                  [policy](const Engine* one) { return one->policy_ == policy; });
  return found != all.engines.end() ? *found : nullptr;
}

bool Engine::BuildsOurs() const {
  const std::optional<PolicyOptions> options = in_force_();
  return options && options->build == Build::kWinnow;
}

std::shared_ptr<KnownFiles> Engine::KnownToTell() {
  const std::optional<PolicyOptions> options = in_force_();
  if (!options) return nullptr;
  known_->trees.SetPolicy(*options);
  return known_;
}

void Engine::NamePolicy(const std::string& name) noexcept {
  try {
    std::shared_ptr<NamedUse> use = known_->loads.use().Named(name);
    const std::lock_guard<std::mutex> lock(mutex_);
    use_.swap(use);
  } catch (...) {
    // Out of memory: the former name stays.
  }
}

void Engine::NamePolicy(const PolicyOptions& options) noexcept {
  try {
    NamePolicy(ShortText(options));
  } catch (...) {
  }
}

std::shared_ptr<NamedUse> Engine::use() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return use_;
}

FilterBitsBuilder* Engine::NewBuilder(const char* name, const PolicyOptions& options,
                                      const std::string& complaint,
                                      const FilterBuildingContext& context) noexcept {
  log_line_.WriteOnce(context.info_log, name, options, complaint);
  NoteBuilderAsked(context);
  NamePolicy(options);
  SayWithoutEffect(options, context);
  try {
    if (options.build != Build::kWinnow) return builtin_builders_.NewBuilder(options, context);
    return HashProblem().empty() ? NewPlanned(options, context) : nullptr;
  } catch (...) {
    CountUnbuiltFilter();
    return nullptr;
  }
}

// Decides on a filter in four steps, each of which needs the results of the former ones. Only the
// last step needs the file's keys, and so it ends when they are known (file_plan.h).
//
//   FindTree             finds the file's tree, and the options for building its files
//   FitIntoMemory        with filter_memory, sizes an average file at this level
//   PlannedByLevel       plans the rate by the file's level
//   DecideByItsPlace     goes by the live files and by lookups, where these are known
FilterBitsBuilder* Engine::NewPlanned(const PolicyOptions& asked,
                                      const FilterBuildingContext& context) {
  const bool verify = context.table_options.detect_filter_construct_corruption;
  known_->trees.SetPolicy(asked, context.info_log, context.column_family_name);
  NoteBuilder(known_);
  const bool may_have_range = MayHaveRange(asked, context);
  if (!GoesByTrees(asked)) return NewBitsBuilder(ContextToOptions(asked, context), verify);
  FileToBuild file = FindTree(asked, context);
  if (!may_have_range) file.options.range_bits = 0;
  const bool has_place = IsDecidedByItsPlace(file);
  const std::optional<PolicyOptions> sized = FitIntoMemory(&file, context);
  if (!sized) return nullptr;
  FilterOptions planned = PlannedByLevel(*sized, file);
  if (!NeedsFilter(planned)) return nullptr;
  SayIfByLevel(file, context);
  if (file.is_sized) planned.levels_below = -1;
  PolicyOptions with_ranges = *sized;
  if (with_ranges.range_bits > 0)
    with_ranges.range_bits = RangeBitsOf(*sized, file.facts, file.record.get());
  std::unique_ptr<RangePart> range = NewRange(with_ranges, context, file.record);
  if (range == nullptr && file.options.range_bits > 0) {
    if (sized->range_bits == 0) RangePart::SayNoRoom(context.info_log);
    file.options.range_bits = 0;
  }
  if (!has_place) return NewBitsBuilder(planned, verify, nullptr, std::move(range));
  return NewBitsBuilder(planned, verify, DecideByItsPlace(std::move(file), context),
                        std::move(range));
}

// Says that no source tells which files live, if rates go by level for this reason.
void Engine::SayIfByLevel(const FileToBuild& file, const FilterBuildingContext& context) {
  using ROCKSDB_NAMESPACE::TableFileCreationReason;
  const bool is_of_tree = context.reason == TableFileCreationReason::kFlush ||
                          context.reason == TableFileCreationReason::kCompaction;
  const bool is_of_worker = order_shown_.job().Of(context) || OrderOfJobHere(context);
  if (!IsDecidedByItsPlace(file) || !is_of_tree || is_of_worker ||
      file.options.level_plan == LevelPlan::kUniform || file.record->family.has_source()) {
    return;
  }
  WarnOnceInLog(context.info_log, kByLevel);
}

bool Engine::MayHaveRange(const PolicyOptions& options,
                          const FilterBuildingContext& context) noexcept {
  if (options.range_bits == 0) {
    if (known_->has_range_extractor) WarnOnceInLog(context.info_log, kExtractorWithoutBits);
    return false;
  }
  std::optional<KeyOrder> of_job = order_shown_.job().Of(context);
  if (!of_job) of_job = OrderOfJobHere(context);
  const BegunFile* const begun = BegunFor(context);
  const std::optional<KeyOrder> told =
      begun == nullptr ? std::nullopt : std::optional(begun->order);
  const RangeProof proof =
      ProofOf({context.column_family_name, context.reason, of_job, told,
               order_shown_.was_validated_first(), known_->was_shown_other_order});
  if (proof == RangeProof::kProven) {
    if (known_->asks_if_told) WarnOnceInLog(context.info_log, kAskedIfTold);
    return true;
  }
  try {
    SayWhyNoRange(proof, context);
  } catch (...) {
    // The warning is best-effort.
  }
  return false;
}

Engine::FileToBuild Engine::FindTree(const PolicyOptions& asked,
                                     const FilterBuildingContext& context) {
  const BegunFile* const begun = BegunFor(context);
  FileToBuild file{asked, FactsOf(context), begun == nullptr ? 0 : begun->job};
  file.options.level_plan = PlanInForce(asked.level_plan);
  file.tree = known_->trees.Learn(context.info_log, context.column_family_name, file.facts,
                                  HasOneReaderAFile(context.table_options),
                                  begun == nullptr ? FileName() : begun->database);
  file.record = known_->trees.RecordOf(context.info_log, context.column_family_name);
  return file;
}

std::optional<PolicyOptions> Engine::FitIntoMemory(FileToBuild* to_build,
                                                   const FilterBuildingContext& context) {
  const FileToBuild& file = *to_build;
  if (file.options.filter_memory == 0) return file.options;
  const KnownTotals totals = known_->trees.Totals();
  FileToSize to_size;  // an average file of the tree
  to_size.form = FactsToOptions(file.options, file.facts);
  const family::Family::Totals tree =
      file.record != nullptr ? file.record->family.totals() : family::Family::Totals();
  to_size.keys = MeanKeys(tree);
  to_size.range_bytes = RangeBytes(file.options.range_bits, to_size.keys);
  if (!totals.knows_all_files) {
    memory_report_.Write(context.info_log, file.options, totals, to_size);
    return file.options;
  }
  to_build->is_sized = true;
  const SharedMemory memory = MemoryOf(file.options, file.facts, file.tree, totals.files);
  const double log2_lambda =
      known_->trees.Log2LambdaNow(file.record.get(), memory.bits, memory.most_bits);
  const std::shared_ptr<const family::Shape> shape =
      file.record != nullptr ? file.record->family.Look() : nullptr;
  const auto bits_on = [&](int level) {
    return (shape != nullptr ? shape->MeanOnLevel(level) : 0) - log2_lambda;
  };
  FileToSize next = to_size;  // a file of the last level that replaces as many keys
  next.bits = bits_on(std::max(file.tree.depth, 0));
  const family::Family::Inputs average{tree.keys, tree.bytes, tree.bytes};
  next.SetReplaced(average.ShareOf(next.keys), false);
  memory_report_.Write(context.info_log, file.options, totals, next);
  // A file is assumed not to lie over others if no file does, or if it is a flush and the last
  // flush did not.
  const bool is_needless =
      file.facts.reason == ROCKSDB_NAMESPACE::TableFileCreationReason::kFlush &&
      file.record != nullptr && file.record->has_needless_flush.exchange(false);
  const bool is_over_others = file.facts.level >= 0 && !file.facts.is_bottommost && !is_needless &&
                              file.facts.level < file.tree.depth && shape != nullptr &&
                              shape->HasOverlaps();
  to_size.bits = is_over_others ? bits_on(file.facts.level) : next.bits;
  to_size.lies_over_others = is_over_others;
  to_size.waits = is_over_others && file.facts.level == 0;
  if (file.facts.level > 0 && file.record != nullptr) {
    family::NewFile of_job;
    of_job.level = file.facts.level;
    of_job.job = file.job;
    family::Family::Inputs inputs = file.record->family.InputsOf(of_job);
    if (inputs.keys == 0) inputs = average;
    to_size.SetReplaced(inputs.ShareOf(to_size.keys), IsLeveled(file.facts));
  }
  const std::optional<PolicyOptions> sized = WithBitsThatFit(file.options, totals, to_size);
  if (!sized && NeedsFilter(PlannedByLevel(file.options, file))) {
    memory_report_.WriteWithout(context.info_log, file.options, totals, context.column_family_name,
                                file.facts.level);
  }
  return sized;
}

FilterOptions Engine::PlannedByLevel(const PolicyOptions& sized, const FileToBuild& file) {
  return PlannedOptions(sized, file.facts, file.tree, NextLevel(file.facts, file.tree));
}

// A file's place is unknown if its level or its tree is.
bool Engine::IsDecidedByItsPlace(const FileToBuild& file) noexcept {
  return file.record != nullptr && file.facts.level >= 0;
}

std::unique_ptr<FilePlan> Engine::DecideByItsPlace(FileToBuild file,
                                                   const FilterBuildingContext& context) {
  FilePlan::Tree tree;
  tree.known = file.tree;
  tree.record = std::move(file.record);
  tree.trees = {known_, &known_->trees};
  tree.filter_files = {known_, &known_->filter_files};
  tree.job = file.job;
  tree.is_partitioned = context.table_options.partition_filters;
  tree.has_notes = file.options.tree_notes > 0 && !tree.is_partitioned &&
                   (file.options.level_plan != LevelPlan::kUniform || file.options.range_bits > 0);
  return std::make_unique<FilePlan>(file.options, file.facts, std::move(tree));
}

void Engine::NoteBuilderAsked(const FilterBuildingContext& context) noexcept {
  LoadMeter::See(context.table_options);
  LoadMeter::WriteLate(context.info_log);
  known_->loads.use().NoteFamily(context.info_log, context.column_family_name);
  LogTotals(context.info_log);
  LogUse(context.info_log);
  order_shown_.BuilderAsked();
}

FilterBitsReader* Engine::NewReader(const Slice& contents, const FilterPolicy& builtin) noexcept {
  KeepMetricsFile();  // RocksDB does not validate the options of read-only databases
  return NewBitsReader(contents, builtin, ReaderOf({contents.data(), contents.size()}),
                       use().get());
}

// Returns a reader without a file if the file is not known.
OwnedReader Engine::ReaderOf(std::string_view block) noexcept {
  const bool is_ours = core::LooksOurs(block);
  const uint64_t hash = is_ours ? HashOfTail(block) : HashOfSomeBytes(block);
  known_->loads.Note(hash, block.size());
  if (!is_ours) return {};
  try {
    OwnedReader reader = known_->filter_files.NewReader(hash);
    if (reader || !known_->trees.needs_files()) return reader;
    return ReaderOfFound(block, hash);
  } catch (...) {
    return {};
  }
}

// Returns the reader of a filter that an earlier process built; its file is unknown if the filter
// has no note.
OwnedReader Engine::ReaderOfFound(std::string_view block, uint64_t hash_of_tail) {
  const std::optional<core::TreeNote> note = core::TreeNoteOf(block);
  if (!note || note->tree == 0) return {};
  const FilterInfo info = FilterView(block).info();
  if (info.level < 0) return {};
  // Threads that read one filter at the same time record it once.
  const std::lock_guard<std::mutex> lock(known_->found);
  if (OwnedReader reader = known_->filter_files.NewReader(hash_of_tail)) return reader;
  ListedFile file;
  file.level = info.level;
  file.range = {note->first, note->last, {}};
  file.keys = static_cast<double>(info.num_hashes);
  file.bytes = static_cast<double>(block.size());
  file.bits = -std::log2(info.target_fpr);
  file.is_measured = true;
  const auto [record, found] = known_->trees.AddFound(note->tree, file);
  if (found == nullptr) return {};
  known_->filter_files.Add(hash_of_tail, record, found);
  return OwnedReader(record, found);
}

void Engine::NoteDatabaseOptions(const ROCKSDB_NAMESPACE::DBOptions& database,
                                 const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept {
  KeepMetricsFile();
  static_cast<void>(KnownToTell());
  if (const auto* const table = TableOptionsOf(family)) LoadMeter::See(*table);
  known_->loads.WillOpen(database);
  NoteDatabase();
  if (IsRangeExtractor(family.prefix_extractor.get())) known_->has_range_extractor = true;
  if (rocksdb_abi::SeeksPrefixesOnlyIfAsked(database)) known_->asks_if_told = true;
  if (family.comparator != nullptr) {
    if (OrderOf(family.comparator->Name()) == KeyOrder::kOther) {
      known_->was_shown_other_order = true;
    } else {
      order_shown_.Validated();
    }
  }
  known_->trees.NoteFamilyOptions(FamilyOptionsOf(database, family), database.info_log.get());
}

}  // namespace plugin

bool FillFilterLoads(const ROCKSDB_NAMESPACE::FilterPolicy* policy, FilterLoads* loads,
                     size_t size) noexcept {
  const plugin::Engine* const engine = plugin::EngineOf(policy);
  FilterLoads read;
  if (policy == nullptr) {
    read = plugin::LoadMeter::ReadAll();
  } else if (engine != nullptr) {
    read = engine->loads()->Read();
  }
  core::ForCaller(read, loads, size);
  return policy == nullptr || engine != nullptr;
}

bool SetFilterLoadAlarm(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                        std::function<void(const FilterLoadAlarm&)> alarm,
                        size_t size_of_alarm) noexcept {
  if (size_of_alarm > sizeof(FilterLoadAlarm)) return false;
  const plugin::Engine* const engine = plugin::EngineOf(&policy);
  return engine != nullptr && engine->loads()->SetCallback(std::move(alarm));
}

}  // namespace winnow
