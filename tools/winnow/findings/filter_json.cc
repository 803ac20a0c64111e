#include "tools/winnow/findings/filter_json.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const BuiltFor& built_for) {
  return {
      {"level", built_for.level},
      {"target_fpr", built_for.target_fpr},
      {"level_plan", built_for.level_plan},
      {"levels_below", built_for.levels_below < 0 ? Json(nullptr) : Json(built_for.levels_below)}};
}

Json ToJson(const FilterParameters& parameters) {
  Json json = {{"format", parameters.format},
               {"version", OrNull(parameters.version)},
               {"hash", SentenceOrNull(parameters.hash)}};
  const auto put = [&json](const char* key, const auto& value) {
    if (value) {
      json[key] = *value;
    }
  };
  put("probes", parameters.probes);
  put("blocks", parameters.blocks);
  put("block_bits", parameters.block_bits);
  put("slots", parameters.slots);
  put("columns", parameters.columns);
  if (!parameters.layers.empty()) {
    json["layers"] = parameters.layers;
  }
  put("bumped_share", parameters.bumped_share);
  put("fill_ratio", parameters.fill_ratio);
  return json;
}

}  // namespace

nlohmann::ordered_json SentenceOrNull(const std::string& sentence) {
  return sentence.empty() ? Json(nullptr) : Json(sentence);
}

nlohmann::ordered_json ToJson(const BloomBlocks& bloom) {
  return {{"blocks", bloom.blocks},
          {"keys", bloom.keys},
          {"bytes", bloom.bytes},
          {"bytes_as_ribbons", bloom.bytes_as_ribbons}};
}

nlohmann::ordered_json ToJson(const FilterSummary& filter) {
  Json json = {{"kind", filter.kind},
               {"keys", filter.keys},
               {"bytes", filter.bytes},
               {"bits_per_key", filter.bits_per_key},
               {"expected_fpr", OrNull(filter.expected_fpr)}};
  if (filter.partitions > 0) {
    json["partitions"] = filter.partitions;
    for (const auto& [kind, count] : filter.kinds) {
      json["partition_kinds"][kind] = count;
    }
  }
  if (filter.bloom.blocks > 0) {
    json["bloom"] = ToJson(filter.bloom);
  }
  if (filter.built_for) {
    json["built_for"] = ToJson(*filter.built_for);
  }
  json["parameters"] = filter.parameters && !filter.parameters->format.empty()
                           ? ToJson(*filter.parameters)
                           : Json(nullptr);
  json["detail"] = filter.detail;
  json["policy_name"] = filter.policy_name;
  json["fault"] = OrNull(filter.fault);
  return json;
}

std::string Document(const char* schema, const nlohmann::ordered_json& content) {
  Json document = {{"schema", schema}};
  document.update(content);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace winnow::inspect
