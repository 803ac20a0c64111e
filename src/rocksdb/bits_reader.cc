#include "src/rocksdb/bits_reader.h"

#include <rocksdb/convenience.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>

#include "src/core/bloom.h"
#include "src/core/format.h"
#include "src/core/hash_inline.h"
#include "src/rocksdb/shared_hash.h"
#include "src/simd/kernels.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/filter.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Hashes up to 32 keys, the most that RocksDB asks for at once, and calls ask(hashes, n, results).
template <typename Ask>
void ForBatches(int num_keys, Slice** keys, bool* may_match, Ask ask) {
  constexpr int kBatch = kMostBatchKeys;
  KeyHash hashes[kBatch];
  for (int first = 0; first < num_keys; first += kBatch) {
    const int n = std::min(kBatch, num_keys - first);
    SharedHashes(keys + first, static_cast<size_t>(n), &hashes->value);
    ask(hashes, static_cast<size_t>(n), may_match + first);
  }
}

// Most of a lookup is calls and the hash. So the comparison with the last key and the hash of short
// keys are inlined into MayMatch, and what is rare is behind tail calls, for which the common path
// needs no frame.

// Any block of ours.
class BitsReader final : public FilterBitsReader {
 public:
  explicit BitsReader(std::string_view block) noexcept : view_(block) {}

  __attribute__((flatten)) bool MayMatch(const Slice& key) override {
    LastKey* const last = this_thread_key;
    if (last->length == key.size()) {
      return IsLast(*last, key) ? Probe(HashOfLast(last)) : MayMatchNext(last, key);
    }
    if (!IsHashedInLine(*last, key)) {
      return MayMatchOther(key);
    }
    const uint64_t hash = core::HashShortKeyInline(key.data(), key.size());
    CountComputed(last);
    if (IsNoticed(hash)) {
      return MayMatchNoticed(hash);
    }
    return Probe(hash);
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    ForBatches(num_keys, keys, may_match, [this](const KeyHash* hashes, size_t n, bool* results) {
      view_.MayContain(hashes, n, results);
    });
  }

 private:
  bool Probe(uint64_t hash) const { return view_.MayContain(KeyHash{hash}); }

  __attribute__((noinline)) bool MayMatchOther(const Slice& key) const {
    return Probe(SharedHash(key));
  }

  __attribute__((noinline, flatten)) bool MayMatchNext(LastKey* last, const Slice& key) const {
    if (!IsShort(key)) {
      return MayMatchOther(key);
    }
    const uint64_t hash = core::HashShortKeyInline(key.data(), key.size());
    if (ReplaceLast(last, key, hash)) {
      return MayMatchSettled(hash);
    }
    return Probe(hash);
  }

  __attribute__((noinline)) bool MayMatchSettled(uint64_t hash) const {
    SettleHashes();
    return Probe(hash);
  }

  __attribute__((noinline)) bool MayMatchNoticed(uint64_t hash) const {
    NoticeHash(hash);
    return Probe(hash);
  }

  const FilterView view_;
};

// A Bloom filter: the kernel is called straight from here.
class BloomReader final : public FilterBitsReader {
 public:
  explicit BloomReader(const core::BloomLayer& bloom) noexcept
      : bloom_(bloom), kernels_(simd::ActiveKernels()), probe_(kernels_.bloom_probe) {}

  __attribute__((flatten)) bool MayMatch(const Slice& key) override {
    LastKey* const last = this_thread_key;
    if (last->length == key.size()) {
      return IsLast(*last, key) ? Probe(HashOfLast(last)) : MayMatchNext(last, key);
    }
    if (!IsHashedInLine(*last, key)) {
      return MayMatchOther(key);
    }
    const uint64_t hash = core::HashShortKeyInline(key.data(), key.size());
    CountComputed(last);
    if (IsNoticed(hash)) {
      return MayMatchNoticed(hash);
    }
    return Probe(hash);
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    ForBatches(num_keys, keys, may_match, [this](const KeyHash* hashes, size_t n, bool* results) {
      kernels_.bloom_probe_many(bloom_.blocks, bloom_.num_blocks, bloom_.patterns, &hashes->value,
                                n, results);
    });
  }

 private:
  bool Probe(uint64_t hash) const {
    return probe_(bloom_.blocks, bloom_.num_blocks, bloom_.patterns, hash);
  }

  __attribute__((noinline)) bool MayMatchOther(const Slice& key) const {
    return Probe(SharedHash(key));
  }

  __attribute__((noinline, flatten)) bool MayMatchNext(LastKey* last, const Slice& key) const {
    if (!IsShort(key)) {
      return MayMatchOther(key);
    }
    const uint64_t hash = core::HashShortKeyInline(key.data(), key.size());
    if (ReplaceLast(last, key, hash)) {
      return MayMatchSettled(hash);
    }
    return Probe(hash);
  }

  __attribute__((noinline)) bool MayMatchSettled(uint64_t hash) const {
    SettleHashes();
    return Probe(hash);
  }

  __attribute__((noinline)) bool MayMatchNoticed(uint64_t hash) const {
    NoticeHash(hash);
    return Probe(hash);
  }

  const core::BloomLayer bloom_;
  const simd::Kernels& kernels_;
  bool (*const probe_)(const unsigned char*, uint32_t, const uint16_t*, uint64_t);
};

}  // namespace

FilterBitsReader* NewBitsReader(const Slice& contents, const FilterPolicy& builtin) noexcept {
  const std::string_view block(contents.data(), contents.size());
  if (core::BloomLayer bloom; core::FindBloomLayer(block, &bloom)) {
    return new (std::nothrow) BloomReader(bloom);
  }
  if (core::LooksOurs(block)) {
    return new (std::nothrow) BitsReader(block);
  }
  try {
    return builtin.GetFilterBitsReader(contents);
  } catch (...) {
    return nullptr;
  }
}

Status NewBuiltinReader(std::shared_ptr<const FilterPolicy>* policy) {
  ROCKSDB_NAMESPACE::ConfigOptions config;
  // True would give OK and no policy for a name that is not known.
  config.ignore_unsupported_options = false;
  std::shared_ptr<const FilterPolicy> made;
  const Status status = FilterPolicy::CreateFromString(config, "rocksdb.BuiltinBloomFilter", &made);
  if (!status.ok() || made == nullptr) {
    return Status::NotSupported(
        "Winnow needs RocksDB's policy rocksdb.BuiltinBloomFilter to read the filters of existing "
        "files, and this RocksDB can't make it",
        status.ToString());
  }
  *policy = std::move(made);
  return Status::OK();
}

}  // namespace winnow::plugin
