#include "db_bench_ext/read_amplification/trees/policies.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/convenience.h>

#include <algorithm>

#include "src/policy_trial/policy_check.h"
#include "src/policy_trial/trial_filter.h"
#include "src/sst/sst_filters.h"

namespace winnow::bench {
namespace {

// Filter kinds of policies with known names. Ribbon policies build Bloom filters for flushes and
// small files.
struct Family {
  std::string_view name;
  std::vector<std::string_view> kinds;
};

const std::vector<Family>& Families() {
  static const auto* const families = new std::vector<Family>{
      {"", {inspect::kNoFilter}},
      {"bloomfilter", {inspect::kBuiltinBloom}},
      {"ribbonfilter", {inspect::kBuiltinBloom, inspect::kBuiltinRibbon}},
      {"winnow.Filter", {inspect::kWinnowBloom, inspect::kWinnowRibbon}},
  };
  return *families;
}

bool Builds(const std::string& policy_name, const std::string& kind) {
  for (const Family& family : Families()) {
    if (family.name == policy_name) {
      return std::find(family.kinds.begin(), family.kinds.end(), kind) != family.kinds.end();
    }
  }
  return kind != inspect::kNoFilter;  // an unknown policy: any filter counts
}

}  // namespace

absl::StatusOr<std::vector<std::string>> SplitPolicies(std::string_view list) {
  std::vector<std::string> policies(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth < 0) break;
    if (c == ',' && depth == 0) {
      policies.emplace_back();
    } else {
      policies.back() += c;
    }
  }
  if (depth != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the braces in the policies '", std::string(list), "' don't match"));
  }
  for (size_t i = 0; i < policies.size(); ++i) {
    absl::StripAsciiWhitespace(&policies[i]);
    if (policies[i].empty()) {
      return absl::InvalidArgumentError(absl::StrCat("a policy in '", std::string(list),
                                                     "' is empty; '", std::string(kNoPolicy),
                                                     "' stands for no policy"));
    }
    const auto here = policies.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(policies.begin(), here, *here) != here) {
      return absl::InvalidArgumentError(absl::StrCat("the policy '", *here, "' comes twice"));
    }
  }
  return policies;
}

absl::StatusOr<Policy> MakePolicy(const std::string& asked) {
  Policy policy{asked, nullptr};
  if (asked == kNoPolicy) return policy;
  const rocksdb::Status status = inspect::MakePolicyStrictly(asked, &policy.object);
  if (!status.ok()) {
    const std::string meant = inspect::NameMeant(asked);
    return absl::InvalidArgumentError(
        absl::StrCat("RocksDB does not accept the filter policy '", asked, "': ", status.ToString(),
                     meant.empty() ? "" : absl::StrCat("; did you mean ", meant, "?")));
  }
  if (policy.object == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("RocksDB takes the filter policy '", asked,
                                                   "' for none; say '", std::string(kNoPolicy),
                                                   "' if that is meant"));
  }
  return policy;
}

bool Policy::HasRanges() const {
  std::string bits;
  return object != nullptr && object->GetOption({}, "range_bits", &bits).ok() && bits != "0";
}

absl::Status ProveInForce(const Policy& policy, const std::vector<FoundFilter>& files) {
  const auto refuse = [&](const std::string& reason) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the policy '", policy.asked, "' is not in force, so nothing is said of it: ", reason));
  };
  const auto quoted = [](const std::string& name) {
    return name.empty() ? std::string("no policy") : absl::StrCat("the policy '", name, "'");
  };
  if (files.empty()) return refuse("there are no files");
  bool any = false;
  for (const FoundFilter& file : files) {
    if (file.policy_name != policy.Name()) {
      return refuse(absl::StrCat(file.path, " was written with ", quoted(file.policy_name),
                                 ", where ", quoted(policy.Name()), " was expected"));
    }
    if (!file.fault.empty()) {
      return refuse(absl::StrCat("the filter of ", file.path, " can't be used: ", file.fault));
    }
    const bool none = file.kind == inspect::kNoFilter;
    any = any || !none;
    if (none && file.may_lack) continue;
    if (!Builds(policy.Name(), file.kind)) {
      return refuse(absl::StrCat("the filter in ", file.path, " is of kind ", file.kind, ", which ",
                                 quoted(policy.Name()), " does not build"));
    }
  }
  if (policy.object != nullptr && !any) {
    return refuse("no file has a filter, as the options want none where all keys are");
  }
  return absl::OkStatus();
}

}  // namespace winnow::bench
