#include "streams/winnow/size/stream_kinds.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdint>

#include "winnow/amq/paged_bloom.h"
#include "winnow/amq/plan.h"
#include "winnow/amq/sizes.h"

namespace winnow::inspect {
namespace {

static_assert(kMostSizedKeys == amq::kMostKeys && kLowestSizedRate == amq::kLowestRate &&
              kHighestSizedRate == amq::kHighestRate);

std::vector<SizedKind> Sized(const std::vector<amq::KindSize>& sizes, uint64_t keys) {
  std::vector<SizedKind> kinds;
  for (const amq::KindSize& size : sizes) {
    SizedKind kind;
    kind.kind = size.kind;
    kind.bytes = size.bytes;
    kind.bits_per_key = static_cast<double>(size.bytes) * 8 / static_cast<double>(keys);
    kind.rate = size.rate;
    kind.bits = size.bits;
    kind.grows = size.grows;
    kind.deletes = size.deletes;
    kind.threads = size.threads;
    kind.scattered = size.grows && !size.is_fingerprint && size.most_lines == size.bits;
    kinds.push_back(kind);
  }
  return kinds;
}

std::vector<SizedKind> ForRate(uint64_t keys, double rate) {
  return Sized(amq::SizesFor({keys, rate}), keys);
}

std::vector<SizedKind> Within(uint64_t keys, uint64_t bytes) {
  return Sized(amq::SizesWithin(keys, bytes), keys);
}

uint64_t Pages(uint64_t keys, double rate) {
  amq::PagedPlan plan;
  plan.capacity = keys;
  plan.rate = rate;
  return amq::CheckPagedPlan(plan).empty() ? amq::PagedBloom::ShapeFor(plan).pages : 0;
}

std::string PageObjection(uint64_t bytes) {
  amq::PagedPlan plan;
  plan.page_bytes = static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX));
  const std::string wrong = amq::CheckPagedPlan(plan);
  // The message names the plan's own field, and the number truncated to its width.
  const size_t but = wrong.find(", but");
  return wrong.empty() || but == std::string::npos
             ? wrong
             : absl::StrCat("bytes of a page are ", bytes, wrong.substr(but));
}

constexpr KindTable kKinds = {
    ForRate, Within, Pages, amq::BloomFilterRate, amq::BloomFilterKeys, PageObjection};

}  // namespace

const KindTable* StreamKinds() { return &kKinds; }

}  // namespace winnow::inspect
