// Fuzz target of RangeFilterView with arbitrary bytes, unchanged and with correct checksums, next
// to either guard page: bounds may have any length, and filters from a builder must not deny their
// keys.
//
// An input is a range filter, whose pieces are the bounds, and keys, each preceded by its length in
// one byte.

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/format.h"
#include "tests/core/range_filter_testing.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/guarded_bytes.h"
#include "tests/support/random_hashes.h"
#include "winnow/range_filter.h"

namespace winnow::fuzz {
namespace {

using testing::RandomHashes;

constexpr size_t kFrontBytes = 32;
constexpr size_t kBegin = 5;  // magic and version
constexpr int kQuestions = 30;

// Returns the range filter with correct magic, version and checksums, if it is long enough.
std::string Signed(std::string bytes) {
  if (bytes.size() < kFrontBytes) return bytes;
  bytes.replace(0, kBegin, "Wrng\x01");
  testing::SignRangeFilter(&bytes);
  return bytes;
}

// Returns bytes of the filter, at the place of keys, slightly changed; never greater than all keys.
std::string AnyBound(std::string_view filter, RandomHashes* random) {
  std::string_view key = filter.substr(std::min(filter.size(), kFrontBytes));
  if (filter.size() > 8) {
    key = key.substr(0, static_cast<unsigned char>(filter[6]) |
                            static_cast<size_t>(static_cast<unsigned char>(filter[7])) << 8);
  }
  if (random->Below(4) == 0) key = filter.substr(random->Below(filter.size() + 1));
  std::string bound(key.substr(0, random->Below(std::min<size_t>(key.size(), 300) + 1)));
  if (!bound.empty() && random->Below(4) != 0) {
    bound[random->Below(bound.size())] = static_cast<char>(random->Next());
  }
  if (random->Below(4) == 0) bound.push_back(static_cast<char>(random->Next()));
  return bound;
}

void Ask(std::string_view bytes, const std::string& filter, uint64_t seed) {
  const RangeFilterView view(bytes);
  ++counts.blocks;
  counts.usable += view.fault() == Fault::kNone ? 1 : 0;
  const RangeFilterInfo info = view.info();
  WINNOW_FUZZ_CHECK(info.size_bytes == bytes.size(), "%llu",
                    static_cast<unsigned long long>(info.size_bytes));
  RandomHashes random(seed);
  uint64_t denied = 0;
  for (int i = 0; i < kQuestions; ++i) {
    const std::string begin = AnyBound(filter, &random);
    std::string end = i % 3 == 0 ? AnyBound(filter, &random) : begin;
    if (i % 3 == 1 && !end.empty()) ++end.back();
    if (end == begin) end.push_back(static_cast<char>(random.Below(3)));
    const bool may = view.MayContain(begin, end);
    WINNOW_FUZZ_CHECK(may || (view.fault() == Fault::kNone && begin < end), "question %d", i);
    const RangeFilterView copy = view;
    WINNOW_FUZZ_CHECK(copy.MayContain(begin, end) == may, "question %d of a copy", i);
    const std::string_view key = begin;
    bool answer = false;
    view.MayHaveKey(&key, 1, &answer);
    WINNOW_FUZZ_CHECK(view.MayHaveKey(key) == answer, "lookup %d", i);
    ++counts.answers;
    denied += may ? 0 : 1;
  }
  counts.absent += denied;
  const RangeFilterView verified = RangeFilterView::Verified(bytes);
  WINNOW_FUZZ_CHECK((verified.fault() == Fault::kNone) == view.PayloadIntact(), "fault %d",
                    static_cast<int>(verified.fault()));
  NoteTrait(static_cast<uint64_t>(view.fault()) << 16 | static_cast<uint64_t>(info.kind) << 8 |
            (info.is_exact != 0 ? 4 : 0) |
            (denied == 0            ? 0
             : denied == kQuestions ? 1
                                    : 2));
}

// Builds a filter of the keys in the input, and checks that it denies none of them.
void CheckBuilt(std::string_view input) {
  RangeFilterOptions options;
  const unsigned asked = input.empty() ? 14 : static_cast<unsigned char>(input[0]);
  options.range_bits = 1 + asked % 32;
  constexpr RangeFilterKind kKinds[] = {RangeFilterKind::kNone, RangeFilterKind::kTrees,
                                        RangeFilterKind::kPositions, RangeFilterKind::kRetrieval};
  options.kind = kKinds[asked / 32 % 4];
  std::vector<std::string> keys;
  for (size_t at = 1; at < input.size() && keys.size() < 400;) {
    const size_t size = static_cast<unsigned char>(input[at]) % 24;
    keys.emplace_back(input.substr(at + 1, size));
    at += size + 1;
  }
  std::sort(keys.begin(), keys.end());
  RangeFilterBuilder builder(options);
  for (const std::string& key : keys) builder.Add(key);
  const FilterBlock filter = builder.Finish();
  const RangeFilterView view = RangeFilterView::Verified(filter.bytes());
  WINNOW_FUZZ_CHECK((view.fault() == Fault::kNone) == (filter.size != 0), "fault %d",
                    static_cast<int>(view.fault()));
  for (const std::string& key : keys) {
    WINNOW_FUZZ_CHECK(view.MayContain(key, key + '\0'), "a key of %zu bytes", key.size());
    WINNOW_FUZZ_CHECK(view.MayHaveKey(key), "a lookup of %zu bytes", key.size());
    for (const size_t cut : {key.size() / 2, key.size() - key.size() / 4}) {
      std::string end = key;
      end.push_back(static_cast<char>(key.size()));
      WINNOW_FUZZ_CHECK(view.MayContain(key.substr(0, cut), end), "%zu bytes of %zu", cut,
                        key.size());
    }
  }
}

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using winnow::fuzz::GuardedBytes;
  using winnow::fuzz::kMaxInputBytes;
  if (size > kMaxInputBytes) return 0;
  static GuardedBytes begin_guarded(kMaxInputBytes + 4096);
  static GuardedBytes end_guarded(kMaxInputBytes + 4096);
  const std::string input(reinterpret_cast<const char*>(data), size);
  const uint64_t seed = winnow::core::Checksum(data, size);
  for (const std::string& filter : {input, winnow::fuzz::Signed(input)}) {
    winnow::fuzz::Ask(begin_guarded.AtBegin(filter), filter, seed);
    winnow::fuzz::Ask(end_guarded.AtEnd(filter), filter, seed);
  }
  winnow::fuzz::CheckBuilt(input);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  winnow::testing::RandomHashes random(seed);
  // Other sizes are mostly refused, and changes near the front have the most effect.
  if (size <= 40 || random.Below(8) == 0) {
    size = LLVMFuzzerMutate(data, size, max_size);
  } else {
    for (uint64_t changes = 1 + random.Below(2); changes != 0; --changes) {
      uint8_t& byte = data[random.Below(random.Below(8) == 0 ? 40 : size)];
      byte =
          static_cast<uint8_t>(random.Below(2) == 0 ? random.Next() : byte ^ 1u << random.Below(8));
    }
  }
  const std::string changed =
      winnow::fuzz::Signed(std::string(reinterpret_cast<const char*>(data), size));
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
