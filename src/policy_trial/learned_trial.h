// The filters that a policy whose rates go by files or lookups would give the files of a tree that
// exists: by the policy's own code, which is told of files and lookups what a database would tell.

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

// The options of a policy that builds Winnow's filters, by its options string; nothing for any
// other policy.
std::optional<PolicyOptions> WinnowPolicyOf(const std::string& text);

// The same options with these bits a key and without a plan.
PolicyOptions WithBits(const PolicyOptions& policy, double bits_per_key);

// The options string of a policy, with bits_per_key and the options that are not at their defaults:
// "{id=winnow;bits_per_key=10;range_bits=15}".
std::string ShortText(const PolicyOptions& policy);

// The options of Winnow's policy by such a text without id and braces, as filter use has it
// (winnow/rocksdb_filter_use.h). What is unknown is left out.
PolicyOptions OptionsOfShortText(const std::string& text);

// Returns the knowledge of a tree that a policy has by the options of its column family.
plugin::KnownTree TreeByOptions(const TreeShape& shape);

// The facts that RocksDB tells a policy about a file of this place.
plugin::BuildFacts FactsOfPlace(const TreeShape& shape, const TreePlace& place);

struct LearnedFile {
  TreePlace place;
  std::string first;
  std::string last;
  uint64_t keys = 0;  // in its filter, not 0
};

// For one thread.
class LearnedTrial {
 public:
  // As many samples of lookups as the policy keeps, and the fewest that it learns from.
  static const size_t kMaxLookups;
  static const size_t kMinLookups;

  // All files that have filters, in the order in which lookups ask them.
  LearnedTrial(const TreeShape& shape, const std::vector<LearnedFile>& files);

  // A file's answer to a lookup.
  struct Answer {
    size_t file;
    bool has_key;
  };

  // A lookup that is sampled, and all that it asks, in the order of files.
  void LookUp(std::string_view key, const std::vector<Answer>& answers);

  // The bits a key of each file's filter, or 0, once the tree was written anew under this policy:
  // the last level once, and all of the levels above as often as their sizes say, by writes that
  // fall evenly; without levels, each file once, the oldest first. Files whose level is not known
  // have bits_per_key. What files can't tell is when their tree is written, and where.
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
  std::vector<std::vector<size_t>> levels_;  // those that have files, from the first one down
  plugin::KnownTree known_;
  std::shared_ptr<plugin::TreeRecord> record_;
  std::vector<double> bits_;
  std::vector<uint64_t> ids_;  // of each file as it was written last; 0: never
  std::string block_;          // of whose bytes nobody reads any
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_LEARNED_TRIAL_H_
