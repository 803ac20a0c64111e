// Input and expected results for measurements of `winnow dedup`:
//   dedup_lines lines N            N lines of 20 digits; every fifth repeats an earlier one
//   dedup_lines expect N RATE      "drops deviation": mean number of new lines dropped
//                                  while N lines are added as planned, and its standard deviation
//   dedup_lines overfill N RATE T  "drops expected deviation": actual and expected drops of T times
//                                  as many lines with the layout for N lines

#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "streams/amq/block_sizing.h"
#include "streams/amq/mix.h"
#include "streams/dedup/seen_lines.h"
#include "winnow/amq/blocked_bloom.h"
#include "winnow/hash.h"

namespace winnow {
namespace {

constexpr size_t kDigits = 20;

// Writes the i-th line; all lines differ, since Mix is a bijection.
void PutLine(uint64_t i, char* to) {
  uint64_t left = amq::Mix(i + 1);
  for (size_t digit = kDigits; digit-- > 0; left /= 10) {
    to[digit] = static_cast<char>('0' + left % 10);
  }
}

// Returns the sum over n insertions of the probability that an insertion changes nothing. Drops are
// rare and practically independent.
double ExpectedDrops(uint64_t n, const amq::BlockedShape& shape) {
  constexpr uint64_t kSteps = 2000;
  double sum = 0;
  for (uint64_t i = 0; i < kSteps; ++i) {
    const double at = (static_cast<double>(i) + 0.5) / kSteps * static_cast<double>(n);
    sum += amq::BlockedRate(static_cast<uint64_t>(at), shape);
  }
  return sum / kSteps * static_cast<double>(n);
}

amq::BlockedShape ShapeOf(uint64_t n, double rate) { return dedup::ShapeForLines(n, rate); }

int Lines(uint64_t n) {
  constexpr uint64_t kAtOnce = 50'000;
  std::string text;
  uint64_t distinct = 0;
  for (uint64_t from = 0; from < n; from += kAtOnce) {
    const uint64_t to = std::min(n, from + kAtOnce);
    text.assign((to - from) * (kDigits + 1), '\n');
    for (uint64_t i = from; i < to; ++i) {
      const uint64_t line = i % 5 == 4 ? amq::Reduce(amq::HashBits(i, 7), distinct) : distinct++;
      PutLine(line, text.data() + (i - from) * (kDigits + 1));
    }
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) return 2;
  }
  return std::fflush(stdout) == 0 ? 0 : 2;
}

int Expect(uint64_t n, double rate) {
  const double drops = ExpectedDrops(n, ShapeOf(n, rate));
  absl::PrintF("%.6g %.6g\n", drops, std::sqrt(drops));
  return 0;
}

int Overfill(uint64_t n, double rate, double times) {
  const amq::BlockedShape shape = ShapeOf(n, rate);
  amq::BlockedBloom filter(shape, n);
  const auto all = static_cast<uint64_t>(times * static_cast<double>(n));
  uint64_t drops = 0;
  KeyHash hashes[dedup::kBatch];
  bool is_new[dedup::kBatch];
  char line[kDigits];
  for (uint64_t i = 0; i < all; i += dedup::kBatch) {
    const size_t batch = std::min<uint64_t>(dedup::kBatch, all - i);
    for (size_t j = 0; j < batch; ++j) {
      PutLine(i + j, line);
      hashes[j] = HashKey({line, kDigits});
    }
    filter.Add(hashes, batch, is_new);
    drops += static_cast<uint64_t>(std::count(is_new, is_new + batch, false));
  }
  const double expected = ExpectedDrops(all, shape);
  absl::PrintF("%d %.6g %.6g\n", drops, expected, std::sqrt(expected));
  return 0;
}

int Run(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  double n = 0, rate = 0, times = 0;
  const bool numbers = argc > 2 && absl::SimpleAtod(argv[2], &n) && n >= 1 &&
                       (argc < 4 || absl::SimpleAtod(argv[3], &rate)) &&
                       (argc < 5 || absl::SimpleAtod(argv[4], &times));
  const auto count = static_cast<uint64_t>(n);
  if (numbers && what == "lines" && argc == 3) return Lines(count);
  if (numbers && what == "expect" && argc == 4) return Expect(count, rate);
  if (numbers && what == "overfill" && argc == 5) return Overfill(count, rate, times);
  std::fputs("dedup_lines lines N | expect N RATE | overfill N RATE TIMES\n", stderr);
  return 2;
}

}  // namespace
}  // namespace winnow

int main(int argc, char** argv) { return winnow::Run(argc, argv); }
