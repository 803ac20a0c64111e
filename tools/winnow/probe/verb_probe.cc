// The verb `winnow probe`, which shows the files that may have a key.

#include <absl/flags/flag.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/cli/flags.h"
#include "src/cli/progress.h"
#include "tools/winnow/cli/keys.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/findings/each_file.h"
#include "tools/winnow/findings/gone_files.h"
#include "tools/winnow/probe/probe_file.h"
#include "tools/winnow/probe/probe_json.h"
#include "winnow/hash.h"

WINNOW_TAKES(probe, kJsonFlag);
WINNOW_TAKES(probe, kPathFlag);
WINNOW_TAKES(probe, kFamilyFlag);
WINNOW_TAKES(probe, kJobsFlag);
WINNOW_TAKES(probe, kHexFlag);
WINNOW_TAKES(probe, kKeysFlag);
WINNOW_FLAG(
    probe, std::optional<std::string>, from, std::nullopt, TextValue("KEY"),
    "the first key of a range to ask for as well; without it the range begins with any key");
WINNOW_FLAG(probe, std::optional<std::string>, to, std::nullopt, TextValue("KEY"),
            "the key before which the range ends, as --from=a --to=b");
WINNOW_SWITCH(probe, exact,
              "also read the data block where the key would be, in each file that may have it");

