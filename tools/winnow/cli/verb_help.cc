// The verb `winnow help`: lists the verbs, and describes each.

#include <absl/flags/flag.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "tools/winnow/cli/flags.h"
#include "tools/winnow/cli/help_text.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"

WINNOW_SWITCH(help, man, "show it as a manual page, for man -l -");
WINNOW_SWITCH(help, completion, "show a script by which bash completes verbs and flags");
WINNOW_FLAG(help, std::string, write, "", TextValue("FOLDER"),
            "show nothing, and write all manual pages and the completion into this folder, as they "
            "lie in /usr/share");

namespace winnow::tools {
namespace {

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
                 WriteBelow(verb, folder, "bash-completion/completions/winnow", BashCompletion());
  for (const Verb& each : Verbs()) {
    written = written && WriteBelow(verb, folder, absl::StrCat("man/man1/winnow-", each.name, ".1"),
                                    VerbManPage(each));
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
    return Written(Print(verb.name, completion ? BashCompletion()
                                    : man      ? OverallManPage()
                                               : OverallHelp()));
  }
  const Verb* about = FindVerb(arguments.front());
  if (about == nullptr) {
    absl::FPrintF(stderr, "winnow help: %s\n", NoSuchVerb(arguments.front()));
    return kWrongUsage;
  }
  return Written(Print(verb.name, man ? VerbManPage(*about) : VerbHelp(*about)));
}

}  // namespace

Verb HelpVerb() {
  return {"help",
          "[VERB] [--man] | --completion | --write",
          "Shows which verbs there are, or what one does, its flags, examples and exit codes",
          "winnow help VERB is the same as winnow VERB --help.\n",
          RunHelp,
          {{"winnow help", "all verbs, one line each"},
           {"winnow help size", "all about one verb"},
           {"winnow help size --man", "its manual page, for man -l -"},
           {"winnow help --completion",
            "a script for bash to source, which completes verbs and flags"}}};
}

}  // namespace winnow::tools
