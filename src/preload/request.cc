#include "src/preload/request.h"

#include <rocksdb/configurable.h>
#include <rocksdb/status.h>

#include <cstdlib>
#include <string_view>
#include <unordered_map>

#include "src/preload/report.h"
#include "src/rocksdb/version_guard.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::Configurable;
using ROCKSDB_NAMESPACE::Status;

// Read once and copied: a program may change its environment at any time.
struct Environment {
  std::string policy;
  bool add = false;
  bool log = false;
};

bool IsOne(const char* value) { return value != nullptr && std::string_view(value) == "1"; }

const Environment& GetEnvironment() {
  static const Environment& environment = *[] {
    auto* const read = new Environment;
    if (const char* policy = std::getenv("WINNOW_POLICY")) {
      read->policy = policy;
    }
    read->add = IsOne(std::getenv("WINNOW_ADD"));
    read->log = IsOne(std::getenv("WINNOW_LOG"));
    return read;
  }();
  return environment;
}

// The sentence of a status that is not OK; the kind of error is plain from it.
std::string Sentence(const Status& status) {
  return status.getState() != nullptr ? status.getState() : status.ToString();
}

}  // namespace

std::string ParsePolicyRequest(const std::string& text, PolicyRequest* request) {
  std::string id;
  std::unordered_map<std::string, std::string> properties;
  PolicyRequest parsed;
  Status status = Configurable::GetOptionsMap(text, "", &id, &properties);
  if (status.ok()) {
    status = plugin::ParsePolicyId(id, &parsed.options);
  }
  for (const auto& [name, value] : properties) {
    if (status.ok()) {
      status = plugin::ParsePolicyOption(name, value, &parsed.options);
    }
  }
  if (!status.ok()) {
    return "WINNOW_POLICY is \"" + text +
           "\", of which no policy can be made: " + Sentence(status) +
           "; expected winnow, winnow:BITS or {id=winnow;bits_per_key=BITS;ribbon_min_keys=KEYS}";
  }
  parsed.has_bits = id.find(':') != std::string::npos || properties.count("bits_per_key") > 0;
  *request = parsed;
  return {};
}

bool IsInterposing() {
  if (GetEnvironment().policy.empty()) {
    return false;
  }
  const std::string& problem = plugin::VersionProblem();
  if (!problem.empty()) {
    SayOnce(problem + "; WINNOW_POLICY has no effect");
    return false;
  }
  return true;
}

void SayIfRefused(const std::string& options_string) {
  const std::string& problem = plugin::VersionProblem();
  if (!problem.empty() && options_string.find("winnow") != std::string::npos) {
    SayOnce(problem);
  }
}

const PolicyRequest& RequestedPolicy() {
  static const PolicyRequest& request = *[] {
    auto* const parsed = new PolicyRequest;
    const std::string problem = ParsePolicyRequest(GetEnvironment().policy, parsed);
    if (!problem.empty()) {
      EndProgram(problem);
    }
    return parsed;
  }();
  return request;
}

bool IsAdding() { return GetEnvironment().add; }

bool IsLogging() { return GetEnvironment().log; }

}  // namespace winnow::preload
