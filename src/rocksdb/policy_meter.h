// Lookup of a policy's load meter.

#ifndef WINNOW_SRC_ROCKSDB_POLICY_METER_H_
#define WINNOW_SRC_ROCKSDB_POLICY_METER_H_

#include <rocksdb/filter_policy.h>

#include <memory>

#include "src/rocksdb/load_meter.h"

namespace winnow::plugin {

// Member of a policy that registers its meter for MeterOf while it lives.
class PolicyMeter {
 public:
  PolicyMeter(const ROCKSDB_NAMESPACE::FilterPolicy* policy,
              std::shared_ptr<LoadMeter> meter) noexcept;
  ~PolicyMeter();
  PolicyMeter(const PolicyMeter&) = delete;
  PolicyMeter& operator=(const PolicyMeter&) = delete;

 private:
  friend std::shared_ptr<LoadMeter> MeterOf(const ROCKSDB_NAMESPACE::FilterPolicy* policy) noexcept;

  const ROCKSDB_NAMESPACE::FilterPolicy* const policy_;
  const std::shared_ptr<LoadMeter> meter_;
  // Links in the list of all members.
  PolicyMeter* next_ = nullptr;
  PolicyMeter* previous_ = nullptr;
};

// Returns the policy's meter, or null if the policy is not Winnow's or is null. Thread-safe.
std::shared_ptr<LoadMeter> MeterOf(const ROCKSDB_NAMESPACE::FilterPolicy* policy) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_POLICY_METER_H_
