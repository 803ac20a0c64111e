// What a policy builds by, and what it refused.

#ifndef WINNOW_SRC_ROCKSDB_POLICY_STATE_H_
#define WINNOW_SRC_ROCKSDB_POLICY_STATE_H_

#include <rocksdb/status.h>
#include <rocksdb/utilities/options_type.h>

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "winnow/rocksdb_policy.h"

namespace winnow::plugin {

// Options that builders read while a database's SetOptions writes them. They are valid always. Safe
// from any number of threads, each function in one step.
class PolicyState {
 public:
  using Texts = std::unordered_map<std::string, std::string>;

  // Of options that are valid.
  explicit PolicyState(const PolicyOptions& options);

  // Of an id such as "winnow:10", which need not be right. `predecessor` are the options of the
  // policy in whose place this one is made; where they are known, they stay in force if anything of
  // what is asked for is refused, and else what is nearest to that. RocksDB calls Configure next.
  PolicyState(const std::string& id, const std::optional<PolicyOptions>& predecessor);

  struct Snapshot {
    PolicyOptions options;  // by which filters are built
    std::string complaint;  // about what is not in force of what was asked for last; often empty
  };
  Snapshot Get() const;
  bool has_complaint() const;

  // Is called with the options each time that they were set, in the thread that sets them. Before
  // any are.
  void OnChange(std::function<void(const PolicyOptions&)> changed) {
    changed_ = std::move(changed);
  }

  // InvalidArgument with the complaint if the policy was made from text that is wrong, and nothing
  // was asked for since that is right.
  ROCKSDB_NAMESPACE::Status Validate() const;

  // Sets all of the options or, with InvalidArgument, none. Names that are unknown go to *unused,
  // are ignored if is_lenient, or are an error; values that are wrong always are one.
  ROCKSDB_NAMESPACE::Status Configure(const Texts& texts, bool is_lenient, Texts* unused);

  // Sets one, as Configure.
  ROCKSDB_NAMESPACE::Status Set(const std::string& name, const std::string& text);

  // The options for RocksDB's configuration, of a PolicyState that is registered. Their text is
  // that of SavedOptionText: RocksDB leaves out what is empty. Lives as long as the library.
  static const std::unordered_map<std::string, ROCKSDB_NAMESPACE::OptionTypeInfo>& OptionTypes();

 private:
  enum class Stage { kMade, kRefusing, kWorking };

  ROCKSDB_NAMESPACE::Status Take(const Texts& texts, bool is_lenient, Texts* unused);

  mutable std::mutex mutex_;
  Stage stage_;
  Snapshot now_;
  std::optional<PolicyOptions> predecessor_;
  std::function<void(const PolicyOptions&)> changed_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_POLICY_STATE_H_
