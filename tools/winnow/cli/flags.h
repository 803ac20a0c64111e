// The flags of the verbs, each one row: Abseil's flag, what stands behind its name, and its text.
// Help, usage lines, manual pages, completion and checks are made of the rows; Abseil reads the
// values.
//
//   WINNOW_SWITCH(probe, exact, "read for each hit the block where the key would be");
//   WINNOW_FLAG(size, std::string, page, "", BytesValue("BYTES", 64, 1 << 20), "bytes of a page");
//   WINNOW_TAKES(size, kJsonFlag);
//
// In files, outside of namespaces, in the order in which help has them: those of a verb stand in
// one file. Their values are absl::GetFlag(FLAGS_probe_exact), and FLAGS_json of a flag of several
// verbs.

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

// A value as it is written behind "--name=".
struct FlagValue {
  enum class Form { kNone, kText, kTime, kNumber, kWhole, kBytes, kWholeList };

  Form form = Form::kNone;
  absl::string_view name;          // as help and usage lines have it: "N", "FILE"
  inspect::NumberRange range;      // of the forms from kNumber on
  absl::string_view choices = {};  // words that it can be, with blanks between; empty: any

  bool is_number() const { return form >= Form::kNumber; }
};

// Text, of which the flag's type may allow only some. Completion offers `choices`.
inline FlagValue TextValue(absl::string_view name, absl::string_view choices = {}) {
  return {FlagValue::Form::kText, name, {}, choices};
}

// For an absl::Duration: "10m".
inline FlagValue TimeValue(absl::string_view name) { return {FlagValue::Form::kTime, name, {}}; }

// Numbers from `least` to `most`. Whole ones may be written "1e6", whatever the flag's type is;
// bytes too, and "64KB" (byte_count.h): the flag is a string then.
inline FlagValue NumberValue(absl::string_view name, double least, double most) {
  return {FlagValue::Form::kNumber, name, {least, most, /*is_whole=*/false}};
}
inline FlagValue WholeValue(absl::string_view name, double least, double most) {
  return {FlagValue::Form::kWhole, name, {least, most, /*is_whole=*/true}};
}
inline FlagValue BytesValue(absl::string_view name, double least, double most) {
  return {FlagValue::Form::kBytes, name, {least, most, /*is_whole=*/true}};
}

// Whole numbers with commas between them.
inline FlagValue WholeListValue(absl::string_view name, double least, double most) {
  return {FlagValue::Form::kWholeList, name, {least, most, /*is_whole=*/true}};
}

struct Flag {
  absl::string_view name;       // as it is written
  absl::string_view in_abseil;  // "VERB_NAME", so that verbs can mean different things by a name
  FlagValue value;

  // "=N"; empty for one that needs no value.
  std::string value_text() const;

  // Its text, what it is now, and what it is without being given.
  absl::CommandLineFlag& abseil() const;
};

// A verb's flags, in the order of its rows, and the one of a name, where - is _ too, or null.
const std::vector<const Flag*>& FlagsOf(absl::string_view verb);
const Flag* FindFlag(absl::string_view verb, absl::string_view name);

// The flags of several verbs are the rows of their own files, in cli and in findings.
extern const Flag kJsonFlag;

// For the macros below.
bool AddFlag(absl::string_view verb, const Flag* flag);

}  // namespace winnow::tools

// A verb's own flag.
#define WINNOW_FLAG(verb, type, flag, preset, form, text)                                  \
  namespace winnow::tools {                                                                \
  namespace {                                                                              \
  const Flag flag_##verb##_##flag = {#flag, #verb "_" #flag, form};                        \
  [[maybe_unused]] const bool has_##verb##_##flag = AddFlag(#verb, &flag_##verb##_##flag); \
  }                                                                                        \
  }                                                                                        \
  ABSL_FLAG(type, verb##_##flag, preset, text)

// One that needs no value and is off without being given.
#define WINNOW_SWITCH(verb, flag, text) WINNOW_FLAG(verb, bool, flag, false, FlagValue(), text)

// One of several verbs: `row` is declared in a header, as kJsonFlag.
#define WINNOW_SHARED_FLAG(row, type, flag, preset, form, text) \
  namespace winnow::tools {                                     \
  const Flag row = {#flag, #flag, form};                        \
  }                                                             \
  ABSL_FLAG(type, flag, preset, text)

// Such a one is the verb's.
#define WINNOW_TAKES(verb, row)                                            \
  namespace winnow::tools {                                                \
  namespace {                                                              \
  [[maybe_unused]] const bool takes_##verb##_##row = AddFlag(#verb, &row); \
  }                                                                        \
  }                                                                        \
  static_assert(true, "for the semicolon")

#endif  // WINNOW_TOOLS_WINNOW_CLI_FLAGS_H_
