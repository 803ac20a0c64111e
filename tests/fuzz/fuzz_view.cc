// Fuzz target of FilterView with arbitrary bytes, unchanged and repaired, next to either guard
// page: all answers must equal those of the stand-alone reader, for single hashes and batches.

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/format.h"
#include "tests/core/golden_blocks.h"
#include "tests/fuzz/forged_block.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/guarded_bytes.h"
#include "winnow/filter.h"

namespace winnow::fuzz {
namespace {

constexpr size_t kHashes = 100;  // more than a batch has in flight

void ExpectAnswers(const FilterView& view, const std::vector<KeyHash>& keys,
                   const std::vector<bool>& expected) {
  const std::unique_ptr<bool[]> batch(new bool[keys.size()]);
  for (const size_t n : {keys.size(), keys.size() / 3, size_t{1}}) {
    std::memset(batch.get(), n % 2, keys.size());
    view.MayContain(keys.data(), n, batch.get());
    for (size_t i = 0; i < n; ++i) {
      WINNOW_FUZZ_CHECK(batch[i] == expected[i], "hash %016llx in a batch of %zu",
                        static_cast<unsigned long long>(keys[i].value), n);
    }
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    WINNOW_FUZZ_CHECK(view.MayContain(keys[i]) == expected[i], "hash %016llx",
                      static_cast<unsigned long long>(keys[i].value));
    ++counts.answers;
    counts.absent += expected[i] ? 0 : 1;
  }
}

void CheckInfo(const FilterView& view, size_t size) {
  const FilterInfo info = view.info();
  WINNOW_FUZZ_CHECK(info.size_bytes == size, "%llu",
                    static_cast<unsigned long long>(info.size_bytes));
  WINNOW_FUZZ_CHECK(info.expected_fpr >= 0 && info.expected_fpr <= 1, "%g", info.expected_fpr);
  WINNOW_FUZZ_CHECK(info.target_fpr >= 0 && info.target_fpr <= 1, "%g", info.target_fpr);
  WINNOW_FUZZ_CHECK(std::isfinite(info.bits_per_key), "%g", info.bits_per_key);
  WINNOW_FUZZ_CHECK(info.layers >= 0 && info.layers <= 16, "%d", info.layers);
}

// Notes traits: the kind of the block, and its answers.
void NoteTraits(std::string_view block, Fault fault, const std::vector<bool>& answers) {
  const BlockParts parts(block);
  uint64_t trait = static_cast<uint64_t>(fault);
  NoteTrait(trait);
  if (fault != Fault::kNone) return;
  for (const core::LayerEntry& entry : parts.entries) {
    trait = trait * 8 + static_cast<uint64_t>(entry.type);
    NoteTrait(uint64_t{1} << 60 | static_cast<uint64_t>(entry.type) << 8 | entry.parameter);
  }
  NoteTrait(uint64_t{1} << 61 | trait);
  const auto columns = static_cast<unsigned char>(parts.tail[19]);
  NoteTrait(uint64_t{1} << 62 | uint64_t{columns} / 16 << 1 | (columns % 16 != 0 ? 1 : 0));
  bool any_absent = false;
  for (const bool answer : answers) any_absent = any_absent || !answer;
  NoteTrait(uint64_t{1} << 63 | trait << 1 | (any_absent ? 1 : 0));
}

void TestBlock(const std::string& block, const std::vector<KeyHash>& hashes) {
  static GuardedBytes begin_guarded(kMaxInputBytes + 4096);
  static GuardedBytes end_guarded(kMaxInputBytes + 4096);
  const std::vector<bool> expected = testing::StandaloneAnswers(block, hashes);
  const std::vector<bool> all(hashes.size(), true);
  for (const std::string_view bytes : {begin_guarded.AtBegin(block), end_guarded.AtEnd(block)}) {
    const FilterView view(bytes);
    ++counts.blocks;
    counts.usable += view.fault() == Fault::kNone ? 1 : 0;
    ExpectAnswers(view, hashes, expected);
    CheckInfo(view, block.size());
    const FilterView copy = view;
    ExpectAnswers(copy, hashes, expected);
    const FilterView verified = FilterView::Verified(bytes);
    const bool intact = view.PayloadIntact();
    WINNOW_FUZZ_CHECK(!intact || view.fault() == Fault::kNone, "intact with a fault");
    const Fault verified_fault =
        intact || view.fault() != Fault::kNone ? view.fault() : Fault::kPayload;
    WINNOW_FUZZ_CHECK(verified.fault() == verified_fault, "fault %d",
                      static_cast<int>(verified.fault()));
    ExpectAnswers(verified, hashes, intact ? expected : all);
    core::LooksOurs(bytes);
    if (bytes.data() == begin_guarded.AtBegin({}).data()) NoteTraits(block, view.fault(), expected);
  }
}

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using winnow::fuzz::HashesToAsk;
  if (size > winnow::fuzz::kMaxInputBytes) return 0;
  const std::string block(reinterpret_cast<const char*>(data), size);
  const std::vector<winnow::KeyHash> hashes =
      HashesToAsk(winnow::core::Checksum(data, size), winnow::fuzz::kHashes);
  winnow::fuzz::TestBlock(block, hashes);
  const std::string repaired = winnow::fuzz::Repaired(block);
  if (repaired != block) winnow::fuzz::TestBlock(repaired, hashes);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return winnow::fuzz::ChangeBlock(data, size, max_size, seed);
}
