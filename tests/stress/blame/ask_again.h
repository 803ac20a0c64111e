// A question asked again, of any database that holds the same.

#ifndef WINNOW_TESTS_STRESS_BLAME_ASK_AGAIN_H_
#define WINNOW_TESTS_STRESS_BLAME_ASK_AGAIN_H_

#include <rocksdb/db.h>

#include <optional>
#include <string>

#include "tests/stress/blame/difference.h"
#include "tests/stress/settings.h"

namespace winnow::stress {

struct Answer {
  std::optional<std::string> found;
  std::string status;  // if it was neither OK nor NotFound

  bool IsRight(const Difference& difference) const {
    return status.empty() && found == difference.expected;
  }
  std::string ToString() const;  // for people
};

// The key of the difference, in the way in which it was asked for, without the snapshot.
Answer AskAgain(const Difference& difference, const Extractor& extractor,
                ROCKSDB_NAMESPACE::DB* database, ROCKSDB_NAMESPACE::ColumnFamilyHandle* family);

// The same key by an iterator in total order, which asks no filter, at the snapshot if there is
// one.
Answer AskWithoutFilters(const Difference& difference, ROCKSDB_NAMESPACE::DB* database,
                         ROCKSDB_NAMESPACE::ColumnFamilyHandle* family);

// Bytes as hexadecimal digits, and back.
std::string ToHex(const std::string& bytes);
std::string FromHex(const std::string& digits);

// Returns whether RocksDB gives the right answer in a copy of the database, which `settings` are
// for, in a process of its own in which WINNOW_SHARED_HASH is `shared`; unset if that can't be
// found out. `program` runs AskInThisProcess with the arguments that follow --ask.
std::optional<bool> IsRightInOtherProcess(const std::string& program, const std::string& copy,
                                          const Difference& difference, const Extractor& extractor,
                                          const std::string& shared);

// Prints what the database says and ends with 0.
int AskInThisProcess(int argc, char** argv);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_BLAME_ASK_AGAIN_H_
