#include "src/refilter/prepared_ends.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

#include <string_view>
#include <utility>
#include <vector>

#include "src/database/new_ends.h"
#include "src/workers/wire.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::Status;

// The content of a file, which has a hash behind it.
struct Kept {
  std::string identity;
  BuiltEnd end;

  template <typename Code>
  void Fields(Code& code) {
    code(identity, end);
  }
};

constexpr char kSuffix[] = ".end";

std::string FolderOf(const std::string& database) {
  return absl::StrCat(database, "/", kPreparedFolder);
}
std::string PathOf(const EndName& name) {
  return absl::StrCat(FolderOf(name.database), "/", name.number, kSuffix);
}

}  // namespace

EndName::EndName(std::string in_database, uint64_t of_number, const TableTail& tail,
                 uint64_t end_hash, const std::string& policy, bool whole_keys,
                 const std::string& extractor)
    : database(std::move(in_database)), number(of_number) {
  identity = Pack(std::vector<std::string>{std::to_string(tail.bytes), std::to_string(end_hash),
                                           tail.Text("rocksdb.creating.db.identity"),
                                           tail.Text("rocksdb.creating.session.identity"),
                                           tail.Text("rocksdb.original.file.number"), tail.filter,
                                           whole_keys ? "1" : "0", extractor, policy});
}

absl::Status KeepEnd(Env* env, const EndName& name, const BuiltEnd& end) {
  const std::string text = WithHash(Pack(Kept{name.identity, end}));
  const std::string path = PathOf(name);
  Status status = IsSymbolicLink(FolderOf(name.database))
                      ? Status::InvalidArgument("it is a symbolic link, and must be a folder")
                      : env->CreateDirIfMissing(FolderOf(name.database));
  if (status.ok()) status = WriteStringToFile(env, text, path, /*should_sync=*/true);
  // The database's own user removes them.
  for (const std::string& made : {FolderOf(name.database), path}) {
    TakeOwner(made, name.database + "/CURRENT");
  }
  return FileStatus(path, status);
}

std::optional<BuiltEnd> KeptEnd(Env* env, const EndName& name) {
  std::string text;
  if (!ReadFileToString(env, PathOf(name), &text).ok()) return std::nullopt;
  const std::optional<std::string_view> whole = WithoutHash(text);
  std::optional<Kept> kept = whole ? Unpack<Kept>(*whole) : std::nullopt;
  return kept && kept->identity == name.identity ? std::optional(std::move(kept->end))
                                                 : std::nullopt;
}

absl::Status RemoveKeptEnds(Env* env, const std::string& database, const std::set<uint64_t>& stay) {
  const std::string folder = FolderOf(database);
  std::vector<std::string> names;
  if (IsSymbolicLink(folder) || !env->GetChildren(folder, &names).ok()) return absl::OkStatus();
  for (const std::string& name : names) {
    absl::string_view digits = name;
    uint64_t number = 0;
    const bool is_end = absl::ConsumeSuffix(&digits, kSuffix) && absl::SimpleAtoi(digits, &number);
    if (!is_end || stay.count(number) > 0) continue;  // what is not ours keeps the folder
    const Status removed = env->DeleteFile(absl::StrCat(folder, "/", name));
    if (!removed.ok()) return FileStatus(folder, removed);
  }
  if (!stay.empty()) return absl::OkStatus();
  return FileStatus(folder, env->DeleteDir(folder));
}

}  // namespace winnow::inspect
