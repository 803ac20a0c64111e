// Checks that an SST file has the filter that its keys give.

#ifndef WINNOW_TESTS_DISTRIBUTED_BUILT_ANEW_H_
#define WINNOW_TESTS_DISTRIBUTED_BUILT_ANEW_H_

#include <rocksdb/filter_policy.h>

#include <optional>
#include <string>

#include "winnow/options.h"

namespace winnow::distributed {

struct FilterCheck {
  enum class Is {
    kEqual,      // a Winnow filter with the expected bytes
    kDifferent,  // a Winnow filter with other bytes
    kForeign,    // a filter of one of RocksDB's policies
    kNone,       // no filter, although the keys need one
    kNeedless,   // no filter and none needed: no keys, or the policy leaves some files without
  };
  Is is = Is::kNone;
  std::string what;  // a short description
};

// Options for rebuilding a filter.
struct Recipe {
  // The policy's filter options if they are the same for all its filters. If unset, those that the
  // stored filter's tail records are used.
  std::optional<FilterOptions> options;
  // True if the policy may leave files without a filter, because of filter_memory or
  // absent_share=0.
  bool may_be_none = false;
  bool with_another_key = false;  // planted fault: replaces one of the file's keys
};

// Returns the recipe for `policy`, with options if it is Winnow's and has neither a level plan nor
// filter_memory.
Recipe RecipeOf(const ROCKSDB_NAMESPACE::FilterPolicy& policy);

// Reads all keys of the file, rebuilds their filter, and compares the bytes. Requires bytewise key
// order and unpartitioned filters. Throws std::runtime_error if the file can't be read.
FilterCheck CheckFilter(const std::string& path, const Recipe& recipe);

}  // namespace winnow::distributed

#endif  // WINNOW_TESTS_DISTRIBUTED_BUILT_ANEW_H_
