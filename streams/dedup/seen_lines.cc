#include "streams/dedup/seen_lines.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "streams/amq/block_sizing.h"
#include "streams/amq/plan.h"
#include "streams/dedup/brought_bloom.h"
#include "winnow/amq/blocked_bloom.h"
#include "winnow/amq/plan.h"
#include "winnow/amq/scalable_bloom.h"

namespace winnow::dedup {
namespace {

class Fixed : public SeenLines {
 public:
  Fixed(uint64_t capacity, double rate)
      : capacity_(WithHeadroom(capacity)), shape_(ShapeForLines(capacity, rate)) {}

  absl::Status Begin() override {
    bloom_.emplace(amq::BlockedBloom(shape_, capacity_), kMaxBatches);
    return absl::OkStatus();
  }
  size_t brought_at_once() const override { return BroughtBloom::AtOnce(shape_); }
  void Bring(const KeyHash* hashes, size_t n) override { bloom_->Bring(hashes, n); }
  absl::Status Add(const KeyHash*, size_t n, bool* is_new) override {
    bloom_->AddBrought(n, is_new);
    return absl::OkStatus();
  }
  uint64_t num_added() const override { return bloom_ ? bloom_->filter().num_added() : 0; }
  size_t size_bytes() const override { return bloom_ ? bloom_->filter().size_bytes() : 0; }
  double RateNow() const override { return bloom_ ? bloom_->filter().expected_fpr() : 0; }

 private:
  const uint64_t capacity_;
  const amq::BlockedShape shape_;
  std::optional<BroughtBloom> bloom_;
};

class Growing : public SeenLines {
 public:
  Growing(uint64_t first_capacity, double rate) {
    options_.rate = rate;
    options_.first_capacity = first_capacity;
  }

  absl::Status Begin() override {
    filter_.emplace(options_);
    return absl::OkStatus();
  }
  absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) override {
    // Lookups in the largest filters load their blocks into the cache, so that the misses of the
    // additions overlap.
    const auto& filters = filter_->filters();
    for (size_t i = filters.size(); i-- > 0 && filters.size() - i <= kBrought;) {
      filters[i].MayContain(hashes, n, is_new);
    }
    for (size_t i = 0; i < n; ++i) is_new[i] = filter_->Add(hashes[i]);
    return absl::OkStatus();
  }
  uint64_t num_added() const override { return filter_ ? filter_->num_added() : 0; }
  size_t size_bytes() const override { return filter_ ? filter_->size_bytes() : 0; }
  double RateNow() const override { return filter_ ? filter_->expected_fpr() : 0; }

 private:
  static constexpr size_t kBrought = 3;

  amq::ScalableOptions options_;
  std::optional<amq::ScalableBloom> filter_;
};

class Generations : public SeenLines {
 public:
  Generations(uint64_t capacity, double rate) : capacity_(capacity), rate_(rate) {}

  absl::Status Begin() override {
    newer_.emplace(ShapeForLines(capacity_, rate_ / 2), WithHeadroom(capacity_));
    older_.emplace(newer_->shape(), WithHeadroom(capacity_));
    return absl::OkStatus();
  }
  // A line of the older generation is also added to the newer one, which renews it.
  absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) override {
    bool in_older[kBatch];
    older_->MayContain(hashes, n, in_older);
    newer_->Add(hashes, n, is_new);
    for (size_t i = 0; i < n; ++i) is_new[i] = is_new[i] && !in_older[i];
    return absl::OkStatus();
  }
  void Rotate() override {
    std::swap(newer_, older_);
    newer_->Clear();
  }
  uint64_t num_added() const override { return newer_ ? newer_->num_added() : 0; }
  size_t size_bytes() const override {
    return newer_ ? newer_->size_bytes() + older_->size_bytes() : 0;
  }
  double RateNow() const override {
    if (!newer_) return 0;
    const double newer = newer_->expected_fpr(), older = older_->expected_fpr();
    return newer + older - newer * older;
  }

 private:
  const uint64_t capacity_;
  const double rate_;
  std::optional<amq::BlockedBloom> newer_;
  std::optional<amq::BlockedBloom> older_;
};

}  // namespace

uint64_t WithHeadroom(uint64_t capacity) {
  return std::min(static_cast<uint64_t>(std::ceil(static_cast<double>(capacity) * kHeadroom)),
                  amq::kMostKeys);
}

absl::Status CheckNewPlan(uint64_t capacity, double rate, unsigned generations) {
  const uint64_t lines = WithHeadroom(capacity);
  if (amq::CheckPlan({lines, rate / generations}).empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "--rate=%g can't be kept for %d lines: a new one has the hash, of 64 bits, of one of so many "
      "others with a chance of %.3g; give a --rate above that, or fewer lines",
      rate, capacity, generations * amq::LowestRate(lines)));
}

amq::BlockedShape ShapeForLines(uint64_t capacity, double rate) {
  constexpr double kMaxMore = 1.05;
  const uint64_t lines = WithHeadroom(capacity);
  const double own = amq::OwnRate(amq::NearestValid(amq::Plan{lines, rate}));
  const amq::BlockedShape smallest = amq::BlockedBloom::ShapeFor({lines, rate});
  amq::BlockedShape best = smallest;
  if (smallest.blocks_per_key == 1) return best;
  const double most = kMaxMore * static_cast<double>(smallest.num_blocks);
  best.num_blocks = UINT64_MAX;
  for (unsigned bits = 1; bits <= amq::kBlockWords; ++bits) {
    const unsigned blocks_per_key = smallest.blocks_per_key - 1;
    const uint64_t blocks = amq::BlocksForRate(lines, own, blocks_per_key, bits);
    if (blocks < best.num_blocks) best = {blocks, blocks_per_key, bits};
  }
  return static_cast<double>(best.num_blocks) <= most ? best : smallest;
}

std::unique_ptr<SeenLines> MakeFixed(uint64_t capacity, double rate) {
  return std::make_unique<Fixed>(capacity, rate);
}

std::unique_ptr<SeenLines> MakeGrowing(uint64_t first_capacity, double rate) {
  return std::make_unique<Growing>(first_capacity, rate);
}

std::unique_ptr<SeenLines> MakeGenerations(uint64_t capacity, double rate) {
  return std::make_unique<Generations>(capacity, rate);
}

}  // namespace winnow::dedup
