// Fuzz target of filter builders with arbitrary hashes: elimination and back substitution by
// kernels must give the same result as row by row with the portable kernel, and the filter must
// have all hashes.
//
// An input is a byte for the columns, a byte for sub-shards and their buckets, and Records, each of
// which stands for some hashes.

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "src/simd/kernels.h"
#include "tests/core/golden_blocks.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/simd/ribbon_elimination_testing.h"
#include "tests/support/random_hashes.h"
#include "winnow/builder.h"
#include "winnow/filter.h"

namespace winnow::fuzz {
namespace {

using testing::Case;
using testing::EliminateBySlots;
using testing::RandomHashes;
using testing::Result;
using testing::Walk;

constexpr size_t kHeadBytes = 2;
constexpr uint32_t kBuckets[] = {1, 2, 3, 5, 8, 31, 32, 33};  // 32 buckets fill a bin
constexpr size_t kMaxHashes = 12'000;
constexpr size_t kAsked = 40;  // number of hashes asked of the stand-alone reader

// Layout of a record in the input.
struct Record {
  uint8_t kind_and_count;
  uint8_t width;  // width of the crowded places, in slots
  uint8_t place[2];
  uint8_t seed[4];

  size_t Count() const {
    return (size_t{1} << (kind_and_count >> 2 & 7)) * (1u + (kind_and_count >> 5));
  }
};
static_assert(sizeof(Record) == 8 && alignof(Record) == 1);

// Returns the smallest hash that starts at `start`, with these low bits.
uint64_t HashAt(uint64_t start, uint64_t starts, uint64_t low) {
  return ((start << 32) + starts - 1) / starts << 32 | (low & 0xffffffff);
}

void AddHashes(const Record& record, uint64_t starts, std::vector<uint64_t>* hashes) {
  uint32_t seed;
  std::memcpy(&seed, record.seed, sizeof seed);
  RandomHashes random(seed);
  const uint64_t place = (record.place[0] | uint64_t{record.place[1]} << 8) % starts;
  for (size_t i = record.Count(); i > 0 && hashes->size() < kMaxHashes; --i) {
    const uint64_t hash = random.Next();
    switch (record.kind_and_count & 3) {
      case 0:
        hashes->push_back(hash);
        break;
      case 1:
        hashes->push_back(
            HashAt((place + (hash >> 40) % (record.width + 1u)) % starts, starts, hash));
        break;
      case 2:  // few distinct hashes, repeatedly
        hashes->push_back(HashAt(place, starts, hash % (record.width + 1u)));
        break;
      default:
        hashes->push_back(record.width % 2 == 0 ? hash << (record.width >> 2)
                                                : hash >> (record.width >> 2));
    }
  }
}

void CompareElimination(const Case& shape, const std::vector<uint64_t>& hashes) {
  const Result walked = Walk(shape, hashes);
  const simd::Kernels& kernels = simd::ActiveKernels();
  if (kernels.ribbon_elimination != nullptr) {
    const Result by_slots = EliminateBySlots(shape, hashes, kernels);
    WINNOW_FUZZ_CHECK(by_slots.filled == walked.filled, "%zu hashes", hashes.size());
    WINNOW_FUZZ_CHECK(by_slots.thresholds == walked.thresholds, "%zu hashes", hashes.size());
    WINNOW_FUZZ_CHECK(by_slots.bumped == walked.bumped, "%zu hashes", hashes.size());
    WINNOW_FUZZ_CHECK(by_slots.solution == walked.solution, "%zu hashes", hashes.size());
  }
  // Traits are the bumped classes and the load factor.
  for (const unsigned char thresholds : walked.thresholds) NoteTrait(thresholds);
  NoteTrait(256 + 16 * shape.fingerprint_bits +
            walked.filled * 8 / (walked.solution.size() * 64 / shape.fingerprint_bits));
}

void AskBuilt(unsigned columns, const std::vector<uint64_t>& hashes, RandomHashes* random) {
  FilterOptions options;
  options.kind = FilterKind::kRibbon;
  options.bits_per_key = 1.2 * columns + 1;
  FilterBuilder builder(options);
  std::vector<KeyHash> keys;
  keys.reserve(hashes.size());
  for (const uint64_t hash : hashes) keys.push_back({hash});
  builder.Add(keys.data(), keys.size());
  const FilterBlock block = builder.Finish();
  ++counts.blocks;
  const FilterView view(block.bytes());
  WINNOW_FUZZ_CHECK(view.fault() == Fault::kNone, "fault %d", static_cast<int>(view.fault()));
  ++counts.usable;
  const std::unique_ptr<bool[]> found(new bool[keys.size()]());
  view.MayContain(keys.data(), keys.size(), found.get());
  for (size_t i = 0; i < keys.size(); ++i) {
    WINNOW_FUZZ_CHECK(found[i], "hash %016llx is denied",
                      static_cast<unsigned long long>(hashes[i]));
  }
  const auto stands = [&](uint64_t hash) {
    return testing::StandaloneMayContain(block.bytes(), {hash});
  };
  for (size_t i = 0; i < kAsked; ++i) {
    if (!hashes.empty()) {
      const uint64_t present = hashes[random->Below(hashes.size())];
      WINNOW_FUZZ_CHECK(stands(present), "hash %016llx is denied",
                        static_cast<unsigned long long>(present));
      ++counts.answers;
    }
    const uint64_t other = random->Next();
    const bool expected = stands(other);
    WINNOW_FUZZ_CHECK(view.MayContain(KeyHash{other}) == expected, "hash %016llx",
                      static_cast<unsigned long long>(other));
    ++counts.answers;
    counts.absent += expected ? 0 : 1;
  }
}

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace winnow::fuzz;
  if (size < kHeadBytes) return 0;
  const Case shape{data[1] % 3u, kBuckets[data[1] / 3 % std::size(kBuckets)],
                   1 + data[0] % winnow::simd::kRibbonMaxColumns};
  const uint64_t starts = uint64_t{shape.buckets * winnow::simd::kRibbonBucketSlots}
                          << shape.shard_bits;
  std::vector<uint64_t> hashes;
  for (size_t at = kHeadBytes; at + sizeof(Record) <= size; at += sizeof(Record)) {
    Record record;
    std::memcpy(&record, data + at, sizeof record);
    AddHashes(record, starts, &hashes);
  }
  CompareElimination(shape, hashes);
  RandomHashes random(hashes.size());
  AskBuilt(shape.fingerprint_bits, hashes, &random);
  return 0;
}

// Inserts, removes and changes records; a quarter of the mutations ignores their structure.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using winnow::fuzz::kHeadBytes;
  using winnow::fuzz::Record;
  constexpr size_t kMaxRecords = 12;
  winnow::testing::RandomHashes random(seed);
  if (size < kHeadBytes || random.Below(4) == 0) {
    size = LLVMFuzzerMutate(data, size, max_size);
    return std::min(size, kHeadBytes + kMaxRecords * sizeof(Record));
  }
  const size_t records = (size - kHeadBytes) / sizeof(Record);
  if (random.Below(3) == 0) data[random.Below(kHeadBytes)] = static_cast<uint8_t>(random.Next());
  size_t at = records == 0 ? 0 : random.Below(records);
  if (records == 0 || (records < kMaxRecords && random.Below(2) == 0)) at = records;
  const uint64_t bytes = random.Next();
  std::memcpy(data + kHeadBytes + at * sizeof(Record), &bytes, sizeof(Record));
  return kHeadBytes + std::max(records, at + 1) * sizeof(Record);
}
