#include "src/rocksdb/planned_builders.h"

#include <rocksdb/comparator.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "src/core/format.h"
#include "src/rocksdb/bits_builder.h"
#include "src/rocksdb/counters.h"
#include "src/rocksdb/loads/loaded_filter.h"
#include "src/rocksdb/log_line.h"
#include "src/rocksdb/place_of_file.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/trees/built_here.h"
#include "src/rocksdb/trees/context.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBuildingContext;

namespace {

std::string NoLevelsNote(const PolicyOptions& options) {
  return "level_plan=" + std::string(ToString(options.level_plan)) +
         " has no effect on column families without leveled compaction: all their filters have "
         "the rate of bits_per_key=" +
         PolicyOptionText("bits_per_key", options);
}

// What is learned of lookups has its place in the order of the keys' bytes.
std::string NotBytewiseNote() {
  return std::string("level_plan=learned needs keys in the order of ") +
         ROCKSDB_NAMESPACE::BytewiseComparator()->Name() +
         ", and a column family of this policy has another comparator: filters are built by "
         "level_plan=auto; give column families with another comparator a policy of their own";
}

// Whether a file's filter has one reader, from the file's opening to its end: not where the block
// cache holds it.
bool HasOneReaderAFile(const ROCKSDB_NAMESPACE::BlockBasedTableOptions& table) {
  return !table.cache_index_and_filter_blocks && !table.partition_filters;
}

std::string TooManyTreesNote() {
  return "more than " + std::to_string(KnownTrees::kMostTrees) +
         " column families, or too many files, share this policy: a family that was not written "
         "for long has filters with the rate of bits_per_key, until level_plan knows its levels "
         "again";
}

FamilyOptions FamilyOptionsOf(const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) {
  FamilyOptions options;
  options.size_ratio = family.max_bytes_for_level_multiplier;
  options.has_dynamic_levels = family.level_compaction_dynamic_level_bytes;
  options.has_last_level_without_filters = family.optimize_filters_for_hits;
  options.is_leveled = family.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel;
  // A name stands for an order, whoever made the object.
  options.is_bytewise =
      family.comparator != nullptr && std::string_view(family.comparator->Name()) ==
                                          ROCKSDB_NAMESPACE::BytewiseComparator()->Name();
  return options;
}

bool Learns(const PolicyOptions& options) noexcept {
  return options.build == Build::kWinnow && options.level_plan == LevelPlan::kLearned;
}

void Tell(ROCKSDB_NAMESPACE::Logger* logger, const std::string& learned) {
  if (learned.empty() || logger == nullptr) return;
  ROCKSDB_NAMESPACE::Log(ROCKSDB_NAMESPACE::InfoLogLevel::INFO_LEVEL, logger, "[winnow] %s",
                         learned.c_str());
}

}  // namespace

FilterBitsBuilder* PlannedBuilders::NewBuilder(const PolicyOptions& asked,
                                               const FilterBuildingContext& context) noexcept {
  const bool verify = context.table_options.detect_filter_construct_corruption;
  const bool has_plan = asked.level_plan != LevelPlan::kUniform;
  const bool has_memory = asked.filter_memory > 0;
  Use(asked);
  NoteBuilder(known_.get());
  if (!has_plan && !has_memory) return NewBitsBuilder(ContextToOptions(asked, context), verify);
  try {
    const BuildFacts facts = FactsOf(context);
    const bool has_levels = facts.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel;
    if (has_plan && !has_levels) WarnOnceInLog(context.info_log, NoLevelsNote(asked));
    if (known_->trees.has_forgotten()) WarnOnceInLog(context.info_log, TooManyTreesNote());
    const KnownTree known =
        known_->trees.Learn(context.info_log, context.column_family_name, facts);
    PolicyOptions options = asked;
    if (asked.level_plan == LevelPlan::kLearned && !known.is_bytewise) {
      options.level_plan = LevelPlan::kAuto;
      if (has_levels) WarnOnceInLog(context.info_log, NotBytewiseNote());
    }
    std::shared_ptr<TreeRecord> record =
        known_->trees.RecordOf(context.info_log, context.column_family_name);
    if (record != nullptr) record->BuiltBy(number_);
    std::optional<PolicyOptions> sized = options;
    if (has_memory) {
      const KnownTotals totals = known_->trees.Totals();
      memory_report_.Write(context.info_log, options, totals);
      FileToSize file =
          FileBeforeItsKeys(PlannedOptions(options, facts, known, NextLevel(facts, known)), facts,
                            record != nullptr ? record->files.sums() : LiveFiles::Sums());
      file.all_have_filters = LastLevelHasFilters(options, known);
      sized = WithBitsThatFit(options, totals, file);
      if (!sized) return nullptr;
    }
    const FilterOptions planned = PlannedOptions(*sized, facts, known, NextLevel(facts, known));
    if (!NeedsFilter(planned)) return nullptr;
    const bool needs_place = GoesByFiles(options.level_plan) || has_memory;
    if (!needs_place || record == nullptr || facts.level < 0) {
      return NewBitsBuilder(planned, verify);
    }
    const bool is_sampled = options.level_plan == LevelPlan::kLearned;
    if (is_sampled) {
      if (MaySample(*record)) {
        record->files.samples().Reserve();
        record->files.samples().Pause(false);
        known_->has_sampled = true;
        known_->sampling.Set(true);
      }
      Tell(context.info_log, record->rates.TakeSummary(record->files));
      const std::string why_not = record->rates.WhyNotLearned();
      if (!why_not.empty()) WarnOnceInLog(context.info_log, why_not);
    }
    const bool has_one_reader = HasOneReaderAFile(context.table_options);
    return NewBitsBuilder(
        planned, verify,
        std::make_unique<PlaceOfFile>(
            options, facts, known, std::move(record),
            has_one_reader || is_sampled ? std::shared_ptr<FilterOwners>(known_, &known_->owners)
                                         : nullptr,
            has_one_reader, std::shared_ptr<KnownTrees>(known_, &known_->trees)));
  } catch (...) {
    CountUnbuiltFilter();
    return nullptr;
  }
}

