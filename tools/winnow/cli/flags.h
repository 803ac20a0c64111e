// The flags of the verbs, one row per flag: Abseil's flag, the form of its value, and its help
// text. Help, usage lines, manual pages, completion and checks are made from the rows; Abseil
// parses the values.
//
//   WINNOW_SWITCH(probe, exact, "read for each hit the block where the key would be");
//   WINNOW_FLAG(size, std::string, page, "", BytesValue("BYTES", 64, 1 << 20), "bytes of a page");
//   WINNOW_TAKES(size, kJsonFlag);
//
// Rows stand outside of namespaces, all rows of a verb in one file, in the order in which help
// lists them. Values are absl::GetFlag(FLAGS_probe_exact), or FLAGS_json for a flag that several
// verbs share.

#ifndef WINNOW_TOOLS_WINNOW_CLI_FLAGS_H_
#define WINNOW_TOOLS_WINNOW_CLI_FLAGS_H_

#include <absl/flags/declare.h>
#include <absl/flags/flag.h>
#include <absl/flags/reflection.h>
#include <absl/strings/string_view.h>

#include <string>
#include <vector>

#include "src/text/flag_words.h"

ABSL_DECLARE_FLAG(bool, json);

namespace winnow::tools {

// Form and range of the value in "--name=VALUE".
struct FlagValue {
  enum class Form { kNone, kText, kTime, kNumber, kWhole, kBytes, kWholeList };

  Form form = Form::kNone;
  absl::string_view name;          // placeholder in help and usage lines: "N", "FILE"
  inspect::NumberRange range;      // range of the forms from kNumber on
  absl::string_view choices = {};  // valid words, separated by spaces; empty: any

  bool is_number() const { return form >= Form::kNumber; }
};

// A text, which the flag's type may restrict further. Completion offers `choices`.
inline FlagValue TextValue(absl::string_view name, absl::string_view choices = {}) {
  return {FlagValue::Form::kText, name, {}, choices};
}

// A time for an absl::Duration: "10m".
inline FlagValue TimeValue(absl::string_view name) { return {FlagValue::Form::kTime, name, {}}; }

// Numbers from `least` to `most`. Whole numbers may be written "1e6" for any type of flag. Bytes
// may also be written "64KB" (byte_count.h); their flag is a string.
inline FlagValue NumberValue(absl::string_view name, double least, double most) {
  return {FlagValue::Form::kNumber, name, {least, most, /*is_whole=*/false}};
}
inline FlagValue WholeValue(absl::string_view name, double least, double most) {
  return {FlagValue::Form::kWhole, name, {least, most, /*is_whole=*/true}};
}
inline FlagValue BytesValue(absl::string_view name, double least, double most) {
  return {FlagValue::Form::kBytes, name, {least, most, /*is_whole=*/true}};
}

// Whole numbers separated by commas.
inline FlagValue WholeListValue(absl::string_view name, double least, double most) {
  return {FlagValue::Form::kWholeList, name, {least, most, /*is_whole=*/true}};
}

struct Flag {
  absl::string_view name;       // name on the command line, without "--"
  absl::string_view in_abseil;  // "VERB_NAME": verbs may have different flags of one name
  FlagValue value;

  // Returns "=N", or an empty string for a flag that needs no value.
  std::string value_text() const;

  // Abseil's flag, with its help text, current value and default.
  absl::CommandLineFlag& abseil() const;
};

// Returns a verb's flags in the order of its rows; FindFlag returns the flag of a name, in which -
// equals _, or null.
const std::vector<const Flag*>& FlagsOf(absl::string_view verb);
const Flag* FindFlag(absl::string_view verb, absl::string_view name);

// Flags shared by several verbs have their rows in cli and findings.
extern const Flag kJsonFlag;

// Called by the macros below.
bool AddFlag(absl::string_view verb, const Flag* flag);

}  // namespace winnow::tools

// Defines a flag of one verb.
#define WINNOW_FLAG(verb, type, flag, preset, form, text)                                  \
  namespace winnow::tools {                                                                \
  namespace {                                                                              \
  const Flag flag_##verb##_##flag = {#flag, #verb "_" #flag, form};                        \
  [[maybe_unused]] const bool has_##verb##_##flag = AddFlag(#verb, &flag_##verb##_##flag); \
  }                                                                                        \
  }                                                                                        \
  ABSL_FLAG(type, verb##_##flag, preset, text)

// Defines a boolean flag of one verb, false by default.
#define WINNOW_SWITCH(verb, flag, text) WINNOW_FLAG(verb, bool, flag, false, FlagValue(), text)

// Defines a flag that verbs can share. `row` is declared in a header, as kJsonFlag.
#define WINNOW_SHARED_FLAG(row, type, flag, preset, form, text) \
  namespace winnow::tools {                                     \
  const Flag row = {#flag, #flag, form};                        \
  }                                                             \
  ABSL_FLAG(type, flag, preset, text)

// Adds a shared flag to a verb.
#define WINNOW_TAKES(verb, row)                                            \
  namespace winnow::tools {                                                \
  namespace {                                                              \
  [[maybe_unused]] const bool takes_##verb##_##row = AddFlag(#verb, &row); \
  }                                                                        \
  }                                                                        \
  static_assert(true, "for the semicolon")

#endif  // WINNOW_TOOLS_WINNOW_CLI_FLAGS_H_
