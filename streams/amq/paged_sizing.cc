#include "streams/amq/paged_sizing.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>

#include "streams/amq/plan.h"

namespace winnow::amq {
namespace {

constexpr double kMaxWanted = 1099511627776;  // 2^40
constexpr double kMargin = 4;                 // standard deviations

// Mean and mean square of fill^k in a page with this many keys. The fill ratio has the variance
// (e^-a - (1 + a) e^-2a) / m with a = k keys / m.
struct Moments {
  double first = 0;
  double second = 0;
};

Moments OfPage(double keys, double bits, unsigned probes) noexcept {
  const double k = probes;
  const double load = k * keys / bits;
  const double fill = -std::expm1(k * keys * std::log1p(-1 / bits));
  if (fill <= 0) return {};
  const double empty = std::exp(-load);
  const double variance = std::max(0.0, empty - (1 + load) * empty * empty) / bits;
  const double relative = variance / (fill * fill);
  const double rate = std::pow(fill, k);
  return {rate * (1 + k * (k - 1) / 2 * relative), rate * rate * (1 + k * (2 * k - 1) * relative)};
}

bool Meets(const PagedPlan& plan, double pages, unsigned probes) noexcept {
  const PageRates rates =
      RatesOfPages(static_cast<double>(plan.capacity), pages, 8.0 * plan.page_bytes, probes);
  return rates.mean + kMargin * rates.deviation / std::sqrt(pages) <=
         OwnRate({plan.capacity, plan.rate});
}

double PagesFor(const PagedPlan& plan, unsigned probes) noexcept {
  // Every filter has at least log2(1/rate) bits per key.
  double low = std::floor(static_cast<double>(plan.capacity) * std::log2(1 / plan.rate) /
                          (8.0 * plan.page_bytes));
  double high = low + 1;
  while (high < kMaxWanted && !Meets(plan, high, probes)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (Meets(plan, middle, probes) ? high : low) = middle;
  }
  return high;
}

PagedPlan NearestValid(const PagedPlan& plan) noexcept {
  const Plan keys = NearestValid(Plan{plan.capacity, plan.rate});
  PagedPlan valid;
  valid.capacity = keys.capacity;
  valid.rate = keys.rate;
  valid.page_bytes = std::clamp(plan.page_bytes, kMinPageBytes, kMaxPageBytes) & ~7u;
  return valid;
}

}  // namespace

// The number of keys per page is Poisson distributed for many pages.
PageRates RatesOfPages(double n, double pages, double bits, unsigned probes) noexcept {
  Moments sum;
  if (pages <= 1) {
    sum = OfPage(n, bits, probes);
  } else {
    const double mean = n / pages;
    const double width = 12 * std::sqrt(mean) + 30;
    const double first = std::max(0.0, std::floor(mean - width));
    double chance =
        std::exp(first * std::log(std::max(mean, 1e-300)) - mean - std::lgamma(first + 1));
    for (double keys = first; keys <= mean + width; ++keys) {
      const Moments moments = OfPage(keys, bits, probes);
      sum.first += chance * moments.first;
      sum.second += chance * moments.second;
      chance *= mean / (keys + 1);
    }
  }
  return {sum.first, std::sqrt(std::max(0.0, sum.second - sum.first * sum.first))};
}

PagedShape WantedPages(const PagedPlan& plan) noexcept {
  const PagedPlan valid = NearestValid(plan);
  PagedShape shape;
  shape.page_bytes = valid.page_bytes;
  double fewest = INFINITY;
  const int middle = static_cast<int>(std::log2(1 / valid.rate));
  for (int probes = std::max(1, middle - 2); probes <= middle + 2; ++probes) {
    const double pages = PagesFor(valid, static_cast<unsigned>(probes));
    if (pages < fewest) {
      fewest = pages;
      shape.probes = static_cast<unsigned>(probes);
    }
  }
  shape.pages = static_cast<uint64_t>(fewest);
  return shape;
}

PagedShape PagedBloom::ShapeFor(const PagedPlan& plan) noexcept {
  PagedShape shape = WantedPages(plan);
  shape.pages = std::min(shape.pages, kMaxPages);
  return shape;
}

std::string CheckPagedPlan(const PagedPlan& plan) {
  std::string fault = CheckPlan(Plan{plan.capacity, plan.rate});
  if (!fault.empty()) return fault;
  std::ostringstream text;
  text.imbue(std::locale::classic());
  if (plan.page_bytes < kMinPageBytes || plan.page_bytes > kMaxPageBytes ||
      plan.page_bytes % 8 != 0) {
    text << "page_bytes is " << plan.page_bytes << ", but must be a multiple of 8 from "
         << kMinPageBytes << " to " << kMaxPageBytes;
  } else if (WantedPages(plan).pages > kMaxPages) {
    text << "capacity and rate want more than " << kMaxPages << " pages of page_bytes "
         << plan.page_bytes << ": take larger ones";
  }
  return text.str();
}

}  // namespace winnow::amq
