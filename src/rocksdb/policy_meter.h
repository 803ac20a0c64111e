// Finds the meter of loads of a policy.

#ifndef WINNOW_SRC_ROCKSDB_POLICY_METER_H_
#define WINNOW_SRC_ROCKSDB_POLICY_METER_H_

#include <rocksdb/filter_policy.h>

#include <memory>

#include "src/rocksdb/load_meter.h"

namespace winnow::plugin {

// A member of the policy. While it lives, MeterOf finds the policy's meter.
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
  // All such members are in a list.
  PolicyMeter* next_ = nullptr;
  PolicyMeter* previous_ = nullptr;
};

// Null if the policy is none of Winnow's, or null. Safe from any thread.
std::shared_ptr<LoadMeter> MeterOf(const ROCKSDB_NAMESPACE::FilterPolicy* policy) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_POLICY_METER_H_
