#include "db_bench_ext/tuning/memory_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

#include "db_bench_ext/read_amplification/trees/rocksdb_growth.h"
#include "db_bench_ext/tuning/tree_cost.h"

namespace winnow::bench {
namespace {

// First and last size, and number of observations, relative to the keys that the memory is planned
// for.
constexpr double kFirst = 0.1;
constexpr uint64_t kTimes = 10;
constexpr uint64_t kLooks = 50;

// Factor between successive sizes at which false reads are measured.
constexpr double kFactor = 1.3;
constexpr size_t kLookups = 2000;

// Share of the memory that counts as all of it: filters that once took that much could take all.
constexpr double kFull = 0.97;

GrowthLook LookAt(const std::vector<FilterFile>& files) {
  GrowthLook look;
  for (const FilterFile& file : files) {
    look.keys += static_cast<double>(file.keys);
    look.filter_bytes += static_cast<double>(file.bytes);
  }
  return look;
}

double FalseReadsOf(const std::vector<FilterFile>& files) {
  std::vector<AskedKey> lookups = EvenLookups(files);
  lookups.resize(kLookups);
  return CostOf(files, lookups, 10).false_reads;
}

// Interpolates the rivals' false reads with this memory at this size; log(false reads) is nearly
// linear in the memory.
std::optional<double> FalseReadsAt(const GrowthLook& look,
                                   const std::vector<std::vector<GrowthLook>>& rivals) {
  std::vector<GrowthLook> at;
  for (const std::vector<GrowthLook>& rival : rivals) {
    const auto nearest =
        std::min_element(rival.begin(), rival.end(), [&](const GrowthLook& a, const GrowthLook& b) {
          return std::abs(std::log(a.keys / look.keys)) < std::abs(std::log(b.keys / look.keys));
        });
    if (nearest != rival.end()) at.push_back(*nearest);
  }
  // Compares bits per key, since sizes differ slightly.
  const auto bits = [](const GrowthLook& one) { return one.filter_bytes / one.keys; };
  std::sort(at.begin(), at.end(), [&](const auto& a, const auto& b) { return bits(a) < bits(b); });
  for (size_t i = 0; i + 1 < at.size(); ++i) {
    const GrowthLook& less = at[i];
    const GrowthLook& more = at[i + 1];
    if (bits(look) < bits(less) || bits(more) < bits(look) || !(bits(less) < bits(more))) continue;
    const double part = (bits(look) - bits(less)) / (bits(more) - bits(less));
    return std::exp((1 - part) * std::log(less.false_reads) + part * std::log(more.false_reads));
  }
  return std::nullopt;
}

// Maximum share of keys in a small level 0.
constexpr double kSmallLevel0 = 0.1;

void NoteLagging(const std::vector<FilterFile>& files, double share, Growth* growth) {
  double keys = 0;
  double waiting = 0;
  size_t without = 0;
  size_t all_without = 0;
  for (const FilterFile& file : files) {
    keys += static_cast<double>(file.keys);
    if (file.blocks == 0 && file.keys > 0) ++all_without;
    if (file.level > 0) continue;
    waiting += static_cast<double>(file.keys);
    if (file.blocks == 0 && file.keys > 0) ++without;
  }
  growth->all_without_filters = std::max(growth->all_without_filters, all_without);
  if (waiting > kSmallLevel0 * keys) return;
  ++growth->looks_with_small_level_0;
  growth->most_with_small_level_0 = std::max(growth->most_with_small_level_0, share);
  growth->without_filters = std::max(growth->without_filters, without);
}

}  // namespace

void CompactionPace::OnFlushCompleted(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& /*info*/) {
  const std::lock_guard<std::mutex> lock(mutex_);
  may_take_ += files_a_flush_;
  changed_.notify_all();
}

void CompactionPace::OnCompactionBegin(rocksdb::DB* /*db*/,
                                       const rocksdb::CompactionJobInfo& info) {
  std::unique_lock<std::mutex> lock(mutex_);
  ++waiting_;
  changed_.wait(lock, [this] { return may_take_ > 0 || is_released_; });
  --waiting_;
  may_take_ -= static_cast<double>(info.input_files.size());
}

void CompactionPace::Rest(rocksdb::DB* db) {
  for (int quiet = 0; quiet < 3;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const BackgroundWork work = BackgroundWorkOf(db);
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool is_held = waiting_ > 0 && may_take_ <= 0 && work.running <= waiting_;
    quiet = is_held || (work.running == 0 && !work.compaction_pending) ? quiet + 1 : 0;
  }
}

void CompactionPace::Release() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_released_ = true;
  changed_.notify_all();
}

absl::StatusOr<Growth> Grow(const LevelScenario& scenario, uint64_t keys, double memory,
                            CompactionPace* pace, LevelTree* tree,
                            const std::function<void(uint64_t done, uint64_t of)>& progress) {
  FilterReader reader;
  Growth growth;
  const uint64_t most_keys = kTimes * keys;
  const uint64_t every = std::max<uint64_t>(1, keys / kLooks);
  uint64_t written = 0;
  double next = kFirst * static_cast<double>(keys);
  double full_looks = 0;
  std::vector<FilterFile> files;
  const auto measure = [&]() -> absl::Status {
    absl::StatusOr<std::vector<FilterFile>> read = reader.Read(*tree);
    if (!read.ok()) return read.status();
    files = *std::move(read);
    const double share = LookAt(files).filter_bytes / memory;
    growth.most = std::max(growth.most, share);
    NoteLagging(files, share, &growth);
    if (full_looks > 0 || share > kFull) {
      growth.least = full_looks > 0 ? std::min(growth.least, share) : share;
      growth.mean = (growth.mean * full_looks + share) / (full_looks + 1);
      ++full_looks;
    }
    return absl::OkStatus();
  };
  // Observes during and after compactions. RocksDB's own limits of pending compactions are far
  // above the size of these trees: without pauses, writes would not give a tree.
  const auto look = [&]() -> absl::Status {
    written += every;
    progress(written, most_keys);
    if (static_cast<double>(written) < kFirst * static_cast<double>(keys)) return absl::OkStatus();
    absl::Status status = pace == nullptr ? measure() : tree->Flush();
    if (status.ok() && pace != nullptr) pace->Rest(tree->db());
    if (status.ok() && pace == nullptr) status = tree->FlushAndWaitForCompactions();
    if (status.ok()) status = measure();
    if (!status.ok() || files.empty()) return status;
    if (static_cast<double>(written) >= next) {
      GrowthLook seen = LookAt(files);
      seen.false_reads = FalseReadsOf(files);
      growth.looks.push_back(seen);
      next *= kFactor;
    }
    return absl::OkStatus();
  };
  tree->Watch(every, look);
  absl::Status status = scenario.grow(tree, most_keys);
  if (pace != nullptr) pace->Release();
  if (!status.ok()) return status;
  if (growth.looks.empty()) return absl::InternalError("the tree has no files");
  return growth;
}

GrowthComparison Compare(const std::vector<GrowthLook>& looks,
                         const std::vector<std::vector<GrowthLook>>& rivals) {
  GrowthComparison sums;
  for (const GrowthLook& look : looks) {
    const std::optional<double> rival = FalseReadsAt(look, rivals);
    if (!rival) continue;
    sums.false_reads += std::log(look.false_reads);
    sums.rivals += std::log(*rival);
    ++sums.looks;
  }
  const auto n = static_cast<double>(std::max<size_t>(sums.looks, 1));
  return {std::exp(sums.false_reads / n), std::exp(sums.rivals / n), sums.looks};
}

}  // namespace winnow::bench
