#include "tools/winnow/policy/policy_files.h"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/policy_trial/policy_trial.h"
#include "src/text/printable.h"
#include "tools/winnow/cli/json.h"
#include "tools/winnow/policy/policy_json.h"

namespace winnow::inspect {
namespace {

std::optional<int> LevelOf(const ListedTable& table, const FilterSummary& filter) {
  const bool recorded = filter.built_for && filter.built_for->level >= 0;
  return table.level ? table.level
         : recorded  ? std::optional<int>(filter.built_for->level)
                     : std::nullopt;
}

// Returns the fields of a filter that the document shows.
nlohmann::json Shown(const FilterSummary& filter) {
  return {{"kind", filter.kind},
          {"keys", filter.keys},
          {"bytes", filter.bytes},
          {"bits_per_key", filter.bits_per_key},
          {"expected_fpr", OrNull(filter.expected_fpr)},
          {"partitions", filter.partitions},
          {"detail", filter.detail}};
}

nlohmann::json WithoutPath(const FileUnderPolicy& file) {
  return {{"level", OrNull(file.level)},
          {"filter", file.now ? Shown(*file.now) : nlohmann::json(nullptr)},
          {"with_policy",
           {{"level", file.then.level},
            {"added_keys", file.then.keys},
            {"filter", file.then.filter ? Shown(*file.then.filter) : nlohmann::json(nullptr)}}},
          {"fault", OrNull(file.fault)},
          {"error", OrNull(file.error)}};
}

}  // namespace

FileUnderPolicy TryTable(const ListedTable& table, const std::optional<int>& level,
                         bool is_on_last_level, const PolicyVerdict& verdict) {
  FileUnderPolicy tried;
  const SstReport file = ReadSst(table.path);
  tried.error = file.error;
  if (!file.filter) {
    return tried;
  }
  tried.now = file.filter;
  tried.fault = file.filter->fault;
  tried.level = LevelOf(table, *file.filter);
  TrialFile trial;
  trial.keys = file.filter->keys > 0 ? file.filter->keys : file.entries;
  trial.level =
      std::clamp(level.value_or(tried.level.value_or(kLastTrialLevel)), 0, kLastTrialLevel);
  tried.then = TryFile(*verdict.policy, trial, verdict.last_level_has_filters);
  if (is_on_last_level && !verdict.last_level_has_filters) tried.then.filter.reset();
  return tried;
}

std::string PolicyFilesJson(const PolicyVerdict& verdict, const std::vector<FileUnderPolicy>& files,
                            const std::vector<std::string>& warnings) {
  nlohmann::json document = nlohmann::json::parse(PolicyJson(verdict));
  document["warnings"] = warnings;
  document["files"] = nlohmann::json::array();
  for (const FileUnderPolicy& file : files) {
    nlohmann::json json = {{"path", file.path}};
    if (!IsUtf8(file.path)) {
      json["path_hex"] = absl::BytesToHexString(file.path);
    }
    json.update(WithoutPath(file));
    document["files"].push_back(json);
  }
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace winnow::inspect
