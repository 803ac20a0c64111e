#include "tests/stress/summary.h"

#include <rocksdb/convenience.h>
#include <rocksdb/version.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "src/text/numbers.h"
#include "src/text/text_table.h"
#include "winnow/version.h"

namespace winnow::stress {
namespace {

using Json = nlohmann::ordered_json;

std::string KernelName(const std::string& kernel) { return kernel.empty() ? "default" : kernel; }

// Returns names and values in display order.
std::vector<std::pair<std::string, uint64_t>> Rows(const KernelSums& sums) {
  std::vector<std::pair<std::string, uint64_t>> rows = {{"lives", sums.lives},
                                                        {"kills", sums.kills}};
  for (size_t i = 0; i < kCounts; ++i) {
    rows.emplace_back(Name(static_cast<Count>(i)), sums.counts[i]);
  }
  return rows;
}

Json ToJson(const KernelSums& sums) {
  Json json;
  for (const auto& [name, value] : Rows(sums)) json[name] = value;
  return json;
}

}  // namespace

std::string Table(const StressResult& result) {
  std::vector<inspect::Column> columns = {
      {"RocksDB " + ROCKSDB_NAMESPACE::GetRocksVersionAsString(), inspect::Align::kLeft}};
  std::vector<KernelSums> sums;
  for (const auto& [kernel, of_kernel] : result.kernels) {
    columns.push_back({KernelName(kernel)});
    sums.push_back(of_kernel);
  }
  columns.push_back({"all"});
  sums.push_back(result.Total());
  inspect::TextTable table(columns);
  table.Underline();
  const auto names = Rows(sums.front());
  for (size_t row = 0; row < names.size(); ++row) {
    std::string name = names[row].first;
    for (char& c : name) c = c == '_' ? ' ' : c;
    std::vector<std::string> cells = {name};
    for (const KernelSums& one : sums) cells.push_back(inspect::Count(Rows(one)[row].second));
    table.AddRow(std::move(cells));
  }
  return table.ToString();
}

std::string JsonLine(const StressResult& result, const std::string& command, uint64_t seed) {
  Json json = {{"schema", "winnow.stress/1"},
               {"command", command},
               {"rocksdb_version", ROCKSDB_NAMESPACE::GetRocksVersionAsString()},
               {"winnow_version", Version()},
               {"seed", seed},
               {"seconds", result.seconds},
               {"status", result.status},
               {"kernels", Json::object()},
               {"all", ToJson(result.Total())}};
  for (const auto& [kernel, sums] : result.kernels) {
    json["kernels"][KernelName(kernel)] = ToJson(sums);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace winnow::stress
