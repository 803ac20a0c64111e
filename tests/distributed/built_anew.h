// Checks whether an SST file has the filter that its keys give.

#ifndef WINNOW_TESTS_DISTRIBUTED_BUILT_ANEW_H_
#define WINNOW_TESTS_DISTRIBUTED_BUILT_ANEW_H_

#include <rocksdb/filter_policy.h>

#include <optional>
#include <string>

#include "winnow/options.h"

namespace winnow::distributed {

struct FilterCheck {
  enum class Is {
    kEqual,      // a filter of Winnow's, byte for byte
    kDifferent,  // one of Winnow's that is another
    kForeign,    // one of a policy of RocksDB's
    kNone,       // none, but keys that one should have
    kNeedless,   // none, and no keys or a policy that gives some files none
  };
  Is is = Is::kNone;
  std::string what;  // a few words for people
};

// How a filter is built anew.
struct Recipe {
  // Those of the policy, where all its filters are built by the same ones. Unset: those that the
  // stored filter records in its tail.
  std::optional<FilterOptions> options;
  // The policy gives some files no filter, to keep within filter_memory or by absent_share=0.
  bool may_be_none = false;
  bool with_another_key = false;  // a fault that must be found: in the place of one of the file's
};

// By the policy's options, if it is Winnow's and has neither a level plan nor filter_memory.
Recipe RecipeOf(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Reads all keys of the file, builds their filter, and compares the bytes. Of keys in the order of
// bytes, and of filters that are not cut into partitions. Throws std::runtime_error if the file
// can't be read.
FilterCheck CheckFilter(const std::string& path, const Recipe& recipe);

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_BUILT_ANEW_H_
