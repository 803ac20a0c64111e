// `winnow help`: what there is, and what each verb does.

#include <absl/strings/str_format.h>

#include <cstdio>

#include "tools/help_text.h"
#include "tools/print.h"
#include "tools/verbs.h"

namespace winnow::tools {
namespace {

int RunHelp(const Verb& verb, const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    return Print(verb.name, OverallHelp()) ? kAllGood : kCouldNotRead;
  }
  if (arguments.size() > 1) {
    return WrongUsage(verb, "one verb at a time");
  }
  const Verb* about = FindVerb(arguments.front());
  if (about == nullptr) {
    absl::FPrintF(stderr, "winnow help: %s\n", NoSuchVerb(arguments.front()));
    return kWrongUsage;
  }
  return Print(verb.name, VerbHelp(*about)) ? kAllGood : kCouldNotRead;
}

}  // namespace

Verb HelpVerb() {
  return {
      "help",
      "[VERB]",
      "Shows which verbs there are, or what one does, its flags, examples and exit codes",
      "The same as winnow VERB --help.\n",
      {},
      RunHelp,
      {{"winnow help", "all verbs, each with a line"}, {"winnow help verify", "all about one"}}};
}

}  // namespace winnow::tools
