// The verb `winnow refilter`, which gives the files of a closed database new filters.

#include <absl/flags/flag.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/cli/flags.h"
#include "src/cli/interruption.h"
#include "src/cli/progress.h"
#include "src/refilter/refilter.h"
#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "tools/winnow/cli/json.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/findings/table_arguments.h"

WINNOW_FLAG(refilter, std::string, policy, "", TextValue("POLICY"),
            "the filters to write, an options string as winnow:10 or bloomfilter:10, with all its "
            "options, also range_bits; without it, that of WINNOW_POLICY or, if that is not set, "
            "of the latest OPTIONS file, which names RocksDB's where Winnow is preloaded");
WINNOW_TAKES(refilter, kFamilyFlag);
WINNOW_FLAG(refilter, int, level, -1, WholeValue("N", 0, 99),
            "only files on this level; bits still follow from all files");
WINNOW_TAKES(refilter, kPathFlag);
WINNOW_TAKES(refilter, kJobsFlag);
WINNOW_FLAG(refilter, std::string, rate, "", BytesValue("BYTES", 1, 1e15),
            "read at most so many bytes of data a second, as 100MB");
WINNOW_SWITCH(refilter, copy,
              "write copies of the files, so that RocksDB can open the database whenever the run "
              "is killed; needs room for a batch of files");
WINNOW_SWITCH(refilter, prepare,
              "build the filters while the database is open, for a run on the closed one, which "
              "then takes seconds, and the time to copy files that have further names");
WINNOW_SWITCH(refilter, dry_run, "build the filters, say what they would save, and write nothing");
WINNOW_TAKES(refilter, kJsonFlag);

