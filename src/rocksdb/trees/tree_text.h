// Text form of a tree's rule (known_trees.h), which is sent to a compaction worker.

#ifndef WINNOW_SRC_ROCKSDB_TREES_TREE_TEXT_H_
#define WINNOW_SRC_ROCKSDB_TREES_TREE_TEXT_H_

#include <string>
#include <string_view>

#include "src/rocksdb/trees/known_trees.h"

namespace winnow::plugin {

// Returns one line of printable ASCII, without a newline: a name with the format's number, and
// hexadecimal digits. Sizes are rounded to whole numbers, places and heat to small fractions.
std::string TextOfRule(const WorkersRule& rule);

// Parses the text of TextOfRule. Formats 1 and 2, of version 1.0 and of builds before 1.1.0, have
// samples of lookups instead of rates, from which the worker computes lambda as well as it can.
// Returns an empty string, or a message if the text is invalid; *rule is then unspecified. No text
// makes a rule that is larger than those of this process. May throw std::bad_alloc.
std::string RuleOfText(std::string_view text, WorkersRule* rule);

// Finds the first of several texts, one per line, that is of the column family in *rule, and sets
// *rule. Returns an empty string, or the reason why there is none. May throw std::bad_alloc.
std::string FindRule(const std::string& texts, WorkersRule* rule);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_TREE_TEXT_H_
