// The verb `winnow run`, which executes a program with Winnow preloaded.

#include <absl/flags/flag.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/string_view.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/switch.h"
#include "src/cli/flags.h"
#include "src/policy_trial/policy_check.h"
#include "src/policy_trial/range_options.h"
#include "src/policy_trial/trial_filter.h"
#include "src/text/printable.h"
#include "tools/winnow/cli/json.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/run/carried_rocksdb.h"
#include "tools/winnow/run/preload_library.h"
#include "tools/winnow/run/program_file.h"
#include "winnow/rocksdb_policy.h"

WINNOW_FLAG(
    run, std::string, policy, "", TextValue("POLICY"),
    "the policy that replaces RocksDB's Bloom or Ribbon policies: any policy of Winnow's; winnow, "
    "which keeps the program's bits per key; read, which replaces none and only reads Winnow's "
    "filters; or stock, which changes nothing (default: WINNOW_POLICY of the environment, else "
    "winnow:10)");
WINNOW_FLAG(run, std::optional<bool>, add, std::nullopt, FlagValue(),
            "give a policy to column families without one, too (WINNOW_ADD=1)");
WINNOW_FLAG(
    run, std::string, range_bits, "", TextValue("W"),
    "give range filters to column families without a prefix extractor; W from 1 to 32, or 0 for "
    "none (WINNOW_RANGE_BITS=W)");
WINNOW_FLAG(run, std::optional<bool>, require, std::nullopt, FlagValue(),
            "start nothing if Winnow reaches no RocksDB of the program's, and end the program once "
            "it loads one that Winnow does not reach (WINNOW_REQUIRE=1)");
WINNOW_FLAG(run, std::optional<bool>, log, std::nullopt, FlagValue(),
            "have the program say on stderr which policy is in force (WINNOW_LOG=1)");
WINNOW_SWITCH(run, dry_run,
              "say which program, library and policy would be used, and start nothing");
WINNOW_TAKES(run, kJsonFlag);

