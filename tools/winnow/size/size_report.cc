#include "tools/winnow/size/size_report.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "src/core/ranges/range_format.h"
#include "src/core/ranges/range_retrieval_builder.h"
#include "src/core/sizing.h"
#include "tools/winnow/cli/json.h"
#include "winnow/builder.h"

namespace winnow::inspect {
namespace {

constexpr uint64_t kShardBytes = uint64_t{512} << 20;
constexpr unsigned kMaxPageProbes = 30;

// Returns a sentence if the wish is valid but no filter can fulfill it, else an empty string.
std::string Objection(const SizeWish& wish) {
  if (wish.page_bytes) return "";
  if (wish.rate && *wish.rate <= std::ldexp(static_cast<double>(*wish.keys), -64)) {
    return absl::StrCat("so many keys have hashes of 64 bits in common with others at a rate of ",
                        RateText(std::ldexp(static_cast<double>(*wish.keys), -64)),
                        ": no filter of them can have ", RateText(*wish.rate));
  }
  if (wish.deletes && wish.threads) {
    return "no kind lets several threads add and keys be removed: take one that removes, and a "
           "lock around it";
  }
  return "";
}

// Returns the size of per-file filters, which may exceed the maximum of one filter, 2^32 blocks.
SizedKind OfCore(FilterKind filter_kind, double bits, uint64_t keys) {
  FilterOptions options;
  options.kind = filter_kind;
  options.bits_per_key = bits;
  SizedKind kind;
  switch (filter_kind) {
    case FilterKind::kEmpty:
      break;
    case FilterKind::kBloom:
      kind.kind = "Winnow Bloom";
      kind.rate = core::RateForBits(bits);
      break;
    case FilterKind::kRibbon:
      kind.kind = "Winnow Ribbon";
      kind.rate = core::ColumnsRate(core::RibbonColumns(core::RateForBits(bits)));
      break;
  }
  kind.bytes = FilterBuilder(options).EstimateSize(keys);
  kind.bits_per_key = static_cast<double>(kind.bytes) * 8 / static_cast<double>(keys);
  kind.rate = std::min(1.0, kind.rate + std::ldexp(static_cast<double>(keys), -64));
  return kind;
}

// Returns the highest number of bits per key with which the filter fits into `bytes`, or nullopt.
std::optional<double> BitsWithin(FilterKind kind, uint64_t keys, uint64_t bytes) {
  double low = kBitsPerKeyOption.least;
  if (OfCore(kind, low, keys).bytes > bytes) return std::nullopt;
  double high = kBitsPerKeyOption.most;
  if (OfCore(kind, high, keys).bytes <= bytes) return high;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (OfCore(kind, middle, keys).bytes <= bytes ? low : high) = middle;
  }
  return low;
}

bool CanDo(const SizedKind& kind, const SizeWish& wish) {
  return (kind.grows || !(wish.grows || wish.threads || wish.deletes)) &&
         (kind.deletes || !wish.deletes) && (kind.threads || !wish.threads);
}

std::string Wishes(const SizeWish& wish) {
  std::string text;
  if (wish.grows) text += "keys are added later, ";
  if (wish.deletes) text += "keys are removed, ";
  if (wish.threads) text += "several threads add, ";
  return text.empty() ? "all keys are known when it is built" : text.substr(0, text.size() - 2);
}

std::string KindToTake(const SizeReport& report) {
  const auto taken = std::find_if(report.kinds.begin(), report.kinds.end(),
                                  [](const SizedKind& kind) { return kind.fits_wish; });
  if (taken == report.kinds.end()) return "";
  std::string text = absl::StrCat(
      "Take ", taken->kind, ": of the kinds that do where ", Wishes(report.wish),
      report.wish.rate ? ", it is the smallest." : ", it has the lowest rate in this memory.");
  if (taken->kind == "cuckoo") {
    absl::StrAppend(&text, " It refuses keys beyond those that it is planned for.");
  }
  if (report.wish.grows && taken->kind != "scalable") {
    absl::StrAppend(&text, " Where the number of keys is not known before: scalable.");
  }
  if (taken->scattered && !taken->deletes && taken->kind != "blocked") {
    absl::StrAppend(&text, " blocked takes a little more and reads fewer cache lines a lookup.");
  }
  return text;
}

void ReportKinds(const SizeWish& wish, const KindTable* further, SizeReport* report) {
  const uint64_t keys = *wish.keys;
  if (further != nullptr) {
    report->kinds =
        wish.rate ? further->for_rate(keys, *wish.rate) : further->within(keys, *wish.bytes);
  }
  if (wish.range_bits) {
    constexpr uint64_t kMost = core::kMaxRangeKeys;  // maximum of one file
    report->range_bytes = keys / kMost * core::UsualPositionsBytes(kMost, *wish.range_bits) +
                          core::UsualPositionsBytes(keys % kMost, *wish.range_bits);
  }
  for (const auto& [name, kind] : kKindOption.values) {
    if (!kind || keys > UINT32_MAX) continue;  // a file has at most 2^32 - 1 keys
    const std::optional<double> bits = wish.rate ? std::optional(core::BitsForRate(*wish.rate))
                                                 : BitsWithin(*kind, keys, *wish.bytes);
    if (bits) report->kinds.push_back(OfCore(*kind, *bits, keys));
  }
  for (SizedKind& kind : report->kinds) {
    // Collisions of 64-bit hashes add to the rate of every kind; a further excess of 1% is
    // accepted.
    const double equal_hashes = std::ldexp(static_cast<double>(keys), -64);
    const bool has_rate = !wish.rate || kind.rate <= 1.01 * *wish.rate + equal_hashes;
    kind.fits_wish = has_rate && CanDo(kind, wish);
  }
  std::stable_sort(report->kinds.begin(), report->kinds.end(),
                   [&](const SizedKind& a, const SizedKind& b) {
                     return wish.rate ? a.bytes < b.bytes : a.rate < b.rate;
                   });
  if (std::none_of(report->kinds.begin(), report->kinds.end(),
                   [](const SizedKind& kind) { return kind.fits_wish; })) {
    report->impossible =
        wish.rate
            ? absl::StrCat("no kind has the rate ", RateText(*wish.rate), " where ", Wishes(wish))
            : absl::StrCat("no kind holds ", keys, " keys in ", *wish.bytes, " bytes where ",
                           Wishes(wish), ", at any rate up to ", RateText(kHighestSizedRate));
    report->kinds.clear();
    return;
  }
  report->advice = KindToTake(*report);
  const auto will_do = [&](const char* name) {
    return std::find_if(report->kinds.begin(), report->kinds.end(),
                        [&](const SizedKind& kind) { return kind.kind == name && kind.fits_wish; });
  };
  if (const auto standard = will_do("standard"); standard != report->kinds.end()) {
    report->shards = (standard->bytes + kShardBytes - 1) / kShardBytes;
  }
  if (wish.rate) {
    if (will_do("paged") != report->kinds.end()) {
      report->pages = further->pages(keys, *wish.rate);
    }
    const double bits = core::BitsForRate(*wish.rate);
    if (wish.grows || wish.deletes || wish.threads) {
      report->no_filter_policy =
          "a file's filter is built once, of all its keys: none is added or removed later";
    } else if (core::RateForBits(bits) <= 1.01 * *wish.rate) {
      // The uniform plan is required: other plans give the filters of some levels a higher rate.
      report->filter_policy = absl::StrFormat(
          "{id=winnow;bits_per_key=%.2f;level_plan=uniform%s}", std::ceil(bits * 100) / 100,
          wish.range_bits ? absl::StrCat(";range_bits=", *wish.range_bits) : "");
    } else {
      report->no_filter_policy = absl::StrFormat(
          "a file's filter has at most %g bits per key, and with them a rate of %.3g",
          kBitsPerKeyOption.most, core::RateForBits(kBitsPerKeyOption.most));
    }
  }
}

// Returns sentences that recommend a k; `rows` must not be empty.
std::string ProbesToTake(const SizeWish& wish, const std::vector<PageRow>& rows) {
  const PageRow& holds_most = *std::max_element(
      rows.begin(), rows.end(), [](const PageRow& a, const PageRow& b) { return a.keys < b.keys; });
  const std::string most = !wish.rate ? ""
                                      : absl::StrCat(holds_most.keys, " keys have the rate ",
                                                     RateText(*wish.rate), ", the most of any k");
  if (!wish.keys) return absl::StrCat("Take k = ", holds_most.k, ": ", most, ".");
  const PageRow& lowest =
      *std::min_element(rows.begin(), rows.end(),
                        [](const PageRow& a, const PageRow& b) { return *a.at_rate < *b.at_rate; });
  std::string text = absl::StrCat("Take k = ", lowest.k, ": ", *wish.keys, " keys have the rate ",
                                  RateText(*lowest.at_rate), ", the lowest of any k.");
  if (wish.rate && *lowest.at_rate > *wish.rate) {
    absl::StrAppend(&text, " That is above ", RateText(*wish.rate), ": with k = ", holds_most.k,
                    " ", most, "; take more pages (winnow help pages).");
  }
  return text;
}

void ReportPage(const SizeWish& wish, const KindTable& kinds, SizeReport* report) {
  const double bits = 8 * static_cast<double>(*wish.page_bytes);
  for (unsigned k = 1; k <= kMaxPageProbes; ++k) {
    PageRow row;
    row.k = k;
    if (wish.rate) row.keys = kinds.page_keys(bits, k, *wish.rate);
    if (wish.keys) row.at_rate = kinds.page_rate(static_cast<double>(*wish.keys), bits, k);
    report->page.push_back(row);
  }
  if (wish.rate && std::all_of(report->page.begin(), report->page.end(),
                               [](const PageRow& row) { return row.keys == 0; })) {
    report->impossible =
        absl::StrCat("a page of ", *wish.page_bytes, " bytes does not have the rate ",
                     RateText(*wish.rate), " with a single key");
  } else if (wish.keys && *report->page.front().at_rate > kHighestSizedRate) {
    // k = 1 holds the most keys at kHighestSizedRate, so no other k can fulfill the wish.
    report->impossible =
        absl::StrCat("a page of ", *wish.page_bytes, " bytes does not tell ", *wish.keys,
                     " keys from others: at most ", kinds.page_keys(bits, 1, kHighestSizedRate),
                     " have a rate up to ", RateText(kHighestSizedRate), " in it");
  }
  if (!report->impossible.empty()) {
    report->page.clear();
  } else {
    report->advice = ProbesToTake(wish, report->page);
  }
}

}  // namespace

