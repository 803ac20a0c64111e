#include "streams/filter_family/comparison.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "src/base/random.h"

namespace winnow::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Minimum number of lookups of absent keys, so large that branch predictors cannot learn their
// results.
constexpr uint64_t kMinAbsent = 1'000'000;

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double Quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

std::vector<uint64_t> RandomHashes(Random* random, uint64_t n) {
  std::vector<uint64_t> hashes(n);
  for (uint64_t& hash : hashes) hash = (*random)();
  return hashes;
}

struct Hashes {
  std::vector<uint64_t> present;
  std::vector<uint64_t> absent;
};

// RAII wrapper of a contender's filter.
class Filter {
 public:
  Filter(const winnow_contender& contender, uint64_t keys, double bits_per_key)
      : contender_(contender), filter_(contender.create(keys, bits_per_key)) {
    if (filter_ == nullptr) throw std::runtime_error(absl::StrCat(contender.name, ": no memory"));
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  ~Filter() { contender_.destroy(filter_); }

  void* get() const { return filter_; }

 private:
  const winnow_contender& contender_;
  void* filter_;
};

// One of the two filters that are compared. Each run returns seconds, without the setup.
class Side {
 public:
  Side(const winnow_contender& contender, const ComparisonOptions& options, const Hashes& hashes)
      : contender_(contender),
        options_(options),
        hashes_(hashes),
        full_(contender, keys(), options.bits_per_key) {
    const uint64_t refused = contender.add(full_.get(), hashes.present.data(), keys());
    if (refused * 1000 > keys()) {
      throw std::runtime_error(absl::StrCat(contender.name, " refused ", refused, " of ", keys(),
                                            " keys: their number doesn't suit it"));
    }
    const uint64_t found = contender.ask(full_.get(), hashes.present.data(), keys());
    if (found + refused < keys()) {
      throw std::runtime_error(absl::StrCat(contender.name, " denied ", keys() - found - refused,
                                            " of ", keys(), " keys"));
    }
  }

  uint64_t keys() const { return hashes_.present.size(); }
  double Bits() const {
    return static_cast<double>(contender_.bytes(full_.get())) * 8 / static_cast<double>(keys());
  }
  double Rate() const {
    const uint64_t found =
        contender_.ask(full_.get(), hashes_.absent.data(), hashes_.absent.size());
    return static_cast<double>(found) / static_cast<double>(hashes_.absent.size());
  }

  double Add() const { return TimeAdding(contender_.add); }

