#include "tests/tools/forgetful_policy.h"

#include <utility>

#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::testing {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

class ForgetfulBuilder final : public FilterBitsBuilder {
 public:
  ForgetfulBuilder(FilterBitsBuilder* inner, std::string forgotten)
      : inner_(inner), forgotten_(std::move(forgotten)) {}

  void AddKey(const Slice& key) override {
    if (key != forgotten_) inner_->AddKey(key);
  }
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
  void AddKeyAndAlt(const Slice& key, const Slice& alt) override {
    if (key != forgotten_) inner_->AddKeyAndAlt(key, alt);
  }
#endif
  size_t EstimateEntriesAdded() override { return inner_->EstimateEntriesAdded(); }
  Slice Finish(std::unique_ptr<const char[]>* buffer) override { return inner_->Finish(buffer); }
  Slice Finish(std::unique_ptr<const char[]>* buffer, Status* status) override {
    return inner_->Finish(buffer, status);
  }
  Status MaybePostVerify(const Slice& filter) override { return inner_->MaybePostVerify(filter); }
  size_t ApproximateNumEntries(size_t bytes) override {
    return inner_->ApproximateNumEntries(bytes);
  }
#if WINNOW_ROCKSDB_AT_LEAST(10, 9)
  size_t CalculateSpace(size_t entries) override { return inner_->CalculateSpace(entries); }
  double EstimatedFpRate(size_t entries, size_t bytes) override {
    return inner_->EstimatedFpRate(entries, bytes);
  }
#endif

 private:
  std::unique_ptr<FilterBitsBuilder> inner_;
  std::string forgotten_;
};

class Forwarding : public FilterPolicy {
 public:
  explicit Forwarding(std::shared_ptr<const FilterPolicy> inner) : inner_(std::move(inner)) {}

  const char* Name() const override { return inner_->Name(); }
  const char* CompatibilityName() const override { return inner_->CompatibilityName(); }
  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    return inner_->GetBuilderWithContext(context);
  }
  ROCKSDB_NAMESPACE::FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    return inner_->GetFilterBitsReader(contents);
  }

 private:
  std::shared_ptr<const FilterPolicy> inner_;
};

class Forgetful final : public Forwarding {
 public:
  Forgetful(std::shared_ptr<const FilterPolicy> inner, std::string forgotten)
      : Forwarding(std::move(inner)), forgotten_(std::move(forgotten)) {}

  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext& context) const override {
    FilterBitsBuilder* builder = Forwarding::GetBuilderWithContext(context);
    return builder == nullptr ? nullptr : new ForgetfulBuilder(builder, forgotten_);
  }

 private:
  std::string forgotten_;
};

class Disguised final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  const char* Name() const override { return "bloomfilter"; }
};

}  // namespace

std::shared_ptr<const FilterPolicy> ForgetfulPolicy(std::shared_ptr<const FilterPolicy> inner,
                                                    const std::string& forgotten) {
  return std::make_shared<Forgetful>(std::move(inner), forgotten);
}

std::shared_ptr<const FilterPolicy> DisguisedPolicy(std::shared_ptr<const FilterPolicy> inner) {
  return std::make_shared<Disguised>(std::move(inner));
}

}  // namespace winnow::testing
