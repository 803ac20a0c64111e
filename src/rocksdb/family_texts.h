// Options of column families as text, from RocksDB's OPTIONS files. RocksDB's own functions replace
// objects that they can't make by null, and don't say so.

#ifndef WINNOW_SRC_ROCKSDB_FAMILY_TEXTS_H_
#define WINNOW_SRC_ROCKSDB_FAMILY_TEXTS_H_

#include <string>
#include <unordered_map>
#include <vector>

namespace winnow::plugin {

using OptionTexts = std::unordered_map<std::string, std::string>;  // keyed by option name

struct FamilyTexts {
  std::string name;
  OptionTexts family_options;
  std::string table_kind;  // name of its table factory
  OptionTexts table_options;
};

// Returns the column families of an OPTIONS file with this text, in its order. Lines that can't be
// parsed are ignored. May throw std::bad_alloc.
std::vector<FamilyTexts> ReadFamilyTexts(const std::string& text);

// Returns the text of an object among the options, or an empty string if there is none, or if it is
// "nullptr".
std::string ObjectText(const OptionTexts& options, const std::string& name);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_FAMILY_TEXTS_H_
