// A filter policy around another one that watches what readers answer, and can be told to go wrong.

#ifndef WINNOW_TESTS_STRESS_BLAME_WATCH_H_
#define WINNOW_TESTS_STRESS_BLAME_WATCH_H_

#include <rocksdb/filter_policy.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace winnow::stress {

// A fault that is planted, to see that it is found and whose it is said to be.
enum class Fault {
  kNone,
  kDeniedKeys,       // filters lack one key in 100,000, chosen by the key
  kDeniedInOne,      // the third filter that a builder makes lacks a key: with partitions, one does
  kDeniedRange,      // range filters lack one key in 50, chosen by the key
  kDeniedByBuiltin,  // as kDeniedKeys, but the filters are RocksDB's own
  kStaleHash,        // once a reader is asked with the hash of the key before, unless
                     // WINNOW_SHARED_HASH=off
  kLostWrite,        // one write is taken to have happened and never asked for
  kMisheard,         // one answer is taken for another
  kSignal,           // the process ends by a signal
};

// A reader's answer that the bytes of its filter do not give.
struct WrongAnswer {
  std::string key;  // or prefix, as RocksDB asked for it
  bool said = false;
};

// One question to one filter.
struct Asked {
  std::string block;
  std::string key;
  bool said = false;      // by the reader
  bool by_bytes = false;  // by the filter's bytes with a hash that was computed for it alone
  bool is_winnow = false;
};

// Observations of the watched readers of this process. Thread-safe.
class Watch {
 public:
  // Number of answers of Winnow's readers that were compared with those that the bytes give.
  static uint64_t Compared();
  static bool HasWrongAnswer();
  static std::optional<WrongAnswer> FirstWrongAnswer();

  // From now on all questions are kept, those to built-in filters too, and given at the end.
  static void BeginRecording();
  static std::vector<Asked> EndRecording();
};

// Its filters are those of `inner`, but for the fault.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> NewWatchedPolicy(
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> inner, Fault fault);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_BLAME_WATCH_H_
