#include "src/preload/tool_guard.h"

#include <rocksdb/compaction_filter.h>
#include <rocksdb/comparator.h>
#include <rocksdb/configurable.h>
#include <rocksdb/customizable.h>
#include <rocksdb/env.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_partitioner.h>
#include <rocksdb/utilities/options_util.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <fstream>
#include <string_view>
#include <unordered_map>

#include "src/preload/asks_linker.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::Configurable;
using ROCKSDB_NAMESPACE::Customizable;
using ROCKSDB_NAMESPACE::Env;
using Tool = ToolCommand::Tool;

// LDBTool::Run, which `ldb` calls and nothing else does.
constexpr char kRunLdb[] =
    "_ZN7rocksdb7LDBTool3RunEiPPcNS_7OptionsERKNS_10LDBOptionsEPKSt6vectorINS_"
    "22ColumnFamilyDescriptorESaIS8_EE";
constexpr char kStringAppend[] = "StringAppendOperator";
constexpr char kInstead[] =
    ". Nothing was changed. Let the service itself do this: DB::CompactRange of each column family "
    "with bottommost_level_compaction=kForce, DB::SetOptions, Checkpoint or BackupEngine";

// Returns whether the last part of a path has this name, or ends with it behind a punctuation mark.
bool IsNamed(std::string_view path, std::string_view name) {
  if (path.size() < name.size() || path.substr(path.size() - name.size()) != name) return false;
  path.remove_suffix(name.size());
  return path.empty() || std::string_view("/_-.").find(path.back()) != std::string_view::npos;
}

// Returns the id in the text of an object, such as "rocksdb.FixedPrefix" in
// "{id=rocksdb.FixedPrefix;length=8}".
std::string IdIn(const std::string& text) {
  std::string id;
  std::unordered_map<std::string, std::string> properties;
  const Status status = Configurable::GetOptionsMap(text, "", &id, &properties);
  return status.ok() && !id.empty() ? id : text;
}

bool HasId(const Customizable& object, const std::string& id) {
  return object.GetId() == id || object.Name() == id || object.IsInstanceOf(id);
}

std::string NameOf(const Customizable* object) {
  return object == nullptr ? "none" : plugin::Quoted(object->GetId());
}

}  // namespace

ToolCommand ParseToolCommand(bool has_ldb, const std::string& executable,
                             const std::vector<std::string>& arguments) {
  ToolCommand command;
  const auto is_named = [&](std::string_view name) {
    return IsNamed(executable, name) || (!arguments.empty() && IsNamed(arguments[0], name));
  };
  if (is_named("db_bench")) command.tool = Tool::kDbBench;
  if (has_ldb || is_named("ldb")) command.tool = Tool::kLdb;
  if (command.tool != Tool::kLdb) return command;
  const auto has = [&](const std::string& argument) {
    return std::find(arguments.begin(), arguments.end(), argument) != arguments.end();
  };
  constexpr std::string_view kLoad = "--try_load_options=";
  bool has_database = false;
  std::string asked;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.compare(0, 2, "--") != 0) {
      if (command.verb.empty()) command.verb = argument;
      continue;
    }
    has_database = has_database || argument.compare(0, 5, "--db=") == 0;
    if (argument.compare(0, kLoad.size(), kLoad) == 0) asked = argument.substr(kLoad.size());
  }
  std::transform(asked.begin(), asked.end(), asked.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const bool by_default = rocksdb_abi::kLdbLoadsOptions && has_database && !has("--ttl");
  command.loads_options =
      !has("--create_if_missing") &&
      (has("--try_load_options") || asked == "true" || (asked.empty() && by_default));
  return command;
}

const ToolCommand& ThisToolCommand() {
  static const ToolCommand& command = *[] {
    char executable[PATH_MAX];
    const ssize_t size = ::readlink("/proc/self/exe", executable, sizeof executable);
    std::vector<std::string> arguments;
    std::ifstream line("/proc/self/cmdline", std::ios::binary);
    for (std::string argument; std::getline(line, argument, '\0');) arguments.push_back(argument);
    const auto* const program = reinterpret_cast<const void*>(::getauxval(AT_PHDR));
    return new ToolCommand(ParseToolCommand(
        AsksLinkerFor(program, kRunLdb) == true,
        std::string(executable, static_cast<size_t>(std::max<ssize_t>(size, 0))), arguments));
  }();
  return command;
}

