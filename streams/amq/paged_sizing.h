// Number of pages for a PagedBloom, and the resulting rates, as pure functions.

#ifndef WINNOW_STREAMS_AMQ_PAGED_SIZING_H_
#define WINNOW_STREAMS_AMQ_PAGED_SIZING_H_

#include <cstdint>

#include "winnow/amq/paged_bloom.h"

namespace winnow::amq {

inline constexpr uint64_t kMaxPages = uint64_t{1} << 32;
inline constexpr unsigned kMaxPageProbes = 64;
inline constexpr uint32_t kMinPageBytes = 64;
inline constexpr uint32_t kMaxPageBytes = 1 << 20;

// Mean and standard deviation of the rate of a random page.
struct PageRates {
  double mean = 0;
  double deviation = 0;
};

// Returns the rates of n keys in `pages` pages of `bits` bits each.
PageRates RatesOfPages(double n, double pages, double bits, unsigned probes) noexcept;

// Returns PagedBloom::ShapeFor() without the limit on pages; 2^40 pages and more count as 2^40.
PagedShape WantedPages(const PagedPlan& plan) noexcept;

}  // namespace winnow::amq

#endif  // WINNOW_STREAMS_AMQ_PAGED_SIZING_H_
