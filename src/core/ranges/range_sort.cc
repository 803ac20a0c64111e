#include "src/core/ranges/range_sort.h"

#include <array>

namespace winnow::core {
namespace {

constexpr unsigned kDigitBits = 9;
constexpr size_t kFewToSort = 64;

}  // namespace

void RangeSorter::Sort() {
  if (numbers_.size() <= kFewToSort) {
    std::sort(numbers_.begin(), numbers_.end());
    return;
  }
  copies_.resize(numbers_.size());
  for (unsigned at = 0; at < shift_; at += kDigitBits) {
    const auto digit = [at](uint64_t number) { return (number >> at) & ((1u << kDigitBits) - 1); };
    std::array<size_t, (1u << kDigitBits) + 1> begins{};
    for (const uint64_t number : numbers_) ++begins[digit(number) + 1];
    for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
    for (const uint64_t number : numbers_) copies_[begins[digit(number)]++] = number;
    numbers_.swap(copies_);
  }
}

}  // namespace winnow::core
