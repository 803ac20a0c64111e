// Flags of programs and their verbs: rows with the ranges of values, and what is wrong with a
// command line. Abseil keeps the values.

#ifndef WINNOW_SRC_CLI_FLAGS_H_
#define WINNOW_SRC_CLI_FLAGS_H_

#include <absl/flags/declare.h>
#include <absl/flags/flag.h>
#include <absl/flags/reflection.h>
#include <absl/strings/string_view.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace winnow::cli {

// Form and range of the value in "--name=VALUE".
struct FlagValue {
  enum class Form { kNone, kText, kTime, kNumber, kWhole, kBytes, kWholeList };

  Form form = Form::kNone;
  absl::string_view name;  // placeholder in help and usage lines: "N", "FILE"
  double least = 0;        // range of the forms from kNumber on
  double most = 0;
  absl::string_view choices = {};  // valid words, separated by spaces; empty: any

  bool is_number() const { return form >= Form::kNumber; }

  // Returns the range as text: "0 to 1024", "1e-15 to 0.5".
  std::string RangeText() const;
};

// A text, which the flag's type may restrict further. Completion offers `choices`.
inline FlagValue TextValue(absl::string_view name, absl::string_view choices = {}) {
  return {FlagValue::Form::kText, name, 0, 0, choices};
}

// A time for an absl::Duration: "10m".
inline FlagValue TimeValue(absl::string_view name) { return {FlagValue::Form::kTime, name}; }

// Numbers from `least` to `most`. Whole numbers may be written "1e6" for any type of flag. Bytes
// may also be written "64KB" (ParseByteCount); their flag is a string.
inline FlagValue NumberValue(absl::string_view name, double least, double most) {
  return {FlagValue::Form::kNumber, name, least, most};
}
inline FlagValue WholeValue(absl::string_view name, double least, double most) {
  return {FlagValue::Form::kWhole, name, least, most};
}
inline FlagValue BytesValue(absl::string_view name, double least, double most) {
  return {FlagValue::Form::kBytes, name, least, most};
}

// Whole numbers separated by commas.
inline FlagValue WholeListValue(absl::string_view name, double least, double most) {
  return {FlagValue::Form::kWholeList, name, least, most};
}

// Parses "256MiB", "64KB", "1.5 GiB", "1000000" or "1e6": KB, MB, GB and TB are powers of 1000,
// KiB, MiB, GiB and TiB of 1024, in any case of letters. Returns nullopt for anything else and for
// numbers below 1.
std::optional<double> ParseByteCount(absl::string_view text);

struct Flag {
  absl::string_view name;       // name on the command line, without "--"
  absl::string_view in_abseil;  // "VERB_NAME": verbs may have different flags of one name
  FlagValue value;

  // Returns "=N", or an empty string for a flag that needs no value.
  std::string value_text() const;

  // Abseil's flag, with its help text, current value and default.
  absl::CommandLineFlag& abseil() const;
};

// Returns the flags of a group, which is a verb or a part of a program, in the order of its rows;
// FindFlag returns the flag of a name, in which - equals _, or null.
const std::vector<const Flag*>& FlagsOf(absl::string_view group);
const Flag* FindFlag(absl::string_view group, absl::string_view name);

// Returns "the flag --use ended with 2.0: …" with what to do instead, if the command, a verb or a
// program, once had this flag; else an empty string.
std::string WhyEnded(absl::string_view command, absl::string_view name);

// A command line. Its flags' values are Abseil's.
struct CommandLine {
  std::vector<std::string> arguments;        // words that are no flags
  std::set<std::string, std::less<>> given;  // names of the flags
  std::string problem;                       // what is wrong with a flag; empty: nothing
};

// The flags that a command line may have, and their form.
struct FlagSyntax {
  absl::string_view command;              // a verb, or a program without verbs; empty: neither
  std::vector<absl::string_view> groups;  // of its flags
  // Flags are "--name=VALUE", "--switch" or "--noswitch", and words after "--" are arguments. A
  // program without verbs takes "--name VALUE" and empty values, too, and no arguments.
  bool is_program = false;
};

CommandLine ReadFlags(const FlagSyntax& syntax, const std::vector<std::string>& words);

// Returns whether the word asks for help.
bool AsksForHelp(absl::string_view word);

// Called by the macros below.
bool AddFlag(absl::string_view group, const Flag* flag);

}  // namespace winnow::cli

// Defines a flag of one verb.
#define WINNOW_FLAG(verb, type, flag, preset, form, text)                                  \
  namespace winnow::cli {                                                                  \
  namespace {                                                                              \
  const Flag flag_##verb##_##flag = {#flag, #verb "_" #flag, form};                        \
  [[maybe_unused]] const bool has_##verb##_##flag = AddFlag(#verb, &flag_##verb##_##flag); \
  }                                                                                        \
  }                                                                                        \
  ABSL_FLAG(type, verb##_##flag, preset, text)

// Defines a boolean flag of one verb, false by default.
#define WINNOW_SWITCH(verb, flag, text) WINNOW_FLAG(verb, bool, flag, false, FlagValue(), text)

// Defines a flag that verbs can share. `row` is declared in a header, in namespace winnow::cli.
#define WINNOW_SHARED_FLAG(row, type, flag, preset, form, text) \
  namespace winnow::cli {                                       \
  const Flag row = {#flag, #flag, form};                        \
  }                                                             \
  ABSL_FLAG(type, flag, preset, text)

// Adds a shared flag to a verb.
#define WINNOW_TAKES(verb, row)                                            \
  namespace winnow::cli {                                                  \
  namespace {                                                              \
  [[maybe_unused]] const bool takes_##verb##_##row = AddFlag(#verb, &row); \
  }                                                                        \
  }                                                                        \
  static_assert(true, "for the semicolon")

// Defines a flag of a program without verbs, which has its name in Abseil, too.
#define WINNOW_PROGRAM_FLAG(group, type, flag, preset, form, text) \
  WINNOW_SHARED_FLAG(flag_##flag, type, flag, preset, form, text); \
  WINNOW_TAKES(group, flag_##flag)

#endif  // WINNOW_SRC_CLI_FLAGS_H_
