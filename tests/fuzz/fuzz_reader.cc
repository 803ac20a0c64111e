// Fuzz target of the plugin's filter readers. For Winnow's blocks, answers must equal those of the
// stand-alone reader, for single keys and batches, with hashes shared between readers; for other
// blocks, those of RocksDB's own reader.

#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/format.h"
#include "src/core/ranges/range_note.h"
#include "src/rocksdb/bits_reader.h"
#include "tests/core/golden_blocks.h"
#include "tests/fuzz/forged_block.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/guarded_bytes.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/filter.h"
#include "winnow/hash.h"

namespace winnow::fuzz {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using testing::RandomHashes;

constexpr size_t kBatchKeys = 32;  // maximum of RocksDB's readers
constexpr size_t kKeys = 2 * kBatchKeys + 6;

const FilterPolicy& Builtin() {
  static const auto* const policy = [] {
    auto* const made = new std::shared_ptr<const FilterPolicy>;
    WINNOW_FUZZ_CHECK(plugin::NewBuiltinReader(made).ok(), "no built-in policy");
    return made;
  }();
  return **policy;
}

// Returns keys of all sizes that hashes are cached for, and longer ones; some keys are repeated.
std::vector<std::string> KeysToAsk(RandomHashes* random) {
  std::vector<std::string> keys;
  while (keys.size() < kKeys) {
    if (!keys.empty() && random->Below(6) == 0) {
      keys.push_back(keys[random->Below(keys.size())]);
      continue;
    }
    std::string key(random->Below(4) == 0 ? random->Below(1200) : random->Below(40), '\0');
    for (char& byte : key) byte = static_cast<char>(random->Next());
    keys.push_back(std::move(key));
  }
  return keys;
}

// Checks the answers. An empty key may be a seek's bounds, of which a range filter knows nothing
// here, if it is asked alone.
void ExpectAnswers(FilterBitsReader* reader, const std::vector<std::string>& keys,
                   const std::vector<bool>& expected, size_t most_batch_keys, bool has_ranges) {
  std::vector<Slice> slices(keys.begin(), keys.end());
  for (size_t i = 0; i < keys.size(); ++i) {
    // The second lookup finds the cached hash.
    const bool may_match = expected[i] || (has_ranges && keys[i].empty());
    for (int round = 0; round < 2; ++round) {
      WINNOW_FUZZ_CHECK(reader->MayMatch(slices[i]) == may_match, "key %zu of %zu bytes", i,
                        keys[i].size());
    }
    ++counts.answers;
    counts.absent += expected[i] ? 0 : 1;
  }
  std::vector<Slice*> pointers;
  for (Slice& slice : slices) pointers.push_back(&slice);
  const std::unique_ptr<bool[]> batch(new bool[keys.size()]);
  for (const size_t n : {most_batch_keys, kBatchKeys, size_t{5}}) {
    std::memset(batch.get(), n % 2, keys.size());
    reader->MayMatch(static_cast<int>(n), pointers.data(), batch.get());
    for (size_t i = 0; i < n; ++i) {
      WINNOW_FUZZ_CHECK(batch[i] == expected[i], "key %zu in a batch of %zu", i, n);
    }
  }
}

void TestBlock(const std::string& block, RandomHashes* random) {
  static GuardedBytes begin_guarded(kMaxInputBytes + 4096);
  static GuardedBytes end_guarded(kMaxInputBytes + 4096);
  const std::vector<std::string> keys = KeysToAsk(random);
  for (const std::string_view bytes : {begin_guarded.AtBegin(block), end_guarded.AtEnd(block)}) {
    const Slice contents(bytes.data(), bytes.size());
    const std::unique_ptr<FilterBitsReader> reader(plugin::NewBitsReader(contents, Builtin()));
    WINNOW_FUZZ_CHECK(reader != nullptr, "no reader");
    ++counts.blocks;
    std::vector<bool> expected;
    const bool is_ours = core::LooksOurs(bytes);
    if (is_ours) {
      counts.usable += FilterView(bytes).fault() == Fault::kNone ? 1 : 0;
      for (const std::string& key : keys) {
        expected.push_back(testing::StandaloneMayContain(block, HashKey(key)));
      }
    } else {
      const std::unique_ptr<FilterBitsReader> builtin(Builtin().GetFilterBitsReader(contents));
      for (const std::string& key : keys) expected.push_back(builtin->MayMatch(key));
    }
    ExpectAnswers(reader.get(), keys, expected, is_ours ? kKeys : kBatchKeys,
                  !core::TableRanges(bytes).empty());
  }
  const BlockParts parts(block);
  const Fault fault = FilterView(block).fault();
  uint64_t trait = static_cast<uint64_t>(fault);
  NoteTrait(trait);
  if (fault != Fault::kNone) return;
  for (const core::LayerEntry& entry : parts.entries) {
    trait = trait * 8 + static_cast<uint64_t>(entry.type);
  }
  NoteTrait(uint64_t{1} << 60 | trait);
}

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > winnow::fuzz::kMaxInputBytes) return 0;
  const std::string block(reinterpret_cast<const char*>(data), size);
  winnow::testing::RandomHashes random(winnow::core::Checksum(data, size));
  winnow::fuzz::TestBlock(block, &random);
  const std::string repaired = winnow::fuzz::Repaired(block);
  if (repaired != block) winnow::fuzz::TestBlock(repaired, &random);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return winnow::fuzz::ChangeBlock(data, size, max_size, seed);
}
