// `winnow verify`: whether the filters in these files are right.

#include <absl/flags/flag.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/database/table_list.h"
#include "src/workers/wire.h"
#include "tools/winnow/cli/flags.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/progress_line.h"
#include "tools/winnow/cli/terminal.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/findings/family_flag.h"
#include "tools/winnow/findings/gone_files.h"
#include "tools/winnow/findings/table_arguments.h"
#include "tools/winnow/findings/table_folders.h"
#include "tools/winnow/verify/verify_file.h"
#include "tools/winnow/verify/verify_json.h"
#include "tools/winnow/verify/verify_progress.h"
#include "tools/winnow/verify/verify_table.h"

WINNOW_TAKES(verify, kJsonFlag);
WINNOW_TAKES(verify, kPathFlag);
WINNOW_FLAG(verify, uint64_t, samples, 10'000, WholeValue("N", 0, 1e8),  // 40 bytes each
            "absent keys to ask each filter for, to measure its rate; 0 measures none");
WINNOW_TAKES(verify, kFamilyFlag);
WINNOW_TAKES(verify, kJobsFlag);

namespace winnow::tools {
namespace {

using inspect::FileVerdict;
using inspect::ListedTable;

class Run {
 public:
  // Of `files` that are verified together.
  Run(const std::vector<ListedTable>& tables, size_t files)
      : tables_(tables),
        options_{absl::GetFlag(FLAGS_verify_samples), files},
        progress_(Sizes(tables), VerifyProgress::Clock::now()) {
    verdicts_.resize(tables.size());
    for (size_t i = 0; i < tables.size(); ++i) {
      verdicts_[i].path = tables[i].path;
      verdicts_[i].column_family = tables[i].column_family;
      verdicts_[i].kind = "unknown";
    }
  }

  std::vector<FileVerdict> VerifyAll(int jobs) {
    inspect::PooledWork work;
    work.work = [this](size_t file, const inspect::WorkerReport& report) {
      return Verify(file, report);
    };
    work.on_report = [this](size_t file, std::string_view report) { Hear(file, report); };
    work.on_answer = [this](size_t file, const inspect::ChildAnswer& answer) {
      Take(file, answer);
    };
    work.workers = jobs;
    work.longest_silence = inspect::kLongestSilence;
    inspect::RunInWorkers(tables_.size(), work);
    line_.Clear();
    return std::move(verdicts_);
  }

 private:
  using Report = std::pair<uint64_t, double>;  // keys, share

  static std::vector<uint64_t> Sizes(const std::vector<ListedTable>& tables) {
    std::vector<uint64_t> sizes;
    for (const ListedTable& table : tables) {
      std::error_code code;
      const uint64_t bytes = std::filesystem::file_size(table.path, code);
      sizes.push_back(code ? 0 : bytes);
    }
    return sizes;
  }

  // In a worker.
  std::string Verify(size_t file, const inspect::WorkerReport& report) const {
    if (tables_[file].error) {
      FileVerdict verdict = verdicts_[file];
      verdict.error = tables_[file].error;
      return inspect::Pack(verdict);
    }
    return inspect::Pack(inspect::VerifyFile(
        tables_[file].path, options_,
        [&report](uint64_t keys, double share) { report(inspect::Pack(Report(keys, share))); }));
  }

  void Hear(size_t file, std::string_view report) {
    if (const std::optional<Report> so_far = inspect::Unpack<Report>(report)) {
      progress_.File(file, so_far->first, so_far->second);
      line_.Show(progress_.Line(VerifyProgress::Clock::now()));
    }
  }

  void Take(size_t file, const inspect::ChildAnswer& answer) {
    FileVerdict& verdict = verdicts_[file];
    std::string problem;
    if (std::optional<FileVerdict> found = inspect::Unpack<FileVerdict>(answer, &problem)) {
      verdict = std::move(*found);
      verdict.path = tables_[file].path;
      verdict.column_family = tables_[file].column_family;
    } else {
      // Files that end RocksDB are damaged, but nobody can say where.
      verdict.error = absl::StrCat("the process that read the file did not get through: ", problem);
    }
    progress_.Done(file, verdict.keys);
    line_.Show(progress_.Line(VerifyProgress::Clock::now()));
  }

  const std::vector<ListedTable>& tables_;
  const inspect::VerifyOptions options_;
  std::vector<FileVerdict> verdicts_;
  VerifyProgress progress_;
  ProgressLine line_;
};

int ExitCode(const std::vector<FileVerdict>& files, bool trees_read) {
  int code = trees_read ? kAllGood : kCouldNotRead;
  for (const FileVerdict& file : files) {
    if (file.error) {
      return kCouldNotRead;
    }
    if (!file.faults.empty() && code == kAllGood) {
      code = kFaultFound;
    }
  }
  return code;
}

int RunVerify(const Verb& verb, const std::vector<std::string>& paths) {
  if (paths.empty()) {
    return WrongUsage(verb, "which files or database folders?");
  }
  const int jobs = Jobs();
  std::string problem;
  Tables tables = TablesOfFamilies(paths, &problem);
  if (!problem.empty()) {
    SayWarnings(verb.name, tables.warnings);
    absl::FPrintF(stderr, "winnow verify: %s\n", problem);
    return kCouldNotRead;
  }
  const std::vector<FileVerdict> files = ReadInPlaceOfGone<FileVerdict>(
      paths,
      [&](const std::vector<ListedTable>& fresh) {
        return Run(fresh, tables.tables.size()).VerifyAll(jobs);
      },
      &tables);
  SayWarnings(verb.name, tables.warnings);
  const bool printed =
      Print(verb.name, absl::GetFlag(FLAGS_json)
                           ? inspect::VerifyJson(files, tables.warnings, tables.trees_read)
                           : VerifyTable(files, tables.trees_read, OutputWidth(),
                                         OutputIsTerminal() ? kRowsOnTerminal : files.size()));
  SayAllUnread(verb.name, files);
  return printed ? ExitCode(files, tables.trees_read) : kCouldNotRead;
}

}  // namespace

Verb VerifyVerb() {
  return {
      "verify",
      "PATH... [FLAGS] [--path] [--json]",
      "Checks that each filter finds every key of its file, and how often it errs",
      "A PATH is a table file (*.sst) or a database's folder. Of each file all checksums are\n"
      "checked, and the order of its keys. Every key that its filter was built from, deleted and\n"
      "merged ones too, is asked of the filter, or of that partition where a lookup asks: a key\n"
      "that it denies is a fault, as lookups don't find it. The rate is measured with absent\n"
      "keys, and shown with the interval that holds it in 95 of 100 such measurements. Chance\n"
      "and the ways of its keys may take it further: it is remarked on beyond 4 standard\n"
      "deviations, and a fault above 1.5 times the expected rate and beyond 6. Of many files\n"
      "each must be further outside, so that a run of good ones has a remark once in 30,000\n"
      "runs. The column \"keys\" counts whole keys and prefixes, each once, as filters do.\n"
      "Filters of unknown policies, and partitioned ones under unknown comparators, can't be\n"
      "verified. Nothing is written, and the database may be in use. In --json\n"
      "\"files_not_verified\" counts what could not be, and \"trees_read\" is false where a\n"
      "database may have more files than were found.\n",
      RunVerify,
      {{"winnow verify DB", "whether every filter of a database finds its keys, and its rate"},
       {"winnow verify FILE.sst --samples=1000000", "a file's rate, measured more exactly"},
       {"winnow verify DB --samples=0 --jobs=1", "no rates, and one file after the other"}}};
}

}  // namespace winnow::tools
