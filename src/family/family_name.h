// Name of a column family that may become known after its first filter was read.

#ifndef WINNOW_SRC_FAMILY_FAMILY_NAME_H_
#define WINNOW_SRC_FAMILY_FAMILY_NAME_H_

#include <mutex>
#include <string>

namespace winnow::family {

// Thread-safe.
class FamilyName {
 public:
  void Set(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    name_ = name;
  }
  // Returns an empty string while the name is unknown: RocksDB has no family without a name.
  std::string Get() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return name_;
  }

 private:
  mutable std::mutex mutex_;
  std::string name_;
};

}  // namespace winnow::family

#endif  // WINNOW_SRC_FAMILY_FAMILY_NAME_H_