std::string RateText(double rate) { return absl::StrFormat("%.4g", rate); }

std::string WhatIsWrong(const SizeWish& wish, const KindTable* further) {
  if (further == nullptr && (wish.page_bytes || wish.grows || wish.deletes || wish.threads)) {
    return "a page, grows, deletes and threads are of filters that change, and this winnow is "
           "built without these";
  }
  if (wish.keys && (*wish.keys < 1 || *wish.keys > kMostSizedKeys)) {
    return absl::StrCat("keys are ", *wish.keys, ", but must be from 1 to ", kMostSizedKeys);
  }
  if (wish.rate && !(*wish.rate >= kLowestSizedRate && *wish.rate <= kHighestSizedRate)) {
    return absl::StrCat("the rate is ", RateText(*wish.rate), ", but must be from ",
                        RateText(kLowestSizedRate), " to ", RateText(kHighestSizedRate));
  }
  if (wish.page_bytes) {
    if (wish.bytes) return "a page has its own memory: leave out one of the two";
    if (!wish.keys && !wish.rate) return "a page wants a rate, or a number of keys, or both";
    if (wish.grows || wish.deletes || wish.threads || wish.range_bits) {
      return "a page is sized for its keys alone: leave out grows, deletes and threads, which "
             "choose among kinds, and range_bits";
    }
    return further->page_objection(*wish.page_bytes);
  }
  if (!wish.keys || wish.rate.has_value() == wish.bytes.has_value()) {
    return "keys and a rate are wanted, or keys and memory, or a page";
  }
  if (wish.range_bits) {
    if (!(*wish.range_bits >= core::kLeastRangeBits && *wish.range_bits <= core::kMostRangeBits)) {
      return absl::StrCat("range_bits are ", RateText(*wish.range_bits), ", but must be from ",
                          core::kLeastRangeBits, " to ", core::kMostRangeBits);
    }
    if (!wish.rate || wish.grows || wish.deletes || wish.threads) {
      return "range filters lie beside those of files that are built once: range_bits goes with "
             "keys and a rate alone";
    }
  }
  return wish.bytes && *wish.bytes < 1 ? "there is no filter without memory" : "";
}