std::string ReasonNotToStart(const ToolCommand& command) {
  if (command.tool != Tool::kLdb || command.verb != "repair") return {};
  return "ldb repair is not started: it takes no comparator, merge operator or prefix extractor "
         "from the OPTIONS file, and may rewrite values wrongly. Nothing was changed. Let the "
         "service call RepairDB with the options of all its column families, on a copy first";
}

void ToolGuard::Refuse(const std::string& reason) {
  if (!status_.ok()) return;
  const std::string tool = command_.tool == Tool::kLdb ? "ldb" : "db_bench";
  status_ = Status::InvalidArgument("winnow: " + tool + " must not open " +
                                    plugin::Quoted(database_) + " to write: " + reason + kInstead);
}

void ToolGuard::Read(const DBOptions& options) {
  is_needed_ = command_.tool != Tool::kOther;
  if (!is_needed_) return;
  Env* const env = options.env == nullptr ? Env::Default() : options.env;
  if (!env->FileExists(database_ + "/CURRENT").ok()) return;
  is_new_ = false;
  std::string file;
  std::string text;
  Status status = ROCKSDB_NAMESPACE::GetLatestOptionsFileName(database_, env, &file);
  if (status.ok()) {
    status = ROCKSDB_NAMESPACE::ReadFileToString(env, database_ + "/" + file, &text);
  }
  families_ = plugin::ReadFamilyTexts(text);
  if (!status.ok() || families_.empty()) {
    return Refuse("its OPTIONS file can't be read (" + status.ToString() +
                  "), so that it is not known what must be kept");
  }
  if (command_.tool == Tool::kLdb && !command_.loads_options) {
    Refuse("it does not load the OPTIONS file; expected --db, and --try_load_options");
  }
}

void ToolGuard::Check(const std::string& family, ColumnFamilyOptions* options) {
  const bool is_ldb = command_.tool == Tool::kLdb;
  const bool has_append = is_ldb && options->merge_operator != nullptr &&
                          HasId(*options->merge_operator, kStringAppend);
  if (is_new_) {
    if (has_append) options->merge_operator = nullptr;
    return;
  }
  const auto found =
      std::find_if(families_.begin(), families_.end(),
                   [&](const plugin::FamilyTexts& texts) { return texts.name == family; });
  if (found == families_.end()) {
    return Refuse("column family " + family + " is not in its OPTIONS file");
  }
  // Objects that decide what is written.
  const struct {
    const char* option;
    const char* words;
    const Customizable* given;
  } objects[] = {
      {"comparator", "comparator", options->comparator},
      {"merge_operator", "merge operator", options->merge_operator.get()},
      {"prefix_extractor", "prefix extractor", options->prefix_extractor.get()},
      {"compaction_filter", "compaction filter", options->compaction_filter},
      {"compaction_filter_factory", "compaction filter factory",
       options->compaction_filter_factory.get()},
      {"sst_partitioner_factory", "SST partitioner factory",
       options->sst_partitioner_factory.get()},
  };
  for (const auto& [option, words, given] : objects) {
    std::string id = IdIn(plugin::ObjectText(found->family_options, option));
    if (id.empty() && std::string_view(option) == "comparator") {
      id = "leveldb.BytewiseComparator";
    }
    const std::string subject =
        "column family " + family + " has the " + words + " " + plugin::Quoted(id);
    if (is_ldb && id == kStringAppend) {
      return Refuse(subject +
                    ", which ldb writes into OPTIONS files in place of one that it does not know. "
                    "If the service has another one, opening the database with it puts that back");
    }
    if (id.empty() && has_append && given == options->merge_operator.get()) {
      options->merge_operator = nullptr;
      continue;
    }
    if (id.empty() ? given != nullptr : given == nullptr || !HasId(*given, id)) {
      return Refuse((id.empty() ? "column family " + family + " has no " + words : subject) +
                    " by its OPTIONS file, and the tool would use " + NameOf(given));
    }
  }
}

}  // namespace winnow::preload
