// Parses the text of an OPTIONS file. RocksDB has no public parser, and its loaded options don't
// distinguish a policy that was dropped from one that is not in the file.

#ifndef WINNOW_SRC_DATABASE_OPTIONS_TEXT_H_
#define WINNOW_SRC_DATABASE_OPTIONS_TEXT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

struct FamilyText {
  std::string name;                   // name of the column family
  std::optional<std::string> policy;  // nullopt if the file does not set it
  std::string comparator;             // name of the comparator; empty if the file does not set it

  // Values of other options that affect filters; empty if the file sets them to nullptr or does not
  // set them.
  std::string prefix_extractor;
  std::string memtable;               // memtable_factory
  std::string memtable_prefix_bloom;  // memtable_prefix_bloom_size_ratio
  std::string whole_keys;             // whole_key_filtering

  template <typename Code>
  void Fields(Code& code) {
    code(name, policy, comparator, prefix_extractor, memtable, memtable_prefix_bloom, whole_keys);
  }
};

// Reads the column families in the order of the file. Returns an empty string, or a sentence if the
// file is invalid, in which case *families is unchanged.
std::string ReadFamilies(const std::string& path, std::vector<FamilyText>* families);

// Returns the name of each column family's comparator in the file, known to this program or not.
// Empty if the file can't be read. `path` is as for FindOptionsFile().
std::map<std::string, std::string> ComparatorsOfOptionsFile(const std::string& path);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_DATABASE_OPTIONS_TEXT_H_
