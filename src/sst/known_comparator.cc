#include "src/sst/known_comparator.h"

#include <rocksdb/convenience.h>
#include <rocksdb/slice.h>

#include <map>
#include <mutex>

#include "third_party/rocksdb_abi/versions.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Slice;

class StandIn final : public Comparator {
 public:
  StandIn(const std::string& name, bool upwards) : name_(name), upwards_(upwards) {}

  const char* Name() const override { return name_.c_str(); }

  int Compare(const Slice& a, const Slice& b) const override {
    return upwards_ ? a.compare(b) : b.compare(a);
  }

  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  std::string name_;
  bool upwards_;
};

// Orders keys without timestamps by a comparator for keys with timestamps.
class WithoutTimestamps final : public Comparator {
 public:
  explicit WithoutTimestamps(const Comparator* with) : with_(with) {}

  const char* Name() const override { return with_->Name(); }

  int Compare(const Slice& a, const Slice& b) const override {
    return with_->CompareWithoutTimestamp(a, false, b, false);
  }

  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  const Comparator* with_;
};

// Returns MyRocks' and MariaDB's comparators, which order keys bytewise, or null.
const Comparator* ComparatorOfMyRocks(const std::string& name) {
  static const auto* const ascending = new StandIn("RocksDB_SE_v3.10", true);
  static const auto* const descending = new StandIn("rev:RocksDB_SE_v3.10", false);
  for (const Comparator* const comparator : {ascending, descending}) {
    if (name == comparator->Name()) return comparator;
  }
  return nullptr;
}

}  // namespace

const Comparator* FindComparator(const std::string& name) {
  if (name.empty()) {
    return ROCKSDB_NAMESPACE::BytewiseComparator();
  }
  if (const Comparator* const comparator = ComparatorOfMyRocks(name)) return comparator;
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unsupported_options = false;
  const Comparator* comparator = nullptr;
  return Comparator::CreateFromString(config, name, &comparator).ok() ? comparator : nullptr;
}

const Comparator* ComparatorOfKeys(const ROCKSDB_NAMESPACE::TableProperties& properties) {
  const Comparator* const comparator = FindComparator(properties.comparator_name);
  if (comparator == nullptr || comparator->timestamp_size() == 0 ||
      rocksdb_abi::KeysHaveTimestamps(properties)) {
    return comparator;
  }
  static std::mutex mutex;
  static auto* all = new std::map<std::string, std::unique_ptr<const Comparator>>;
  const std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<const Comparator>& without = (*all)[properties.comparator_name];
  if (without == nullptr) {
    without = std::make_unique<WithoutTimestamps>(comparator);
  }
  return without.get();
}

std::unique_ptr<Comparator> NewStandIn(const std::string& name, bool upwards) {
  return std::make_unique<StandIn>(name, upwards);
}

}  // namespace winnow::inspect
