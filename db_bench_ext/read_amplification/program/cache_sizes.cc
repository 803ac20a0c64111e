#include "db_bench_ext/read_amplification/program/cache_sizes.h"

#include <absl/status/status.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include <optional>
#include <set>

#include "db_bench_ext/read_amplification/trees/tree_scale.h"

namespace winnow::bench {
namespace {

std::optional<CacheSize> ParseShare(absl::string_view percent) {
  constexpr double kMaxPercent = 1000;
  double number = 0;
  if (!absl::SimpleAtod(percent, &number) || !(number > 0 && number <= kMaxPercent)) {
    return std::nullopt;
  }
  return CacheSize{number / 100, 0};
}

std::optional<CacheSize> ParseBytes(absl::string_view text) {
  constexpr uint64_t kMax = uint64_t{1} << 60;
  int shift = 0;
  if (absl::ConsumeSuffix(&text, "KiB")) {
    shift = 10;
  } else if (absl::ConsumeSuffix(&text, "MiB")) {
    shift = 20;
  } else if (absl::ConsumeSuffix(&text, "GiB")) {
    shift = 30;
  }
  uint64_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number == 0 || number > kMax >> shift) {
    return std::nullopt;
  }
  return CacheSize{0, number << shift};
}

}  // namespace

absl::StatusOr<std::vector<CacheSize>> ParseCacheSweep(std::string_view list) {
  std::vector<CacheSize> sizes;
  if (list.empty()) return sizes;
  for (const absl::string_view text :
       absl::StrSplit(absl::string_view(list.data(), list.size()), ',')) {
    absl::string_view number = text;
    const std::optional<CacheSize> size =
        absl::ConsumeSuffix(&number, "%") ? ParseShare(number) : ParseBytes(text);
    if (!size) {
      return absl::InvalidArgumentError(
          absl::StrCat("--cache_sweep has '", text,
                       "', where a share of all keys and values above 0 % and up to "
                       "1000 % or a size was expected, as in --cache_sweep=1%,5%,64MiB"));
    }
    sizes.push_back(*size);
  }
  return sizes;
}

std::vector<uint64_t> CacheSizesInBytes(const std::vector<CacheSize>& sizes, uint64_t data_bytes) {
  std::set<uint64_t> bytes;
  for (const CacheSize& size : sizes) {
    bytes.insert(size.share > 0 ? CacheOfShare(size.share, data_bytes) : size.bytes);
  }
  return {bytes.begin(), bytes.end()};
}

}  // namespace winnow::bench
