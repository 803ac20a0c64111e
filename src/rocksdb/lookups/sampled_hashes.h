// Which lookups of the process are sampled: those whose key's hash has some bits, which change. All
// filters of a lookup agree about it, whatever thread or database asks them.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_SAMPLED_HASHES_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_SAMPLED_HASHES_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace winnow::plugin {

// One lookup in 2^shift is sampled. Threads that watch look at one hash in 64 at least.
inline constexpr unsigned kMinSamplingShift = 6;
inline constexpr unsigned kMaxSamplingShift = 16;

// A hash is sampled that has the salt's bits wherever the mask has ones, which are its low ones.
// All ones: sampling is off. A cache line of its own, as all lookups read it.
struct alignas(64) SampledHashes {
  static constexpr uint64_t kOff = UINT64_MAX;

  std::atomic<uint64_t> salt{0};
  std::atomic<uint64_t> mask{kOff};
};
// Hidden by itself: a flag of the compiler hides definitions only.
extern SampledHashes sampled_hashes __attribute__((visibility("hidden")));

inline uint64_t SamplingSalt() noexcept {
  return sampled_hashes.salt.load(std::memory_order_relaxed);
}
inline uint64_t SamplingMask() noexcept {
  return sampled_hashes.mask.load(std::memory_order_relaxed);
}
inline bool IsSampling() noexcept { return SamplingMask() != SampledHashes::kOff; }

// While sampling is off, one hash may still be: who asks for samples has to bear it.
inline bool IsSampled(uint64_t hash) noexcept {
  return __builtin_expect(((hash ^ SamplingSalt()) & SamplingMask()) == 0, 0);
}

// Sampling is on while anyone wants it. All of this is safe from any thread, and no lookup waits
// for it: lookups under way may see the change half-way.
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

// kMinSamplingShift at first; others are brought into the range.
void SetSamplingShift(unsigned shift) noexcept;

// Other keys from here on.
void ChangeSalt() noexcept;

// Is called when so many samples were taken since the last time, by whatever thread took the last
// one: where they come too fast, of half as many lookups from here on, where they come slowly, of
// twice as many. A sample costs a lookup about a microsecond, so that this takes some hundredth of
// a core. Never waits.
inline constexpr uint64_t kSamplesOfAPace = 1024;
inline constexpr std::chrono::milliseconds kFastPace{100};
inline constexpr std::chrono::milliseconds kSlowPace{1000};
void KeepPace(std::chrono::steady_clock::time_point now) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_SAMPLED_HASHES_H_
