#include "src/rocksdb/policy.h"

#include <rocksdb/table.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "src/core/struct_size.h"
#include "src/rocksdb/bits_reader.h"
#include "src/rocksdb/policy_options.h"
#include "src/rocksdb/version_guard.h"
#include "third_party/rocksdb_abi/type_information.h"

namespace winnow {
namespace plugin {

using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// State of a policy that its successor inherits.
struct Predecessor {
  const std::string* id;  // not dereferenced
  PolicyOptions options;
  std::weak_ptr<KnownFiles> known;
};

namespace {

// State that the last call of IsInstanceOf in this thread left for the successor. A pointer, as
// static TLS is scarce in libraries that are loaded by dlopen().
thread_local std::unique_ptr<const Predecessor> last_asked;

// RocksDB passes one string object to IsInstanceOf and to the factory: the id is that of another
// policy if it is an equal string, after a program's own call or a policy that could not be made.
std::unique_ptr<const Predecessor> TakePredecessor(const std::string& id) {
  std::unique_ptr<const Predecessor> asked = std::exchange(last_asked, nullptr);
  if (asked != nullptr && asked->id != &id) asked.reset();
  return asked;
}

}  // namespace

Policy::Policy(const PolicyOptions& options, std::shared_ptr<const FilterPolicy> builtin)
    : state_(options),
      builtin_(std::move(builtin)),
      engine_(this, nullptr, [this] { return state_.Get().options; }) {
  Register();
}

Policy::Policy(const std::string& id, std::shared_ptr<const FilterPolicy> builtin,
               std::unique_ptr<const Predecessor> predecessor)
    : state_(id, predecessor ? std::optional(predecessor->options) : std::nullopt),
      builtin_(std::move(builtin)),
      engine_(
          this, predecessor ? predecessor->known.lock() : nullptr,
          [this] { return state_.Get().options; },
          predecessor ? plugin::ToString(predecessor->options) : std::string()) {
  Register();
}

void Policy::Register() {
  engine_.NamePolicy(state_.Get().options);
  state_.OnChange([this](const PolicyOptions& options) { engine_.NamePolicy(options); });
  RegisterOptions("WinnowFilterOptions", &state_, &PolicyState::OptionTypes());
}

bool Policy::IsInstanceOf(const std::string& name) const {
  if (const std::string own = name.substr(0, name.find(':')); own == NickName() || own == Name()) {
    last_asked = std::make_unique<const Predecessor>(
        Predecessor{&name, state_.Get().options, engine_.known()});
  }
  return FilterPolicy::IsInstanceOf(name);
}

FilterBitsBuilder* Policy::GetBuilderWithContext(const FilterBuildingContext& context) const {
  const PolicyState::Snapshot now = state_.Get();
  return engine_.NewBuilder(Name(), now.options, now.complaint, context);
}

FilterBitsReader* Policy::GetFilterBitsReader(const Slice& contents) const {
  // A database that is opened read-only asks for no builder and does not validate options, so the
  // complaint is reported here.
  if (state_.has_complaint()) {
    try {
      const PolicyState::Snapshot now = state_.Get();
      engine_.log_line().ComplainOnce(Name(), now.options, now.complaint);
    } catch (...) {
      // Out of memory: lookups go on without the complaint.
    }
  }
  return engine_.NewReader(contents, *builtin_);
}

Status Policy::ConfigureOptions(const ConfigOptions& config_options,
                                const std::unordered_map<std::string, std::string>& opts_map,
                                std::unordered_map<std::string, std::string>* unused) {
  PolicyState::Texts texts;
  for (const auto& [name, text] : opts_map) {
    texts.emplace(GetOptionName(name), text);
  }
  const Status status = state_.Configure(texts, config_options.ignore_unknown_options, unused);
  return status.ok() ? FilterPolicy::ConfigureOptions(config_options, {}, unused) : status;
}

Status Policy::GetOption(const ConfigOptions& config_options, const std::string& name,
                         std::string* value) const {
  *value = PolicyOptionText(GetOptionName(name), state_.Get().options);
  return value->empty() ? FilterPolicy::GetOption(config_options, name, value) : Status::OK();
}

Status Policy::ValidateOptions(const DBOptions& db_opts, const ColumnFamilyOptions& cf_opts) const {
  const Status status = state_.Validate();
  engine_.NoteDatabaseOptions(db_opts, cf_opts);
  return status.ok() ? FilterPolicy::ValidateOptions(db_opts, cf_opts) : status;
}

Status MakePolicyFromId(const std::string& id, std::unique_ptr<const FilterPolicy>* policy) {
  std::shared_ptr<const FilterPolicy> builtin;
  std::unique_ptr<const Predecessor> predecessor = TakePredecessor(id);
  const Status status = NewBuiltinReader(&builtin);
  if (status.ok()) {
    *policy = std::make_unique<const Policy>(id, std::move(builtin), std::move(predecessor));
  }
  return status;
}

}  // namespace plugin

ROCKSDB_NAMESPACE::Status NewFilterPolicy(
    const PolicyOptions* asked, size_t size,
    std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>* policy) {
  using ROCKSDB_NAMESPACE::Status;
  if (const std::string& problem = plugin::VersionProblem(); !problem.empty()) {
    return Status::NotSupported(problem);
  }
  if (const std::string problem = core::CheckStructSize("PolicyOptions", size, sizeof *asked);
      !problem.empty()) {
    return Status::NotSupported(problem);
  }
  const PolicyOptions options = core::OfCaller(asked, size);
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin;
  Status status = plugin::CheckPolicyOptions(options);
  if (status.ok()) status = plugin::NewBuiltinReader(&builtin);
  if (status.ok()) status = plugin::CheckBuild(options);
  if (status.ok()) *policy = std::make_shared<const plugin::Policy>(options, std::move(builtin));
  return status;
}

}  // namespace winnow
