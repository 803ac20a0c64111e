#include "db_bench_ext/read_amplification/keys/write_sequence.h"

#include <algorithm>
#include <utility>

#include "db_bench_ext/read_amplification/keys/random.h"

namespace winnow::bench {
namespace {

// Keeps the order of writes apart from other sources of chance that share the user's seed.
constexpr uint64_t kOrderSalt = 0x6f72646572;

}  // namespace

WriteSequence::WriteSequence(uint64_t keys, uint64_t seed, std::vector<WriteStep> steps)
    : keys_(keys), order_(keys, seed ^ kOrderSalt) {
  for (const WriteStep& step : steps) {
    if (step.kind == WriteKind::kCompact) {
      // Of nothing, or again of what is merged already: nothing to do.
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
    case WriteKind::kDrawn: {
      Random random = RandomAt(part.seed, at);
      return RandomBelow(&random, keys_);
    }
    default:
      return at;
  }
}

bool WriteSequence::EachOnce() const {
  return parts_.size() == 1 && parts_.front().kind != WriteKind::kDrawn;
}

WrittenKeys::WrittenKeys(const WriteSequence& sequence) {
  // One part that writes all keys is enough; draws may leave some out.
  all_ = sequence.EachOnce();
  count_ = sequence.keys();
  if (all_) return;
  written_.resize(sequence.keys());
  for (uint64_t i = 0; i < sequence.size(); ++i) written_[sequence[i]] = true;
  count_ = static_cast<uint64_t>(std::count(written_.begin(), written_.end(), true));
}

}  // namespace winnow::bench
