// Lines in a database's LOG and on stderr about column families, of which a database may have
// hundreds.

#ifndef WINNOW_SRC_ROCKSDB_MESSAGES_FAMILY_LINES_H_
#define WINNOW_SRC_ROCKSDB_MESSAGES_FAMILY_LINES_H_

#include <rocksdb/env.h>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace winnow::plugin {

// Lines that were written about the column families of one database. Not thread-safe.
class FamilyLines {
 public:
  static constexpr size_t kMostNamed = 4;  // names in a line
  static constexpr size_t kMostLines = 8;  // lines that end alike, for families created one by one

  // Returns "column family a END", or one line for several families: "each of 100 column families
  // (a, b, c, d, ...) END". `of` follows "family" or "families"; it is empty, or " of DATABASE".
  // Returns an empty string if the line was returned before, or after kMostLines lines with this
  // end; the last of them says that further families are not named.
  std::string Next(const std::vector<std::string>& families, const std::string& of,
                   const std::string& end);

 private:
  std::map<std::string, std::set<std::string>> lines_;  // by their end
};

// Writes the next line to the database's LOG, as a warning. `logger` may be null. Never throws.
// Thread-safe.
void WarnOfFamiliesInLog(ROCKSDB_NAMESPACE::Logger* logger,
                         const std::vector<std::string>& families, const std::string& end) noexcept;

// Writes the next line to stderr with SayOnStderr. Never throws. Thread-safe.
void SayFamiliesOnStderr(const std::string& database, const std::vector<std::string>& families,
                         const std::string& end) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_MESSAGES_FAMILY_LINES_H_
