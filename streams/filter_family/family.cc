#include "streams/filter_family/family.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "src/base/random.h"
#include "src/base/thread_time.h"
#include "src/core/sizing.h"
#include "winnow/amq/binary_fuse_filter.h"
#include "winnow/amq/blocked_bloom.h"
#include "winnow/amq/concurrent_bloom.h"
#include "winnow/amq/counting_bloom.h"
#include "winnow/amq/cuckoo_filter.h"
#include "winnow/amq/paged_bloom.h"
#include "winnow/amq/partitioned_bloom.h"
#include "winnow/amq/scalable_bloom.h"
#include "winnow/amq/standard_bloom.h"
#include "winnow/amq/xor_filter.h"
#include "winnow/builder.h"
#include "winnow/filter.h"

namespace winnow::bench {
namespace {

using Hashes = std::vector<KeyHash>;

constexpr double kFalsePositives = 1e4;
constexpr size_t kTimedLookups = 1'000'000;

Hashes RandomKeys(uint64_t seed, size_t n) {
  Random random(seed);
  Hashes hashes(n);
  for (KeyHash& hash : hashes) hash.value = random();
  return hashes;
}

double Median(std::vector<uint64_t> values) {
  std::sort(values.begin(), values.end());
  return static_cast<double>(values[values.size() / 2]);
}

// Sink for lookup results, so that the lookups are not optimized away.
volatile uint64_t found_in_all = 0;

template <typename Filter>
double AskNs(const Filter& filter, const Hashes& hashes, int repetitions) {
  std::vector<uint64_t> times;
  for (int i = 0; i < repetitions; ++i) {
    const uint64_t begin = ThreadNanoseconds();
    uint64_t found = 0;
    for (const KeyHash hash : hashes) found += filter.MayContain(hash);
    times.push_back(ThreadNanoseconds() - begin);
    found_in_all = found_in_all + found;
  }
  return Median(std::move(times)) / static_cast<double>(hashes.size());
}

// A finished filter of the core.
class Block {
 public:
  Block(FilterKind kind, const Hashes& keys, double rate) : block_(Build(kind, keys, rate)) {
    view_ = FilterView(block_.bytes());
  }
  bool MayContain(KeyHash hash) const noexcept { return view_.MayContain(hash); }
  size_t size_bytes() const noexcept { return block_.size; }
  double expected_fpr() const noexcept { return view_.info().expected_fpr; }

 private:
  static FilterBlock Build(FilterKind kind, const Hashes& keys, double rate) {
    FilterOptions options;
    options.kind = kind;
    options.bits_per_key = core::BitsForRate(rate);
    FilterBuilder builder(options);
    builder.Add(keys.data(), keys.size());
    return builder.Finish();
  }

  FilterBlock block_;
  FilterView view_;
};

// A PagedBloom with all its pages loaded.
class Pages {
 public:
  Pages(const Hashes& keys, double rate) : store_(std::make_unique<amq::MemoryPageStore>()) {
    std::string reason;
    auto built = amq::PagedBloom::Build(store_.get(), {keys.size(), rate, 1024}, keys.data(),
                                        keys.size(), &reason);
    if (!built) throw std::runtime_error(reason);
    filter_ = std::make_unique<amq::PagedBloom>(*std::move(built));
  }
  bool MayContain(KeyHash hash) const noexcept { return filter_->MayContain(hash); }
  size_t size_bytes() const noexcept { return filter_->size_bytes(); }
  double expected_fpr() const noexcept { return filter_->expected_fpr(); }

 private:
  std::unique_ptr<amq::MemoryPageStore> store_;
  std::unique_ptr<amq::PagedBloom> filter_;
};

class Family {
 public:
  Family(const FamilyOptions& options, void (*progress)(const FamilyRow&))
      : options_(options),
        progress_(progress),
        keys_(RandomKeys(options.seed, options.keys)),
        absent_(RandomKeys(options.seed + 1, kTimedLookups)) {
    Random random(options.seed + 2);
    for (size_t i = 0; i < kTimedLookups; ++i) present_.push_back(keys_[random() % keys_.size()]);
  }

  // Adds a kind that is not built. `bits` follows from its formula, or is 0 if the kind cannot have
  // the rate.
  void AddUnbuilt(const char* kind, double rate, double bits) {
    FamilyRow row;
    row.kind = kind;
    row.rate = rate;
    row.formula_bits = bits;
    Add(std::move(row));
  }

