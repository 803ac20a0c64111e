// Helpers for verbs that read SST files in worker processes, since a damaged file may crash its
// reader. `File` is a verb's result for a file: `path`, `error` (an optional sentence) and `Fields`
// for src/workers/wire.h.

#ifndef WINNOW_TOOLS_WINNOW_FINDINGS_EACH_FILE_H_
#define WINNOW_TOOLS_WINNOW_FINDINGS_EACH_FILE_H_

#include <absl/strings/string_view.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/database/table_list.h"
#include "src/workers/wire.h"
#include "src/workers/worker_pool.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/findings/table_arguments.h"

namespace winnow::tools {

template <typename File>
struct FileWork {
  // `read` runs in a worker for each table that could be listed. Reports that it sends are passed
  // to on_report, which may be null if it sends none.
  std::function<File(const inspect::ListedTable& table, const inspect::WorkerReport& report)> read;
  std::function<void(size_t file, std::string_view report)> on_report;

  // Runs in this process, in the order in which results arrive. May be null.
  std::function<void(size_t file, File* found)> on_file;
};

// Returns the results in the order of the tables. A file that could not be read has only its path
// and error. Runs as many workers as --jobs says.
template <typename File>
std::vector<File> ReadEach(const std::vector<inspect::ListedTable>& tables,
                           const FileWork<File>& how) {
  std::vector<File> files(tables.size());
  inspect::PooledWork work;
  work.work = [&](size_t i, const inspect::WorkerReport& report) {
    File unread;
    unread.error = tables[i].error;
    return inspect::Pack(unread.error ? unread : how.read(tables[i], report));
  };
  work.on_report = how.on_report;
  work.on_answer = [&](size_t i, const inspect::ChildAnswer& answer) {
    std::string problem;
    if (std::optional<File> found = inspect::Unpack<File>(answer, &problem)) {
      files[i] = std::move(*found);
    } else {
      // RocksDB crashed on the file, which must be damaged; the place is unknown.
      files[i].error = inspect::LostFile(problem);
    }
    files[i].path = tables[i].path;
    if (how.on_file) how.on_file(i, &files[i]);
  };
  work.workers = Jobs();
  work.longest_silence = inspect::kLongestSilence;
  inspect::RunInWorkers(files.size(), work);
  return files;
}

// Returns the exit code for the results. `complete` is false if some input besides `files` could
// not be read.
template <typename File, typename IsFaulty>
int ExitCodeOf(const std::vector<File>& files, bool complete, const IsFaulty& is_faulty) {
  const bool all_read = std::none_of(files.begin(), files.end(),
                                     [](const File& file) { return file.error.has_value(); });
  return !complete || !all_read                               ? kCouldNotRead
         : std::any_of(files.begin(), files.end(), is_faulty) ? kFaultFound
                                                              : kAllGood;
}

// Writes the text to standard output and the files' errors to stderr. Returns the exit code.
template <typename File, typename IsFaulty>
int Report(const Verb& verb, absl::string_view text, const std::vector<File>& files, bool complete,
           const IsFaulty& is_faulty) {
  const bool printed = Print(verb.name, text);
  SayAllUnread(verb.name, files);
  return ExitCodeOf(files, complete && printed, is_faulty);
}

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_FINDINGS_EACH_FILE_H_
