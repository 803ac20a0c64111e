#include "db_bench_ext/tuning/ribbon_simulation.h"

#include <algorithm>
#include <vector>

#include "src/base/random.h"

namespace winnow::bench {
namespace {

struct Key {
  uint32_t start;
  uint64_t coefficient;
  uint16_t fingerprint;  // long enough to detect all contradictions
};

class SubShard {
 public:
  SubShard(const RibbonParameters& parameters, uint32_t buckets)
      : parameters_(parameters),
        buckets_(buckets),
        coefficients_(buckets * parameters.bucket_slots + 64),
        fingerprints_(coefficients_.size()) {}

  uint64_t slots() const { return coefficients_.size(); }
  uint64_t steps() const { return steps_; }

  // Builds a sub-shard and returns the number of bumped keys.
  uint64_t Build(std::vector<Key>* keys) {
    const auto group_of = [this](const Key& key) {
      return key.start / parameters_.bucket_slots * 3 + ClassOf(key);
    };
    std::stable_sort(keys->begin(), keys->end(),
                     [&](const Key& a, const Key& b) { return group_of(a) < group_of(b); });
    uint64_t bumped = 0;
    auto key = keys->begin();
    for (uint32_t bucket = 0; bucket < buckets_; ++bucket) {
      bool failed = false;
      for (unsigned bump_class = 0; bump_class < 3; ++bump_class) {
        auto end = key;
        while (end != keys->end() && group_of(*end) == bucket * 3 + bump_class) ++end;
        failed = failed || !InsertAll(key, end);
        if (failed) bumped += static_cast<uint64_t>(end - key);
        key = end;
      }
    }
    return bumped;
  }

 private:
  unsigned ClassOf(const Key& key) const {
    const unsigned offset = key.start % parameters_.bucket_slots;
    return (offset < parameters_.class1_slots ? 1u : 0u) +
           (offset < parameters_.class2_slots ? 1u : 0u);
  }

  template <typename Iterator>
  bool InsertAll(Iterator begin, Iterator end) {
    std::vector<uint32_t> filled;
    for (; begin != end; ++begin) {
      uint32_t slot = begin->start;
      uint64_t coefficient = begin->coefficient;
      uint16_t fingerprint = begin->fingerprint;
      while (coefficient != 0 && coefficients_[slot] != 0) {
        coefficient ^= coefficients_[slot];
        fingerprint = static_cast<uint16_t>(fingerprint ^ fingerprints_[slot]);
        ++steps_;
        if (coefficient == 0) break;
        const auto distance = static_cast<unsigned>(__builtin_ctzll(coefficient));
        coefficient >>= distance;
        slot += distance;
      }
      if (coefficient == 0) {
        if (fingerprint == 0) continue;
        for (const uint32_t undone : filled) coefficients_[undone] = 0;
        return false;
      }
      coefficients_[slot] = coefficient;
      fingerprints_[slot] = fingerprint;
      filled.push_back(slot);
    }
    return true;
  }

  RibbonParameters parameters_;
  uint32_t buckets_;
  std::vector<uint64_t> coefficients_;
  std::vector<uint16_t> fingerprints_;
  uint64_t steps_ = 0;
};

}  // namespace

RibbonCost SimulateRibbon(const RibbonParameters& parameters, uint64_t keys, uint64_t seed) {
  const uint32_t buckets = parameters.shard_slots / parameters.bucket_slots;
  const uint32_t starts = buckets * parameters.bucket_slots;
  // The block behind the last bucket has 64 slots, but keys for 24 fewer.
  const uint64_t shard_keys = (starts + 24) * uint64_t{1000} / parameters.slots_per_thousand;
  uint64_t dealt = 0;
  uint64_t bumped = 0;
  uint64_t slots = 0;
  uint64_t all_buckets = 0;
  uint64_t steps = 0;
  Random random(seed);
  while (dealt < keys) {
    SubShard shard(parameters, buckets);
    std::vector<Key> shard_hashes(shard_keys);
    for (Key& key : shard_hashes) {
      const uint64_t hash = random();
      key.start = static_cast<uint32_t>(((hash >> 32) * starts) >> 32);
      key.fingerprint = static_cast<uint16_t>(hash);
      key.coefficient = random() >> (64 - parameters.width) | 1;
    }
    bumped += shard.Build(&shard_hashes);
    steps += shard.steps();
    slots += shard.slots();
    all_buckets += buckets;
    dealt += shard_keys;
  }
  RibbonCost cost;
  const auto n = static_cast<double>(dealt);
  cost.bumped = static_cast<double>(bumped) / n;
  cost.steps = static_cast<double>(steps) / n;
  // Bits per key of one layer, in columns; the next layer has the bumped keys at the same cost.
  const double own = static_cast<double>(slots) / n +
                     2 * static_cast<double>(all_buckets) / parameters.columns / n;
  cost.overhead = own / (1 - cost.bumped) - 1;
  return cost;
}

}  // namespace winnow::bench
