#include "tools/winnow/findings/converted_share.h"

namespace winnow::inspect {
namespace {

FilterFamily FamilyOf(std::string_view kind) {
  if (kind == kWinnowBloom || kind == kWinnowRibbon) {
    return FilterFamily::kWinnow;
  }
  if (kind == kBuiltinBloom || kind == kBuiltinRibbon) {
    return FilterFamily::kBuiltin;
  }
  return kind == kNoFilter ? FilterFamily::kNone : FilterFamily::kUnknownForm;
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

std::optional<double> ConvertedShare::OfEntries() const {
  uint64_t all = 0;
  for (const FamilySum& family : families) {
    all += family.entries;
  }
  if (all == 0) {
    return std::nullopt;
  }
  return static_cast<double>((*this)[FilterFamily::kWinnow].entries) / static_cast<double>(all);
}

ConvertedShare SumByFamily(const std::vector<SstReport>& files) {
  ConvertedShare share;
  for (const SstReport& file : files) {
    if (!file.filter) {
      continue;
    }
    FamilySum& sum = share.families[static_cast<size_t>(FamilyOf(file.filter->kind))];
    ++sum.files;
    sum.entries += file.entries;
    sum.keys += file.filter->keys;
    sum.filter_bytes += file.filter->bytes;
  }
  return share;
}

}  // namespace winnow::inspect