void PlannedBuilders::Use(const PolicyOptions& options) noexcept { known_->trees.Use(options); }

void KnownFiles::Newcomers::Set(uint64_t policy, bool is_one) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find(policies_.begin(), policies_.end(), policy);
  if (!is_one && found != policies_.end()) policies_.erase(found);
  if (!is_one || found != policies_.end()) return;
  try {
    policies_.push_back(policy);
  } catch (...) {
    // Then a compaction of a policy before it may sample lookups, which costs time only.
  }
}

bool KnownFiles::Newcomers::HasOneAfter(uint64_t policy) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(policies_.begin(), policies_.end(),
                     [policy](uint64_t other) { return other > policy; });
}

// A compaction holds the policy that it began with, also where a later one has taken its place.
bool PlannedBuilders::MaySample(const TreeRecord& tree) noexcept {
  return tree.newest_policy <= number_ && !known_->newcomers.HasOneAfter(number_);
}

PlannedBuilders::~PlannedBuilders() {
  known_->newcomers.Set(number_, false);
  ResumeSampling();
  if (--known_->policies == 0) known_->sampling.Set(false);
}

// Where this policy ended it, and built nothing since.
void PlannedBuilders::ResumeSampling() noexcept {
  const void* self = this;
  if (!known_->ended_by.compare_exchange_strong(self, nullptr)) return;
  known_->trees.PauseSampling(false);
  known_->sampling.Set(true);
}

void PlannedBuilders::Follow(const PolicyOptions& options) noexcept {
  const bool learns = Learns(options);
  known_->newcomers.Set(number_, !learns && !has_built_);
  if (learns) return ResumeSampling();
  if (!known_->sampling.is_wanted() && known_->ended_by == nullptr) return;
  known_->ended_by = this;
  known_->sampling.Set(false);
  known_->trees.PauseSampling(true);
}

void PlannedBuilders::Meet(const PolicyOptions& options,
                           const FilterBuildingContext& context) noexcept {
  known_->loads.See(context.table_options);
  known_->loads.WriteLate(context.info_log);
  const void* self = this;
  known_->ended_by.compare_exchange_strong(self, nullptr);
  const std::shared_ptr<TreeRecord> record =
      known_->trees.RecordOf(context.info_log, context.column_family_name);
  if (record != nullptr) record->BuiltBy(number_);
  has_built_ = true;
  known_->newcomers.Set(number_, false);
  if (Learns(options) || !known_->has_sampled || record == nullptr) return;
  // A compaction's file under a policy that was replaced says nothing of the one in its place.
  if (record->newest_policy <= number_) record->DropSamples();
}

OwnedReader PlannedBuilders::NewReader(const ROCKSDB_NAMESPACE::Slice& contents) noexcept {
  const std::string_view block(contents.data(), contents.size());
  const bool is_ours = core::LooksOurs(block);
  const uint64_t hash = is_ours ? HashOfTail(block) : HashOfSomeBytes(block);
  known_->loads.Note(hash, block.size());
  if (!is_ours) return {};
  try {
    return known_->owners.NewReader(hash);
  } catch (...) {
    return {};
  }
}

void PlannedBuilders::Meet(const ROCKSDB_NAMESPACE::DBOptions& database,
                           const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) noexcept {
  known_->loads.See(family);
  known_->loads.See(database);
  known_->trees.Meet(FamilyOptionsOf(family));
}

}  // namespace winnow::plugin
