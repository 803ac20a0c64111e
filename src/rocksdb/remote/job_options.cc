#include "src/rocksdb/remote/job_options.h"

#include <rocksdb/convenience.h>
#include <rocksdb/slice.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "src/rocksdb/family_texts.h"
#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/parse_number.h"
#include "src/rocksdb/version_guard.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::Status;
using Texts = OptionTexts;

namespace {

// Version of the job's text format, its first four bytes, little-endian.
constexpr char kFormat[] = {1, 0, 0, 0};

Status Damaged(const std::string& what) {
  return Status::InvalidArgument("the compaction's input is damaged or cut off", what);
}

Status OfAnotherRocksDB(const std::string& found) {
  return Status::NotSupported(
      "the compaction's input is of another RocksDB than " + std::string(CompiledVersion()),
      found + "; give it to a worker with the RocksDB of the database's own process");
}

// Reads the column family's name and, if the job has them, its options.
Status ReadFamily(Texts* job, JobOptions* options) {
  Texts family;
  if (rocksdb_abi::kJobsHaveFamilyOptions &&
      (!ROCKSDB_NAMESPACE::StringToMap((*job)["column_family"], &family).ok() ||
       !ROCKSDB_NAMESPACE::StringToMap(family["options"], &options->family_options).ok() ||
       options->family_options.empty())) {
    return Damaged("it has no options of a family");
  }
  const std::string& name =
      rocksdb_abi::kJobsHaveFamilyOptions ? family["name"] : (*job)["cf_name"];
  if (name.empty() || !ROCKSDB_NAMESPACE::Slice(name).DecodeHex(&options->family)) {
    return Damaged("it names no column family");
  }
  return Status::OK();
}

// Reads the job, and the family with ReadFamily.
Status ReadInput(const std::string& input, Texts* job, JobOptions* options) {
  if (input.size() <= sizeof kFormat) return Damaged("it has no text");
  if (input.compare(0, sizeof kFormat, kFormat, sizeof kFormat) != 0) {
    return OfAnotherRocksDB("it does not begin as one of format 1");
  }
  // RocksDB writes a semicolon after the last option, too.
  if (input.back() != ';') return Damaged("its end is missing");
  const Status status = ROCKSDB_NAMESPACE::StringToMap(input.substr(sizeof kFormat), job);
  if (!status.ok()) return Damaged(status.getState());
  constexpr bool kHaveOptions = rocksdb_abi::kJobsHaveFamilyOptions;
  if (job->count(kHaveOptions ? "cf_name" : "column_family") > 0) {
    return OfAnotherRocksDB(kHaveOptions ? "it has only the family's name, as from 9.7 on"
                                         : "it has the family's options, as up to 9.6");
  }
  for (const char* const name : {"snapshots", "input_files", "output_level", "has_begin", "begin",
                                 "has_end", "end", kHaveOptions ? "db_options" : "cf_name"}) {
    if (job->count(name) == 0) return Damaged(std::string("it has no option ") + name);
  }
  return ReadFamily(job, options);
}

// RocksDB saves a number with the decimal point of its process's locale, and parses it by that of
// another one: writes a decimal comma as a point.
void UseDecimalPoints(Texts* texts) {
  constexpr char kDigits[] = "0123456789";
  for (auto& [name, text] : *texts) {
    const size_t comma = std::min(text.find(','), text.size());
    const bool is_number = comma > 0 && text.find_first_not_of(kDigits) == comma &&
                           text.find_first_not_of(kDigits, comma + 1) == text.npos;
    if (is_number) text[comma] = '.';
  }
}

// Reads the OPTIONS file with this number, or the latest one if 0.
Status ReadOptionsFile(Env* env, const std::string& name, uint64_t number, JobOptions* options) {
  std::string file = std::to_string(number);
  file = "OPTIONS-" + std::string(6 - std::min<size_t>(6, file.size()), '0') + file;
  Status status;
  if (number == 0) status = ROCKSDB_NAMESPACE::GetLatestOptionsFileName(name, env, &file);
  options->file = name + "/" + file;
  std::string text;
  if (status.ok()) status = ROCKSDB_NAMESPACE::ReadFileToString(env, options->file, &text);
  if (!status.ok()) return status;
  for (FamilyTexts& family : ReadFamilyTexts(text)) {
    if (family.name != options->family) continue;
    options->family_options.merge(family.family_options);  // options that are already set stay
    options->table_kind = std::move(family.table_kind);
    options->table_options.merge(family.table_options);
  }
  return status;
}

}  // namespace

Status ReadJobOptions(Env* env, const std::string& name, const std::string& input,
                      JobOptions* options) {
  Texts job;
  Status status = ReadInput(input, &job, options);
  if (!status.ok()) return status;
  uint64_t number = 0;
  const std::string& text = job["options_file_number"];
  if (!text.empty() && !ParseNumber(text, &number))
    return Damaged("its OPTIONS file has no number");
  status = ReadOptionsFile(env, name, number, options);
  // The latest OPTIONS file may have been replaced meanwhile, for example by SetOptions.
  if (!status.ok() && number == 0) status = ReadOptionsFile(env, name, number, options);
  const std::string what = "the options of the compaction's database " + Quoted(name);
  const std::string state = status.getState() == nullptr ? "" : status.getState();
  if (status.IsNotFound() || status.IsPathNotFound()) {
    return Status::NotFound(
        what + " are not found",
        state + "; the worker needs the folder of the database, with its OPTIONS file");
  }
  if (!status.ok()) {
    return Status(status.code(), status.subcode(), status.severity(),
                  what + " can't be read: " + state);
  }
  if (options->family_options.empty() || options->table_kind.empty()) {
    return Status::NotFound(
        "the column family " + Quoted(options->family) + " is not in " + Quoted(options->file),
        "the worker needs the OPTIONS file of the compaction's database");
  }
  UseDecimalPoints(&options->family_options);
  UseDecimalPoints(&options->table_options);
  return status;
}

}  // namespace winnow::plugin
