// The rule of a tree (known_trees.h), as text that goes to a compaction worker.

#ifndef WINNOW_SRC_ROCKSDB_TREES_TREE_TEXT_H_
#define WINNOW_SRC_ROCKSDB_TREES_TREE_TEXT_H_

#include <string>
#include <string_view>

#include "src/rocksdb/trees/known_trees.h"

namespace winnow::plugin {

// One line of printable ASCII, without its end: a name with the format's number, and hexadecimal
// digits. Sizes are rounded to whole numbers, places and heat to small fractions.
std::string TextOfRule(const WorkersRule& rule);

// The reverse. Formats 1 and 2, of 1.0 and of builds before 1.1.0, have the samples of
// lookups in place of rates, from which the worker finds lambda as well as it can.
// Returns an empty string, or a sentence about what is wrong with the text, and then *rule is of no
// use. No text makes a rule whose parts are larger than those of this process. May throw
// std::bad_alloc.
std::string RuleOfText(std::string_view text, WorkersRule* rule);

// Finds the first of several texts, each on a line, that is of the column family that *rule names,
// and sets *rule. Returns an empty string, or why there is none. May throw std::bad_alloc.
std::string FindRule(const std::string& texts, WorkersRule* rule);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_TREE_TEXT_H_
