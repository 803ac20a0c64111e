// Choice of sampled lookups by their key's hash, certain bits of which must have a value that
// changes from time to time. So all filters of a lookup agree, whichever thread or database checks
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

// A hash is sampled if it equals the salt in the mask's bits, which are its low bits. If the mask
// is all ones, sampling is off. On a cache line of its own, as all lookups read it.
struct alignas(64) SampledHashes {
  static constexpr uint64_t kOff = UINT64_MAX;

  std::atomic<uint64_t> salt{0};
  std::atomic<uint64_t> mask{kOff};
};
// Hidden explicitly: the compiler's flag hides only definitions.
extern SampledHashes sampled_hashes __attribute__((visibility("hidden")));

inline uint64_t SamplingSalt() noexcept {
  return sampled_hashes.salt.load(std::memory_order_relaxed);
}
inline uint64_t SamplingMask() noexcept {
  return sampled_hashes.mask.load(std::memory_order_relaxed);
}
inline bool IsSampling() noexcept { return SamplingMask() != SampledHashes::kOff; }

// Returns whether a hash is sampled. Even while sampling is off, one hash may pass, so callers must
// tolerate samples.
inline bool IsSampled(uint64_t hash) noexcept {
  return __builtin_expect(((hash ^ SamplingSalt()) & SamplingMask()) == 0, 0);
}

// Request for sampling, which is on while any object wants it. Thread-safe. No lookup waits for a
// change; concurrent lookups may see half of it.
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

// Sets the shift, initially kMinSamplingShift. A value out of range is clamped.
void SetSamplingShift(unsigned shift) noexcept;

// Changes the set of sampled keys.
void ChangeSalt() noexcept;

// Adapts the sampling rate. Must be called each time that kSamplesOfAPace more samples were taken,
// by the thread that took the last one. If samples come too fast, half as many lookups are sampled
// from then on; if slowly, twice as many. A sample costs a lookup about a microsecond, so sampling
// takes about a hundredth of a core. Never waits.
inline constexpr uint64_t kSamplesOfAPace = 1024;
inline constexpr std::chrono::milliseconds kFastPace{100};
inline constexpr std::chrono::milliseconds kSlowPace{1000};
void KeepPace(std::chrono::steady_clock::time_point now) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_SAMPLED_HASHES_H_
