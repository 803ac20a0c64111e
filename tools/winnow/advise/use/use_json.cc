#include "tools/winnow/advise/use/use_json.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "tools/winnow/cli/json.h"

namespace winnow::inspect {
namespace {

using Json = nlohmann::ordered_json;

uint64_t Whole(double number) { return static_cast<uint64_t>(std::llround(number)); }

Json LevelJson(const UseOfLevel& level) {
  return {{"level", level.level},
          {"asks", Whole(level.asks)},
          {"denied", Whole(level.denied)},
          {"false_positives", level.false_positives},
          {"filters", Whole(level.filters)},
          {"keys", Whole(level.keys)},
          {"filter_bytes", Whole(level.bytes)}};
}

Json PolicyJson(const UseRow& row) {
  const UseOfPolicy& use = row.use;
  const UseOfLevel sum = use.Sum();
  Json json = {{"policy", use.policy},
               {"databases", use.databases},
               {"families", use.families},
               {"seconds", use.seconds},
               {"asks", Whole(sum.asks)},
               {"denied", Whole(sum.denied)},
               {"false_positives", sum.false_positives},
               {"false_reads_per_second", use.false_reads_a_second()},
               {"filter_bytes", Whole(sum.bytes)},
               {"keys", Whole(sum.keys)},
               {"bits_per_key", row.bits_per_key()},
               {"advised", nullptr},
               {"levels", Json::array()}};
  if (row.advised_bits) {
    json["advised"] = {{"bits_per_key", *row.advised_bits},
                       {"filter_bytes", Whole(row.advised_bytes)},
                       {"false_reads_per_second", row.advised_false_reads}};
  }
  for (const UseOfLevel& level : use.levels) {
    json["levels"].push_back(LevelJson(level));
  }
  return json;
}

Json FindingsJson(const std::vector<UseFinding>& findings) {
  Json json = Json::array();
  for (const UseFinding& finding : findings) {
    json.push_back({{"families", finding.families},
                    {"says", finding.says},
                    {"policy", SentenceOrNull(finding.policy)}});
  }
  return json;
}

}  // namespace

std::string UseAdviceJson(const UseAdvice& advice) {
  Json json = {
      {"budget", {{"bytes", Whole(advice.budget_bytes)}, {"fits", advice.fits}}},
      {"now",
       {{"filter_bytes", Whole(advice.bytes)}, {"false_reads_per_second", advice.false_reads}}},
      {"advised",
       {{"filter_bytes", Whole(advice.advised_bytes)},
        {"false_reads_per_second", advice.advised_false_reads}}},
      {"policies", Json::array()},
      {"mend", FindingsJson(advice.mend)},
      {"gain", FindingsJson(advice.gain)},
      {"unknown", advice.unknown}};
  if (!advice.no_verdict.empty()) {
    json["unknown"].insert(json["unknown"].begin(), advice.no_verdict);
  }
  for (const UseRow& row : advice.rows) {
    json["policies"].push_back(PolicyJson(row));
  }
  return Document("winnow.advise_use/1", json);
}

}  // namespace winnow::inspect
