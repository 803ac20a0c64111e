#include "src/inspect/table_list.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "src/inspect/child_answer.h"
#include "src/inspect/sst_filters.h"

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

using Json = nlohmann::json;

constexpr std::chrono::minutes kLongestListing(30);

// Only what is not there is an error here: a file that can't be read is for those who read it.
Json ToJson(const SstReport& file) {
  std::error_code code;
  const bool missing = file.error && !fs::exists(file.path, code);
  return {file.path, file.level ? Json(*file.level) : Json(nullptr),
          missing ? Json(*file.error) : Json(nullptr)};
}

std::string Pack(const DatabaseReport& database) {
  Json json = {{"tables", Json::array()},
               {"remark", database.remark.value_or("")},
               {"warning", database.warning.value_or("")},
               {"error", database.error.value_or("")}};
  for (const SstReport& file : database.files) {
    json["tables"].push_back(ToJson(file));
  }
  const std::vector<uint8_t> bytes = Json::to_msgpack(json);
  return std::string(bytes.begin(), bytes.end());
}

TableList Unpack(const std::string& path, const std::string& bytes) {
  TableList list;
  const Json json = Json::from_msgpack(bytes);
  for (const Json& table : json.at("tables")) {
    ListedTable listed;
    listed.path = table.at(0).get<std::string>();
    if (!table.at(1).is_null()) {
      listed.level = table.at(1).get<int>();
    }
    if (!table.at(2).is_null()) {
      listed.error = table.at(2).get<std::string>();
    }
    list.tables.push_back(std::move(listed));
  }
  const std::string error = json.at("error").get<std::string>();
  if (!error.empty()) {
    list.tables.push_back({path, std::nullopt, error});
  }
  const std::string remark = json.at("remark").get<std::string>();
  if (!remark.empty()) {
    list.remarks.push_back(absl::StrCat(path, ": ", remark));
  }
  const std::string warning = json.at("warning").get<std::string>();
  if (!warning.empty()) {
    list.warnings.push_back(absl::StrCat(path, ": ", warning));
  }
  return list;
}

TableList AsTheyLie(const std::vector<std::string>& folders) {
  TableList list;
  for (const std::string& folder : folders) {
    std::error_code code;
    for (fs::directory_iterator entry(folder, code); !code && entry != fs::directory_iterator();
         entry.increment(code)) {
      if (entry->path().extension() == ".sst") {
        list.tables.push_back(
            {entry->path().lexically_normal().string(), std::nullopt, std::nullopt});
      }
    }
  }
  std::sort(list.tables.begin(), list.tables.end(),
            [](const ListedTable& a, const ListedTable& b) { return a.path < b.path; });
  return list;
}

}  // namespace

TableList ListTables(const std::string& path, const std::vector<std::string>& table_folders) {
  std::error_code code;
  if (!fs::is_directory(path, code)) {
    TableList list;
    list.tables.push_back({path, std::nullopt, std::nullopt});
    return list;
  }
  const ChildAnswer answer =
      AskChild([&] { return Pack(ReadDatabase(path, nullptr, table_folders)); }, kLongestListing);
  if (answer.text) {
    return Unpack(path, *answer.text);
  }
  std::vector<std::string> folders = {path};
  folders.insert(folders.end(), table_folders.begin(), table_folders.end());
  TableList list = AsTheyLie(folders);
  list.warnings.push_back(
      absl::StrCat(path,
                   ": the database can't be read, only its files one by one: the process "
                   "that opened it did not get through: ",
                   answer.problem));
  return list;
}

}  // namespace winnow::inspect
