#include "tests/stress/blame/watch.h"

#include <rocksdb/slice.h>

#include <atomic>
#include <mutex>
#include <string_view>
#include <utility>

#include "src/core/format.h"
#include "src/core/ranges/range_note.h"
#include "src/rocksdb/ranges/transformed_keys.h"
#include "tests/stress/blame/planted_faults.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/filter.h"
#include "winnow/hash.h"
#include "winnow/range_filter.h"

namespace winnow::stress {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;

struct Seen {
  std::atomic<uint64_t> compared{0};
  std::atomic<uint64_t> compared_by_single{0};
  std::atomic<bool> has_wrong{false};
  std::atomic<bool> is_recording{false};
  std::mutex mutex;  // guards the members below
  std::optional<WrongAnswer> first_wrong;
  std::vector<Asked> asked;
};

Seen& TheSeen() {
  static auto* const seen = new Seen;  // never destroyed, since readers may outlive static objects
  return *seen;
}

class WatchedReader final : public FilterBitsReader {
 public:
  WatchedReader(std::unique_ptr<FilterBitsReader> inner, const Slice& contents)
      : inner_(std::move(inner)),
        block_(contents.data(), contents.size()),
        is_winnow_(core::LooksOurs(block_)),
        view_(is_winnow_ ? block_ : std::string_view()),
        ranges_(is_winnow_ ? core::TableRanges(block_) : core::TableRanges()),
        answers_keys_(core::AnswersKeys(block_, ranges_)) {}

  bool MayMatch(const Slice& key) override {
    const bool said = inner_->MayMatch(key);
    Compare(key, said, key.empty() ? MayContainRange(key.data()) : MayContainKey(key));
    return said;
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    inner_->MayMatch(num_keys, keys, may_match);
    for (int i = 0; i < num_keys; ++i) Compare(*keys[i], may_match[i], MayContainKey(*keys[i]));
  }

 private:
  bool MayContainKey(const Slice& key) const {
    if (answers_keys_) {  // an empty prefix stands for all keys
      TheSeen().compared_by_single.fetch_add(1, std::memory_order_relaxed);
      return key.empty() || ranges_.view(0).MayHaveKey({key.data(), key.size()});
    }
    return view_.MayContain(HashKey(std::string_view(key.data(), key.size())));
  }

  // Returns the range filters' answer if the prefix stands for a seek's bounds; true for another
  // prefix. Without range filters, returns the answer for the empty key.
  bool MayContainRange(const char* prefix) const {
    if (ranges_.empty()) return MayContainKey(Slice());
    Slice begin;
    Slice end;
    return !plugin::FindSeekBounds(prefix, &begin, &end) ||
           ranges_.MayContain({begin.data(), begin.size()}, {end.data(), end.size()});
  }

  void Compare(const Slice& key, bool said, bool by_filter) const {
    Seen& seen = TheSeen();
    if (is_winnow_) seen.compared.fetch_add(1, std::memory_order_relaxed);
    const bool by_bytes = is_winnow_ ? by_filter : said;
    const bool is_recording = seen.is_recording.load(std::memory_order_relaxed);
    if (said == by_bytes && !is_recording) return;
    const std::lock_guard<std::mutex> lock(seen.mutex);
    if (is_recording) {
      seen.asked.push_back({std::string(block_), key.ToString(), said, by_bytes, is_winnow_});
    }
    if (said != by_bytes && !seen.first_wrong) {
      seen.first_wrong = WrongAnswer{key.ToString(), said};
      seen.has_wrong.store(true);
    }
  }

  const std::unique_ptr<FilterBitsReader> inner_;
  const std::string_view block_;
  const bool is_winnow_;
  const FilterView view_;
  const core::TableRanges ranges_;
  const bool answers_keys_;
};

class WatchedPolicy final : public FilterPolicy {
 public:
  WatchedPolicy(std::shared_ptr<const FilterPolicy> inner, Fault fault)
      : inner_(std::move(inner)), fault_(fault) {}

  const char* Name() const override { return "winnow.stress.Watched"; }
  const char* CompatibilityName() const override { return inner_->CompatibilityName(); }

  // RocksDB passes the key order to a policy by this call.
  ROCKSDB_NAMESPACE::Status ValidateOptions(
      const ROCKSDB_NAMESPACE::DBOptions& database,
      const ROCKSDB_NAMESPACE::ColumnFamilyOptions& family) const override {
    return inner_ == nullptr ? ROCKSDB_NAMESPACE::Status::OK()
                             : inner_->ValidateOptions(database, family);
  }

  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    std::unique_ptr<FilterBitsBuilder> builder(inner_->GetBuilderWithContext(context));
    return builder == nullptr ? nullptr : PlantInBuilder(std::move(builder), fault_).release();
  }

  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    std::unique_ptr<FilterBitsReader> reader(inner_->GetFilterBitsReader(contents));
    if (reader == nullptr) return nullptr;
    return new WatchedReader(PlantInReader(std::move(reader), fault_), contents);
  }

 private:
  const std::shared_ptr<const FilterPolicy> inner_;
  const Fault fault_;
};

}  // namespace

uint64_t Watch::Compared() { return TheSeen().compared.load(); }

uint64_t Watch::ComparedBySingle() { return TheSeen().compared_by_single.load(); }

bool Watch::HasWrongAnswer() { return TheSeen().has_wrong.load(std::memory_order_relaxed); }

std::optional<WrongAnswer> Watch::FirstWrongAnswer() {
  const std::lock_guard<std::mutex> lock(TheSeen().mutex);
  return TheSeen().first_wrong;
}

void Watch::BeginRecording() {
  const std::lock_guard<std::mutex> lock(TheSeen().mutex);
  TheSeen().asked.clear();
  TheSeen().is_recording.store(true);
}

std::vector<Asked> Watch::EndRecording() {
  const std::lock_guard<std::mutex> lock(TheSeen().mutex);
  TheSeen().is_recording.store(false);
  return std::move(TheSeen().asked);
}

std::shared_ptr<const FilterPolicy> NewWatchedPolicy(std::shared_ptr<const FilterPolicy> inner,
                                                     Fault fault) {
  return std::make_shared<WatchedPolicy>(std::move(inner), fault);
}

}  // namespace winnow::stress
