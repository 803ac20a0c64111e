#include "db_bench_ext/read_amplification/keys/write_sequence.h"

#include <algorithm>
#include <bitset>

#include "src/base/random.h"

namespace winnow::bench {
namespace {

// Salt that separates the order of writes from other uses of the user's seed.
constexpr uint64_t kOrderSalt = 0x6f72646572;

// Number of parts of keys written in time order, within each of which the order is random.
constexpr uint64_t kPartsInTime = 50;
uint64_t KeysOfPart(uint64_t keys) { return std::max<uint64_t>(1, keys / kPartsInTime); }

constexpr uint64_t kWritesBetweenLooks = uint64_t{1} << 20;
constexpr size_t kWordsOfBlock = 8;

}  // namespace

WriteSequence::WriteSequence(uint64_t keys, uint64_t seed, std::vector<WriteStep> steps)
    : keys_(keys), order_(keys, seed ^ kOrderSalt), in_time_(KeysOfPart(keys), seed ^ kOrderSalt) {
  for (const WriteStep& step : steps) {
    if (step.kind == WriteKind::kCompact) {
      // A compaction without new writes has no effect.
      if (size_ > 0 && (compactions_.empty() || compactions_.back() != size_)) {
        compactions_.push_back(size_);
      }
      continue;
    }
    const bool all = step.kind != WriteKind::kDrawn || step.draws == 0;
    const uint64_t writes = all ? keys : step.draws;
    parts_.push_back({step.kind, size_, seed ^ Mix(kOrderSalt + parts_.size())});
    size_ += writes;
  }
}

WriteSequence WriteSequence::Once(uint64_t keys, uint64_t seed) {
  return WriteSequence(keys, seed, {{WriteKind::kOnce, 0}});
}

uint64_t WriteSequence::operator[](uint64_t position) const {
  const auto next = std::partition_point(parts_.begin(), parts_.end(),
                                         [&](const Part& part) { return part.begin <= position; });
  const Part& part = *std::prev(next);
  const uint64_t at = position - part.begin;
  switch (part.kind) {
    case WriteKind::kOnce:
      return order_[at];
    case WriteKind::kInTime: {
      const uint64_t of_part = KeysOfPart(keys_);
      const uint64_t begin = at / of_part * of_part;
      return keys_ - begin < of_part ? at : begin + in_time_[at - begin];
    }
    case WriteKind::kDrawn: {
      Random random = RandomAt(part.seed, at);
      return RandomBelow(&random, keys_);
    }
    case WriteKind::kInOrder:
    case WriteKind::kCompact:
      break;
  }
  return at;
}

bool WriteSequence::EachOnce() const {
  return parts_.size() == 1 && parts_.front().kind != WriteKind::kDrawn;
}

WrittenKeys::WrittenKeys(const WriteSequence& sequence) {
  Fill(sequence, [](uint64_t) { return true; }).IgnoreError();
}

absl::StatusOr<WrittenKeys> WrittenKeys::Of(const WriteSequence& sequence,
                                            absl::FunctionRef<bool(uint64_t)> go_on) {
  WrittenKeys written;
  if (absl::Status status = written.Fill(sequence, go_on); !status.ok()) return status;
  return written;
}

absl::Status WrittenKeys::Fill(const WriteSequence& sequence,
                               absl::FunctionRef<bool(uint64_t)> go_on) {
  // If one part writes all keys, no draws are needed, which may omit some.
  all_ = sequence.EachOnce();
  count_ = sequence.keys();
  if (all_) return absl::OkStatus();
  bits_.resize((sequence.keys() + 63) / 64);
  for (uint64_t i = 0; i < sequence.size(); ++i) {
    const uint64_t key = sequence[i];
    bits_[key / 64] |= uint64_t{1} << (key % 64);
    if (i % kWritesBetweenLooks == 0 && !go_on(i)) return absl::CancelledError("interrupted");
  }
  count_ = 0;
  for (size_t word = 0; word < bits_.size(); ++word) {
    if (word % kWordsOfBlock == 0) before_.push_back(count_);
    count_ += std::bitset<64>(bits_[word]).count();
  }
  return absl::OkStatus();
}

uint64_t WrittenKeys::Nth(uint64_t n) const {
  if (all_) return n;
  const auto next = std::upper_bound(before_.begin(), before_.end(), n);
  const auto block = static_cast<size_t>(next - before_.begin()) - 1;
  n -= before_[block];
  size_t word = block * kWordsOfBlock;
  for (;; ++word) {
    const uint64_t here = std::bitset<64>(bits_[word]).count();
    if (n < here) break;
    n -= here;
  }
  uint64_t rest = bits_[word];
  for (; n > 0; --n) rest &= rest - 1;
  uint64_t bit = 0;
  while ((rest >> bit & 1) == 0) ++bit;
  return 64 * word + bit;
}

}  // namespace winnow::bench
