#include "streams/dedup/recent_lines.h"

#include <cstdint>

namespace winnow::dedup {
namespace {

constexpr std::chrono::milliseconds kMoment(100);

}  // namespace

void RecentLines::Add(KeyHash hash, Time now) {
  if (moments_.empty() || now - moments_.back().first >= kMoment) {
    moments_.push_back({now, now, 0});
  }
  moments_.back().last = now;
  ++moments_.back().lines;
  hashes_.push_back(hash);
}

void RecentLines::DropUntil(Time time) {
  while (!moments_.empty() && moments_.front().last <= time) {
    const auto lines = static_cast<std::ptrdiff_t>(moments_.front().lines);
    hashes_.erase(hashes_.begin(), hashes_.begin() + lines);
    moments_.pop_front();
  }
}

}  // namespace winnow::dedup
