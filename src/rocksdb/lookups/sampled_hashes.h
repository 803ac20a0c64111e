// Which lookups of the process are sampled: those whose key's hash has certain bits, which change
// from time to time. So all filters of a lookup agree about it, whichever thread or database asks
// them.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_SAMPLED_HASHES_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_SAMPLED_HASHES_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace winnow::plugin {

// One lookup in 2^shift is sampled. Threads that watch look at one hash in 64 at least.
inline constexpr unsigned kMinSamplingShift = 6;
inline constexpr unsigned kMaxSamplingShift = 16;

// A hash is sampled if it has the salt's bits where the mask has ones, which are its low bits. If
// the mask is all ones, sampling is off. It has a cache line of its own, because all lookups read
// it.
struct alignas(64) SampledHashes {
  static constexpr uint64_t kOff = UINT64_MAX;

  std::atomic<uint64_t> salt{0};
  std::atomic<uint64_t> mask{kOff};
};
// Hidden here: the compiler's flag hides only definitions.
extern SampledHashes sampled_hashes __attribute__((visibility("hidden")));

inline uint64_t SamplingSalt() noexcept {
  return sampled_hashes.salt.load(std::memory_order_relaxed);
}
inline uint64_t SamplingMask() noexcept {
  return sampled_hashes.mask.load(std::memory_order_relaxed);
}
inline bool IsSampling() noexcept { return SamplingMask() != SampledHashes::kOff; }

// Even while sampling is off, one hash may pass: who uses samples must tolerate it.
inline bool IsSampled(uint64_t hash) noexcept {
  return __builtin_expect(((hash ^ SamplingSalt()) & SamplingMask()) == 0, 0);
}

// Sampling is on while anyone wants it. Safe from any thread. No lookup waits for a change; lookups
// under way may see half of it.
class SamplingUse {
 public:
  SamplingUse() = default;
  ~SamplingUse() { Set(false); }
  SamplingUse(const SamplingUse&) = delete;
  SamplingUse& operator=(const SamplingUse&) = delete;

  void Set(bool wanted) noexcept;
  bool is_wanted() const noexcept { return wanted_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> wanted_{false};
};

// It is kMinSamplingShift at first. A value out of the range becomes the nearest one in it.
void SetSamplingShift(unsigned shift) noexcept;

// From here on, other keys are sampled.
void ChangeSalt() noexcept;

// To be called each time that so many more samples were taken, by the thread that took the last
// one. If samples come too fast, half as many lookups are sampled from then on; if they come
// slowly, twice as many. A sample costs a lookup about a microsecond, so sampling takes about a
// hundredth of a core. Never waits.
inline constexpr uint64_t kSamplesOfAPace = 1024;
inline constexpr std::chrono::milliseconds kFastPace{100};
inline constexpr std::chrono::milliseconds kSlowPace{1000};
void KeepPace(std::chrono::steady_clock::time_point now) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_SAMPLED_HASHES_H_
