#include "winnow/amq/scalable_bloom.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "src/amq/block_sizing.h"
#include "src/amq/plan.h"

namespace winnow::amq {
namespace {

constexpr double kLeastGrowth = 1.5;
constexpr double kMostGrowth = 8;
constexpr double kLeastTightening = 0.5;
constexpr double kMostTightening = 0.95;

bool IsWithin(double value, double least, double most) noexcept {
  return value >= least && value <= most;  // so that NaN is outside
}

double Nearest(double value, double least, double most) noexcept {
  return value >= least ? std::min(value, most) : least;
}

ScalableOptions NearestValid(const ScalableOptions& options) noexcept {
  ScalableOptions valid;
  valid.rate = Nearest(options.rate, kLowestRate, kHighestRate);
  valid.first_capacity = std::clamp<uint64_t>(options.first_capacity, 1, kMostKeys);
  valid.growth = Nearest(options.growth, kLeastGrowth, kMostGrowth);
  valid.tightening = Nearest(options.tightening, kLeastTightening, kMostTightening);
  return valid;
}

// Of the index-th filter.
FillShape ShapeOfFilter(const ScalableOptions& options, size_t index) noexcept {
  const double i = static_cast<double>(index);
  const double rate = options.rate * (1 - options.tightening) * std::pow(options.tightening, i);
  const double keys = static_cast<double>(options.first_capacity) * std::pow(options.growth, i);
  const double most = static_cast<double>(kMostKeys);
  return ShapeByFill(static_cast<uint64_t>(std::min(keys, most)), rate);
}

}  // namespace

std::string CheckOptions(const ScalableOptions& options) {
  std::ostringstream text;
  const auto check = [&text](const char* name, double value, double least, double most) {
    if (text.tellp() == 0 && !IsWithin(value, least, most)) {
      text << name << " is " << value << ", but must be from " << least << " to " << most;
    }
  };
  check("rate", options.rate, kLowestRate, kHighestRate);
  if (text.tellp() == 0 && (options.first_capacity < 1 || options.first_capacity > kMostKeys)) {
    text << "first_capacity is " << options.first_capacity << ", but must be from 1 to "
         << kMostKeys;
  }
  check("growth", options.growth, kLeastGrowth, kMostGrowth);
  check("tightening", options.tightening, kLeastTightening, kMostTightening);
  return text.str();
}

ScalableBloom::ScalableBloom(const ScalableOptions& options) : options_(NearestValid(options)) {
  BeginFilter();
}

// All that can throw comes before the first change.
void ScalableBloom::BeginFilter() {
  const FillShape shape = ShapeOfFilter(options_, filters_.size());
  most_fills_.reserve(filters_.size() + 1);
  filters_.emplace_back(shape.shape, uint64_t{0});
  most_fills_.push_back(shape.most_fill);
}

bool ScalableBloom::Add(KeyHash hash) {
  if (MayContain(hash)) return false;
  if (filters_.back().fill_ratio() > most_fills_.back()) BeginFilter();
  filters_.back().Add(hash);
  ++added_;
  return true;
}

bool ScalableBloom::MayContain(KeyHash hash) const noexcept {
  return std::any_of(filters_.rbegin(), filters_.rend(),
                     [hash](const BlockedBloom& filter) { return filter.MayContain(hash); });
}

void ScalableBloom::Clear() noexcept {
  filters_.erase(filters_.begin() + 1, filters_.end());
  most_fills_.resize(1);
  filters_.front().Clear();
  added_ = 0;
}

size_t ScalableBloom::size_bytes() const noexcept {
  size_t bytes = 0;
  for (const BlockedBloom& filter : filters_) bytes += filter.size_bytes();
  return bytes;
}

double ScalableBloom::fill_ratio() const noexcept {
  double ones = 0;
  for (const BlockedBloom& filter : filters_) {
    ones += filter.fill_ratio() * static_cast<double>(filter.size_bytes());
  }
  return ones / static_cast<double>(size_bytes());
}

double ScalableBloom::expected_fpr() const noexcept {
  double none = 0;  // the logarithm of the chance that no filter says so, which is nearly 1
  for (const BlockedBloom& filter : filters_) none += std::log1p(-filter.expected_fpr());
  return -std::expm1(none);
}

}  // namespace winnow::amq
