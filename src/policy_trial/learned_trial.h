// Filters that a policy with rates by files or lookups would give the files of an existing tree.
// Uses the policy's own code, which is shown files and lookups as by a database.

#ifndef WINNOW_SRC_POLICY_TRIAL_LEARNED_TRIAL_H_
#define WINNOW_SRC_POLICY_TRIAL_LEARNED_TRIAL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/database/tree_shape.h"
#include "src/policy_trial/trial_filter.h"
#include "src/rocksdb/trees/context.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {
struct TreeRecord;  // known_trees.h
}  // namespace winnow::plugin

namespace winnow::inspect {

// Returns the options of a policy that builds Winnow's filters, given its options string; nullopt
// for any other policy.
std::optional<PolicyOptions> WinnowPolicyOf(const std::string& text);

// Returns these options with these bits per key and without a plan.
PolicyOptions WithBits(const PolicyOptions& policy, double bits_per_key);

// Returns the options string of a policy, with bits_per_key and the options that are not at their
// defaults: "{id=winnow;bits_per_key=10;range_bits=15}".
std::string ShortText(const PolicyOptions& policy);

// Returns the options of Winnow's policy, given such a text without id and braces, as in filter use
// (winnow/rocksdb_filter_use.h). Unknown options are ignored.
PolicyOptions OptionsOfShortText(const std::string& text);

// Returns a policy's facts of a tree, by the options of its column family.
plugin::KnownTree TreeByOptions(const TreeShape& shape);

// Returns the facts that RocksDB tells a policy about a file at this place.
plugin::BuildFacts FactsOfPlace(const TreeShape& shape, const TreePlace& place);

struct LearnedFile {
  TreePlace place;
  std::string first;
  std::string last;
  uint64_t keys = 0;  // keys in its filter, not 0
};

// Simulation of a tree under a policy. Not thread-safe.
class LearnedTrial {
 public:
  // Maximum number of samples of lookups that the policy keeps, and minimum that it learns from.
  static const size_t kMaxLookups;
  static const size_t kMinLookups;

  // `files` must be all files that have filters, in the order in which lookups check them.
  LearnedTrial(const TreeShape& shape, const std::vector<LearnedFile>& files);

  // Answer of a file to a lookup.
  struct Answer {
    size_t file;
    bool has_key;
  };

  // Records a sampled lookup with the answers of all files that it checks, in the order of files.
  void LookUp(std::string_view key, const std::vector<Answer>& answers);

  // Returns the bits per key of each file's filter, or 0, after the tree was rewritten under this
  // policy: the last level once, and the levels above as often as their sizes require for uniform
  // writes; without levels, each file once, oldest first. Files on an unknown level have
  // bits_per_key. The files do not tell when and where their tree is written.
  std::vector<double> BitsOnceWritten(const PolicyOptions& policy);

 private:
  bool IsLeveled() const { return shape_.style == ROCKSDB_NAMESPACE::kCompactionStyleLevel; }
  void WriteAll(const PolicyOptions& policy);
  void WriteAbove(size_t levels, const PolicyOptions& policy);
  void WriteSome(size_t level, size_t begin, size_t end, const PolicyOptions& policy);
  void Write(size_t number, const PolicyOptions& policy);
  double KeysOf(size_t level) const;

  const std::vector<LearnedFile> files_;
  const TreeShape shape_;
  std::vector<std::vector<size_t>> levels_;  // levels that have files, from the top
  plugin::KnownTree known_;
  std::shared_ptr<plugin::TreeRecord> record_;
  std::vector<double> bits_;
  std::vector<uint64_t> ids_;  // latest id of each file; 0 if never written
  std::string block_;          // buffer for a filter, whose bytes are not read
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_LEARNED_TRIAL_H_
