#include "src/rocksdb/builders/file_plan.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <utility>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"
#include "src/rocksdb/builders/last_built_filter.h"
#include "src/rocksdb/builders/memory_budget.h"
#include "src/rocksdb/loads/loaded_filter.h"
#include "src/rocksdb/remote/shared_runs.h"

namespace winnow::plugin {
namespace {

constexpr double kSameBits = 1.0 / 64;

std::atomic<uint64_t> learned_filters{0};

// Least number of noted keys from which cuts are chosen.
constexpr size_t kLeastForCuts = 2 * family::kPieces;

}  // namespace

FilePlan::FilePlan(const PolicyOptions& policy, const BuildFacts& facts, Tree tree)
    : policy_(policy), facts_(facts), tree_(std::move(tree)) {
  file_.level = std::max(facts.level, 0);
  file_.is_flush = facts.reason != ROCKSDB_NAMESPACE::TableFileCreationReason::kCompaction;
  file_.job = tree_.job;
}

void FilePlan::NoteKey(std::string_view key) {
  char shortened[SharedRuns::kMaxKeyBytes];
  if (tree_.record->runs != nullptr) {
    const size_t size = tree_.record->runs->Shorten(key, shortened);
    if (size == SharedRuns::kUnknown) return;  // its position among the record's keys is not known
    key = {shortened, size};
  }
  key = key.substr(0, family::kMostKeyBytes);
  std::string& first = file_.range.first;
  std::string& last = file_.range.last;
  if (looked_ == 0) first = last = key;
  if (key < first) first = key;
  if (key > last) last = key;
  if (looked_++ % stride_ != 0) return;
  noted_.emplace_back(key);
  if (noted_.size() < kMostNoted) return;
  for (size_t i = 1; 2 * i < noted_.size(); ++i) noted_[i] = std::move(noted_[2 * i]);
  noted_.resize(kMostNoted / 2);
  stride_ *= 2;
}

// Sets the keys where the file's pieces begin, unless keys come in an order of their own.
void FilePlan::SetCuts() {
  if (noted_.size() < kLeastForCuts) return;
  std::vector<std::string> keys = noted_;
  if (keys.front() > keys.back()) std::reverse(keys.begin(), keys.end());
  if (!std::is_sorted(keys.begin(), keys.end())) return;
  family::Cuts& cuts = file_.range.cuts;
  for (size_t i = 0; i < cuts.size(); ++i) {
    cuts[i] = std::move(keys[(i + 1) * keys.size() / family::kPieces]);
  }
}

std::string FilePlan::Note(size_t filter_bytes) const {
  if (!tree_.has_notes || !is_settled_ || tree_.known.id == 0) return {};
  core::TreeNote note = note_;
  note.tree = tree_.known.id;
  note.first = file_.range.first;
  note.last = file_.range.last;
  return core::EncodeTreeNote(note, filter_bytes);
}

void FilePlan::NoteReason(const family::Decided& decided) {
  using core::RateReason;
  const double log2_lambda = decided.mean - core::RateBits(policy_.bits_per_key);
  const double unbounded = decided.reach.log2() - log2_lambda;
  note_.log2_reach = decided.reach.log2();
  note_.log2_lambda = log2_lambda;
  note_.reason = decided.is_over_memory                          ? RateReason::kMemory
                 : decided.bits > unbounded + kSameBits          ? RateReason::kLeastBits
                 : decided.bits < unbounded - kSameBits          ? RateReason::kMostBits
                 : std::abs(decided.reach.log2_heat) > kSameBits ? RateReason::kLookups
                                                                 : RateReason::kKeysInRange;
}

FilterOptions FilePlan::Settle(uint64_t keys, size_t range_bytes) {
  if (seen_ == 0 && !is_settled_) return PlannedOptions(policy_, facts_, tree_.known, -1);
  file_.keys += static_cast<double>(keys);
  SetCuts();
  if (!is_settled_) {
    std::optional<KnownTotals> totals;
    if (policy_.filter_memory > 0 && tree_.trees != nullptr) totals = tree_.trees->Totals();
    settled_ = totals && totals->knows_all_files ? Sized(*totals, range_bytes) : Planned();
    is_settled_ = true;
  }
  return settled_;
}

// Returns the options by the rule if the live files are known, else by the file's level.
FilterOptions FilePlan::Planned() {
  if (policy_.level_plan == LevelPlan::kUniform) return FactsToOptions(policy_, facts_);
  FilterOptions options =
      PlannedOptions(policy_, facts_, tree_.known, NextLevel(facts_, tree_.known));
  note_.reason =
      options.levels_below >= 0 ? core::RateReason::kLevel : core::RateReason::kBitsPerKey;
  const std::optional<family::Decided> decided =
      tree_.decided ? tree_.decided
                    : tree_.record->family.BitsOf(file_, core::RateBits(policy_.bits_per_key));
  if (!decided) return options;
  NoteReason(*decided);
  if (std::abs(decided->reach.log2_heat) > kSameBits) {
    learned_filters.fetch_add(1, std::memory_order_relaxed);
  }
  options.levels_below = -1;
  options.bits_per_key = core::BitsForRate(std::exp2(-decided->bits));
  return options;
}

// Returns the options that filter_memory allows, given the memory that all filters take now.
FilterOptions FilePlan::Sized(const KnownTotals& totals, size_t range_bytes) {
  FileToSize to_size;
  to_size.keys = file_.keys;
  to_size.SetReplaced(tree_.record->family.InputsOf(file_), IsLeveled(facts_));
  to_size.lies_over_others = !facts_.is_bottommost &&
                             facts_.level < tree_.record->family.levels().depth &&
                             tree_.record->family.Look()->HasOverlaps();
  to_size.waits = to_size.lies_over_others && facts_.level == 0;
  to_size.form = FactsToOptions(policy_, facts_);
  to_size.range_bytes = static_cast<double>(range_bytes);
  const SharedMemory memory = MemoryOf(policy_, facts_, tree_.known, totals.files);
  const KnownTrees::Shared share =
      tree_.trees->ShareOf(tree_.record.get(), file_, memory.bits, memory.most_bits);
  to_size.bits = share.log2_reach - share.log2_lambda;
  family::Decided decided;
  decided.bits = std::clamp(to_size.bits, 0.0, family::kMostBits);
  decided.reach.log2_by_keys = share.log2_reach;
  decided.mean = share.log2_lambda + core::RateBits(policy_.bits_per_key);
  NoteReason(decided);
  const std::optional<PolicyOptions> sized = WithBitsThatFit(policy_, totals, to_size);
  const double fitting = sized ? core::RateBits(sized->bits_per_key) : 0;
  if (std::abs(fitting - decided.bits) > kSameBits) note_.reason = core::RateReason::kMemory;
  if (!sized && file_.is_flush && !to_size.lies_over_others) {
    tree_.record->has_needless_flush = true;
  }
  policy_.bits_per_key = sized ? sized->bits_per_key : kBitsPerKeyOption.least;
  policy_.range_bits = sized ? sized->range_bits : 0;
  FilterOptions options = FactsToOptions(policy_, facts_);
  options.level_plan = policy_.level_plan;
  return options;
}

void FilePlan::Built(std::string_view block) {
  if (!is_settled_ || tree_.decided) return;
  const auto bytes = static_cast<double>(block.size());
  if (built_ != nullptr) {
    tree_.record->family.Extend(built_, file_, bytes);
  } else {
    built_ = tree_.record->family.Built(file_, -std::log2(core::PlannedRate(settled_)), bytes);
    NoteBuilt(tree_.record, built_);
  }
  if (tree_.filter_files == nullptr) return;
  if (tree_.is_partitioned) {
    tails_.push_back(HashOfTail(block));
  } else {
    tree_.filter_files->Add(HashOfTail(block), tree_.record, built_);
  }
}

FilePlan::~FilePlan() {
  try {
    for (const uint64_t tail : tails_) tree_.filter_files->Add(tail, tree_.record, built_);
  } catch (...) {
    // Out of memory: the answers of these partitions are not counted.
  }
}

uint64_t CurrentLearnedFilters() noexcept {
  return learned_filters.load(std::memory_order_relaxed);
}

}  // namespace winnow::plugin
