#include "src/dedup/seen_lines.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "winnow/amq/blocked_bloom.h"
#include "winnow/amq/plan.h"
#include "winnow/amq/scalable_bloom.h"

namespace winnow::dedup {
namespace {

class Fixed : public SeenLines {
 public:
  Fixed(uint64_t capacity, double rate) : filter_({WithHeadroom(capacity), rate}) {}

  absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) override {
    filter_.Add(hashes, n, is_new);
    return absl::OkStatus();
  }
  uint64_t num_added() const override { return filter_.num_added(); }
  size_t size_bytes() const override { return filter_.size_bytes(); }
  double RateNow() const override { return filter_.expected_fpr(); }

 private:
  amq::BlockedBloom filter_;
};

class Growing : public SeenLines {
 public:
  Growing(uint64_t first_capacity, double rate) : filter_(Options(first_capacity, rate)) {}

  absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) override {
    // Brings the blocks of the largest filters, so that the misses of the additions overlap.
    const auto& filters = filter_.filters();
    for (size_t i = filters.size(); i-- > 0 && filters.size() - i <= kBrought;) {
      filters[i].MayContain(hashes, n, is_new);
    }
    for (size_t i = 0; i < n; ++i) is_new[i] = filter_.Add(hashes[i]);
    return absl::OkStatus();
  }
  uint64_t num_added() const override { return filter_.num_added(); }
  size_t size_bytes() const override { return filter_.size_bytes(); }
  double RateNow() const override { return filter_.expected_fpr(); }

 private:
  static constexpr size_t kBrought = 3;

  static amq::ScalableOptions Options(uint64_t first_capacity, double rate) {
    amq::ScalableOptions options;
    options.rate = rate;
    options.first_capacity = first_capacity;
    return options;
  }

  amq::ScalableBloom filter_;
};

class Generations : public SeenLines {
 public:
  Generations(uint64_t capacity, double rate)
      : newer_({WithHeadroom(capacity), rate / 2}), older_({WithHeadroom(capacity), rate / 2}) {}

  // A line of the older generation is added to the newer one as well: it is remembered anew.
  absl::Status Add(const KeyHash* hashes, size_t n, bool* is_new) override {
    bool in_older[kBatch];
    older_.MayContain(hashes, n, in_older);
    newer_.Add(hashes, n, is_new);
    for (size_t i = 0; i < n; ++i) is_new[i] = is_new[i] && !in_older[i];
    return absl::OkStatus();
  }
  void Rotate() override {
    std::swap(newer_, older_);
    newer_.Clear();
  }
  uint64_t num_added() const override { return newer_.num_added(); }
  size_t size_bytes() const override { return newer_.size_bytes() + older_.size_bytes(); }
  double RateNow() const override {
    const double newer = newer_.expected_fpr(), older = older_.expected_fpr();
    return newer + older - newer * older;
  }

 private:
  amq::BlockedBloom newer_;
  amq::BlockedBloom older_;
};

}  // namespace

uint64_t WithHeadroom(uint64_t capacity) {
  return std::min(static_cast<uint64_t>(std::ceil(static_cast<double>(capacity) * kHeadroom)),
                  amq::kMostKeys);
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
