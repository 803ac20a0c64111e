#include "src/cli/flags.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "src/cli/closest_name.h"

namespace winnow::cli {
namespace {

using Form = FlagValue::Form;

struct EndedFlag {
  absl::string_view command;  // verb, or a program without verbs
  absl::string_view name;
  absl::string_view instead;  // what to do
};

constexpr absl::string_view kInOptionsFile =
    "write it into an OPTIONS file, which --options_file names";
// Flags of earlier versions.
constexpr EndedFlag kEndedFlags[] = {
    {"advise", "cache",
     "the alarm in a database's LOG says which cache has room for its filters "
     "(docs/filters-and-caches.md)"},
    {"advise", "seconds",
     "--sample says how many keys range filters are built for, as for all other filters"},
    {"advise", "use",
     "the LOG of a database has the table of its filters; give more bits per key to the policies "
     "with the most false positives (docs/filter-use.md)"},
    {"db_bench_ext", "benchmark_write_rate_limit",
     "RocksDB's db_bench has readwhilewriting, and runs with Winnow under 'winnow run'"},
    {"db_bench_ext", "block_size", kInOptionsFile},
    {"db_bench_ext", "cache_sweep",
     "run the program once for each --cache_size, with --cache_index_and_filter_blocks for filters "
     "in the cache"},
    {"db_bench_ext", "cache_sweep_reads",
     "a run with one --cache_size counts the lookups of --reads"},
    {"db_bench_ext", "flagfile", "write its flags into the command line, as $(cat FILE) does"},
    {"db_bench_ext", "format_version", kInOptionsFile},
    {"db_bench_ext", "fromenv", "write its flags into the command line"},
    {"db_bench_ext", "frontier",
     "name each policy with each number of bits in --policies, as winnow:8,winnow:10,winnow:12"},
    {"db_bench_ext", "level0_file_num_compaction_trigger", kInOptionsFile},
    {"db_bench_ext", "max_background_jobs", kInOptionsFile},
    {"db_bench_ext", "max_block_read_ratio",
     "compare data_blocks_accessed_per_lookup of two policies in the file of --json"},
    {"db_bench_ext", "max_false_positive_ratio",
     "compare false_positives_per_filter_check of two policies in the file of --json"},
    {"db_bench_ext", "max_filter_memory_ratio",
     "filter_bytes_to_reference in the file of --json is the ratio"},
    {"db_bench_ext", "num_levels", kInOptionsFile},
    {"db_bench_ext", "optimize_filters_for_hits", kInOptionsFile},
    {"db_bench_ext", "trees_at_once",
     "trees are grown one after the other: start the program once for each policy"},
    {"db_bench_ext", "tryfromenv", "write its flags into the command line"},
    {"db_bench_ext", "undefok", "leave out flags that this version does not have"},
    {"db_bench_ext", "whole_key_filtering", kInOptionsFile},
    {"filter_bench", "peak_memory", "Winnow 1.2 (commit 380b00ab) has it"},
    {"filter_bench", "plugins", "--library takes its place"},
    {"filter_bench", "turnover", "Winnow 1.2 (commit 380b00ab) has it"},
};

std::map<absl::string_view, std::vector<const Flag*>>& AllFlags() {
  static auto* const all = new std::map<absl::string_view, std::vector<const Flag*>>;
  return *all;
}

std::string Underscored(absl::string_view name) { return absl::StrReplaceAll(name, {{"-", "_"}}); }

bool IsInRange(const FlagValue& value, absl::string_view text) {
  double number = 0;
  const bool is_read = value.form == Form::kBytes ? (number = ParseByteCount(text).value_or(0)) > 0
                                                  : absl::SimpleAtod(text, &number);
  return is_read && number >= value.least && number <= value.most &&
         (value.form == Form::kNumber || number == std::floor(number));
}

// Returns a whole number such as "1e6" or "1.0" in plain digits, which Abseil can parse; other
// texts unchanged.
std::string WithoutExponent(absl::string_view text) {
  constexpr double kMaxDigits = 1e18;
  double number = 0;
  const bool to_write = text.find_first_of("eE.") != absl::string_view::npos &&
                        absl::SimpleAtod(text, &number) && std::fabs(number) <= kMaxDigits &&
                        std::trunc(number) == number;
  return to_write ? absl::StrFormat("%.0f", number) : std::string(text);
}

// Sets Abseil's flag. Returns what is wrong with the value, or an empty string.
std::string SetFlag(const Flag& flag, absl::string_view text) {
  const Form form = flag.value.form;
  const bool is_whole = form == Form::kWhole;
  std::string error;
  const bool is_read =
      flag.abseil().ParseFrom(is_whole ? WithoutExponent(text) : std::string(text), &error);
  if (!flag.value.is_number()) {
    if (is_read) return "";
    // Abseil's message begins with its name of the flag; that of the flag's type follows "'; ".
    const size_t own = error.find("'; ");
    return absl::StrCat("the flag --", flag.name, " can't be '", text, "'",
                        form == Form::kTime        ? ": it is a time, as 10m or 1h30m"
                        : own == std::string::npos ? ""
                                                   : absl::StrCat(": ", error.substr(own + 3)));
  }
  // A whole number is checked as Abseil has parsed it, which accepts hexadecimal digits.
  const std::vector<std::string> numbers =
      form == Form::kWholeList
          ? std::vector<std::string>(absl::StrSplit(text, ',', absl::SkipEmpty()))
          : std::vector<std::string>{is_whole ? flag.abseil().CurrentValue() : std::string(text)};
  if (is_read && std::all_of(numbers.begin(), numbers.end(), [&](const std::string& number) {
        return IsInRange(flag.value, number);
      })) {
    return "";
  }
  return absl::StrCat("--", flag.name, " is ", text.empty() ? "empty" : text, ", but must be a ",
                      form == Form::kBytes    ? "number of bytes"
                      : form == Form::kNumber ? "number"
                                              : "whole number",
                      " from ", flag.value.RangeText(),
                      form == Form::kBytes ? ", as 64KB or 1.5GiB" : "");
}

const Flag* Find(const FlagSyntax& syntax, absl::string_view name) {
  for (const absl::string_view group : syntax.groups) {
    if (const Flag* const flag = FindFlag(group, name)) return flag;
  }
  return nullptr;
}

std::string NoSuchFlag(const FlagSyntax& syntax, absl::string_view word, absl::string_view name) {
  if (std::string ended = WhyEnded(syntax.command, name); !ended.empty()) return ended;
  std::vector<absl::string_view> names;
  for (const absl::string_view group : syntax.groups) {
    for (const Flag* const flag : FlagsOf(group)) names.push_back(flag->name);
  }
  const std::string meant = DidYouMean(name, names, "--");
  if (syntax.is_program) return absl::StrCat("there is no flag --", name, meant);
  return absl::StrCat("there is no flag ", word, syntax.command.empty() ? "" : " for ",
                      syntax.command, meant,
                      meant.empty() ? "; after -- arguments may begin with -"
                                    : " After -- arguments may begin with -");
}

// Reads the flag in words[*i], and its value, which may be the next word. Returns what is wrong.
std::string ReadFlag(const FlagSyntax& syntax, const std::vector<std::string>& words, size_t* i,
                     CommandLine* line) {
  const absl::string_view word = words[*i];
  const std::vector<absl::string_view> parts = absl::StrSplit(
      word.substr(std::min(word.find_first_not_of('-'), word.size())), absl::MaxSplits('=', 1));
  absl::string_view name = parts[0];
  std::optional<absl::string_view> value;
  if (parts.size() == 2) value = parts[1];
  const Flag* flag = Find(syntax, name);
  const bool is_off = flag == nullptr && absl::ConsumePrefix(&name, "no");
  if (is_off) flag = Find(syntax, name);
  const bool is_switch = flag != nullptr && flag->value.form == Form::kNone;
  if (flag == nullptr || (is_off && (!is_switch || value)))
    return NoSuchFlag(syntax, word, parts[0]);
  if (!value && is_switch) {
    value = is_off ? "false" : "true";
  } else if (!value && syntax.is_program && *i + 1 < words.size() &&
             !absl::StartsWith(words[*i + 1], "--")) {
    value = words[++*i];
  }
  if (!value || (value->empty() && !syntax.is_program && !is_switch)) {
    return absl::StrCat("the flag --", name, " needs a value: --", name, "=VALUE");
  }
  line->given.emplace(flag->name);
  return SetFlag(*flag, *value);
}

}  // namespace

std::string FlagValue::RangeText() const { return absl::StrFormat("%.16g to %.16g", least, most); }

std::optional<double> ParseByteCount(absl::string_view text) {
  const std::string written = absl::AsciiStrToLower(absl::StripAsciiWhitespace(text));
  const bool is_hexadecimal = absl::StartsWith(written, "0x");  // without a unit
  const size_t digits = is_hexadecimal ? written.size() : written.find_last_of("0123456789.") + 1;
  const std::string unit(absl::StripAsciiWhitespace(written.substr(digits)));
  double factor = 1;
  if (!unit.empty() && unit != "b") {
    const size_t power = absl::string_view("kmgt").find(unit.front());
    const std::string rest = unit.substr(1);
    if (power == absl::string_view::npos || (rest != "b" && rest != "ib")) return std::nullopt;
    factor = std::pow(rest == "b" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
  }
  double number = 0;
  if (!absl::SimpleAtod(written.substr(0, digits), &number)) return std::nullopt;
  const double bytes = number * factor;
  return bytes >= 1 && std::isfinite(bytes) ? std::optional(bytes) : std::nullopt;
}

std::string Flag::value_text() const {
  return absl::StrCat(value.name.empty() ? "" : "=", value.name);
}

absl::CommandLineFlag& Flag::abseil() const { return *absl::FindCommandLineFlag(in_abseil); }

const std::vector<const Flag*>& FlagsOf(absl::string_view group) { return AllFlags()[group]; }

const Flag* FindFlag(absl::string_view group, absl::string_view name) {
  const std::string written = Underscored(name);
  for (const Flag* const flag : FlagsOf(group)) {
    if (flag->name == written) return flag;
  }
  return nullptr;
}

bool AddFlag(absl::string_view group, const Flag* flag) {
  AllFlags()[group].push_back(flag);
  return true;
}

std::string WhyEnded(absl::string_view command, absl::string_view name) {
  const std::string written = Underscored(name);
  for (const EndedFlag& flag : kEndedFlags) {
    if (flag.command == command && flag.name == written) {
      return absl::StrCat("the flag --", written, " ended with 2.0: ", flag.instead);
    }
  }
  return "";
}

CommandLine ReadFlags(const FlagSyntax& syntax, const std::vector<std::string>& words) {
  CommandLine line;
  for (size_t i = 0; i < words.size() && line.problem.empty(); ++i) {
    if (words[i] == "--") {
      line.arguments.insert(line.arguments.end(), words.begin() + static_cast<ptrdiff_t>(i) + 1,
                            words.end());
      break;
    }
    if (words[i] == "-" || !absl::StartsWith(words[i], "-")) {
      line.arguments.push_back(words[i]);
    } else {
      line.problem = ReadFlag(syntax, words, &i, &line);
    }
  }
  return line;
}

bool AsksForHelp(absl::string_view word) {
  return word == "--help" || word == "-help" || word == "-h";
}

}  // namespace winnow::cli
