#include "src/policy_trial/range_options.h"

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_replace.h>
#include <rocksdb/comparator.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "src/core/ranges/range_retrieval_builder.h"
#include "src/policy_trial/learned_trial.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/ranges/range_extractor.h"

namespace winnow::inspect {
namespace {

// Returns whether the memtable has buckets by prefix.
bool HasHashMemtable(const FamilyText& family) {
  return absl::StrContains(family.memtable, "prefix_hash") ||
         absl::StrContains(family.memtable, "hash_linkedlist") ||
         absl::StrContains(family.memtable, "HashSkipList") ||
         absl::StrContains(family.memtable, "HashLinkList");
}

std::string WhyNoEffect(const RangeOptions& options, const FamilyText& family) {
  if (options.range_bits == 0) {
    return "prefix_extractor=winnow.range has no effect: range_bits of the policy is 0";
  }
  const std::string bits = absl::StrFormat("range_bits=%g has no effect: ", options.range_bits);
  if (options.has_extractor) {
    const std::string order = WhyNoRangesByOrder(family.comparator);
    return order.empty() ? order : absl::StrCat(bits, order);
  }
  return absl::StrCat(bits,
                      IsOtherExtractor(family.prefix_extractor)
                          ? absl::StrCat("prefix_extractor is ", family.prefix_extractor)
                          : "there is no prefix_extractor",
                      ", but must be winnow.range");
}

}  // namespace

double RangeBitsOf(const std::string& policy) {
  const std::optional<PolicyOptions> options = WinnowPolicyOf(policy);
  return options ? options->range_bits : 0;
}

std::string WhyNotRangeBits(const std::string& text) {
  double ignored = 0;
  const ROCKSDB_NAMESPACE::Status status = plugin::ParseRangeBits(text, &ignored);
  return status.ok() ? std::string() : status.getState();
}

RangeKind RangeKindOf(const std::string& policy) {
  const std::optional<PolicyOptions> options = WinnowPolicyOf(policy);
  return options && options->range_bits > 0 ? options->range_kind : RangeKind::kAuto;
}

std::string WhyKindHasNoEffect(const std::string& policy) {
  const std::optional<PolicyOptions> options = WinnowPolicyOf(policy);
  if (!options || options->range_bits > 0 || options->range_kind == RangeKind::kAuto) return {};
  return absl::StrCat("range_kind=", plugin::PolicyOptionText(kRangeKindOption.name, *options),
                      " has no effect: range_bits of the policy is 0");
}

double RangeBitsPerKey(double range_bits) {
  constexpr uint64_t kKeys = 1'000'000;
  return 8 * static_cast<double>(core::UsualPositionsBytes(kKeys, range_bits)) / double{kKeys};
}

std::string TextWithRanges(const std::string& policy, double range_bits, RangeKind kind) {
  std::optional<PolicyOptions> options = WinnowPolicyOf(policy);
  if (!options) return std::string();
  options->range_bits = range_bits;
  options->range_kind = kind;
  return ShortText(*options);
}

RangeOptions RangeOptionsOf(const std::string& policy, const FamilyText& family) {
  RangeOptions options;
  options.range_bits = RangeBitsOf(policy);
  options.has_extractor = plugin::IsRangeExtractorText(family.prefix_extractor);
  if (std::string why = WhyKindHasNoEffect(policy); !why.empty()) {
    options.problems.push_back(std::move(why));
  }
  if (options.range_bits == 0 && !options.has_extractor) return options;
  if (!WinnowPolicyOf(policy)) {
    options.notes.push_back(
        absl::StrCat("prefix_extractor=winnow.range has no effect with ",
                     policy.empty() ? "no filter policy" : policy,
                     ", unless Winnow is preloaded with range_bits (winnow run --range_bits)"));
  } else if (std::string why = WhyNoEffect(options, family); !why.empty()) {
    options.problems.push_back(std::move(why));
  }
  if (options.has_extractor) {
    const std::vector<std::string> clauses = SayWithRangeExtractor(family);
    options.notes.insert(options.notes.end(), clauses.begin(), clauses.end());
  }
  return options;
}

bool IsOtherExtractor(const std::string& prefix_extractor) {
  return !prefix_extractor.empty() && !plugin::IsRangeExtractorText(prefix_extractor);
}

std::string WhyNoRangesByOrder(const std::string& comparator) {
  const absl::string_view bytewise = ROCKSDB_NAMESPACE::BytewiseComparator()->Name();
  return comparator.empty() || comparator == bytewise
             ? std::string()
             : absl::StrCat("the comparator is ", comparator, ", but must be ", bytewise,
                            " in all column families of a policy");
}

std::vector<std::string> SayWithRangeExtractor(const FamilyText& family) {
  std::vector<std::string> clauses;
  double ratio = 0;
  if (HasHashMemtable(family)) {
    clauses.push_back(absl::StrCat("memtable_factory=", family.memtable,
                                   " gains nothing, as all keys have the empty prefix"));
  }
  // A process whose locale has a decimal comma saves numbers with it.
  if (absl::SimpleAtod(absl::StrReplaceAll(family.memtable_prefix_bloom, {{",", "."}}), &ratio) &&
      ratio > 0) {
    clauses.push_back(
        absl::StrCat("memtable_prefix_bloom_size_ratio=", family.memtable_prefix_bloom,
                     " gains nothing for prefixes, as all keys have the empty one"));
  }
  if (family.whole_keys == "false") {
    clauses.emplace_back("whole_key_filtering=false leaves Get without a filter");
  }
  return clauses;
}

}  // namespace winnow::inspect
