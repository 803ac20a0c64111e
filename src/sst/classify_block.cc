#include "src/sst/classify_block.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "src/core/format.h"
#include "src/core/ranges/range_note.h"
#include "src/core/sizing.h"
#include "src/core/tree_note.h"
#include "src/sst/builtin_filters.h"
#include "winnow/filter.h"

namespace winnow::inspect {
namespace {

double BitsPerKey(uint64_t bytes, uint64_t keys) {
  return keys == 0 ? 0 : 8 * static_cast<double>(bytes) / static_cast<double>(keys);
}

FilterSummary Damaged(FilterSummary summary, std::string fault) {
  summary.kind = std::string(kUnknown);
  summary.expected_fpr = 1;
  summary.fault = std::move(fault);
  return summary;
}

std::string RuleText(core::RateReason reason) {
  using core::RateReason;
  switch (reason) {
    case RateReason::kBitsPerKey:
      return "bits_per_key";
    case RateReason::kLevel:
      return "level";
    case RateReason::kKeysInRange:
      return "keys_in_range";
    case RateReason::kLookups:
      return "lookups";
    case RateReason::kLeastBits:
      return "least_bits";
    case RateReason::kMostBits:
      return "most_bits";
    case RateReason::kMemory:
      return "memory";
  }
  return "unknown";
}

void PutNote(const core::TreeNote& note, const FilterInfo& info, BuiltFor* built_for) {
  built_for->tree = absl::StrFormat("%016x", note.tree);
  built_for->rate_by = RuleText(note.reason);
  if (note.reason == core::RateReason::kBitsPerKey || note.reason == core::RateReason::kLevel) {
    return;
  }
  built_for->log2_lambda = note.log2_lambda;
  if (info.level_plan == LevelPlan::kAuto) {
    built_for->keys_in_range =
        std::round(static_cast<double>(info.num_hashes) * std::exp2(note.log2_reach));
  }
}

FilterSummary ClassifyWinnow(std::string_view block, FilterSummary summary) {
  const FilterView view(block);
  if (view.fault() != Fault::kNone) {
    return Damaged(std::move(summary), absl::StrCat("a Winnow filter that can't be used: ",
                                                    std::string(ToString(view.fault()))));
  }
  const FilterInfo info = view.info();
  summary.parameters = ParametersOfWinnow(block);
  summary.keys = info.num_hashes;
  summary.bits_per_key = info.bits_per_key;
  summary.expected_fpr = core::ExpectedKeyRate(block);
  summary.kind = std::string(NameOf(info.kind));
  switch (info.kind) {
    case FilterKind::kEmpty:
      summary.detail = "holds no keys";
      break;
    case FilterKind::kBloom:
      summary.detail = absl::StrCat(info.probes, info.probes == 1 ? " probe" : " probes");
      break;
    case FilterKind::kRibbon:
      summary.detail = absl::StrFormat("%.3g columns, %d %s", info.columns, info.layers,
                                       info.layers == 1 ? "layer" : "layers");
      break;
  }
  summary.built_for = BuiltFor{info.level, info.target_fpr, std::string(ToString(info.level_plan)),
                               info.levels_below};
  if (const auto note = core::TreeNoteOf(block)) {
    PutNote(*note, info, &*summary.built_for);
  }
  if (info.level_plan != LevelPlan::kUniform) {
    absl::StrAppend(&summary.detail, ", ", PlanText(*summary.built_for));
  }
  summary.range = RangeOf(block);
  if (summary.range) summary.fault = summary.range->fault;
  if (summary.is_single()) summary.detail = "lookups by the range filter";
  if (!view.PayloadIntact()) {
    summary.fault = summary.fault
                        ? "the filter's payload is damaged (checksum), and so is its range filter: "
                          "lookups and scans may miss keys that are in the file"
                        : "the filter's payload is damaged (checksum): lookups may miss keys that "
                          "are in the file";
  }
  return summary;
}

FilterSummary ClassifyBuiltin(std::string_view block, uint64_t keys, FilterSummary summary) {
  const BuiltinFilter filter = ParseBuiltinFilter(block);
  using Kind = BuiltinFilter::Kind;
  summary.kind = std::string(filter.kind == Kind::kReserved                        ? kUnknown
                             : filter.kind == Kind::kRibbon || filter.marker == -2 ? kBuiltinRibbon
                                                                                   : kBuiltinBloom);
  summary.keys = filter.kind == Kind::kEmpty ? 0 : keys;
  summary.bits_per_key = BitsPerKey(summary.bytes, summary.keys);
  summary.parameters = ParametersOfBuiltin(block, filter, summary.keys);
  switch (filter.kind) {
    case Kind::kEmpty:
      summary.detail = "holds no keys";
      break;
    case Kind::kAlwaysTrue:
      summary.detail = "always answers \"may match\"";
      break;
    case Kind::kReserved:
      summary.detail = absl::StrCat("marker byte ", filter.marker, ", which no known filter has");
      break;
    case Kind::kLegacyBloom:
      summary.detail = absl::StrCat("legacy, ", filter.probes, " probes");
      break;
    case Kind::kBloom:
      summary.detail = absl::StrCat(filter.probes, filter.probes == 1 ? " probe" : " probes");
      break;
    case Kind::kRibbon:
      summary.detail = absl::StrFormat("%.3g columns", filter.columns - 1 + filter.upper_share);
      break;
  }
  const bool rate_needs_keys = filter.kind == Kind::kBloom || filter.kind == Kind::kLegacyBloom;
  if (keys > 0 || !rate_needs_keys) {
    summary.expected_fpr = ExpectedRate(filter, keys);
  }
  return summary;
}

BloomBlocks BloomOf(const FilterSummary& filter) {
  const bool is_bloom = filter.kind == kWinnowBloom || filter.kind == kBuiltinBloom;
  if (!is_bloom || filter.is_single() || filter.keys == 0 || filter.expected_fpr.value_or(1) >= 1) {
    return {};
  }
  return {1, filter.keys, filter.bytes_without_range(),
          core::EstimateRibbonBytes(filter.keys, *filter.expected_fpr)};
}

}  // namespace

std::string_view ToString(FilterFamily family) {
  switch (family) {
    case FilterFamily::kWinnow:
      return "winnow";
    case FilterFamily::kBuiltin:
      return "builtin";
    case FilterFamily::kNone:
      return "none";
    case FilterFamily::kUnknownForm:
      break;
  }
  return "unknown";
}

const KindRow& RowOf(std::string_view name) {
  const KindRow* const last = std::end(kKindRows) - 1;
  return *std::find_if(kKindRows, last, [&](const KindRow& row) { return row.name == name; });
}

std::string_view NameOf(FilterKind kind) {
  for (const KindRow& row : kKindRows) {
    if (row.kind == kind) {
      return row.name;
    }
  }
  return kWinnowBloom;
}

// Returns true if the plan derived the rate from the tree's other files or from lookups, rather
// than from a place in the tree.
bool IsByFiles(const BuiltFor& built_for) {
  const bool may_be = built_for.level_plan == ToString(LevelPlan::kAuto) ||
                      built_for.level_plan == ToString(LevelPlan::kLearned);
  return may_be && built_for.level >= 0 && built_for.levels_below < 0;
}

// Returns the clauses on the tree note: keys in range, lambda, and the bound of the rate, if there
// was one.
std::string NoteText(const BuiltFor& built_for) {
  std::string text;
  if (built_for.keys_in_range) {
    text = absl::StrFormat(", %.0f of the tree's keys in its range", *built_for.keys_in_range);
  }
  if (built_for.log2_lambda) {
    absl::StrAppend(&text, absl::StrFormat(", lambda 2^%.2f", *built_for.log2_lambda));
  }
  const std::string by = built_for.rate_by.value_or("");
  return by == "memory"       ? text + ", bounded by the memory of the tree's filters"
         : by == "least_bits" ? text + ", bounded by the least bits"
         : by == "most_bits"  ? text + ", bounded by the most bits"
                              : text;
}

std::string PlanText(const BuiltFor& built_for) {
  if (IsByFiles(built_for)) return absl::StrCat(built_for.level_plan, NoteText(built_for));
  return built_for.levels_below < 0
             ? absl::StrCat(built_for.level_plan, ", place in the tree not known")
             : absl::StrFormat("%s, %g %s below", built_for.level_plan, built_for.levels_below,
                               built_for.levels_below == 1 ? "level" : "levels");
}

std::string ParametersText(const FilterSummary& filter) {
  const std::string of_range = filter.range ? "; " + ToText(*filter.range) : std::string();
  std::string text = filter.parameters ? ToText(*filter.parameters) : std::string();
  if (text.empty()) {
    return filter.detail + of_range;
  }
  // The filter beside has the parameters, but no lookup depends on it.
  if (filter.is_single()) text = "lookups by the range filter";
  if (filter.built_for) {
    const BuiltFor& goal = *filter.built_for;
    absl::StrAppend(&text, absl::StrFormat("; for %.3g %%", 100 * goal.target_fpr),
                    goal.level < 0 ? "" : absl::StrCat(" on level ", goal.level));
    if (goal.level_plan != "uniform") {
      absl::StrAppend(&text, ", ", PlanText(goal));
    }
  }
  return text + of_range;
}

BloomBlocks& BloomBlocks::operator+=(const BloomBlocks& other) {
  blocks += other.blocks;
  keys += other.keys;
  bytes += other.bytes;
  bytes_as_ribbons += other.bytes_as_ribbons;
  return *this;
}

FilterSummary ClassifyBlock(std::string_view block, uint64_t keys) {
  FilterSummary summary;
  summary.bytes = block.size();
  // The plugin decides by the same function whether it reads a block; a block with only a part of
  // Winnow's marks is damaged.
  summary = core::LooksOurs(block) ? ClassifyWinnow(block, std::move(summary))
                                   : ClassifyBuiltin(block, keys, std::move(summary));
  summary.bloom = BloomOf(summary);
  return summary;
}

}  // namespace winnow::inspect
