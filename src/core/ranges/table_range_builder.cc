#include "src/core/ranges/table_range_builder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "src/core/ranges/range_format.h"
#include "src/core/ranges/range_words.h"

namespace winnow::core {
namespace {

RangeFilterBuilder NewBuilder(double bits, RangeFilterKind kind) noexcept {
  RangeFilterOptions options;
  options.range_bits = bits;
  options.kind = kind;
  return RangeFilterBuilder(options);
}

RangeFilterKind MainKind(RangeKinds kinds) noexcept {
  return kinds == RangeKinds::kByKeys  ? RangeFilterKind::kNone
         : kinds == RangeKinds::kTrees ? RangeFilterKind::kTrees
                                       : RangeFilterKind::kRetrieval;
}

// Returns whether RangeFilterBuilder would choose positions for the keys of this filter.
bool ArePositionsByKeys(std::string_view positions) {
  ParsedRange parsed;
  if (ParseRange(positions, &parsed) != Fault::kNone || parsed.header.hashed_bytes != 0 ||
      parsed.header.digits > RangeFilterBuilder::kMostCountedBytes) {
    return false;
  }
  return parsed.placing.is_exact || parsed.header.shape.count < kTellingKeys ||
         !AreOfSeveralFields(parsed.digits.All());
}

}  // namespace

TableRanges ViewsOf(const std::vector<TableRange>& ranges) noexcept {
  TableRanges views;
  const unsigned parts = PartsOf(ranges);
  for (const TableRange& range : ranges) {
    views.Add(range.role, parts, RangeFilterView(range.filter.bytes()), range.filter.bytes());
  }
  return views;
}

TableRangeBuilder::TableRangeBuilder(const TableRangePlan& plan) noexcept
    : plan_(plan),
      main_(NewBuilder(plan.range_bits, MainKind(plan.kinds))),
      others_(NewBuilder(plan.range_bits, RangeFilterKind::kTrees)),
      trees_(NewBuilder(plan.range_bits, RangeFilterKind::kTrees)) {}

void TableRangeBuilder::Add(std::string_view key) noexcept {
  if (has_none_) return;
  try {
    if (has_trees_beside()) {
      if (trees_.num_keys() == 0) first_key_ = key;
      trees_.Add(key);
    }
    if (has_no_parts_) return;
    if (!has_begun_) {
      const bool is_repeat = !first_ends_.empty() && key == last_key_;
      if (!first_ends_.empty() && key < last_key_) return AbandonParts();
      last_key_ = key;
      if (is_repeat) return;
      first_bytes_ += key;
      first_ends_.push_back(first_bytes_.size());
      if (first_ends_.size() == kFirstKeys) PlaceFirstKeys();
      return;
    }
    Place(key);
  } catch (...) {
    Abandon();
  }
}

// Each builder checks that its own keys ascend; the order between two builders is checked here.
void TableRangeBuilder::Place(std::string_view key) {
  const bool is_other =
      usual_length_ != 0 && key.size() != usual_length_ && main_.kind() != RangeFilterKind::kTrees;
  if (usual_length_ != 0) {
    if (is_other != is_other_ && key < last_key_) return AbandonParts();
    last_key_ = key;
    is_other_ = is_other;
  }
  RangeFilterBuilder& builder = is_other ? others_ : main_;
  (is_other ? has_others_ : has_main_) = true;
  builder.Add(key);
  if (builder.num_keys() == 0) AbandonParts();
}

void TableRangeBuilder::PlaceFirstKeys() {
  has_begun_ = true;
  std::map<size_t, size_t> lengths;
  size_t begin = 0;
  for (const size_t end : first_ends_) {
    ++lengths[end - begin];
    begin = end;
  }
  usual_length_ = 0;
  size_t most = 0;
  for (const auto& [length, keys] : lengths) {
    if (keys <= most || length == 0 || length > kMaxRangeKeyBytes) continue;
    most = keys;
    usual_length_ = length;
  }
  RangeFilterKind kind = MainKind(plan_.kinds);
  is_rare_ = 100 * most < kLeastShare * first_ends_.size();
  if (most == 0 || (plan_.kinds == RangeKinds::kByKeys && is_rare_)) kind = RangeFilterKind::kTrees;
  if (kind == RangeFilterKind::kTrees) {
    if (has_trees_beside()) return AbandonParts();  // trees_ has all keys
    usual_length_ = 0;
  }
  main_ = NewBuilder(plan_.range_bits, kind);
  begin = 0;
  last_key_.clear();
  const std::string bytes = std::exchange(first_bytes_, {});
  for (const size_t end : std::exchange(first_ends_, {})) {
    if (!has_no_parts_) Place(std::string_view(bytes).substr(begin, end - begin));
    begin = end;
  }
}

void TableRangeBuilder::AbandonParts() noexcept {
  if (!has_trees_beside()) return Abandon();
  main_.Abandon();
  others_.Abandon();
  first_bytes_.clear();
  first_ends_.clear();
  has_no_parts_ = true;
}

void TableRangeBuilder::Abandon() noexcept {
  Clear();
  main_.Abandon();
  others_.Abandon();
  trees_.Abandon();
  has_none_ = true;
}

uint64_t TableRangeBuilder::num_keys() const noexcept {
  return std::max(first_ends_.size() + main_.num_keys() + others_.num_keys(), trees_.num_keys());
}

double TableRangeBuilder::ExpectedKeyRate() const noexcept {
  if (plan_.kinds != RangeKinds::kPositions || has_none_ || has_others_) return 1;
  return std::exp2(-plan_.range_bits);
}

size_t TableRangeBuilder::EstimateSize(uint64_t n) const noexcept {
  if (n == 0 || has_none_) return 0;
  const uint64_t others = others_.num_keys();
  const uint64_t kept = std::max<uint64_t>(main_.num_keys() + others, 1);
  const auto of_others = static_cast<uint64_t>(
      static_cast<double>(n) * static_cast<double>(others) / static_cast<double>(kept));
  const size_t parts =
      main_.EstimateSize(n - std::min(of_others, n)) + others_.EstimateSize(of_others);
  if (!has_trees_beside()) return parts;
  return std::max(parts, trees_.EstimateSize(n));
}

std::vector<TableRange> TableRangeBuilder::Finish() noexcept {
  std::vector<TableRange> ranges;
  denied_ = {};
  if (!has_none_) {
    try {
      if (!has_begun_ && !has_no_parts_) PlaceFirstKeys();
      if (!has_none_ && !has_no_parts_) ranges = FinishParts();
      if (!has_none_ && has_trees_beside()) ranges = Choose(std::move(ranges), trees_.Finish());
    } catch (...) {
      ranges.clear();
    }
  }
  Clear();
  return ranges;
}

// Returns none if one part can't be built, since its keys would be in no filter.
std::vector<TableRange> TableRangeBuilder::FinishParts() {
  std::vector<TableRange> ranges;
  const RangeRole role = has_main_ && has_others_ ? RangeRole::kPart : RangeRole::kAllKeys;
  if (has_main_) ranges.push_back({role, main_.Finish()});
  if (has_others_) ranges.push_back({role, others_.Finish()});
  for (const TableRange& range : ranges) {
    if (range.filter.size == 0) return {};
  }
  return ranges;
}

std::vector<TableRange> TableRangeBuilder::Choose(std::vector<TableRange> parts,
                                                  FilterBlock trees) {
  std::vector<TableRange> of_trees;
  if (trees.size != 0) of_trees.push_back({RangeRole::kAllKeys, std::move(trees)});
  if (parts.empty()) return of_trees;
  if (of_trees.empty()) return parts;
  if (plan_.asked != nullptr) {
    const TableRanges positions = ViewsOf(parts);
    const TableRanges all = ViewsOf(of_trees);
    denied_.is_measured = true;
    for (const auto& [begin, end] : *plan_.asked) {
      if (end <= first_key_) continue;  // a scan of this range does not reach these keys
      denied_.by_positions += positions.MayContain(begin, end) ? 0 : 1;
      denied_.by_trees += all.MayContain(begin, end) ? 0 : 1;
    }
  }
  const bool takes_positions = denied_.by_positions == denied_.by_trees
                                   ? !is_rare_ && ArePositionsByKeys(parts.front().filter.bytes())
                                   : denied_.by_positions > denied_.by_trees;
  return takes_positions ? std::move(parts) : std::move(of_trees);
}

void TableRangeBuilder::Clear() noexcept {
  main_.Clear();
  others_.Clear();
  trees_.Clear();
  usual_length_ = 0;
  has_main_ = false;
  has_others_ = false;
  is_other_ = false;
  has_no_parts_ = false;
  has_none_ = false;
  has_begun_ = false;
  first_key_.clear();
  last_key_.clear();
  first_bytes_.clear();
  first_ends_.clear();
}

}  // namespace winnow::core
