// The verb `winnow verify`, which checks the filters in SST files.

#include <absl/flags/flag.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "src/cli/flags.h"
#include "src/cli/progress.h"
#include "src/database/table_list.h"
#include "src/workers/wire.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/terminal.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/findings/each_file.h"
#include "tools/winnow/findings/gone_files.h"
#include "tools/winnow/verify/verify_file.h"
#include "tools/winnow/verify/verify_json.h"
#include "tools/winnow/verify/verify_progress.h"

WINNOW_TAKES(verify, kJsonFlag);
WINNOW_TAKES(verify, kPathFlag);
WINNOW_FLAG(verify, uint64_t, samples, 10'000, WholeValue("N", 0, 1e8),  // 40 bytes per sample
            "absent keys to ask each filter for, to measure its rate; 0 measures none");
WINNOW_TAKES(verify, kFamilyFlag);
WINNOW_TAKES(verify, kJobsFlag);

namespace winnow::tools {
namespace {

using inspect::FileVerdict;
using inspect::ListedTable;

using Progress = std::pair<uint64_t, double>;  // keys; share of the file

std::vector<uint64_t> Sizes(const std::vector<ListedTable>& tables) {
  std::vector<uint64_t> sizes;
  for (const ListedTable& table : tables) {
    std::error_code code;
    const uint64_t bytes = std::filesystem::file_size(table.path, code);
    sizes.push_back(code ? 0 : bytes);
  }
  return sizes;
}

std::vector<FileVerdict> VerifyAll(const std::vector<ListedTable>& tables,
                                   const inspect::VerifyOptions& options) {
  VerifyProgress progress(Sizes(tables), VerifyProgress::Clock::now());
  cli::ProgressLine line;
  const auto show = [&] { line.Show(progress.Line(VerifyProgress::Clock::now())); };
  FileWork<FileVerdict> work;
  work.read = [&](const ListedTable& table, const inspect::WorkerReport& report) {
    return inspect::VerifyFile(table.path, options, [&report](uint64_t keys, double share) {
      report(inspect::Pack(Progress(keys, share)));
    });
  };
  work.on_report = [&](size_t file, std::string_view report) {
    if (const std::optional<Progress> so_far = inspect::Unpack<Progress>(report)) {
      progress.File(file, so_far->first, so_far->second);
      show();
    }
  };
  work.on_file = [&](size_t file, FileVerdict* verdict) {
    verdict->column_family = tables[file].column_family;
    progress.Done(file, verdict->keys);
    show();
  };
  return ReadEach(tables, work);
}

int RunVerify(const Verb& verb, const std::vector<std::string>& paths) {
  if (paths.empty()) {
    return WrongUsage(verb, "which files or database folders?");
  }
  Tables tables;
  const auto files = ReadInPlaceOfGone<FileVerdict>(
      verb, paths,
      [&](const std::vector<ListedTable>& fresh) {
        return VerifyAll(fresh, {absl::GetFlag(FLAGS_verify_samples), tables.tables.size()});
      },
      &tables);
  if (!files) return kCouldNotRead;
  return Report(
      verb,
      absl::GetFlag(FLAGS_json) ? inspect::VerifyJson(*files, tables.warnings, tables.trees_read)
                                : VerifyTable(*files, tables.trees_read, OutputWidth(),
                                              OutputIsTerminal() ? kRowsOnTerminal : files->size()),
      *files, tables.trees_read, [](const FileVerdict& file) { return !file.faults.empty(); });
}

}  // namespace

Verb VerifyVerb() {
  return {
      "verify",
      "PATH... [FLAGS] [--path] [--json]",
      "Checks that each filter finds every key of its file, and measures its false positives",
      "A PATH is an SST file (*.sst) or a database's folder. winnow verify checks all\n"
      "checksums of each file and the order of its keys. Then it asks the filter (or the\n"
      "partition that a lookup would ask) for every key that the filter was built from, also\n"
      "for deleted and merged ones. If the filter denies a key, that is a fault: lookups do\n"
      "not find the key.\n"
      "A range filter is asked for each key as well, as scans ask it; \"range\" of the JSON says\n"
      "so, for files that have one. Its rate is not measured.\n"
      "The false-positive rate is measured with absent keys, and shown with its 95 %\n"
      "confidence interval. A remark names a rate that is more than 4 standard deviations from\n"
      "the expected one. A rate is a fault if it is above 1.5 times the expected rate and more\n"
      "than 6 standard deviations away from it. With many files these limits are wider, so\n"
      "that a run on good files has a remark once in 30,000 runs.\n"
      "The column \"keys\" counts whole keys and prefixes, each once, as filters do. Filters of\n"
      "unknown policies cannot be verified, nor partitioned filters if the comparator is\n"
      "unknown. Nothing is written, and the database may be in use. In --json,\n"
      "\"files_not_verified\" counts the files that were not verified, and \"trees_read\" is "
      "false\n"
      "if a database may have more files than were found.\n",
      RunVerify,
      {{"winnow verify DB", "whether every filter of a database finds its keys, and its rate"},
       {"winnow verify FILE.sst --samples=1000000", "a file's rate, measured more exactly"},
       {"winnow verify DB --samples=0 --jobs=1", "no rates, and one file after the other"}}};
}

}  // namespace winnow::tools
