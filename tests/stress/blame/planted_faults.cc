#include "tests/stress/blame/planted_faults.h"

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "src/rocksdb/ranges/transformed_keys.h"
#include "winnow/hash.h"

namespace winnow::stress {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

constexpr uint64_t kDenyOneIn = 100'000;
constexpr uint64_t kDenyRangeOf = 50;
// kDeniedInOne's fault: the third filter of a builder lacks its twentieth key.
constexpr int kFilterWithFault = 2;
constexpr int kKeyWithFault = 20;
constexpr uint64_t kLookupWithFault = 5'000;  // follows the initial read of all keys

// Builder that omits keys from the inner builder's filters.
class ForgetfulBuilder final : public FilterBitsBuilder {
 public:
  ForgetfulBuilder(std::unique_ptr<FilterBitsBuilder> inner, Fault fault)
      : inner_(std::move(inner)), fault_(fault) {}

  void AddKey(const Slice& key) override {
    if (!Forgets(key)) inner_->AddKey(key);
  }
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    if (Forgets(key)) {
      inner_->AddKey(alt);
    } else {
      inner_->AddKeyAndAlt(key, alt);
    }
  }
#endif
  size_t EstimateEntriesAdded() override { return inner_->EstimateEntriesAdded(); }
  Slice Finish(std::unique_ptr<const char[]>* buf) override {
    BeginNext();
    return inner_->Finish(buf);
  }
  Slice Finish(std::unique_ptr<const char[]>* buf, Status* status) override {
    BeginNext();
    return inner_->Finish(buf, status);
  }
  Status MaybePostVerify(const Slice& content) override { return inner_->MaybePostVerify(content); }
  size_t ApproximateNumEntries(size_t bytes) override {
    return inner_->ApproximateNumEntries(bytes);
  }
#if WINNOW_ROCKSDB_AT_LEAST(10, 9)
  size_t CalculateSpace(size_t num_entries) override { return inner_->CalculateSpace(num_entries); }
  double EstimatedFpRate(size_t num_entries, size_t bytes) override {
    return inner_->EstimatedFpRate(num_entries, bytes);
  }
#endif

 private:
  bool Forgets(const Slice& key) {
    if (fault_ == Fault::kDeniedRange) {
      // Without whole keys, a range filter learns its keys from empty prefixes.
      return key.empty() && IsOneIn(kDenyRangeOf, plugin::FindTransformedKey(key.data()).key);
    }
    if (fault_ != Fault::kDeniedInOne) return IsOneIn(kDenyOneIn, key);
    return filters_ == kFilterWithFault && ++keys_ == kKeyWithFault;
  }
  // The hash decides, so that filters of compactions omit the same keys. Its low bits choose the
  // position in the filter, so they are not used.
  static bool IsOneIn(uint64_t many, const Slice& key) {
    return (HashKey(std::string_view(key.data(), key.size())).value >> 20) % many == 0;
  }
  void BeginNext() {
    ++filters_;
    keys_ = 0;
  }

  const std::unique_ptr<FilterBitsBuilder> inner_;
  const Fault fault_;
  int filters_ = 0;
  int keys_ = 0;
};

// Reader that uses the previous key's answer for a key, as with a stale shared hash.
class StaleReader final : public FilterBitsReader {
 public:
  explicit StaleReader(std::unique_ptr<FilterBitsReader> inner) : inner_(std::move(inner)) {}

  bool MayMatch(const Slice& key) override {
    static std::atomic<uint64_t> lookups{0};
    thread_local std::string before;
    bool answer = inner_->MayMatch(key);
    // Continues until an answer changes by the fault.
    static std::atomic<bool> is_done{false};
    if (lookups.fetch_add(1) >= kLookupWithFault && !is_done.load() && answer) {
      answer = inner_->MayMatch(before);
      if (!answer) is_done.store(true);
    }
    before.assign(key.data(), key.size());
    return answer;
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    inner_->MayMatch(num_keys, keys, may_match);
  }

 private:
  const std::unique_ptr<FilterBitsReader> inner_;
};

}  // namespace

std::unique_ptr<FilterBitsBuilder> PlantInBuilder(std::unique_ptr<FilterBitsBuilder> builder,
                                                  Fault fault) {
  if (fault != Fault::kDeniedKeys && fault != Fault::kDeniedInOne && fault != Fault::kDeniedRange &&
      fault != Fault::kDeniedByBuiltin) {
    return builder;
  }
  return std::make_unique<ForgetfulBuilder>(std::move(builder), fault);
}

std::unique_ptr<FilterBitsReader> PlantInReader(std::unique_ptr<FilterBitsReader> reader,
                                                Fault fault) {
  if (fault != Fault::kStaleHash) return reader;
  return std::make_unique<StaleReader>(std::move(reader));
}

}  // namespace winnow::stress