namespace winnow::tools {
namespace {

using inspect::ByteSize;
using inspect::Printable;
using inspect::RefilterOptions;
using inspect::RefilterProgress;
using inspect::RefilterResult;

std::string PolicyOfEnvironment() {
  const char* const text = std::getenv("WINNOW_POLICY");
  const std::string policy = text == nullptr ? "" : text;
  return policy == "stock" ? "" : policy;
}

// Returns true for values of WINNOW_POLICY that leave the bits per key to the program.
bool LeavesBitsToTheProgram(const std::string& policy) {
  return policy == "read" || policy == "winnow";
}

std::string RefilterText(const RefilterResult& result, const RefilterOptions& options) {
  const auto bytes = [](uint64_t number) { return ByteSize(static_cast<double>(number)); };
  const char* const changed = options.is_dry     ? "would change"
                              : options.prepares ? "prepared"
                                                 : "changed";
  std::string text = absl::StrFormat("files        %d: %d %s, %d have these filters already",
                                     result.files, result.changed, changed, result.same);
  if (!result.failed.empty()) absl::StrAppend(&text, ", ", result.failed.size(), " left");
  absl::StrAppendFormat(
      &text,
      "\nfilters      %s before, %s after\n"
      "false reads  %.4g before, %.4g after, expected for a lookup of an absent key\n"
      "read         %s of data\nwritten      %s",
      bytes(result.filter_bytes_before), bytes(result.filter_bytes_after),
      result.false_reads_before, result.false_reads_after, bytes(result.bytes_read),
      bytes(result.bytes_written));
  if (result.files_copied > 0) {
    absl::StrAppend(&text, ", with copies of ", inspect::Number(result.files_copied, "file"));
  }
  absl::StrAppendFormat(&text, "\ntime         %.1f s%s\n", result.seconds,
                        options.prepares ? "" : ", for which the database was closed");
  return text;
}

std::string RefilterJson(const RefilterResult& result, const RefilterOptions& options) {
  nlohmann::ordered_json content;
  inspect::PutName("database", options.request.database, &content);
  content["dry_run"] = options.is_dry;
  content["prepared"] = options.prepares;
  content["ended_former_run"] = result.ended_former;
  content["interrupted"] = result.was_interrupted;
  content["files"] = result.files;
  content["changed"] = result.changed;
  content["same"] = result.same;
  content["failed"] = nlohmann::ordered_json::array();
  for (const auto& [path, why] : result.failed) {
    nlohmann::ordered_json file;
    inspect::PutName("path", path, &file);
    file["error"] = why;
    content["failed"].push_back(std::move(file));
  }
  content["filter_bytes_before"] = result.filter_bytes_before;
  content["filter_bytes_after"] = result.filter_bytes_after;
  content["false_reads_before"] = result.false_reads_before;
  content["false_reads_after"] = result.false_reads_after;
  content["bytes_read"] = result.bytes_read;
  content["bytes_written"] = result.bytes_written;
  content["files_copied"] = result.files_copied;
  content["seconds"] = result.seconds;
  content["remarks"] = result.remarks;
  return inspect::Document("winnow.refilter/1", content);
}

std::string ProgressText(const RefilterProgress& progress, double seconds) {
  const auto bytes = static_cast<double>(progress.bytes);
  return absl::StrCat(progress.files, " of ", inspect::Number(progress.all_files, "file"), ", ",
                      ByteSize(bytes), " of ", ByteSize(static_cast<double>(progress.all_bytes)),
                      ", ", ByteSize(bytes / std::max(seconds, 1e-3)), "/s");
}

int RunRefilter(const Verb& verb, const std::vector<std::string>& arguments) {
  if (arguments.empty()) return WrongUsage(verb, "which database?");
  if (arguments.size() > 1) return WrongUsage(verb, "one database at a time");
  RefilterOptions options;
  options.request.policy = absl::GetFlag(FLAGS_refilter_policy);
  if (options.request.policy.empty()) {
    options.request.policy = PolicyOfEnvironment();
    if (LeavesBitsToTheProgram(options.request.policy)) {
      return WrongUsage(verb, absl::StrCat("WINNOW_POLICY=", options.request.policy,
                                           " does not say which filters to write: give --policy"));
    }
  }
  options.request.families = FamiliesOfFlags();
  if (const int level = absl::GetFlag(FLAGS_refilter_level); level >= 0) {
    options.request.level = level;
  }
  options.jobs = Jobs();
  options.bytes_a_second = cli::ParseByteCount(absl::GetFlag(FLAGS_refilter_rate)).value_or(0);
  options.copies_all = absl::GetFlag(FLAGS_refilter_copy);
  options.is_dry = absl::GetFlag(FLAGS_refilter_dry_run);
  options.prepares = absl::GetFlag(FLAGS_refilter_prepare);
  if (options.is_dry && options.prepares) {
    return WrongUsage(verb, "--prepare and --dry_run at once? --dry_run writes nothing");
  }
  // Later on, paths are normalized as texts, which is wrong behind a link.
  std::vector<std::string> folders = TableFolders();
  folders.insert(folders.begin(), arguments.front());
  for (std::string& folder : folders) {
    std::error_code code;
    const std::filesystem::path real = std::filesystem::canonical(folder, code);
    if (code) {
      SayWarnings(verb.name,
                  {absl::StrCat("there is no folder ", Printable(folder), ": ", code.message())});
      return kCouldNotRead;
    }
    folder = real.string();
  }
  options.request.database = folders.front();
  options.request.folders.assign(folders.begin() + 1, folders.end());
  cli::StopAtSignal();
  absl::StatusOr<RefilterResult> result;
  {
    cli::ProgressLine line;
    const auto begin = std::chrono::steady_clock::now();
    result = inspect::Refilter(ROCKSDB_NAMESPACE::Env::Default(), options, *cli::StopAsked(),
                               [&](const RefilterProgress& progress) {
                                 const std::chrono::duration<double> since =
                                     std::chrono::steady_clock::now() - begin;
                                 line.Show(ProgressText(progress, since.count()));
                               });
  }
  if (!result.ok()) {
    SayWarnings(verb.name, {Printable(std::string(result.status().message()))});
    return kCouldNotRead;
  }
  if (result->ended_former) {
    SayWarnings(verb.name, {"a batch of a killed run was finished or undone first"});
  }
  SayWarnings(verb.name, result->remarks);
  std::vector<std::string> failed;
  for (const auto& [path, why] : result->failed) {
    failed.push_back(absl::StrCat(Printable(path), ": ", Printable(why), ". It stays as it is"));
  }
  SayWarnings(verb.name, failed);
  if (result->was_interrupted) {
    SayWarnings(verb.name, {"interrupted: the files so far are done, and the same command goes "
                            "on with the others"});
  }
  if (!Print(verb.name, absl::GetFlag(FLAGS_json) ? RefilterJson(*result, options)
                                                  : RefilterText(*result, options))) {
    return kCouldNotRead;
  }
  if (result->was_interrupted) return cli::StopStatus();
  return result->failed.empty() ? kAllGood : kFaultFound;
}

}  // namespace

Verb RefilterVerb() {
  return {
      "refilter",
      "FOLDER [FLAGS] [--dry_run] [--json]",
      "Gives the files of a closed database new filters, without a compaction",
      "Reads the keys of each SST file and appends a new filter, with properties that match it;\n"
      "data blocks stay where they are. Bits follow from all files of the tree at once, as\n"
      "level_plan=auto gives them to new files. Files whose filter would be the same stay as\n"
      "they are: a second run does nothing, and one that was stopped goes on. ^C stops before\n"
      "the next batch.\n"
      "The database must be closed. --prepare reads the keys while it is open; the same command\n"
      "without it then applies what it built to the files that are still there, and does the\n"
      "rest. If the run is killed, run it again, with any policy: it first finishes or undoes\n"
      "the batch that the file REFILTER in the folder names. Before that, RocksDB may refuse the\n"
      "database, unless the run had --copy: do not repair it, nor open it with\n"
      "best_efforts_recovery. Files that have further names, as those of checkpoints and\n"
      "backups, are copied and never written. The next incremental backup copies all changed\n"
      "files.\n"
      "What it can't do is refused before anything is written, with a sentence that says what\n"
      "to do. A file with a damaged block is left, with exit code 1.\n"
      "--json has: database; dry_run; prepared; ended_former_run; interrupted; files, of which "
      "changed\n"
      "and same, and failed with path and error; filter_bytes_before and _after;\n"
      "false_reads_before and _after, expected for a lookup of an absent key; bytes_read, of\n"
      "data; bytes_written; files_copied; seconds; remarks.\n",
      RunRefilter,
      {{"winnow refilter DB --policy=winnow:10 --dry_run", "what new filters would save"},
       {"winnow refilter DB --policy=winnow:10 --prepare", "the work while the database is open"},
       {"winnow refilter DB --policy=winnow:10", "the filters of winnow:10 for all files"},
       {"winnow refilter DB --policy=bloomfilter:10 --json", "the way back, for programs"}},
      false,
      {{"WINNOW_POLICY", "The filters to write, if --policy is not given."}}};
}

}  // namespace winnow::tools
