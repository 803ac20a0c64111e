// The verb `winnow help`: lists the verbs, and describes each.

#include <absl/flags/flag.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "src/cli/help.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"

WINNOW_SWITCH(help, man, "show it as a manual page, for man -l -");
WINNOW_SWITCH(help, completion, "show a script by which bash completes verbs and flags");
WINNOW_FLAG(help, std::string, write, "", TextValue("FOLDER"),
            "show nothing, and write all manual pages and the completion into this folder, as they "
            "lie in /usr/share");

namespace winnow::tools {
namespace {

// One-sentence description of the program.
constexpr char kPurpose[] = "the filters of RocksDB databases, Winnow's and RocksDB's own";

const cli::Section kExitStatus = {
    "Exit status",
    {{"0", "all good"},
     {"1", "a fault was found, or the answer is no"},
     {"2", "something could not be read or written, or the command line is wrong"},
     {"130", "it was interrupted by Ctrl-C (SIGINT); 143 by SIGTERM"},
     {"141", "the pipe that it wrote to was closed (SIGPIPE)"}}};

// Exit status of verbs that start another program.
const cli::Section kExitStatusOfStart = {
    "Exit status",
    {{"any", "what the program ends with"},
     {"125", "the command line, the policy or the library is wrong, and nothing was started"},
     {"126", "the program can't be started, or would run without Winnow: nothing was started"},
     {"127", "there is no such program"},
     {"2", "what it says in place of starting the program could not be written in full"}}};

// Returns the manual pages but the page `own`.
std::vector<std::string> PagesBeside(const std::string& own) {
  std::vector<std::string> pages = {"winnow"};
  for (const Verb& verb : Verbs()) pages.push_back(absl::StrCat("winnow-", verb.name));
  pages.erase(std::find(pages.begin(), pages.end(), own));
  return pages;
}

cli::Command CommandOf(const Verb& verb) {
  cli::Section examples = {"Examples", {}};
  for (const Example& example : verb.examples) {
    examples.entries.push_back({std::string(example.command), std::string(example.shows)});
  }
  cli::Section environment = {"Environment", {}, /*is_for_manual_only=*/true};
  for (const Variable& variable : verb.environment) {
    environment.entries.push_back({std::string(variable.name), std::string(variable.says)});
  }
  return {absl::StrCat("winnow ", verb.name),
          ArgumentsOf(verb),
          std::string(verb.summary),
          std::string(verb.help),
          {cli::FlagSection("Flags", verb.name), std::move(examples), std::move(environment),
           verb.starts_program ? kExitStatusOfStart : kExitStatus},
          PagesBeside(absl::StrCat("winnow-", verb.name))};
}

std::string OverallManPage() {
  cli::Section verbs = {"Verbs", {}};
  for (const Verb& verb : Verbs()) {
    verbs.entries.push_back({std::string(verb.name), absl::StrCat(verb.summary, ".")});
  }
  const cli::Section environment = {
      "Environment",
      {{"WINNOW_KERNEL",
        "portable, avx2, gfni, avx512 or neon forces this kernel where the machine has it; else "
        "the fastest is taken."}}};
  return cli::ManPage({"winnow",
                       "VERB [ARGUMENTS]",
                       absl::StrCat("shows and checks ", kPurpose),
                       "",
                       {std::move(verbs), environment, kExitStatus},
                       PagesBeside("winnow")});
}

std::string Completion() {
  std::vector<cli::CompletedVerb> verbs;
  for (const Verb& verb : Verbs()) {
    const std::string name(verb.name);
    verbs.push_back({name, {name}, verb.starts_program, /*takes_verb=*/name == "help"});
  }
  return cli::BashCompletion("winnow", "--help --version", "winnow help --completion", verbs);
}

int Written(bool is_written) { return is_written ? kAllGood : kCouldNotRead; }

// Creates missing folders and writes the file. Returns false, with a message on stderr, on failure.
bool WriteBelow(const Verb& verb, const std::string& folder, const std::string& name,
                const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(folder) / name;
  std::error_code code;
  std::filesystem::create_directories(path.parent_path(), code);
  return PrintToFile(verb.name, path.string(), text);  // prints the error message
}

int WriteAll(const Verb& verb, const std::string& folder) {
  bool written = WriteBelow(verb, folder, "man/man1/winnow.1", OverallManPage()) &&
                 WriteBelow(verb, folder, "bash-completion/completions/winnow", Completion());
  for (const Verb& each : Verbs()) {
    written = written && WriteBelow(verb, folder, absl::StrCat("man/man1/winnow-", each.name, ".1"),
                                    cli::ManPage(CommandOf(each)));
  }
  return Written(written);
}

int RunHelp(const Verb& verb, const std::vector<std::string>& arguments) {
  const std::string folder = absl::GetFlag(FLAGS_help_write);
  const bool man = absl::GetFlag(FLAGS_help_man);
  const bool completion = absl::GetFlag(FLAGS_help_completion);
  if (arguments.size() > 1) {
    return WrongUsage(verb, "one verb at a time");
  }
  if ((man ? 1 : 0) + (completion ? 1 : 0) + (folder.empty() ? 0 : 1) > 1 ||
      (!arguments.empty() && (completion || !folder.empty()))) {
    return WrongUsage(verb, "one of these at a time");
  }
  if (!folder.empty()) {
    return WriteAll(verb, folder);
  }
  if (arguments.empty()) {
    return Written(Print(verb.name, completion ? Completion()
                                    : man      ? OverallManPage()
                                               : OverallHelp()));
  }
  const Verb* about = FindVerb(arguments.front());
  if (about == nullptr) {
    absl::FPrintF(stderr, "winnow help: %s\n", NoSuchVerb(arguments.front()));
    return kWrongUsage;
  }
  return Written(
      Print(verb.name, man ? cli::ManPage(CommandOf(*about)) : cli::HelpText(CommandOf(*about))));
}

}  // namespace

std::string OverallHelp() {
  std::string text = absl::StrCat("winnow: ", kPurpose, "\n\n");
  for (const Verb& verb : Verbs()) {
    absl::StrAppend(
        &text, cli::Paragraph(absl::StrCat("winnow ", verb.name, " ", ArgumentsOf(verb)), 2, 4),
        cli::Paragraph(std::string(verb.summary), 6));
  }
  return text;
}

Verb HelpVerb() {
  return {"help",
          "[VERB] [--man] | --completion | --write",
          "Shows which verbs there are, or what one does, its flags, examples and exit status",
          "winnow help VERB is the same as winnow VERB --help.\n",
          RunHelp,
          {{"winnow help", "all verbs, one line each"},
           {"winnow help size", "all about one verb"},
           {"winnow help size --man", "its manual page, for man -l -"},
           {"winnow help --completion",
            "a script for bash to source, which completes verbs and flags"}}};
}

}  // namespace winnow::tools
