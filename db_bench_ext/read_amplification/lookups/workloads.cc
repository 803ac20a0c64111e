#include "db_bench_ext/read_amplification/lookups/workloads.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "db_bench_ext/read_amplification/keys/write_order.h"
#include "db_bench_ext/read_amplification/keys/zipf.h"
#include "db_bench_ext/read_amplification/lookups/scans.h"
#include "src/base/random.h"

namespace winnow::bench {
namespace {

constexpr uint64_t kRangeSalt = 0x70726573656e74;
constexpr uint64_t kScatterSalt = 0x73636174746572;

// Random numbers below n with the requested skew; hot numbers are scattered.
class Draws {
 public:
  Draws(uint64_t n, double zipf, uint64_t seed)
      : n_(n), seed_(seed), ranks_(n, zipf), scatter_(n, seed ^ kScatterSalt), skewed_(zipf > 0) {}

  uint64_t At(uint64_t position) const {
    Random random = RandomAt(seed_, position);
    return skewed_ ? scatter_[ranks_.Draw(&random) - 1] : RandomBelow(&random, n_);
  }

 private:
  uint64_t n_;
  uint64_t seed_;
  ZipfRanks ranks_;
  WriteOrder scatter_;
  bool skewed_;
};

LookupAt OfRange(const KeysOfRun& keys, const LookupChoices& choices) {
  const Draws draws(keys.range->size(), choices.zipf, choices.seed ^ kRangeSalt);
  return [draws, range = keys.range, written = keys.written](uint64_t position, std::string* room) {
    const uint64_t i = draws.At(position);
    const bool present = written == nullptr || written->Has(i);
    return Asked{range->Get(i, room), present ? Expected::kPresent : Expected::kAbsent};
  };
}

LookupAt OfLonger(const KeysOfRun& keys, const LookupChoices& choices) {
  const Draws draws(keys.longer->size(), choices.zipf, choices.seed ^ kRangeSalt);
  const Expected expected = keys.longer_are_absent ? Expected::kAbsent : Expected::kEither;
  return [=, longer = keys.longer](uint64_t position, std::string* room) {
    return Asked{longer->Get(draws.At(position), room), expected};
  };
}

LookupAt OfPresent(const KeysOfRun& keys, const LookupChoices& choices) {
  const uint64_t n = keys.written == nullptr ? keys.range->size() : keys.written->count();
  const Draws draws(n, choices.zipf, choices.seed ^ kRangeSalt);
  return [draws, range = keys.range, written = keys.written](uint64_t position, std::string* room) {
    const uint64_t i = draws.At(position);
    return Asked{range->Get(written == nullptr ? i : written->Nth(i), room), Expected::kPresent};
  };
}

LookupAt OfAbsent(const KeysOfRun& keys, const LookupChoices& choices) {
  const Draws draws(keys.absent->size(), choices.zipf, choices.seed ^ kAbsentSalt);
  const bool in_turn = keys.absent_drawn && choices.zipf == 0;
  return [=, absent = keys.absent](uint64_t position, std::string* room) {
    const uint64_t i = in_turn ? position % absent->size() : draws.At(position);
    return Asked{absent->Get(i, room), Expected::kAbsent};
  };
}

LookupAt OfBoth(const KeysOfRun& keys, const LookupChoices& choices, double share) {
  return [share, present = OfPresent(keys, choices), absent = OfAbsent(keys, choices)](
             uint64_t position, std::string* room) {
    return InShare(position, share) ? absent(position, room) : present(position, room);
  };
}

LookupAt OfHeat(const KeysOfRun& keys, const LookupChoices& choices, double share) {
  const HeatedKeys heated(*choices.heat, 1, keys.range->size());
  return [=, seed = choices.seed ^ kRangeSalt, range = keys.range, written = keys.written,
          absent = keys.absent](uint64_t position, std::string* room) {
    Random random = RandomAt(seed, position);
    if (!InShare(position, share)) {
      const auto is_there = [&](uint64_t key) { return written == nullptr || written->Has(key); };
      if (const std::optional<uint64_t> key = heated.Present(&random, is_there)) {
        return Asked{range->Get(*key, room), Expected::kPresent};
      }
    }
    return Asked{absent->Get(heated.Absent(&random), room), Expected::kAbsent};
  };
}

LookupAt OfList(const KeysOfRun& keys) {
  return [list = keys.recorded](uint64_t position, std::string* room) {
    return Asked{list->Get(position, room), Expected::kEither};
  };
}

LookupAt LookupsOf(const Benchmark& benchmark, const KeysOfRun& keys,
                   const LookupChoices& choices) {
  switch (benchmark.asks) {
    case AskedKeys::kRange: {
      const std::optional<double> share = benchmark.absent.Given(choices.absent_share);
      return share ? OfBoth(keys, choices, *share) : OfRange(keys, choices);
    }
    case AskedKeys::kLonger:
      return OfLonger(keys, choices);
    case AskedKeys::kPresent:
      return OfPresent(keys, choices);
    case AskedKeys::kAbsent:
      return OfAbsent(keys, choices);
    case AskedKeys::kHeated:
      return OfHeat(keys, choices, *benchmark.absent.Given(choices.absent_share));
    case AskedKeys::kBehindKeys:
      return MakeScans(ScanBegin::kBehindKey, choices.scan_length, keys, choices.seed);
    case AskedKeys::kBetweenKeys:
      return MakeScans(ScanBegin::kBetweenKeys, choices.scan_length, keys, choices.seed);
    case AskedKeys::kAtKeys:
      return MakeScans(ScanBegin::kAtKey, choices.scan_length, keys, choices.seed);
    case AskedKeys::kRecorded:
      break;
  }
  return OfList(keys);
}

}  // namespace

LookupAt WithoutExpectation(LookupAt at) {
  return [at = std::move(at)](uint64_t position, std::string* room) {
    return Asked{at(position, room).key, Expected::kEither};
  };
}

uint64_t HeatedKeys::Absent(Random* random) const {
  return std::min(heat_.DrawIn(heat_.DrawRange(random), random), keys_ - 2);
}

std::optional<uint64_t> HeatedKeys::Present(Random* random,
                                            absl::FunctionRef<bool(uint64_t key)> is_there) const {
  constexpr int kTries = 1000;
  const size_t range = heat_.DrawRange(random);
  for (int i = 0; i < kTries; ++i) {
    const uint64_t key = heat_.DrawIn(range, random);
    if (is_there(key)) return key;
  }
  return std::nullopt;
}

bool AsksForAbsentKeys(const Benchmark& benchmark, const LookupChoices& choices) {
  return benchmark.asks == AskedKeys::kAbsent || benchmark.absent.Given(choices.absent_share);
}

bool InShare(uint64_t position, double share) {
  const double before = std::floor(static_cast<double>(position) * share);
  return std::floor(static_cast<double>(position + 1) * share) > before;
}

Lookups MakeLookups(const Benchmark& benchmark, const KeysOfRun& keys,
                    const LookupChoices& choices) {
  Lookups lookups;
  lookups.name = benchmark.name;
  lookups.kind = benchmark.kind;
  lookups.at = LookupsOf(benchmark, keys, choices);
  lookups.count = IsRecorded(benchmark) ? keys.recorded->size() : choices.reads;
  if (GetsMany(benchmark)) {
    lookups.batch = choices.batch;
    lookups.batched = choices.batched;
    lookups.remark = absl::StrCat(
        choices.batch, " keys a call, by RocksDB's MultiGet of ",
        choices.batched ? "arrays" : "vectors", "; latencies are those of calls.",
        choices.batched ? " Keys of a call that need the same block read it once." : "");
  } else if (Seeks(benchmark)) {
    lookups.nexts = choices.nexts;
    lookups.remark =
        "RocksDB counts what filters answer to seeks in total only, not by level. Which answers "
        "are "
        "false is known of seeks that find no key from their own on with the same prefix: false "
        "reads and their rates are of these alone.";
  }
  if (Scans(benchmark)) {
    absl::StrAppend(&lookups.name, "/", choices.scan_length);
    lookups.remark = absl::StrCat(
        "Scans of ", choices.scan_length,
        " positions with an upper bound, by auto_prefix_mode where there is a prefix extractor "
        "other than winnow.range. RocksDB counts what filters answer to seeks in total only, not "
        "by level; false reads are those of scans that find nothing.");
  }
  return lookups;
}

}  // namespace winnow::bench
