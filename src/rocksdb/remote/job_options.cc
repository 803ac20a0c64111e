#include "src/rocksdb/remote/job_options.h"

#include <rocksdb/convenience.h>
#include <rocksdb/slice.h>
#include <rocksdb/utilities/options_util.h>

#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <utility>

#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/parse_number.h"
#include "src/rocksdb/version_guard.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::Status;
using Texts = JobOptions::Texts;

namespace {

// The job's text begins with its format's number, four bytes with the low one first.
constexpr char kFormat[] = {1, 0, 0, 0};

Status Damaged(const std::string& what) {
  return Status::InvalidArgument("the compaction's input is damaged or cut off", what);
}

Status OfAnotherRocksDB(const std::string& found) {
  return Status::NotSupported(
      "the compaction's input is of another RocksDB than " + std::string(CompiledVersion()),
      found + "; give it to a worker with the RocksDB of the database's own process");
}

std::string TextOf(const Texts& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? std::string() : found->second;
}

Status ReadInput(const std::string& input, Texts* job) {
  if (input.size() <= sizeof kFormat) return Damaged("it has no text");
  if (input.compare(0, sizeof kFormat, kFormat, sizeof kFormat) != 0) {
    return OfAnotherRocksDB("it does not begin as one of format 1");
  }
  // RocksDB writes a semicolon behind the last option, too.
  if (input.back() != ';') return Damaged("its end is missing");
  const Status status = ROCKSDB_NAMESPACE::StringToMap(input.substr(sizeof kFormat), job);
  if (!status.ok()) return Damaged(status.getState());
  for (const char* const name :
       {"snapshots", "input_files", "output_level", "has_begin", "begin", "has_end", "end"}) {
    if (job->count(name) == 0) return Damaged(std::string("it has no option ") + name);
  }
  const bool has_family_options = job->count("column_family") > 0;
  if (has_family_options && !rocksdb_abi::kJobsHaveFamilyOptions) {
    return OfAnotherRocksDB("it has the family's options, as up to 9.6");
  }
  if (job->count("cf_name") > 0 && rocksdb_abi::kJobsHaveFamilyOptions) {
    return OfAnotherRocksDB("it has only the family's name, as from 9.7 on");
  }
  if (has_family_options && job->count("db_options") == 0) {
    return Damaged("it has no option db_options");
  }
  return Status::OK();
}

// Reads the column family's name and, if the job has them, its options.
Status ReadFamily(const Texts& job, JobOptions* options) {
  std::string name = TextOf(job, "cf_name");
  if (rocksdb_abi::kJobsHaveFamilyOptions) {
    Texts family;
    Status status = ROCKSDB_NAMESPACE::StringToMap(TextOf(job, "column_family"), &family);
    if (status.ok()) {
      status = ROCKSDB_NAMESPACE::StringToMap(TextOf(family, "options"), &options->family_options);
    }
    if (!status.ok()) return Damaged(status.getState());
    if (options->family_options.empty()) return Damaged("it has no options of a family");
    name = TextOf(family, "name");
  }
  if (name.empty() || !ROCKSDB_NAMESPACE::Slice(name).DecodeHex(&options->family)) {
    return Damaged("it names no column family");
  }
  return Status::OK();
}

// Without a number it is the latest OPTIONS file.
bool NamesOptionsFile(const Texts& job) {
  const std::string number = TextOf(job, "options_file_number");
  return !number.empty() && number != "0";
}

Status FindOptionsFile(Env* env, const std::string& name, const Texts& job, std::string* path) {
  if (NamesOptionsFile(job)) {
    uint64_t number = 0;
    if (!ParseNumber(TextOf(job, "options_file_number"), &number)) {
      return Damaged("the number of its OPTIONS file is none");
    }
    char file[40];
    std::snprintf(file, sizeof file, "/OPTIONS-%06llu", static_cast<unsigned long long>(number));
    *path = name + file;
    return Status::OK();
  }
  std::string file;
  const Status status = ROCKSDB_NAMESPACE::GetLatestOptionsFileName(name, env, &file);
  *path = name + "/" + file;
  return status;
}

// ---- The text of an OPTIONS file

std::string_view Trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view WithoutComment(std::string_view line) {
  for (size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] != '\\') return line.substr(0, at);
  }
  return line;
}

