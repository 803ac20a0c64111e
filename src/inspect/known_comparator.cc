#include "src/inspect/known_comparator.h"

#include <rocksdb/convenience.h>
#include <rocksdb/slice.h>

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

}  // namespace

const Comparator* FindComparator(const std::string& name) {
  if (name.empty()) {
    return ROCKSDB_NAMESPACE::BytewiseComparator();
  }
  ROCKSDB_NAMESPACE::ConfigOptions config;
  config.ignore_unsupported_options = false;
  const Comparator* comparator = nullptr;
  return Comparator::CreateFromString(config, name, &comparator).ok() ? comparator : nullptr;
}

std::unique_ptr<Comparator> NewStandIn(const std::string& name, bool upwards) {
  return std::make_unique<StandIn>(name, upwards);
}

}  // namespace winnow::inspect
