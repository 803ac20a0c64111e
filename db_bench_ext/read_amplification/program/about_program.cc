#include "db_bench_ext/read_amplification/program/about_program.h"

#include <absl/flags/reflection.h>
#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <cstddef>
#include <map>

#include "src/text/manual.h"
#include "winnow/version.h"

namespace winnow::bench {
namespace {

struct FlagText {
  std::string value;  // default value; may be empty
  std::string help;
};

// Returns the flags defined in the file, by name.
std::map<std::string, FlagText> FlagsOf(const std::string& file) {
  std::map<std::string, FlagText> texts;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (!absl::EndsWith(flag->Filename(), file)) continue;
    texts[std::string(name)] = {flag->DefaultValue(), flag->Help()};
  }
  return texts;
}

// Returns "--keys" or, with a value, "--num=1000000".
std::string Word(const std::string& name, const FlagText& flag) {
  return absl::StrCat("--", name, flag.value.empty() ? "" : "=", flag.value);
}

}  // namespace

std::string FlagHelp(const std::string& file) {
  std::string help;
  for (const auto& [name, flag] : FlagsOf(file)) {
    absl::StrAppend(&help, "  ", Word(name, flag), "\n", inspect::Paragraph(flag.help, 6));
  }
  return help;
}

std::string HelpText(const AboutProgram& program) {
  std::string help = absl::StrCat(program.summary, ".\n\n", program.about, "\n");
  for (const std::string& example : program.examples) absl::StrAppend(&help, "  ", example, "\n");
  absl::StrAppend(&help, "\nFlags, with their defaults:\n");
  for (size_t i = 0; i < program.groups.size(); ++i) {
    absl::StrAppend(&help, i == 0 ? "" : "\n", program.groups[i].title, "\n\n",
                    FlagHelp(program.groups[i].file));
  }
  return help;
}

std::string ManPage(const AboutProgram& program) {
  using inspect::roff::Bold;
  using inspect::roff::Head;
  using inspect::roff::Item;
  using inspect::roff::Roff;
  using inspect::roff::Section;
  std::string page =
      absl::StrCat(Head(program.name, program.summary, Version()), Section("SYNOPSIS"),
                   Bold(program.name), " [\\fIFLAGS\\fR]\n", Section("DESCRIPTION"),
                   Roff(absl::StripTrailingAsciiWhitespace(program.about)), "\n",
                   Section("OPTIONS"), "Each is shown with its default.\n");
  for (const FlagGroup& group : program.groups) {
    absl::StrAppend(&page, ".SS ", Roff(group.title), "\n");
    for (const auto& [name, flag] : FlagsOf(group.file)) {
      absl::StrAppend(&page, Item(Bold(Word(name, flag)), flag.help));
    }
  }
  absl::StrAppend(&page, Section("EXAMPLES"), ".nf\n");
  for (const std::string& example : program.examples) absl::StrAppend(&page, Roff(example), "\n");
  absl::StrAppend(&page, ".fi\n", Section("EXIT STATUS"));
  for (const auto& [code, meaning] : program.exit_codes) {
    absl::StrAppend(&page, Item(Bold(code), meaning));
  }
  return absl::StrCat(page, Section("SEE ALSO"), "\\fBwinnow\\fR(1)\n");
}

std::string BashCompletion(const AboutProgram& program) {
  std::string words = "--help --version --man --completion";
  for (const FlagGroup& group : program.groups) {
    for (const auto& [name, flag] : FlagsOf(group.file)) {
      const bool is_switch = flag.value == "true" || flag.value == "false";
      absl::StrAppend(&words, " --", name, is_switch ? "" : "=");
    }
  }
  return absl::StrCat("# Completion of the flags for bash, as ", program.name,
                      " --completion prints it.\n_", program.name,
                      "() {\n"
                      "  local word=${COMP_WORDS[COMP_CWORD]} choices='",
                      words,
                      "'\n"
                      "  COMPREPLY=()\n"
                      "  # The value of a flag is a file, if anything that is known.\n"
                      "  [[ $word == -* ]] || return 0\n",
                      inspect::kOfferChoices, "complete -o default -F _", program.name, " ",
                      program.name, "\n");
}

}  // namespace winnow::bench