namespace winnow::tools {
namespace {

using inspect::FileProbe;
using inspect::ProbedKey;
using inspect::ProbedRange;

struct Arguments {
  std::vector<std::string> paths;
  std::vector<ProbedKey> keys;
  std::optional<ProbedRange> range;
  std::string problem;  // error message, or empty
};

void AddKey(std::string bytes, Arguments* arguments) {
  const uint64_t hash = HashKey(bytes).value;
  arguments->keys.push_back({std::move(bytes), hash});
}

// Splits the arguments into paths and keys: paths are the leading arguments that exist. A first key
// with a "/" is taken for a misspelt path and refused, unless it is the last argument.
Arguments Sort(const std::vector<std::string>& given) {
  Arguments arguments;
  for (const std::string& argument : given) {
    if (!arguments.problem.empty()) {
      break;
    }
    if (arguments.keys.empty() && IsPathArgument(argument)) {
      arguments.paths.push_back(argument);
    } else if (arguments.paths.empty() || absl::EndsWith(argument, ".sst")) {
      arguments.problem = absl::StrCat("there is no file or folder '", argument, "'");
    } else if (arguments.keys.empty() && &argument != &given.back() &&
               absl::StrContains(argument, '/')) {
      arguments.problem = absl::StrCat(
          "there is no file or folder '", argument,
          "'; were it a key: it can come after one without a /, be the last argument, or be in a "
          "list (--keys=FILE)");
    } else {
      AddKey(KeyOfArgument(argument, &arguments.problem), &arguments);
    }
  }
  return arguments;
}

// Sets the range from --from and --to, or a problem.
void AddRange(Arguments* arguments) {
  const std::optional<std::string> from = absl::GetFlag(FLAGS_probe_from);
  const std::optional<std::string> to = absl::GetFlag(FLAGS_probe_to);
  if (!from && !to) return;
  if (!to || to->empty()) {
    arguments->problem = "--from needs --to, as a range filter is asked for ranges with an end";
    return;
  }
  const std::string& problem = arguments->problem;
  ProbedRange range;
  if (problem.empty() && from && !from->empty()) {
    range.begin = KeyOfArgument(*from, &arguments->problem);
  }
  if (problem.empty()) range.end = KeyOfArgument(*to, &arguments->problem);
  if (problem.empty() && range.begin == range.end) {
    arguments->problem = "--from and --to are the same key, and no key is between";
  }
  arguments->range = std::move(range);
}

std::vector<FileProbe> ProbeAll(const std::vector<inspect::ListedTable>& tables,
                                const std::vector<ProbedKey>& keys,
                                const std::optional<ProbedRange>& range) {
  const bool exact = absl::GetFlag(FLAGS_probe_exact);
  cli::ProgressLine line;
  size_t answered = 0;
  const auto show = [&] {
    line.Show(absl::StrCat(answered, " of ", tables.size(), " files, ", keys.size(), " keys each"));
  };
  show();
  FileWork<FileProbe> work;
  work.read = [&](const inspect::ListedTable& table, const inspect::WorkerReport&) {
    return inspect::ProbeFile(table.path, keys, exact, range);
  };
  work.on_file = [&](size_t file, FileProbe* probe) {
    probe->level = tables[file].level;
    probe->column_family = tables[file].column_family;
    ++answered;
    show();
  };
  return ReadEach(tables, work);
}

int RunProbe(const Verb& verb, const std::vector<std::string>& given) {
  Arguments arguments = Sort(given);
  if (arguments.problem.empty() && arguments.paths.empty()) {
    arguments.problem = "which files or database folders?";
  }
  if (arguments.problem.empty()) AddRange(&arguments);
  const std::string list = absl::GetFlag(FLAGS_keys);
  if (arguments.problem.empty() && arguments.keys.empty() && list.empty() && !arguments.range) {
    arguments.problem = "which keys? What exists as a file or folder is taken for a path";
  }
  if (!arguments.problem.empty()) {
    return WrongUsage(verb, arguments.problem);
  }
  if (!list.empty()) {
    std::vector<std::string> warnings;
    const std::string error = VisitListedKeys(
        list, [&](std::string_view key) { AddKey(std::string(key), &arguments); }, &warnings,
        arguments.paths);
    SayWarnings(verb.name, warnings);
    if (!error.empty()) {
      absl::FPrintF(stderr, "winnow probe: %s\n", error);
      return kCouldNotRead;
    }
  }
  inspect::ProbeReport report;
  report.keys = std::move(arguments.keys);
  report.range = std::move(arguments.range);
  report.exact = absl::GetFlag(FLAGS_probe_exact);
  Tables tables;
  auto files = ReadInPlaceOfGone<FileProbe>(
      verb, arguments.paths,
      [&](const std::vector<inspect::ListedTable>& fresh) {
        return ProbeAll(fresh, report.keys, report.range);
      },
      &tables);
  if (!files) return kCouldNotRead;
  report.files = *std::move(files);
  report.trees_read = tables.trees_read;
  report.warnings = std::move(tables.warnings);
  return Report(verb, absl::GetFlag(FLAGS_json) ? inspect::ProbeJson(report) : ProbeText(report),
                report.files, report.has_all(),
                [](const FileProbe& file) { return file.fault.has_value(); });
}

}  // namespace

Verb ProbeVerb() {
  return {
      "probe",
      "PATH... KEY... [--from --to] [FLAGS] [--cf] [--jobs] [--path] [--json]",
      "Shows which SST files may hold each key, by key range and by filter",
      "A PATH is an SST file (*.sst) or a database's folder. The first argument that is\n"
      "neither is a KEY, and so are all arguments after it. If an argument with a / does not\n"
      "exist, it counts as a mistyped path and is refused, unless it is the last one. Give\n"
      "keys without a timestamp.\n"
      "winnow probe asks each SST file whose key range has the key, as a lookup does: by the\n"
      "filter of whole keys, or else by that of prefixes. If a file could not be read, and no\n"
      "other file may have the key, the answer is \"not known\", with exit code 2. Entries that\n"
      "are only in a write-ahead log are not seen.\n"
      "With --from and --to, winnow probe also asks range filters, as a scan does, which files\n"
      "a scan from the first key to before the second one reads. Keys are not needed then. In\n"
      "--json \"range\" says of it what \"keys\" says of each key.\n"
      "With --exact, winnow probe also reads the data block where the key would be, in each\n"
      "file that may have the key. It shows the newest entry, or that the filter's answer was\n"
      "a false positive, and deleted ranges that cover the key. If the database's comparator\n"
      "is not known here, only filters are asked. A damaged filter is reported and not used;\n"
      "exit code 1.\n"
      "Nothing is written, and the database may be in use. In --json each key's \"answer\" is\n"
      "\"in none\", \"may be in some\" or \"not known\"; \"files_not_read\" and \"trees_read\" say "
      "why.\n",
      RunProbe,
      {{"winnow probe DB KEY", "the files that a lookup of the key reads"},
       {"winnow probe DB KEY --exact", "and what it finds there"},
       {"winnow probe DB --from=KEY --to=KEY9", "in which files a scan of a range reads"},
       {"winnow probe FILE.sst --keys=KEYS", "each key of a list, of one file"},
       {"winnow probe DB 0x00ff --hex", "a key that no shell can write"}}};
}

}  // namespace winnow::tools
