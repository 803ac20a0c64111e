// The options that a policy builds by, and the reason why it refused others.

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

// Options that builders may read while SetOptions writes them. They are always valid. Safe from any
// number of threads; each function is one step.
class PolicyState {
 public:
  using Texts = std::unordered_map<std::string, std::string>;

  // The options must be valid.
  explicit PolicyState(const PolicyOptions& options);

  // By an id such as "winnow:10", which may be wrong. `predecessor`: the options of the policy that
  // this one replaces. If they are known, they stay in force when anything that is asked for is
  // refused; else the nearest valid options are in force then. RocksDB calls Configure next.
  PolicyState(const std::string& id, const std::optional<PolicyOptions>& predecessor);

  struct Snapshot {
    PolicyOptions options;  // by which filters are built
    std::string complaint;  // about what is not in force of what was asked for last; often empty
  };
  Snapshot Get() const;
  bool has_complaint() const;

  // Sets a function that is called with the options each time that they were set, in the thread
  // that sets them. To be called before any are set.
  void OnChange(std::function<void(const PolicyOptions&)> changed) {
    changed_ = std::move(changed);
  }

  // InvalidArgument with the complaint if the policy was made from wrong text, and nothing valid
  // was asked for since.
  ROCKSDB_NAMESPACE::Status Validate() const;

  // Sets all of the options or, with InvalidArgument, none. Unknown names go to *unused, or are
  // ignored if is_lenient, or are an error. Wrong values are always an error.
  ROCKSDB_NAMESPACE::Status Configure(const Texts& texts, bool is_lenient, Texts* unused);

  // Sets one option, as Configure does.
  ROCKSDB_NAMESPACE::Status Set(const std::string& name, const std::string& text);

  // The options for RocksDB's configuration of a registered PolicyState. Their text is that of
  // SavedOptionText; RocksDB leaves out empty ones. Lives as long as the library.
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
