#include "src/rocksdb/policy_state.h"

#include "src/rocksdb/builders/builtin_builders.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy_options.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::ConfigOptions;
using ROCKSDB_NAMESPACE::OptionType;
using ROCKSDB_NAMESPACE::OptionTypeFlags;
using ROCKSDB_NAMESPACE::OptionTypeInfo;
using ROCKSDB_NAMESPACE::OptionVerificationType;
using ROCKSDB_NAMESPACE::Status;

PolicyState::PolicyState(const PolicyOptions& options)
    : stage_(Stage::kWorking), now_{options, {}} {}

PolicyState::PolicyState(const std::string& id, const std::optional<PolicyOptions>& predecessor)
    : stage_(Stage::kMade), now_{PolicyOptions(), {}}, predecessor_(predecessor) {
  if (const Status status = ParsePolicyId(id, &now_.options); !status.ok()) {
    now_.complaint = "filter policy " + Quoted(id) + ": " + status.getState();
    SetNearestPolicyId(id, &now_.options);
  }
}

PolicyState::Snapshot PolicyState::Get() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return now_;
}

bool PolicyState::has_complaint() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !now_.complaint.empty();
}

Status PolicyState::Validate() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stage_ == Stage::kWorking || now_.complaint.empty()
             ? Status::OK()
             : Status::InvalidArgument(now_.complaint);
}

Status PolicyState::Configure(const Texts& texts, bool is_lenient, Texts* unused) {
  const Status status = Take(texts, is_lenient, unused);
  if (status.ok() && changed_) changed_(Get().options);
  return status;
}

Status PolicyState::Take(const Texts& texts, bool is_lenient, Texts* unused) {
  const std::lock_guard<std::mutex> lock(mutex_);
  PolicyOptions asked = now_.options;
  std::string problem;
  for (const auto& [name, text] : texts) {
    const Status status = ParsePolicyOption(name, text, &asked);
    if (status.ok()) {
      continue;
    }
    if (status.IsNotFound() && unused != nullptr) {
      unused->emplace(name, text);
    } else if (!status.IsNotFound() || !is_lenient) {
      problem = status.getState();
      SetNearestPolicyOption(name, text, &asked);
    }
  }
  if (const Status status = CheckTogether(asked); !status.ok()) {
    problem = problem.empty() ? status.getState() : problem;
    asked.absent_share = PolicyOptions().absent_share;
  }
  if (const Status status = CheckBuild(asked); !status.ok()) {
    problem = problem.empty() ? status.getState() : problem;
    asked.build = now_.options.build;
  }
  if (stage_ != Stage::kMade) {
    // The policy may be in use already.
    now_.complaint = problem;
    if (problem.empty()) {
      now_.options = asked;
      stage_ = Stage::kWorking;
      return Status::OK();
    }
    return Status::InvalidArgument(problem);
  }
  if (now_.complaint.empty()) {
    now_.complaint = problem;
  }
  stage_ = now_.complaint.empty() ? Stage::kWorking : Stage::kRefusing;
  now_.options = stage_ == Stage::kRefusing ? predecessor_.value_or(asked) : asked;
  return now_.complaint.empty() ? Status::OK() : Status::InvalidArgument(now_.complaint);
}

Status PolicyState::Set(const std::string& name, const std::string& text) {
  return Configure({{name, text}}, false, nullptr);
}

const std::unordered_map<std::string, OptionTypeInfo>& PolicyState::OptionTypes() {
  // Never destroyed: policies may outlive static objects.
  static const auto& types = *[] {
    // RocksDB adds this offset to the object's address to find a member. Zero passes the object
    // itself, as only the object may read and write its members.
    constexpr int kOffset = 0;
    auto* made = new std::unordered_map<std::string, OptionTypeInfo>;
    for (const std::string& option : PolicyOptionNameList()) {
      const auto text = [option](const void* state) {
        return SavedOptionText(option, static_cast<const PolicyState*>(state)->Get().options);
      };
      made->emplace(option, OptionTypeInfo(
                                kOffset, OptionType::kUnknown, OptionVerificationType::kNormal,
                                OptionTypeFlags::kMutable,
                                [option](const ConfigOptions&, const std::string&,
                                         const std::string& value, void* state) {
                                  return static_cast<PolicyState*>(state)->Set(option, value);
                                },
                                [text](const ConfigOptions&, const std::string&, const void* state,
                                       std::string* value) {
                                  *value = text(state);
                                  return Status::OK();
                                },
                                [text](const ConfigOptions&, const std::string& name,
                                       const void* one, const void* other, std::string* mismatch) {
                                  if (text(one) == text(other)) {
                                    return true;
                                  }
                                  *mismatch = name;
                                  return false;
                                }));
    }
    return made;
  }();
  return types;
}

}  // namespace winnow::plugin