SizeReport ReportSizes(const SizeWish& wish, const KindTable* further) {
  SizeReport report;
  report.wish = wish;
  report.impossible = WhatIsWrong(wish, further);
  if (report.impossible.empty()) report.impossible = Objection(wish);
  if (!report.impossible.empty()) return report;
  if (wish.page_bytes) {
    ReportPage(wish, *further, &report);
  } else {
    ReportKinds(wish, further, &report);
  }
  return report;
}

std::string SizeJson(const SizeReport& report) {
  using Json = nlohmann::ordered_json;
  constexpr char kSchema[] = "winnow.size/1";
  Json json = {{"keys", OrNull(report.wish.keys)},
               {"rate", OrNull(report.wish.rate)},
               {"bytes", OrNull(report.wish.bytes)},
               {"page_bytes", OrNull(report.wish.page_bytes)}};
  if (!report.impossible.empty()) {
    json["impossible"] = report.impossible;
    return Document(kSchema, json);
  }
  if (!report.page.empty()) {
    json["page"] = Json::array();
    for (const PageRow& row : report.page) {
      json["page"].push_back({{"k", row.k},
                              {"keys", report.wish.rate ? Json(row.keys) : Json(nullptr)},
                              {"rate", OrNull(row.at_rate)}});
    }
    json["advice"] = report.advice;
    return Document(kSchema, json);
  }
  json["kinds"] = Json::array();
  for (const SizedKind& kind : report.kinds) {
    json["kinds"].push_back({{"kind", kind.kind},
                             {"bytes", kind.bytes},
                             {"bits_per_key", kind.bits_per_key},
                             {"k_or_bits", kind.bits},
                             {"rate", kind.rate},
                             {"grows", kind.grows},
                             {"deletes", kind.deletes},
                             {"threads", kind.threads},
                             {"will_do", kind.fits_wish}});
  }
  if (report.wish.range_bits) {
    json["range_bits"] = *report.wish.range_bits;
    json["range_bytes"] = report.range_bytes;
  }
  json["advice"] = report.advice;
  json["shards_of_512_mib"] = report.shards;
  json["pages_of_1_kib"] = report.pages;
  json["filter_policy"] = report.filter_policy;
  json["no_filter_policy"] = SentenceOrNull(report.no_filter_policy);
  return Document(kSchema, json);
}

}  // namespace winnow::inspect