namespace winnow::tools {
namespace {

using inspect::CarriedRocksDB;
using inspect::PolicyVerdict;
using inspect::PreloadLibrary;
using inspect::Printable;
using inspect::ProgramFile;
using Variables = std::vector<std::pair<std::string, std::string>>;
using Words = std::vector<std::string>;

constexpr absl::string_view kRead = "read";
constexpr absl::string_view kStock = "stock";

// A command to execute with its settings, or the reason why it can't be executed.
struct Start {
  std::string policy;
  std::string in_force;  // the policy that RocksDB makes of it; empty: the program's own
  std::string range_bits;
  PreloadLibrary library;
  ProgramFile program;
  std::vector<CarriedRocksDB> rocksdbs;  // set only with --dry_run, --log or --require
  std::string problem;                   // a sentence, or empty
  int status = kAllGood;
};

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Returns the value of a flag or, if it is not given, of the environment variable.
std::string Asked(const std::string& flag, const char* variable) {
  return flag.empty() ? Environment(variable) : flag;
}

// Sets Start::in_force from the policy, or returns why WINNOW_POLICY can't have this value.
std::string CheckAskedPolicy(Start* start) {
  if (start->policy == kRead || start->policy == kStock) return std::string();
  winnow_rocksdb_register();
  const PolicyVerdict verdict = inspect::CheckPolicy(start->policy, /*with_trials=*/false);
  if (!verdict.problem.empty()) {
    return absl::StrCat(
        "the policy '", Printable(start->policy), "' does not work: ", verdict.problem,
        verdict.suggestion.empty() ? ""
                                   : absl::StrCat(" Did you mean '", verdict.suggestion, "'?"));
  }
  std::string refusal;  // of what follows a semicolon, for example
  if (inspect::PolicyOfText(verdict.asked, &refusal) == nullptr) {
    return absl::StrCat("the policy does not work: ", Printable(refusal));
  }
  if (!verdict.reads_winnow) {
    return absl::StrCat("the policy '", Printable(start->policy),
                        "' is RocksDB's own, which the program has without Winnow. Expected one "
                        "of Winnow's, stock, which changes nothing, or read, which builds what the "
                        "program asks for");
  }
  start->policy = verdict.asked;
  start->in_force = verdict.in_force;
  return std::string();
}

// Returns a sentence on each RocksDB that Winnow does not reach.
Words Unreached(const std::vector<CarriedRocksDB>& rocksdbs) {
  Words sentences;
  for (const CarriedRocksDB& rocksdb : rocksdbs) {
    if (rocksdb.problem.empty()) continue;
    sentences.push_back(
        absl::StrCat(Printable(rocksdb.file),
                     " has a RocksDB inside that Winnow does not reach: ", rocksdb.problem));
  }
  return sentences;
}

// Returns why --require does not let a program with these RocksDBs start, or an empty string.
std::string WhyNotReached(const std::vector<CarriedRocksDB>& rocksdbs) {
  if (!rocksdbs.empty()) return absl::StrJoin(Unreached(rocksdbs), " ");
  return "The program is linked with no RocksDB, as --require expects. If it starts the one that "
         "is, or opens a RocksDB while it runs, set WINNOW_REQUIRE=1 in its environment in place "
         "of --require";
}

Start Prepare(const std::vector<std::string>& command) {
  Start start;
  start.policy = Asked(absl::GetFlag(FLAGS_run_policy), "WINNOW_POLICY");
  if (start.policy.empty()) start.policy = "winnow:10";
  start.range_bits = Asked(absl::GetFlag(FLAGS_run_range_bits), "WINNOW_RANGE_BITS");
  start.problem = CheckAskedPolicy(&start);
  if (start.problem.empty() && !start.range_bits.empty()) {
    start.problem = inspect::WhyNotRangeBits(start.range_bits);
  }
  if (start.problem.empty()) {
    start.library = inspect::FindPreloadLibrary(Environment("LD_PRELOAD"));
    start.problem = start.library.problem;
  }
  if (!start.problem.empty()) {
    start.status = kNotStarted;
    return start;
  }
  start.program = inspect::FindProgram(command);
  start.problem = start.program.problem;
  if (!start.problem.empty()) {
    start.status = start.program.is_missing ? kNoProgram : kNoStart;
  } else if (absl::GetFlag(FLAGS_run_dry_run) || absl::GetFlag(FLAGS_run_log).value_or(false) ||
             absl::GetFlag(FLAGS_run_require).value_or(false)) {
    const ProgramFile& program = start.program;
    start.rocksdbs = inspect::FindCarriedRocksDBs(
        program.interpreters.empty() ? program.path : program.interpreters.back(),
        start.library.path);
    if (absl::GetFlag(FLAGS_run_require).value_or(false)) {
      start.problem = WhyNotReached(start.rocksdbs);
      if (!start.problem.empty()) start.status = kNotStarted;
    }
  }
  return start;
}

// Returns the environment variables that are set for the program.
Variables VariablesOf(const Start& start) {
  Variables variables = {{"LD_PRELOAD", start.library.variable}, {"WINNOW_POLICY", start.policy}};
  if (!start.range_bits.empty()) variables.emplace_back("WINNOW_RANGE_BITS", start.range_bits);
  const std::pair<const char*, std::optional<bool>> switches[] = {
      {"WINNOW_ADD", absl::GetFlag(FLAGS_run_add)},
      {"WINNOW_LOG", absl::GetFlag(FLAGS_run_log)},
      {"WINNOW_REQUIRE", absl::GetFlag(FLAGS_run_require)}};
  for (const auto& [name, asked] : switches) {  // a flag overrides the environment
    std::string value = Environment(name);
    if (asked && (*asked || !value.empty())) value = *asked ? "1" : "0";
    if (!value.empty()) variables.emplace_back(name, value);
  }
  return variables;
}

// Returns true for values of WINNOW_ADD that other variables accept as "on": the library requires
// 1.
bool IsIgnored(absl::string_view name, const std::string& value) {
  return name == "WINNOW_ADD" && value != "1" && base::IsOn(value.c_str());
}

// Returns warnings about a start without a problem.
Words Doubts(const Start& start) {
  Words doubts;
  if (!start.program.unknown.empty()) doubts.push_back(start.program.unknown);
  for (const auto& [name, value] : VariablesOf(start)) {
    if (!IsIgnored(name, value)) continue;
    doubts.push_back(absl::StrCat(name, " is '", Printable(value),
                                  "', and only 1 has an effect: expected 1, or --add"));
  }
  for (std::string& sentence : Unreached(start.rocksdbs)) doubts.push_back(std::move(sentence));
  return doubts;
}

std::string PolicyText(const Start& start) {
  if (start.policy == kStock) return "what the program asks for";
  return start.policy == kRead ? "what the program asks for; Winnow's filters are read"
                               : start.in_force;
}

std::string RocksDBText(const Start& start) {
  if (start.rocksdbs.empty()) {
    return "rocksdb      none is linked; --log tells of what the program opens or starts\n";
  }
  std::string text;
  for (const CarriedRocksDB& rocksdb : start.rocksdbs) {
    absl::StrAppend(&text, text.empty() ? "rocksdb      " : "             ",
                    Printable(rocksdb.file),
                    rocksdb.version.empty() ? "" : absl::StrCat(", ", rocksdb.version), ": ",
                    rocksdb.problem.empty() ? absl::StrCat("reached by ", rocksdb.way)
                                            : "not reached, as said above",
                    "\n");
  }
  return text;
}

std::string Text(const Start& start, const std::vector<std::string>& command) {
  std::string text = absl::StrCat("program      ", Printable(start.program.path), "\n");
  for (const std::string& path : start.program.interpreters) {
    absl::StrAppend(&text, "  read by    ", Printable(path), "\n");
  }
  for (size_t i = 1; i < command.size(); ++i) {
    absl::StrAppend(&text, i == 1 ? "arguments    " : "             ", Printable(command[i]), "\n");
  }
  absl::StrAppend(&text, "library      ", start.library.path, "\n");
  absl::StrAppend(&text, "policy       ", PolicyText(start), "\n");
  absl::string_view title = "environment  ";
  for (const auto& [name, value] : VariablesOf(start)) {
    absl::StrAppend(&text, title, name, "=", Printable(value),
                    IsIgnored(name, value) ? " (no effect: only 1 has one)" : "", "\n");
    title = "             ";
  }
  absl::StrAppend(&text, RocksDBText(start));
  return text;
}

std::string StartJson(const Start& start, const std::vector<std::string>& command) {
  nlohmann::ordered_json content;
  inspect::PutName("program", start.program.path, &content);
  content["interpreters"] = start.program.interpreters;
  content["arguments"] = std::vector<std::string>(command.begin() + 1, command.end());
  content["library"] = inspect::SentenceOrNull(start.library.path);
  content["policy"] = start.policy;
  content["in_force"] = inspect::SentenceOrNull(start.in_force);
  content["environment"] = nullptr;
  if (start.problem.empty()) {
    for (const auto& [name, value] : VariablesOf(start)) content["environment"][name] = value;
  }
  content["rocksdb"] = nlohmann::ordered_json::array();
  for (const CarriedRocksDB& rocksdb : start.rocksdbs) {
    nlohmann::ordered_json row;
    inspect::PutName("file", rocksdb.file, &row);
    row["version"] = inspect::SentenceOrNull(rocksdb.version);
    row["way"] = inspect::SentenceOrNull(rocksdb.way);
    row["problem"] = inspect::SentenceOrNull(rocksdb.problem);
    content["rocksdb"].push_back(row);
  }
  content["problem"] = inspect::SentenceOrNull(start.problem);
  content["unknown"] = inspect::SentenceOrNull(start.program.unknown);
  content["status"] = start.status;
  return inspect::Document("winnow.run/1", content);
}

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Executes the command. Returns the exit code if that fails.
int Execute(const Start& start, std::vector<std::string> command) {
  for (const auto& [name, value] : VariablesOf(start)) setenv(name.c_str(), value.c_str(), 1);
  RestoreStandardStreams();
  const std::string& path = start.program.path;
  execv(path.c_str(), Pointers(command).data());
  std::string file = path;
  if (errno == ENOEXEC) {
    // Runs the file with the shell, as execvp() does.
    file = start.program.interpreters.empty() ? file : start.program.interpreters.back();
    command.front() = path;
    command.insert(command.begin(), file);
    execv(file.c_str(), Pointers(command).data());
  }
  const int error = errno;
  absl::FPrintF(stderr, "winnow run: %s can't be started: %s\n", Printable(file),
                std::strerror(error));
  return error == ENOENT ? kNoProgram : kNoStart;
}

int RunRun(const Verb& verb, const std::vector<std::string>& arguments) {
  const bool is_dry = absl::GetFlag(FLAGS_run_dry_run);
  const bool json = absl::GetFlag(FLAGS_json);
  if (arguments.empty()) return WrongUsage(verb, "which program?");
  if (json && !is_dry) return WrongUsage(verb, "--json needs --dry_run");
  const Start start = Prepare(arguments);
  if (!start.problem.empty()) {
    const bool is_ended = absl::StrContains(".?", start.problem.back());
    SayWarnings(verb.name,
                {absl::StrCat(start.problem, is_ended ? "" : ".", " Nothing was started")});
  } else {
    SayWarnings(verb.name, Doubts(start));
  }
  if (json && !Print(verb.name, StartJson(start, arguments))) return kCouldNotRead;
  if (!start.problem.empty() || json) return start.status;
  if (!is_dry) return Execute(start, arguments);
  return Print(verb.name, Text(start, arguments)) ? kAllGood : kCouldNotRead;
}

}  // namespace

Verb RunVerb() {
  return {
      "run",
      "[FLAGS] [--dry_run] [--json] [--] PROGRAM [ARGUMENT...]",
      "Starts a program with Winnow preloaded, in the place of its Bloom or Ribbon policies",
      "winnow run looks for PROGRAM in PATH and passes all further arguments to it. PROGRAM\n"
      "replaces the winnow process (exec): it gets the signals, and its exit status is that of\n"
      "the command. Its environment has WINNOW_POLICY, and LD_PRELOAD with the library of this\n"
      "Winnow's build behind the libraries that LD_PRELOAD named before.\n"
      "First the policy is checked, as by winnow policy. Then winnow run refuses programs for\n"
      "which the loader would ignore the library, and says why. These are linked statically,\n"
      "or are for another machine or C library, or have more rights than their caller\n"
      "(set-user-id, set-group-id, file capabilities), or whose interpreter is. What PROGRAM\n"
      "starts, as env, nice and timeout do, inherits LD_PRELOAD and is not checked. sudo, env -i\n"
      "and the like do not pass LD_PRELOAD on and are refused: have sudo start winnow run.\n"
      "If PROGRAM has a RocksDB that Winnow does not reach, it runs without Winnow, and says so\n"
      "on stderr; with --require, nothing is started, and the exit status is 125. --dry_run,\n"
      "--log and --require look for a RocksDB in PROGRAM and in the libraries that it is linked\n"
      "with, and say how Winnow reaches each, or which other way does. What PROGRAM opens,\n"
      "unpacks or starts is known only then: with WINNOW_REQUIRE=1, it ends the process.\n"
      "--json has: the program's file; the interpreters that read it; arguments; library;\n"
      "policy; in_force, the policy as RocksDB understands it (null with read and stock);\n"
      "environment; rocksdb, the files that have a RocksDB inside, with\n"
      "its version (null: known when it runs), the way by which it is reached, and the problem\n"
      "if it is not; problem, null if the program would be started;\n"
      "unknown, what could not be checked (null: nothing); status, the exit code of a problem.\n",
      RunRun,
      {{"winnow run PROGRAM --version",
        "the program, in which winnow:10 replaces bloomfilter:10, for example"},
       {"winnow run --policy=winnow:8 --add -- PROGRAM --version",
        "8 bits per key, also in column families that have no policy"},
       {"winnow run --require PROGRAM --version", "a service that must not run without Winnow"},
       {"winnow run --log --dry_run PROGRAM",
        "the program, library, policy and environment that would be used"},
       {"winnow run --dry_run --json PROGRAM", "the same for programs"}},
      /*starts_program=*/true,
      {{"WINNOW_POLICY", "The policy if --policy is not given. The program gets the one in use."},
       {"WINNOW_ADD",
        "1: column families without a policy get one too, as with --add; --noadd overrides it."},
       {"WINNOW_RANGE_BITS", "The same as --range_bits, which overrides it."},
       {"WINNOW_LOG",
        "1: the program says on stderr which policy is in force, as with --log; --nolog overrides "
        "it."},
       {"WINNOW_REQUIRE",
        "1: the program ends with status 125 once it loads a RocksDB that Winnow does not reach; a "
        "program without RocksDB goes on."},
       {"WINNOW_METRICS",
        "A file in which the program keeps its counters for Prometheus; %p is its process id."},
       {"LD_PRELOAD", "Its libraries stay; winnow run adds this Winnow's library behind them."},
       {"WINNOW_KERNEL",
        "portable, avx2, gfni, avx512 or neon: the kernel that the program uses, if the machine "
        "has "
        "it."}}};
}

}  // namespace winnow::tools