  // Adds a kind; make(keys) builds the filter.
  template <typename Make>
  void AddKind(const char* kind, double rate, bool deletes, bool grows, Make make) {
    FamilyRow row;
    row.kind = kind;
    row.rate = rate;
    row.deletes = deletes;
    row.grows = grows;
    std::vector<uint64_t> times;
    for (int i = 1; i < options_.repetitions; ++i) Build(make, &times);
    const auto filter = Build(make, &times);

    Measured measured;
    const double keys = static_cast<double>(keys_.size());
    measured.build_ns = Median(std::move(times)) / keys;
    measured.bits_per_key = static_cast<double>(filter.size_bytes()) * 8 / keys;
    measured.expected_rate = filter.expected_fpr();
    measured.absent_ns = AskNs(filter, absent_, options_.repetitions);
    measured.present_ns = AskNs(filter, present_, options_.repetitions);
    measured.lookups =
        std::min(options_.most_lookups, static_cast<uint64_t>(std::ceil(kFalsePositives / rate)));
    Random random(options_.seed + 3);
    for (uint64_t i = 0; i < measured.lookups; ++i) {
      measured.passed += filter.MayContain({random()});
    }
    for (const KeyHash key : keys_) {
      if (!filter.MayContain(key)) throw std::runtime_error(std::string(kind) + " denies a key");
    }
    row.measured = measured;
    Add(std::move(row));
  }

  template <typename Filter>
  void AddPlanned(const char* kind, double rate, bool deletes) {
    AddKind(kind, rate, deletes, true, [rate](const Hashes& keys) {
      Filter filter(amq::Plan{keys.size(), rate});
      for (const KeyHash key : keys) filter.Add(key);
      return filter;
    });
  }

  std::vector<FamilyRow> TakeRows() { return std::move(rows_); }

 private:
  // Runs make() and appends its duration in nanoseconds to *times.
  template <typename Make>
  auto Build(Make make, std::vector<uint64_t>* times) {
    const uint64_t begin = ThreadNanoseconds();
    auto filter = make(keys_);
    times->push_back(ThreadNanoseconds() - begin);
    return filter;
  }

  void Add(FamilyRow row) {
    progress_(row);
    rows_.push_back(std::move(row));
  }

  const FamilyOptions options_;
  void (*const progress_)(const FamilyRow&);
  const Hashes keys_;
  const Hashes absent_;
  Hashes present_;
  std::vector<FamilyRow> rows_;
};

}  // namespace

std::vector<FamilyRow> MeasureFamily(const FamilyOptions& options,
                                     void (*progress)(const FamilyRow& row)) {
  Family family(options, progress);
  for (const double rate : options.rates) {
    family.AddUnbuilt("bound", rate, std::log2(1 / rate));
    if (rate >= std::ldexp(1.0, -16)) {
      family.AddKind("Winnow Ribbon", rate, false, false,
                     [rate](const Hashes& keys) { return Block(FilterKind::kRibbon, keys, rate); });
    } else {
      family.AddUnbuilt("Winnow Ribbon", rate, 0);
    }
    family.AddKind("binary fuse, 4-wise", rate, false, false, [rate](const Hashes& keys) {
      return amq::BinaryFuseFilter(keys.data(), keys.size(), rate, amq::FuseArity::kFour);
    });
    family.AddKind("binary fuse, 3-wise", rate, false, false, [rate](const Hashes& keys) {
      return amq::BinaryFuseFilter(keys.data(), keys.size(), rate);
    });
    // xor+ keeps 1.0824 fingerprints of whole bits per key, and half a bit of an index.
    family.AddUnbuilt("xor+", rate,
                      1.0824 * std::max(4.0, std::ceil(std::log2(1 / rate) - 1e-9)) + 0.5125);
    family.AddKind("xor", rate, false, false, [rate](const Hashes& keys) {
      return amq::XorFilter(keys.data(), keys.size(), rate);
    });
    family.AddPlanned<amq::StandardBloom>("standard Bloom", rate, false);
    family.AddPlanned<amq::PartitionedBloom>("partitioned Bloom", rate, false);
    family.AddKind("Winnow Bloom", rate, false, false,
                   [rate](const Hashes& keys) { return Block(FilterKind::kBloom, keys, rate); });
    family.AddPlanned<amq::BlockedBloom>("blocked Bloom", rate, false);
    family.AddPlanned<amq::ConcurrentBloom>("concurrent Bloom", rate, false);
    family.AddKind("paged Bloom", rate, false, true,
                   [rate](const Hashes& keys) { return Pages(keys, rate); });
    family.AddKind("scalable Bloom", rate, false, true, [rate](const Hashes& keys) {
      amq::ScalableOptions scalable;
      scalable.rate = rate;
      amq::ScalableBloom filter(scalable);
      for (const KeyHash key : keys) filter.Add(key);
      return filter;
    });
    family.AddKind("cuckoo", rate, true, true, [rate](const Hashes& keys) {
      amq::CuckooFilter filter({keys.size(), rate});
      for (const KeyHash key : keys) {
        if (!filter.Insert(key)) throw std::runtime_error("the cuckoo filter refused a key");
      }
      return filter;
    });
    family.AddPlanned<amq::CountingBloom>("counting Bloom, 4-bit", rate, true);
  }
  return family.TakeRows();
}

}  // namespace winnow::bench
