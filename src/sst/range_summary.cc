#include "src/sst/range_summary.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>

#include "src/core/ranges/range_note.h"
#include "winnow/range_filter.h"

namespace winnow::inspect {
namespace {

double BitsPerKey(const RangeSummary& range) {
  return range.keys == 0 ? 0
                         : 8 * static_cast<double>(range.bytes) / static_cast<double>(range.keys);
}

void SetKind(RangeSummary* range) {
  if (range->positions_bytes != 0 && range->trees_bytes != 0) {
    range->kind = "positions and trees";
  } else if (range->positions_bytes != 0 || range->trees_bytes != 0) {
    range->kind = std::string(ToString(range->positions_bytes != 0 ? RangeFilterKind::kPositions
                                                                   : RangeFilterKind::kTrees));
  }
}

std::optional<std::string> FaultOf(Fault fault) {
  switch (fault) {
    case Fault::kNone:
    case Fault::kVersion:
    case Fault::kKind:
      return std::nullopt;
    case Fault::kPayload:
      return "the range filter is damaged (checksum): scans may miss keys that are in the file";
    default:
      return absl::StrCat("the range filter can't be used, and every scan reads the file: ",
                          std::string(ToString(fault)));
  }
}

}  // namespace

std::optional<RangeSummary> RangeOf(std::string_view filter_block) {
  const core::TableRanges filters(filter_block, true);
  if (filters.empty()) return std::nullopt;
  RangeSummary range;
  range.bytes = filters.size_bytes();
  range.fault = FaultOf(filters.fault());
  range.kind = "unknown";
  if (filters.fault() != Fault::kNone) return range;
  range.is_exact = true;
  range.answers_keys = core::AnswersKeys(filter_block, filters);
  uint64_t keys_of_parts = 0;
  for (size_t i = 0; i < filters.size(); ++i) {
    const RangeFilterInfo info = filters.view(i).info();
    const bool has_positions = info.kind != RangeFilterKind::kTrees;  // both forms of positions
    (has_positions ? range.positions_keys : range.trees_keys) += info.num_keys;
    (has_positions ? range.positions_bytes : range.trees_bytes) += info.size_bytes;
    if (filters.role(i) == core::RangeRole::kPart) {
      keys_of_parts += info.num_keys;
    } else {
      range.keys = std::max(range.keys, info.num_keys);
    }
    range.range_bits = i == 0 ? info.range_bits : std::max(range.range_bits, info.range_bits);
    range.key_length = i == 0 ? info.key_length : 0;
    range.is_exact = range.is_exact && info.is_exact != 0;
  }
  range.keys = std::max(range.keys, keys_of_parts);
  range.bits_per_key = BitsPerKey(range);
  SetKind(&range);
  return range;
}

void AddTo(const std::optional<RangeSummary>& part, std::optional<RangeSummary>* sum) {
  if (!part) return;
  if (!*sum) {
    *sum = part;
    return;
  }
  RangeSummary& all = **sum;
  all.filters += part->filters;
  all.keys += part->keys;
  all.bytes += part->bytes;
  all.bits_per_key = BitsPerKey(all);
  all.is_exact = all.is_exact && part->is_exact;
  all.answers_keys = all.answers_keys && part->answers_keys;
  all.positions_keys += part->positions_keys;
  all.positions_bytes += part->positions_bytes;
  all.trees_keys += part->trees_keys;
  all.trees_bytes += part->trees_bytes;
  SetKind(&all);
  if (!all.fault) all.fault = part->fault;
}

std::string ToText(const RangeSummary& range) {
  return range.keys == 0 ? absl::StrCat("range filter of ", range.bytes, " bytes, not understood")
                         : absl::StrFormat("range filter of %.2f bits per key, range_bits %g",
                                           range.bits_per_key, range.range_bits);
}

}  // namespace winnow::inspect