  double AddShared(unsigned threads) const {
    const Filter filter(contender_, keys(), options_.bits_per_key);
    std::atomic<unsigned> ready{0};
    std::vector<std::pair<Clock::time_point, Clock::time_point>> times(threads);
    const auto run = [&](unsigned thread) {
      const uint64_t begin = keys() * thread / threads;
      const uint64_t end = keys() * (thread + 1) / threads;
      ready.fetch_add(1);
      for (unsigned spins = 1; ready.load() < threads; ++spins) {
        if (spins % 4096 == 0) std::this_thread::yield();
      }
      times[thread].first = Clock::now();
      contender_.add_shared(filter.get(), hashes_.present.data() + begin, end - begin);
      times[thread].second = Clock::now();
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(run, i);
    run(0);
    for (std::thread& other : others) other.join();
    Clock::time_point first = times[0].first;
    Clock::time_point last = times[0].second;
    for (const auto& [begin, end] : times) {
      first = std::min(first, begin);
      last = std::max(last, end);
    }
    return std::chrono::duration<double>(last - first).count();
  }

  double AddBatches() const {
    return TimeAdding(contender_.add_shared_batches != nullptr ? contender_.add_shared_batches
                                                               : contender_.add_shared);
  }

  double Remove() const {
    const Filter filter(contender_, keys(), options_.bits_per_key);
    contender_.add(filter.get(), hashes_.present.data(), keys());
    return Time([&] { contender_.remove(filter.get(), hashes_.present.data(), keys()); });
  }

  double Ask(const std::vector<uint64_t>& hashes) const {
    return Time([&] { contender_.ask(full_.get(), hashes.data(), hashes.size()); });
  }

  double AskBatches(const std::vector<uint64_t>& hashes) const {
    const auto ask = contender_.ask_batches != nullptr ? contender_.ask_batches : contender_.ask;
    return Time([&] { ask(full_.get(), hashes.data(), hashes.size()); });
  }

 private:
  // Adds the keys to an empty filter.
  double TimeAdding(uint64_t (*add)(void*, const uint64_t*, uint64_t)) const {
    const Filter filter(contender_, keys(), options_.bits_per_key);
    return Time([&] { add(filter.get(), hashes_.present.data(), keys()); });
  }

  template <typename Work>
  static double Time(const Work& work) {
    const Clock::time_point begin = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  const winnow_contender& contender_;
  const ComparisonOptions& options_;
  const Hashes& hashes_;
  Filter full_;
};

// A measurement: how one side runs it, and its number of keys.
struct Work {
  std::string name;
  uint64_t keys;
  std::function<double(const Side&)> run;
};

std::vector<Work> WorkOf(const winnow_contender& ours, const winnow_contender& contender,
                         const ComparisonOptions& options, const Hashes& hashes) {
  const uint64_t n = hashes.present.size();
  std::vector<Work> works;
  works.push_back({contender.kind == std::string("fuse") ? "build" : "add", n,
                   [](const Side& side) { return side.Add(); }});
  if (ours.add_shared != nullptr && contender.add_shared != nullptr) {
    for (unsigned threads = 1; threads <= options.threads; ++threads) {
      works.push_back(
          {absl::StrCat("add, may be shared, ", threads, threads == 1 ? " thread" : " threads"), n,
           [threads](const Side& side) { return side.AddShared(threads); }});
    }
  }
  if (ours.add_shared_batches != nullptr && contender.add_shared != nullptr) {
    works.push_back(
        {"add, may be shared, in batches", n, [](const Side& side) { return side.AddBatches(); }});
  }
  works.push_back({"ask absent", hashes.absent.size(),
                   [&hashes](const Side& side) { return side.Ask(hashes.absent); }});
  works.push_back(
      {"ask present", n, [&hashes](const Side& side) { return side.Ask(hashes.present); }});
  if (ours.ask_batches != nullptr) {
    works.push_back({"ask absent, in batches", hashes.absent.size(),
                     [&hashes](const Side& side) { return side.AskBatches(hashes.absent); }});
    works.push_back({"ask present, in batches", n,
                     [&hashes](const Side& side) { return side.AskBatches(hashes.present); }});
  }
  if (ours.remove != nullptr && contender.remove != nullptr) {
    works.push_back({"remove", n, [](const Side& side) { return side.Remove(); }});
  }
  return works;
}

void Compare(const Work& work, const Side& ours, const Side& theirs,
             const ComparisonOptions& options, ComparisonRow* row) {
  const double first = std::max({work.run(ours), work.run(theirs), 1e-7});
  const int repeated =
      static_cast<int>(std::clamp(std::ceil(options.least_ms / 1000 / first), 1.0, 10'000.0));
  const auto run = [&](const Side& side) {
    double seconds = 0;
    for (int i = 0; i < repeated; ++i) seconds += work.run(side);
    return seconds / repeated / static_cast<double>(work.keys) * 1e9;
  };
  std::vector<double> our_times;
  std::vector<double> their_times;
  std::vector<double> ratios;
  std::vector<double> again;
  for (int pair = 0; pair < options.pairs; ++pair) {
    // Winnow's filter is the first of a pair, and the second of the next pair.
    const double before = run(ours);
    const double their_time = run(theirs);
    const double after = run(ours);
    our_times.push_back(pair % 2 == 0 ? before : after);
    their_times.push_back(their_time);
    ratios.push_back(our_times.back() / their_time);
    again.push_back(before / after);
  }
  row->work = work.name;
  row->ours_ns = Median(our_times);
  row->contender_ns = Median(their_times);
  row->ratio = Median(ratios);
  row->ours_again = Median(again);
  row->ours_again_low = Quantile(again, 0.05);
  row->ours_again_high = Quantile(again, 0.95);
}

}  // namespace

void CompareWithOurs(const winnow_contender& contender, const ComparisonOptions& options,
                     const std::function<void(const ComparisonRow&)>& report) {
  const auto& all = OurFilters();
  const auto of_kind = std::find_if(all.begin(), all.end(), [&](const winnow_contender& ours) {
    return std::string(ours.kind) == contender.kind;
  });
  if (of_kind == all.end()) {
    throw std::runtime_error(
        absl::StrCat(contender.name, ": no filter of ours is of its kind, ", contender.kind));
  }
  for (const uint64_t keys : options.keys) {
    Random random(options.seed);
    Hashes hashes;
    hashes.present = RandomHashes(&random, keys);
    hashes.absent = RandomHashes(&random, std::max(keys, kMinAbsent));
    const Side ours(*of_kind, options, hashes);
    const Side theirs(contender, options, hashes);
    ComparisonRow row;
    row.kind = contender.kind;
    row.contender = contender.name;
    row.keys = keys;
    row.bits[0] = ours.Bits();
    row.bits[1] = theirs.Bits();
    row.rates[0] = ours.Rate();
    row.rates[1] = theirs.Rate();
    for (const Work& work : WorkOf(*of_kind, contender, options, hashes)) {
      Compare(work, ours, theirs, options, &row);
      report(row);
    }
  }
}

std::string ComparisonTable(const std::vector<ComparisonRow>& rows) {
  std::string table =
      "| beside | keys | work | ours, ns | theirs, ns | ours / theirs | ours / ours (5 to 95 %) | "
      "bits, ours | theirs | rate, ours | theirs |\n"
      "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const ComparisonRow& row : rows) {
    absl::StrAppendFormat(&table,
                          "| %s | %d | %s | %.2f | %.2f | **%.2f** | %.3f (%.2f to %.2f) | %.2f | "
                          "%.2f | %.4g %% | %.4g %% |\n",
                          row.contender, row.keys, row.work, row.ours_ns, row.contender_ns,
                          row.ratio, row.ours_again, row.ours_again_low, row.ours_again_high,
                          row.bits[0], row.bits[1], row.rates[0] * 100, row.rates[1] * 100);
  }
  return table;
}

std::string ComparisonJson(const ComparisonOptions& options,
                           const std::vector<ComparisonRow>& rows) {
  nlohmann::ordered_json json = {{"schema", "winnow.beside/1"},
                                 {"pairs", options.pairs},
                                 {"seed", options.seed},
                                 {"rows", nlohmann::ordered_json::array()}};
  for (const ComparisonRow& row : rows) {
    json["rows"].push_back({{"kind", row.kind},
                            {"contender", row.contender},
                            {"keys", row.keys},
                            {"work", row.work},
                            {"ours_ns", row.ours_ns},
                            {"contender_ns", row.contender_ns},
                            {"ratio", row.ratio},
                            {"ours_again", row.ours_again},
                            {"ours_again_low", row.ours_again_low},
                            {"ours_again_high", row.ours_again_high},
                            {"ours_bits_per_key", row.bits[0]},
                            {"contender_bits_per_key", row.bits[1]},
                            {"ours_rate", row.rates[0]},
                            {"contender_rate", row.rates[1]}});
  }
  return json.dump(2) + "\n";
}

}  // namespace winnow::bench
