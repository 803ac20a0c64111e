#include "src/rocksdb/lookups/sampled_hashes.h"

#include <algorithm>
#include <mutex>
#include <type_traits>

namespace winnow::plugin {

// Lookups continue in threads that outlive main(), so this must be trivially destructible.
SampledHashes sampled_hashes;
static_assert(std::is_trivially_destructible_v<SampledHashes>);

namespace {

std::mutex mutex;  // guards the inputs of the mask
int users = 0;
unsigned shift = kMinSamplingShift;
std::atomic<uint64_t> salts{0};
std::atomic<std::chrono::steady_clock::rep> last_pace{0};  // since the clock's epoch; 0 if never

void SetMask() noexcept {
  sampled_hashes.mask.store(users > 0 ? (uint64_t{1} << shift) - 1 : SampledHashes::kOff,
                            std::memory_order_relaxed);
}

}  // namespace

void SamplingUse::Set(bool wanted) noexcept {
  if (wanted_.load(std::memory_order_relaxed) == wanted) return;
  const std::lock_guard<std::mutex> lock(mutex);
  if (wanted_.exchange(wanted, std::memory_order_relaxed) == wanted) return;
  users += wanted ? 1 : -1;
  SetMask();
}

void SetSamplingShift(unsigned wanted) noexcept {
  const std::lock_guard<std::mutex> lock(mutex);
  shift = std::clamp(wanted, kMinSamplingShift, kMaxSamplingShift);
  SetMask();
}

void ChangeSalt() noexcept {
  // Adds an odd step (Weyl sequence): the low bits take each value once before one recurs, so every
  // key is sampled at some time.
  const uint64_t step = salts.fetch_add(1, std::memory_order_relaxed) + 1;
  sampled_hashes.salt.store(step * 0x9e3779b97f4a7c15u, std::memory_order_relaxed);
}

void KeepPace(std::chrono::steady_clock::time_point now) noexcept {
  const std::chrono::steady_clock::duration since = now.time_since_epoch();
  const auto last = last_pace.exchange(since.count(), std::memory_order_relaxed);
  const std::chrono::steady_clock::duration pace(since.count() - last);
  if (last == 0 || (pace >= kFastPace && pace <= kSlowPace)) return;
  const std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  shift = pace < kFastPace ? std::min(shift + 1, kMaxSamplingShift)
                           : std::max(shift - 1, kMinSamplingShift);
  SetMask();
}

}  // namespace winnow::plugin
