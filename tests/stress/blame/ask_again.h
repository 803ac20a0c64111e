// Repeats a lookup in any database with equal contents.

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
  std::string status;  // if neither OK nor NotFound

  bool IsRight(const Difference& difference) const {
    return status.empty() && found == difference.expected;
  }
  std::string ToString() const;  // readable text
};

// Looks up the key of the difference by the same kind of read, without the snapshot.
Answer AskAgain(const Difference& difference, const Extractor& extractor,
                ROCKSDB_NAMESPACE::DB* database, ROCKSDB_NAMESPACE::ColumnFamilyHandle* family);

// Looks up the key by a total-order iterator, which uses no filters, at the snapshot if there is
// one.
Answer AskWithoutFilters(const Difference& difference, ROCKSDB_NAMESPACE::DB* database,
                         ROCKSDB_NAMESPACE::ColumnFamilyHandle* family);

// Convert bytes to hexadecimal digits and back.
std::string ToHex(const std::string& bytes);
std::string FromHex(const std::string& digits);

// Returns whether RocksDB gives the right answer from a copy of the database, in another process
// whose only lookup it is; nullopt if that process fails. `extractor` is the column family's.
// `program` calls AskInThisProcess with the arguments after --ask.
std::optional<bool> IsRightInOtherProcess(const std::string& program, const std::string& copy,
                                          const Difference& difference, const Extractor& extractor);

// Prints the database's answer. Returns 0.
int AskInThisProcess(int argc, char** argv);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_BLAME_ASK_AGAIN_H_
