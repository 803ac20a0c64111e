// Reads what the text of an OPTIONS file says of its column families. RocksDB has no public way to
// ask for it, and what it loads does not tell a policy that was dropped from one that was never
// there.

#ifndef WINNOW_SRC_DATABASE_OPTIONS_TEXT_H_
#define WINNOW_SRC_DATABASE_OPTIONS_TEXT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

struct FamilyText {
  std::string name;                   // of the column family
  std::optional<std::string> policy;  // unset: the file says nothing about it
  std::string comparator;             // its name; empty: the file says nothing about it

  // The values of other options that filters depend on. Empty: the file says nothing about them, or
  // nullptr.
  std::string prefix_extractor;
  std::string memtable;               // memtable_factory
  std::string memtable_prefix_bloom;  // memtable_prefix_bloom_size_ratio
  std::string whole_keys;             // whole_key_filtering

  template <typename Code>
  void Fields(Code& code) {
    code(name, policy, comparator, prefix_extractor, memtable, memtable_prefix_bloom, whole_keys);
  }
};

// In the order of the file. Empty, or a sentence that says what is wrong with the file, which
// leaves *families as it is.
std::string ReadFamilies(const std::string& path, std::vector<FamilyText>* families);

// The name of each column family's comparator as the file says it, also of those that this program
// does not have. Empty where the file can't be read. `path` is as for FindOptionsFile.
std::map<std::string, std::string> ComparatorsOfOptionsFile(const std::string& path);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_OPTIONS_TEXT_H_
