// Options in force of a policy, and the reason why other options were refused.

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

// Options that builders may read while SetOptions writes them. The options are always valid.
// Thread-safe; each function is atomic.
class PolicyState {
 public:
  using Texts = std::unordered_map<std::string, std::string>;

  // `options` must be valid.
  explicit PolicyState(const PolicyOptions& options);

  // Makes the options of an id such as "winnow:10", which may be invalid. `predecessor` has the
  // options of the policy that this one replaces, if known. If any option is refused, the
  // predecessor's options stay in force, or else the nearest valid options. RocksDB calls Configure
  // next.
  PolicyState(const std::string& id, const std::optional<PolicyOptions>& predecessor);

  struct Snapshot {
    PolicyOptions options;  // options in force, for building
    std::string complaint;  // reason if the last options are not in force
  };
  Snapshot Get() const;
  bool has_complaint() const;

  // Sets a callback that gets the options each time they are set, in the thread that sets them.
  // Must be called before any option is set.
  void OnChange(std::function<void(const PolicyOptions&)> changed) {
    changed_ = std::move(changed);
  }

  // Returns InvalidArgument with the complaint if the policy was made from invalid text, and no
  // valid options were set since.
  ROCKSDB_NAMESPACE::Status Validate() const;

  // Sets all of the options or, with InvalidArgument, none. Unknown names go to *unused; if that is
  // null, they are ignored if is_lenient, else an error. Invalid values are always an error.
  ROCKSDB_NAMESPACE::Status Configure(const Texts& texts, bool is_lenient, Texts* unused);

  // Sets one option. Returns the errors of Configure.
  ROCKSDB_NAMESPACE::Status Set(const std::string& name, const std::string& text);

  // Returns the option types for RocksDB's configuration of a registered PolicyState. Their text is
  // that of SavedOptionText; RocksDB leaves out empty ones. Lives as long as the library.
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
