// In which orders the keys of a policy's column families are.

#ifndef WINNOW_SRC_ROCKSDB_RANGES_COMPARATORS_SEEN_H_
#define WINNOW_SRC_ROCKSDB_RANGES_COMPARATORS_SEEN_H_

#include <rocksdb/comparator.h>

#include <atomic>
#include <string_view>

namespace winnow::plugin {

// A range filter is right for keys in the order of their bytes alone. Neither a builder nor a
// reader is told the order, but DB::Open shows a policy the options of each column family, and a
// listener the properties of each file. Where one family of a policy has another order, none of
// them has range filters: whose files they are is not known. Safe from any number of threads.
class ComparatorsSeen {
 public:
  void Note(std::string_view name) noexcept {
    const bool is_bytewise = name == ROCKSDB_NAMESPACE::BytewiseComparator()->Name();
    (is_bytewise ? has_bytewise_ : has_other_).store(true, std::memory_order_relaxed);
  }

  bool has_other() const noexcept { return has_other_.load(std::memory_order_relaxed); }
  // Only bytewise ones, and at least one.
  bool are_bytewise() const noexcept {
    return has_bytewise_.load(std::memory_order_relaxed) && !has_other();
  }

 private:
  std::atomic<bool> has_bytewise_{false};
  std::atomic<bool> has_other_{false};
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_RANGES_COMPARATORS_SEEN_H_
