#include "db_bench_ext/tuning/filter_costs.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>

#include "src/base/random.h"
#include "src/core/sizing.h"
#include "src/simd/kernels.h"
#include "winnow/builder.h"
#include "winnow/filter.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kKeysOfLine = 200'000;
constexpr double kUsualBits = 10;
constexpr double kFractions[] = {0.25, 0.5, 0.75};

double LineBits(double bits_per_key) {
  return MeanFilterCost(FilterKind::kRibbon, bits_per_key, kKeysOfLine).bits_per_key;
}

double LineBitsAtColumns(double columns) {
  return LineBits(core::BitsForRate(std::exp2(-columns)));
}

double PercentOver(double value, double left, double right, double fraction) {
  return 100 * (value / (left + (right - left) * fraction) - 1);
}

struct Comparison {
  FilterCost bloom;
  FilterCost ribbon;

  double Ratio() const { return ribbon.bytes / bloom.bytes; }
  double Saved() const { return bloom.bytes - ribbon.bytes; }
};

Comparison Compare(double bits_per_key, uint64_t n) {
  return {MeanFilterCost(FilterKind::kBloom, bits_per_key, n),
          MeanFilterCost(FilterKind::kRibbon, bits_per_key, n)};
}

}  // namespace

FilterCost MeanFilterCost(FilterKind kind, double bits_per_key, uint64_t n) {
  FilterOptions options;
  options.kind = kind;
  options.bits_per_key = bits_per_key;
  FilterBuilder builder(options);
  Random random(1);
  FilterCost cost;
  const uint64_t filters = std::clamp<uint64_t>(200'000 / n, 1, 2000);
  for (uint64_t filter = 0; filter < filters; ++filter) {
    for (uint64_t i = 0; i < n; ++i) builder.Add({random()});
    const FilterBlock block = builder.Finish();
    const FilterInfo info = FilterView(block.bytes()).info();
    cost.bytes += static_cast<double>(block.size) / static_cast<double>(filters);
    cost.rate += info.expected_fpr / static_cast<double>(filters);
  }
  cost.bits_per_key = 8 * cost.bytes / static_cast<double>(n);
  return cost;
}

double PercentOverLineByBits(unsigned whole, double fraction) {
  return PercentOver(LineBits(whole + fraction), LineBits(whole), LineBits(whole + 1), fraction);
}

double PercentOverLineByColumns(unsigned whole, double fraction) {
  return PercentOver(LineBitsAtColumns(whole + fraction), LineBitsAtColumns(whole),
                     LineBitsAtColumns(whole + 1), fraction);
}

double PercentOfMixing(unsigned whole, double fraction) {
  const double wide = 2 * (1 - std::exp2(-fraction));
  return 100 * (wide - fraction) / (whole + fraction);
}

std::string FewKeysRow(double bits_per_key, uint64_t n) {
  const auto [bloom, ribbon] = Compare(bits_per_key, n);
  return absl::StrFormat("| %d | %.0f | %.2f | %.3f %% | %.0f | %.2f | %.3f %% |\n", n, bloom.bytes,
                         bloom.bits_per_key, 100 * bloom.rate, ribbon.bytes, ribbon.bits_per_key,
                         100 * ribbon.rate);
}

std::string FewKeysTable(double bits_per_key) {
  std::string table =
      "| keys | Bloom: bytes | bits per key | rate | Ribbon: bytes | bits per key | rate |\n"
      "|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const uint64_t n : {1u, 10u, 100u, 1000u, 3000u, 10000u}) {
    absl::StrAppend(&table, FewKeysRow(bits_per_key, n));
  }
  return table;
}

std::string CrossoverTable() {
  std::string table =
      "| keys | Bloom: bytes | Ribbon: bytes | Ribbon to Bloom | bytes saved |\n"
      "|---:|---:|---:|---:|---:|\n";
  for (const uint64_t n : {100u, 200u, 256u, 300u, 320u, 384u, 448u, 500u, 700u, 1000u, 1500u,
                           2000u, 3000u, 5000u, 10'000u}) {
    const Comparison comparison = Compare(kUsualBits, n);
    absl::StrAppendFormat(&table, "| %d | %.0f | %.0f | %.3f | %.0f |\n", n, comparison.bloom.bytes,
                          comparison.ribbon.bytes, comparison.Ratio(), comparison.Saved());
  }
  return table;
}

std::string LeastKeysTable() {
  std::string table =
      "| `bits_per_key` | keys | Bloom: bytes | Ribbon: bytes | saved | of 200,000 keys saved |\n"
      "|---:|---:|---:|---:|---:|---:|\n";
  for (const double bits :
       {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.5, 16.0, 20.0, 28.0, 32.0}) {
    const uint64_t keys = core::KeysWorthARibbon(bits);
    const double most = 1 - Compare(bits, kKeysOfLine).Ratio();
    if (keys > kKeysOfLine) {
      absl::StrAppendFormat(&table, "| %g | none | | | | %.3f |\n", bits, most);
      continue;
    }
    const Comparison least = Compare(bits, keys);
    absl::StrAppendFormat(&table, "| %g | %d | %.0f | %.0f | %.3f | %.3f |\n", bits, keys,
                          least.bloom.bytes, least.ribbon.bytes, 1 - least.Ratio(), most);
  }
  return table;
}

std::string FractionsByBitsTable() {
  std::string table =
      "| `bits_per_key` | columns | bits per key | ¼ more: over the line | ½ more | ¾ more |\n"
      "|---:|---:|---:|---:|---:|---:|\n";
  for (unsigned whole = 1; whole <= 27; ++whole) {
    const core::Columns columns = core::RibbonColumns(core::RateForBits(whole));
    absl::StrAppendFormat(&table, "| %d | %.2f | %.3f |", whole,
                          columns.whole + columns.fraction / 4096.0, LineBits(whole));
    for (const double fraction : kFractions) {
      absl::StrAppendFormat(&table, " %.2f %% |", PercentOverLineByBits(whole, fraction));
    }
    absl::StrAppend(&table, "\n");
  }
  return table;
}

std::string FractionsByColumnsTable() {
  std::string table =
      "| columns | bits per key | ¼ more: over the line | ½ more | ¾ more | of it mixing, at ½ |\n"
      "|---:|---:|---:|---:|---:|---:|\n";
  for (unsigned whole = 1; whole < simd::kRibbonMaxColumns; ++whole) {
    absl::StrAppendFormat(&table, "| %d | %.3f |", whole, LineBitsAtColumns(whole));
    for (const double fraction : kFractions) {
      absl::StrAppendFormat(&table, " %.2f %% |", PercentOverLineByColumns(whole, fraction));
    }
    absl::StrAppendFormat(&table, " %.2f %% |\n", PercentOfMixing(whole, 0.5));
  }
  absl::StrAppendFormat(&table, "| %d | %.3f | | | | |\n", simd::kRibbonMaxColumns,
                        LineBitsAtColumns(simd::kRibbonMaxColumns));
  return table;
}

}  // namespace winnow::bench
