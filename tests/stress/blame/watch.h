// Filter policy that wraps another one, watches its readers' answers, and can plant faults.

#ifndef WINNOW_TESTS_STRESS_BLAME_WATCH_H_
#define WINNOW_TESTS_STRESS_BLAME_WATCH_H_

#include <rocksdb/filter_policy.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace winnow::stress {

// A planted fault, to test that it is found and attributed correctly.
enum class Fault {
  kNone,
  kDeniedKeys,       // filters omit one key in 100,000, chosen by the key
  kDeniedInOne,      // the third filter of a builder, or third partition, omits a key
  kDeniedRange,      // range filters omit one key in 50, chosen by the key
  kDeniedByBuiltin,  // kDeniedKeys in RocksDB's filters
  kStaleHash,        // a reader uses the previous key's hash once
  kLostWrite,        // one write is recorded but not done
  kMisheard,         // one answer is replaced
  kSignal,           // the process ends by a signal
};

// A reader's answer that differs from its filter's bytes.
struct WrongAnswer {
  std::string key;  // or prefix, as RocksDB passed it
  bool said = false;
};

// A lookup in one filter.
struct Asked {
  std::string block;
  std::string key;
  bool said = false;      // the reader's answer
  bool by_bytes = false;  // the answer of the filter's bytes, with a newly computed hash
  bool is_winnow = false;
};

// Observations of the watched readers of this process. Thread-safe.
class Watch {
 public:
  // Returns the number of Winnow readers' answers that were compared with their filters' bytes.
  static uint64_t Compared();
  // Returns how many of these were lookups of keys in a range filter (range_kind=single).
  static uint64_t ComparedBySingle();
  static bool HasWrongAnswer();
  static std::optional<WrongAnswer> FirstWrongAnswer();

  // Record all lookups, also in built-in filters; EndRecording() returns them.
  static void BeginRecording();
  static std::vector<Asked> EndRecording();
};

// Returns a policy that builds and reads filters by `inner`, except for the fault.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewWatchedPolicy(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> inner, Fault fault);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_BLAME_WATCH_H_
