// An answer that is not the model's.

#ifndef WINNOW_TESTS_STRESS_BLAME_DIFFERENCE_H_
#define WINNOW_TESTS_STRESS_BLAME_DIFFERENCE_H_

#include <rocksdb/slice.h>
#include <rocksdb/snapshot.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <optional>
#include <string>

namespace winnow::stress {

// How the key was asked for, which decides what is asked of filters.
enum class Question {
  kGet,                // the whole key
  kMultiGet,           // the same, in a batch
  kKeyMayExist,        // the same, of what is in memory only
  kPrefixSeek,         // its prefix
  kPrefixSeekForPrev,  // the same, backward
  kRangeSeek,          // the range from the target on, of which it is the first key
  kTotalOrder,         // nothing
  kStatus,             // no key: RocksDB refused what it should have done
};

struct Difference {
  Question question = Question::kStatus;
  std::string operation;  // a few words
  size_t family = 0;
  std::string key;
  std::string target;     // of a seek
  std::string timestamp;  // of the time asked for, in a family that has them
  std::optional<std::string> expected;
  std::optional<std::string> found;
  std::string status;  // RocksDB's, where it was not OK or NotFound
  const ROCKSDB_NAMESPACE::Snapshot* snapshot = nullptr;
};

// Thrown where it is seen, so that nothing else is asked in between.
struct DifferenceFound {
  Difference difference;
};

// Throws `about`, with the answer in it, if that is not what was expected: a value, or none.
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

// A failure of RocksDB's that nothing asked for.
inline void Require(const ROCKSDB_NAMESPACE::Status& status, const std::string& operation) {
  if (status.ok()) return;
  Difference difference;
  difference.operation = operation;
  difference.status = status.ToString();
  throw DifferenceFound{difference};
}

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_BLAME_DIFFERENCE_H_