std::string Unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escaped = text[i] == '\\' && i + 1 < text.size();
    if (is_escaped) ++i;
    const char c = text[i];
    plain.push_back(is_escaped && c == 'n' ? '\n' : is_escaped && c == 'r' ? '\r' : c);
  }
  return plain;
}

// Adds what the file says of the column family; options that are already there stay.
void ReadSections(const std::string& text, JobOptions* options) {
  constexpr std::string_view kTable = "TableOptions/";
  Texts* section = nullptr;  // null: of something else
  std::istringstream lines(text);
  for (std::string whole; std::getline(lines, whole);) {
    const std::string_view line = Trimmed(WithoutComment(whole));
    if (line.empty()) continue;
    if (line.front() != '[') {
      const size_t equals = line.find('=');
      if (section == nullptr || equals == line.npos) continue;
      section->emplace(Trimmed(line.substr(0, equals)), Trimmed(line.substr(equals + 1)));
      continue;
    }
    section = nullptr;
    const size_t first = line.find('"');
    const size_t last = line.rfind('"');
    if (first == last) continue;
    const std::string_view title = Trimmed(line.substr(1, first - 1));
    if (Unescaped(line.substr(first + 1, last - first - 1)) != options->family) continue;
    if (title == "CFOptions") section = &options->family_options;
    if (title.substr(0, kTable.size()) == kTable) {
      options->table_kind = title.substr(kTable.size());
      section = &options->table_options;
    }
  }
}

Status ReadOptionsFile(Env* env, const std::string& name, const Texts& job, JobOptions* options) {
  std::string text;
  Status status = FindOptionsFile(env, name, job, &options->file);
  if (status.ok()) status = ROCKSDB_NAMESPACE::ReadFileToString(env, options->file, &text);
  if (status.ok()) ReadSections(text, options);
  return status;
}

}  // namespace

std::string JobOptions::Object(const std::string& name) const {
  const std::string text = TextOf(family_options, name);
  return text == "nullptr" ? std::string() : text;
}

Status ReadJobOptions(Env* env, const std::string& name, const std::string& input,
                      JobOptions* result) {
  Texts job;
  JobOptions options;
  Status status = ReadInput(input, &job);
  if (status.ok()) status = ReadFamily(job, &options);
  if (!status.ok()) return status;
  const JobOptions of_input = options;
  status = ReadOptionsFile(env, name, job, &options);
  if (!status.ok() && !NamesOptionsFile(job)) {
    // The latest OPTIONS file may have been replaced meanwhile, for example by SetOptions.
    options = of_input;
    status = ReadOptionsFile(env, name, job, &options);
  }
  if (!status.ok()) {
    const std::string state = status.getState() == nullptr ? "" : status.getState();
    if (status.IsNotFound() || status.IsPathNotFound()) {
      return Status::NotFound(
          "the options of the compaction's database " + Quoted(name) + " are not found",
          state + "; the worker needs the folder of the database, with its OPTIONS file");
    }
    return Status(
        status.code(), status.subcode(), status.severity(),
        "the options of the compaction's database " + Quoted(name) + " can't be read: " + state);
  }
  if (options.family_options.empty() || options.table_kind.empty()) {
    return Status::NotFound(
        "the column family " + Quoted(options.family) + " is not in " + Quoted(options.file),
        "the worker needs the OPTIONS file of the compaction's database");
  }
  *result = std::move(options);
  return Status::OK();
}

}  // namespace winnow::plugin
