// What is known of a tree, as text that goes to another process.

#ifndef WINNOW_SRC_ROCKSDB_TREES_TREE_TEXT_H_
#define WINNOW_SRC_ROCKSDB_TREES_TREE_TEXT_H_

#include <string>
#include <string_view>

#include "src/rocksdb/trees/known_trees.h"

namespace winnow::plugin {

// One line of printable ASCII, without its end: a name with the format's number, and hexadecimal
// digits. Sizes and ages are rounded to whole numbers, places of samples to some ten thousandths,
// and their weights to hundredths.
std::string TextOfTree(const CarriedTree& tree);

// The reverse. Returns an empty string, or a sentence about what is wrong with the text, and then
// *tree is of no use. No text makes a tree whose parts are larger than those of a record in this
// process. May throw std::bad_alloc.
std::string TreeOfText(std::string_view text, CarriedTree* tree);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_TREE_TEXT_H_
