#include "src/cache_trial/trial_cache.h"

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "third_party/rocksdb_abi/version_at_least.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Cache;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Sizes of glibc's malloc: a header word per chunk, and chunks of 16 bytes; from kMapped bytes on,
// whole pages.
constexpr uint64_t kWord = 8;
constexpr uint64_t kGrain = 16;
constexpr uint64_t kMin = 24;
constexpr uint64_t kMapped = 128 << 10;
constexpr uint64_t kPage = 4096;

constexpr uint64_t kTrailer = 5;  // block trailer in the file, read with the block

// Sizes of BlockContents and Block in RocksDB 7.8.3, as seen in its tickers; in other versions they
// differ by some bytes.
constexpr uint64_t kContentsObject = 40;
constexpr uint64_t kBlockObject = 88;

uint64_t MemoryOf(uint64_t bytes) {
  const auto up = [](uint64_t size, uint64_t to) { return (size + to - 1) / to * to; };
  const uint64_t wanted = bytes + kTrailer;
  return wanted >= kMapped ? up(wanted + 2 * kWord, kPage) - 2 * kWord
                           : std::max(kMin, up(wanted + kWord, kGrain) - kWord);
}

// SplitMix64 by S. Vigna.
uint64_t Mix(uint64_t z) {
  z += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Returns a pseudorandom key of 16 bytes, like the block cache's keys.
std::array<char, 16> KeyOf(const CachedBlock& block, uint64_t salt) {
  const uint64_t place = uint64_t{block.file} << 8 | block.kind;
  const uint64_t parts[2] = {Mix(place ^ Mix(salt)) ^ Mix(block.number),
                             Mix(block.number * 0x9fb21c651e98df25 + place)};
  std::array<char, 16> key;
  std::memcpy(key.data(), parts, sizeof(parts));
  return key;
}

std::shared_ptr<Cache> MakeCache(const CacheShape& shape) {
  if (shape.hyper_clock && HasCacheOf(shape)) {
    return rocksdb_abi::NewHyperClockCache(shape.capacity, shape.entry_charge, shape.shard_bits,
                                           shape.strict);
  }
  return ROCKSDB_NAMESPACE::NewLRUCache(shape.capacity, shape.shard_bits, shape.strict,
                                        shape.high_priority_share);
}

}  // namespace

bool HasCacheOf(const CacheShape& shape) {
  return !shape.hyper_clock || rocksdb_abi::HasHyperClockCache(shape.entry_charge);
}

bool ReadsPartitionsMoreOften() { return WINNOW_ROCKSDB_AT_LEAST(9, 2); }

// Follows GetDefaultCacheShardBits of RocksDB's cache/sharded_cache.cc.
uint64_t ShardBytes(const CacheShape& shape) {
  constexpr int kMaxBits = 6;
  const uint64_t least = shape.hyper_clock ? 32 << 20 : 512 << 10;
  int bits = shape.shard_bits;
  if (bits < 0) {
    bits = 0;
    while (bits < kMaxBits && (shape.capacity / least) >> (bits + 1) > 0) {
      ++bits;
    }
  }
  return shape.capacity >> std::min(bits, 30);
}

uint64_t ChargeOfFilter(uint64_t bytes) { return MemoryOf(bytes) + kContentsObject; }

uint64_t ChargeOfBlock(uint64_t bytes) { return MemoryOf(bytes) + kBlockObject; }

TrialCache::TrialCache(const CacheShape& shape, uint64_t salt)
    : cache_(MakeCache(shape)), salt_(salt) {}

TrialCache::~TrialCache() {
  ReleaseAll();
  Release(&pinned_);
}

bool TrialCache::Touch(const CachedBlock& block, uint64_t charge, bool high_priority, Hold hold,
                       bool* has_room) {
  if (has_room != nullptr) {
    *has_room = true;
  }
  const std::array<char, 16> bytes = KeyOf(block, salt_);
  const Slice key(bytes.data(), bytes.size());
  rocksdb_abi::CacheHandle* handle = cache_->Lookup(key);
  const bool found = handle != nullptr;
  if (!found) {
    const Status status = rocksdb_abi::InsertCharge(
        cache_.get(), key, charge, high_priority ? Cache::Priority::HIGH : Cache::Priority::LOW,
        &handle);
    if (!status.ok()) {  // refused by a strict limit
      if (has_room != nullptr) {
        *has_room = false;
      }
      return false;
    }
  }
  if (hold == Hold::kNot) {
    cache_->Release(handle);
  } else {
    (hold == Hold::kToRelease ? held_ : held_longer_).push_back(handle);
  }
  return found;
}

void TrialCache::Release(std::vector<rocksdb_abi::CacheHandle*>* handles) {
  for (rocksdb_abi::CacheHandle* handle : *handles) {
    cache_->Release(handle);
  }
  handles->clear();
}

void TrialCache::Release() { Release(&held_); }

void TrialCache::ReleaseAll() {
  Release(&held_);
  Release(&held_longer_);
}

bool TrialCache::Pin(const CachedBlock& block, uint64_t charge, bool high_priority) {
  const std::array<char, 16> bytes = KeyOf(block, salt_);
  rocksdb_abi::CacheHandle* handle = nullptr;
  const Status status = rocksdb_abi::InsertCharge(
      cache_.get(), Slice(bytes.data(), bytes.size()), charge,
      high_priority ? Cache::Priority::HIGH : Cache::Priority::LOW, &handle);
  if (status.ok()) {
    pinned_.push_back(handle);
  }
  return status.ok();
}

uint64_t TrialCache::usage() const { return cache_->GetUsage(); }

}  // namespace winnow::inspect
