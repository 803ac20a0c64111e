// Filters that a policy with rates by files and lookups would give the files of an existing tree,
// by the policy's own record of them.

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
#include "src/family/family.h"
#include "src/policy_trial/trial_filter.h"
#include "src/rocksdb/trees/context.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::inspect {

// Returns the options of a policy that builds Winnow's filters, given its options string; nullopt
// for any other policy.
std::optional<PolicyOptions> WinnowPolicyOf(const std::string& text);

// Returns a sentence about options of Winnow's policy that have no effect; empty if there are none,
// and for other policies.
std::string OptionsWithoutEffect(const std::string& text);

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

// A tree at rest under a policy. Not thread-safe.
class LearnedTrial {
 public:
  // Maximum number of sampled lookups, and minimum that the policy learns from.
  static constexpr size_t kMaxLookups = 1 << 14;
  static constexpr size_t kMinLookups = 256;

  // `files` must be all files that have filters, in the order in which lookups check them.
  LearnedTrial(const TreeShape& shape, const std::vector<LearnedFile>& files);

  // Answer of a file to a lookup.
  struct Answer {
    size_t file;
    bool has_key;
  };

  // Records a sampled lookup with the answers of all files that it checks. Older lookups count less
  // and less, so that the order has to be that of time, or of chance.
  void LookUp(std::string_view key, const std::vector<Answer>& answers);

  // A file's filter once every file was written under a policy beside the others.
  struct Written {
    bool has_filter = false;
    std::optional<family::Decided> decided{};  // by the rule; unset for files on an unknown level
    double more_on_level = 0;                  // Shape::MoreOnLevel
  };
  std::vector<Written> OnceWritten(const PolicyOptions& policy) const;

  // Returns the bits per key of each file's filter, or 0, without filter_memory. Files on an
  // unknown level have bits_per_key.
  std::vector<double> BitsOnceWritten(const PolicyOptions& policy) const;

 private:
  // Returns the lambda, as in Log2LambdaFor, with which these filters take filter_memory.
  double Log2LambdaOf(const PolicyOptions& policy, const family::Shape& shape) const;

  const std::vector<LearnedFile> files_;
  const TreeShape shape_;
  plugin::KnownTree known_;
  family::Family family_;
  std::vector<family::FilePtr> live_;  // by file; null on an unknown level
  double counted_ = 0;                 // answers in the counters of these
};

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_POLICY_TRIAL_LEARNED_TRIAL_H_
