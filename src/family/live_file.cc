#include "src/family/live_file.h"

#include <algorithm>
#include <cmath>

namespace winnow::family {
namespace {

double NumberAt(std::string_view key, size_t at) noexcept {
  uint64_t number = 0;
  for (size_t i = at; i < at + sizeof number; ++i) {
    number = number << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0);
  }
  return static_cast<double>(number);
}

}  // namespace

double ShareBefore(std::string_view first, std::string_view last, std::string_view key) noexcept {
  if (key <= first) return 0;
  if (key >= last) return 1;
  const auto differ = std::mismatch(first.begin(), first.end(), last.begin(), last.end());
  const auto at = static_cast<size_t>(differ.first - first.begin());
  const double from = NumberAt(first, at);
  const double to = NumberAt(last, at);
  return to > from ? std::clamp((NumberAt(key, at) - from) / (to - from), 0.0, 1.0) : 0.5;
}

double KeyRange::Before(std::string_view key) const noexcept {
  if (key <= first) return 0;
  if (key >= last) return 1;
  if (cuts.front().empty()) return ShareBefore(first, last, key);
  const auto cut = std::upper_bound(cuts.begin(), cuts.end(), key);
  const auto piece = static_cast<size_t>(cut - cuts.begin());
  const std::string& from = piece == 0 ? first : cuts[piece - 1];
  const std::string& to = piece == cuts.size() ? last : cuts[piece];
  return (static_cast<double>(piece) + ShareBefore(from, to, key)) / kPieces;
}

void LiveFile::CountDenied(std::string_view key) noexcept {
  const auto piece = static_cast<size_t>(range.Before(key) * kPieces);
  denied[std::min(piece, kPieces - 1)].fetch_add(1, std::memory_order_relaxed);
}

double LiveFile::AskedIn(double from, double to) const noexcept {
  double sum = former != nullptr ? former->AskedIn(from, to) : 0;
  if (bits == 0) return sum;
  for (size_t piece = 0; piece < kPieces; ++piece) {
    const auto at = static_cast<double>(piece);
    const double part = std::min(to * kPieces, at + 1) - std::max(from * kPieces, at);
    if (part > 0) {
      sum += part * denied[piece].load(std::memory_order_relaxed) / (1 - std::exp2(-bits));
    }
  }
  return sum;
}

void LiveFile::SetAsked(const std::array<double, kPieces>& asked) noexcept {
  for (size_t piece = 0; piece < kPieces; ++piece) {
    denied[piece] = static_cast<uint32_t>(std::lround(asked[piece] * (1 - std::exp2(-bits))));
  }
}

void LiveFile::HalveCounts() noexcept {
  for (std::atomic<uint32_t>& count : denied) {
    count.fetch_sub(count.load(std::memory_order_relaxed) / 2, std::memory_order_relaxed);
  }
  if (former != nullptr) former->HalveCounts();
}

}  // namespace winnow::family
