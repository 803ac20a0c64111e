#include "src/sst/range_summary.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "src/core/ranges/range_note.h"
#include "winnow/range_filter.h"

namespace winnow::inspect {
namespace {

double BitsPerKey(const RangeSummary& range) {
  return range.keys == 0 ? 0
                         : 8 * static_cast<double>(range.bytes) / static_cast<double>(range.keys);
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
  const std::string_view bytes = core::RangeFilterOfTable(filter_block);
  if (bytes.empty()) return std::nullopt;
  const RangeFilterView view = RangeFilterView::Verified(bytes);
  RangeSummary range;
  range.bytes = bytes.size();
  range.fault = FaultOf(view.fault());
  range.kind = "unknown";
  if (view.fault() != Fault::kNone) return range;
  const RangeFilterInfo info = view.info();
  range.kind = std::string(ToString(info.kind));
  range.keys = info.num_keys;
  range.bits_per_key = info.bits_per_key;
  range.range_bits = info.range_bits;
  range.key_length = info.key_length;
  range.is_exact = info.is_exact != 0;
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
  if (!all.fault) all.fault = part->fault;
}

std::string ToText(const RangeSummary& range) {
  return range.keys == 0 ? absl::StrCat("range filter of ", range.bytes, " bytes, not understood")
                         : absl::StrFormat("range filter of %.2f bits a key, range_bits %g",
                                           range.bits_per_key, range.range_bits);
}

}  // namespace winnow::inspect
