// Text form of a tree's rule (known_trees.h), which is sent to a compaction worker.

#ifndef WINNOW_SRC_ROCKSDB_REMOTE_FAMILY_TEXT_H_
#define WINNOW_SRC_ROCKSDB_REMOTE_FAMILY_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "src/family/shape.h"
#include "src/rocksdb/trees/known_trees.h"

namespace winnow::plugin {

// Maximum number of files in a text.
inline constexpr size_t kMostCarriedFiles = 4096;

// Sets the files of the rule, with their answers, and the bytes that their short keys lack. Joins
// neighbors until there are about `most_files`, at least 1. May throw std::bad_alloc.
void CarryFiles(const family::Shape& shape, size_t most_files, WorkersRule* rule);

// Returns one line of printable ASCII, without a newline: a name with the format's number, and
// hexadecimal digits. Sizes are rounded to whole numbers, bits to small fractions.
std::string TextOfRule(WorkersRule rule);

// Parses the text of TextOfRule. Returns an empty string, or a message if the text is invalid or of
// another format, as those of Winnow 1; *rule is then unspecified. No text makes a rule that is
// larger than those of this process. May throw std::bad_alloc.
std::string RuleOfText(std::string_view text, WorkersRule* rule);

// Finds the first of several texts, one per line, that is of the column family in *rule, and sets
// *rule. Returns an empty string, or the reason why there is none. May throw std::bad_alloc.
std::string FindRule(const std::string& texts, WorkersRule* rule);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_REMOTE_FAMILY_TEXT_H_
