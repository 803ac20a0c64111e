#include "src/preload/request.h"

#include <rocksdb/configurable.h>
#include <rocksdb/status.h>
#include <strings.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "src/rocksdb/builders/builtin_builders.h"
#include "src/rocksdb/messages/stderr_line.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::Configurable;
using ROCKSDB_NAMESPACE::Status;

constexpr std::string_view kRead = "read";
constexpr std::string_view kStock = "stock";

// Environment variables. Read once and copied, as a program may change its environment at any time.
struct Environment {
  std::string policy;
  double range_bits = 0;
  std::string range_bits_problem;
  bool add = false;
};

bool IsOne(const char* value) { return value != nullptr && std::string_view(value) == "1"; }

const Environment& GetEnvironment() {
  static const Environment& environment = *[] {
    auto* const read = new Environment;
    if (const char* policy = std::getenv("WINNOW_POLICY")) {
      read->policy = policy;
    }
    if (read->policy.empty()) {
      read->policy = policy_if_unset.load();
    }
    if (const char* bits = std::getenv("WINNOW_RANGE_BITS"); bits != nullptr && *bits != '\0') {
      const Status status = plugin::ParseRangeBits(bits, &read->range_bits);
      if (!status.ok()) read->range_bits_problem = Sentence(status);
    }
    read->add = IsOne(std::getenv("WINNOW_ADD"));
    return read;
  }();
  return environment;
}

// Returns whether the id begins with this word in any case, such as "Read" or "reads".
bool LooksLike(std::string_view word, const std::string& id) {
  return id.size() >= word.size() && ::strncasecmp(id.data(), word.data(), word.size()) == 0;
}

}  // namespace

std::string Sentence(const Status& status) {
  return status.getState() != nullptr ? status.getState() : status.ToString();
}

PolicyRequest ParsePolicyRequest(const std::string& text) {
  PolicyRequest request;
  if (text == kRead) {
    request.only_reads = true;
    return request;
  }
  const double default_bits = request.options.bits_per_key;
  request.options.bits_per_key = std::numeric_limits<double>::quiet_NaN();  // unset
  PolicyOptions checked = PolicyOptions();  // stays valid, as parsing an option checks all
  std::string id;
  std::unordered_map<std::string, std::string> properties;
  Status status = Configurable::GetOptionsMap(text, "", &id, &properties);
  const auto note = [&status](const Status& problem) { status = status.ok() ? problem : status; };
  if (status.ok()) {
    note(plugin::ParsePolicyId(id, &checked));
    plugin::SetNearestPolicyId(id, &request.options);
    for (const auto& [name, value] : properties) {
      note(plugin::ParsePolicyOption(name, value, &checked));
      plugin::SetNearestPolicyOption(name, value, &request.options);
    }
    note(plugin::CheckTogether(checked));
  }
  if (!status.ok()) {
    if (LooksLike(kRead, id) || LooksLike(kStock, id)) {
      request.options.build = Build::kBloomFilter;  // all readers know these filters
    }
    request.complaint =
        "WINNOW_POLICY is " + plugin::Quoted(text) +
        ", which is not a valid policy: " + Sentence(status) +
        "; expected winnow, winnow:BITS, {id=winnow;bits_per_key=BITS;ribbon_min_keys=KEYS}, "
        "stock, which leaves all as it is without Winnow, or read, which builds only the "
        "program's own filters";
  }
  request.has_bits = !std::isnan(request.options.bits_per_key);
  if (!request.has_bits) {
    request.options.bits_per_key = default_bits;
  }
  if (!plugin::CheckTogether(request.options).ok()) {
    request.options.absent_share = PolicyOptions().absent_share;
  }
  return request;
}

bool IsInterposing() { return !GetEnvironment().policy.empty() && !IsLeftAsItWas(); }

bool IsLeftAsItWas() { return GetEnvironment().policy == kStock; }

const PolicyRequest& RequestedPolicy() {
  static const PolicyRequest& request = *[] {
    auto* const parsed = new PolicyRequest(ParsePolicyRequest(GetEnvironment().policy));
    if (parsed->builds_ours() && GetEnvironment().range_bits > 0) {
      parsed->options.range_bits = GetEnvironment().range_bits;
    }
    return parsed;
  }();
  return request;
}

bool AddsRanges() {
  return HasRangeBits() && CheckedPolicy().builds_ours() && CheckedPolicy().complaint.empty();
}

const PolicyRequest& CheckedPolicy() {
  static const PolicyRequest& checked = *[] {
    auto* const request = new PolicyRequest(RequestedPolicy());
    if (const Status status = plugin::CheckBuild(request->options); !status.ok()) {
      request->options.build = Build::kWinnow;
      if (request->complaint.empty()) {
        request->complaint =
            "WINNOW_POLICY is " + plugin::Quoted(GetEnvironment().policy) + ": " + Sentence(status);
      }
    }
    return request;
  }();
  return checked;
}

bool HasRangeBits() {
  return IsInterposing() && GetEnvironment().range_bits > 0 &&
         RequestedPolicy().options.range_bits > 0;
}

std::string WhyNoRangeBits() {
  if (HasRangeBits()) return {};
  const Environment& environment = GetEnvironment();
  if (!environment.range_bits_problem.empty()) {
    return "WINNOW_RANGE_BITS has no effect: " + environment.range_bits_problem;
  }
  if (environment.range_bits == 0) return {};
  PolicyOptions options;
  options.range_bits = environment.range_bits;
  return "WINNOW_RANGE_BITS=" + plugin::PolicyOptionText("range_bits", options) +
         " has no effect without a WINNOW_POLICY that builds Winnow's filters";
}

bool IsAdding() { return GetEnvironment().add; }

}  // namespace winnow::preload
