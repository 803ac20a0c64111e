#include "src/refilter/prepared_ends.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "src/database/new_ends.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

using nlohmann::json;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::Status;

std::string FolderOf(const std::string& database) {
  return absl::StrCat(database, "/", kPreparedFolder);
}
std::string PathOf(const EndName& name) {
  return absl::StrCat(FolderOf(name.database), "/", name.number, ".end");
}

// Returns what an end must have been made for, as text.
std::string IdentityOf(const EndName& name) {
  const TableTail& tail = *name.tail;
  const auto hex = [&tail](const char* property) {
    return absl::BytesToHexString(tail.Text(property));
  };
  return absl::StrCat(tail.bytes, " ", hex("rocksdb.creating.db.identity"), " ",
                      hex("rocksdb.creating.session.identity"), " ",
                      hex("rocksdb.original.file.number"), " ", tail.filter, " ", name.whole_keys,
                      " ", absl::BytesToHexString(name.extractor), " ",
                      absl::BytesToHexString(name.policy));
}

json ToJson(const FilterWeight& weight) { return {weight.bytes, weight.rate}; }
FilterWeight FromJson(const json& weight) { return {weight.at(0), weight.at(1)}; }

}  // namespace

absl::Status KeepEnd(Env* env, const EndName& name, const BuiltEnd& end) {
  json header;
  header["for"] = IdentityOf(name);
  header["before"] = ToJson(end.before);
  header["after"] = ToJson(end.after);
  header["is_same"] = !end.bytes;
  header["hash"] = HashKey(end.bytes.value_or("")).value;
  const std::string path = PathOf(name);
  Status status = env->CreateDirIfMissing(FolderOf(name.database));
  if (status.ok()) {
    status = WriteStringToFile(env, header.dump() + "\n" + end.bytes.value_or(""), path,
                               /*should_sync=*/true);
  }
  // The database's own user removes them.
  for (const std::string& made : {FolderOf(name.database), path}) {
    TakeOwner(made, name.database + "/CURRENT");
  }
  return FileStatus(path, status);
}

std::optional<BuiltEnd> KeptEnd(Env* env, const EndName& name) {
  std::string text;
  if (!ReadFileToString(env, PathOf(name), &text).ok()) return std::nullopt;
  const size_t line = text.find('\n');
  if (line == std::string::npos) return std::nullopt;
  try {
    const json header = json::parse(text.substr(0, line));
    BuiltEnd end;
    std::string bytes = text.substr(line + 1);
    if (header.at("for") != IdentityOf(name) || header.at("hash") != HashKey(bytes).value) {
      return std::nullopt;
    }
    end.before = FromJson(header.at("before"));
    end.after = FromJson(header.at("after"));
    if (!header.at("is_same")) end.bytes = std::move(bytes);
    return end;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

absl::Status RemoveKeptEnds(Env* env, const std::string& database) {
  const std::string folder = FolderOf(database);
  std::vector<std::string> names;
  if (!env->GetChildren(folder, &names).ok()) return absl::OkStatus();
  for (const std::string& name : names) {
    if (name == "." || name == "..") continue;
    const Status removed = env->DeleteFile(absl::StrCat(folder, "/", name));
    if (!removed.ok()) return FileStatus(folder, removed);
  }
  return FileStatus(folder, env->DeleteDir(folder));
}

}  // namespace winnow::inspect
