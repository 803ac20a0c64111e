#include "tools/winnow/advise/advice_times.h"

#include <rocksdb/slice.h>

#include <algorithm>

namespace winnow::inspect {
namespace {

constexpr int kRounds = 5;
constexpr uint64_t kMostKeys = 100'000;  // of a filter: more take no longer a key
constexpr uint64_t kKeysARound = 30'000;
constexpr size_t kKeyBytes = 20;

double TimeOnce(const TimedBuild& build, const std::vector<ROCKSDB_NAMESPACE::Slice>& keys) {
  const uint64_t n = std::clamp<uint64_t>(build.keys, 1, kMostKeys);
  uint64_t nanoseconds = 0;
  uint64_t built = 0;
  while (built < kKeysARound) {
    TrialFilter filter(build.policy, build.shape, build.place);
    if (filter.IsNone()) {
      return 0;
    }
    filter.Add(keys.data(), n);
    filter.Finish();
    nanoseconds += filter.nanoseconds();
    built += n;
  }
  return static_cast<double>(nanoseconds) / static_cast<double>(built);
}

}  // namespace

std::vector<double> NanosecondsAKey(const std::vector<TimedBuild>& builds) {
  std::string bytes(kMostKeys * kKeyBytes, '0');
  std::vector<ROCKSDB_NAMESPACE::Slice> keys;
  for (uint64_t i = 0; i < kMostKeys; ++i) {
    char* key = bytes.data() + i * kKeyBytes;
    for (uint64_t rest = i, digit = kKeyBytes; rest > 0; rest /= 10) {
      key[--digit] = static_cast<char>('0' + rest % 10);
    }
    keys.emplace_back(key, kKeyBytes);
  }
  std::vector<double> least(builds.size());
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < builds.size(); ++i) {
      const double time = TimeOnce(builds[i], keys);
      least[i] = round == 0 ? time : std::min(least[i], time);
    }
  }
  return least;
}

}  // namespace winnow::inspect
