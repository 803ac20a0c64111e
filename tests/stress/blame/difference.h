// An answer that differs from the model's.

#ifndef WINNOW_TESTS_STRESS_BLAME_DIFFERENCE_H_
#define WINNOW_TESTS_STRESS_BLAME_DIFFERENCE_H_

#include <rocksdb/slice.h>
#include <rocksdb/snapshot.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <optional>
#include <string>

namespace winnow::stress {

// Kind of read, which decides what filters are checked for.
enum class Question {
  kGet,                // the whole key
  kMultiGet,           // the whole key, in a batch
  kKeyMayExist,        // the whole key, in cached blocks only
  kPrefixSeek,         // the key's prefix
  kPrefixSeekForPrev,  // the key's prefix, backward
  kRangeSeek,          // the range from the target on, whose first key it is
  kTotalOrder,         // nothing
  kStatus,             // no key: RocksDB failed an operation
};

struct Difference {
  Question question = Question::kStatus;
  std::string operation;  // short description
  size_t family = 0;
  std::string key;
  std::string target;     // target of a seek
  std::string timestamp;  // read timestamp, in the column family with timestamps
  std::optional<std::string> expected;
  std::optional<std::string> found;
  std::string status;  // RocksDB's, if neither OK nor NotFound
  const ROCKSDB_NAMESPACE::Snapshot* snapshot = nullptr;
};

// Exception thrown as soon as a difference is found, so that no other read comes in between.
struct DifferenceFound {
  Difference difference;
};

// Throws `about` with the answer if that differs from the expected value, or from NotFound if none
// is expected.
inline void RequireAnswer(Difference about, const ROCKSDB_NAMESPACE::Status& status,
                          const std::string& value) {
  if (status.ok()) about.found = value;
  if (!status.ok() && !status.IsNotFound()) {
    about.status = status.ToString();
  } else if (about.found == about.expected) {
    return;
  }
  throw DifferenceFound{about};
}

// Throws a difference for a failed operation of RocksDB.
inline void Require(const ROCKSDB_NAMESPACE::Status& status, const std::string& operation) {
  if (status.ok()) return;
  Difference difference;
  difference.operation = operation;
  difference.status = status.ToString();
  throw DifferenceFound{difference};
}

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_BLAME_DIFFERENCE_H_
