#include "db_bench_ext/read_amplification/program/flag_check.h"

#include <absl/flags/reflection.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "db_bench_ext/read_amplification/keys/generated_keys.h"
#include "db_bench_ext/read_amplification/keys/zipf.h"
#include "src/text/flag_words.h"

namespace winnow::bench {
namespace {

using inspect::NumberRange;

constexpr inspect::EndedFlag kEndedFlags[] = {
    {"", "benchmark_write_rate_limit",
     "RocksDB's db_bench has readwhilewriting, and runs with Winnow under 'winnow run'"},
    {"", "cache_sweep",
     "run the program once for each --cache_size, with --cache_index_and_filter_blocks for filters "
     "in the cache"},
    {"", "cache_sweep_reads", "a run with one --cache_size counts the lookups of --reads"},
    {"", "frontier",
     "name each policy with each number of bits in --policies, as winnow:8,winnow:10,winnow:12"},
    {"", "max_block_read_ratio",
     "compare data_blocks_accessed_per_lookup of two policies in the file of --json"},
    {"", "max_false_positive_ratio",
     "compare false_positives_per_filter_check of two policies in the file of --json"},
    {"", "max_filter_memory_ratio", "filter_bytes_to_reference in the file of --json is the ratio"},
};

struct Range {
  double min;
  double max;
};

// Rule of a flag, in addition to its name, default and help.
struct FlagRule {
  absl::string_view flag;
  bool on_existing;                 // allowed with --use_existing_db
  std::optional<Range> range{};     // range of a numeric flag
  BenchmarkTest follows = nullptr;  // requires such a benchmark in --benchmarks
};

const std::vector<FlagRule>& FlagRules() {
  constexpr double kMany = 1e12;
  constexpr double kHuge = 1e18;
  constexpr bool kAny = true;  // any tree, including an existing one
  constexpr bool kGrown = false;
  static const auto* const rules = new std::vector<FlagRule>{
      {"trees_at_once", kGrown, {{0, 1024}}},
      {"db", kAny},
      {"use_existing_db", kAny},

      {"num", kGrown, {{2, kMany}}},
      {"key_size", kGrown, {{kMinGeneratedKey, 1 << 20}}},
      {"key_format", kAny},
      {"value_size", kGrown, {{0, 1 << 20}}},
      {"benchmarks", kAny},
      {"reads", kAny, {{1, kMany}}},
      {"record_lookups", kAny},
      {"absent_lookups", kAny, {{0, 1}}, TakesShare},
      {"zipf", kAny, {{0, kMaxZipfExponent}}},
      {"batch_size", kAny, {{1, 100'000}}, GetsMany},
      {"multiread_batched", kAny, {}, GetsMany},
      {"seek_nexts", kAny, {{0, 1e9}}, Seeks},
      {"scan_length", kGrown, {}, Scans},
      {"key_shape", kGrown},
      {"heat", kGrown, {}, IsHeated},
      {"lookups_per_write", kGrown, {{0, 1000}}, IsHeated},
      {"lookups", kAny, {}, IsRecorded},
      {"writes", kGrown, {{0, kMany}}, WritesDrawn},
      {"threads", kAny, {{1, 1024}}},
      {"timed_reads", kAny, {{0, kMany}}},
      {"duration", kAny, {{0, 1'000'000}}},
      {"timed_rounds", kAny, {{1, 1000}}},
      {"seed", kAny},

      {"level0_files", kGrown, {{0, 1000}}},
      {"write_buffer_size", kGrown, {{0, 512 << 20}}},
      {"target_file_size_base", kGrown, {{0, kHuge}}},
      {"max_bytes_for_level_base", kGrown, {{0, kHuge}}},
      {"max_bytes_for_level_multiplier", kGrown, {{1, 1e6}}},
      {"level0_file_num_compaction_trigger", kGrown, {{1, 1000}}},
      {"num_levels", kGrown, {{2, 100}}},
      {"compaction_style", kGrown, {{0, 2}}},
      {"max_background_jobs", kGrown, {{1, 1000}}},
      {"block_size", kGrown, {{64, 64 << 20}}},
      {"format_version", kGrown, {{2, 5}}},
      {"metadata_block_size", kGrown, {{64, 64 << 20}}},
      {"prefix_size", kGrown, {{0, 1024}}},
      {"cache_size", kAny, {{0, kHuge}}},
      {"cache_share", kGrown, {{0, 10}}},

      {"json", kAny},
      {"html", kAny},
      {"summary", kAny},
  };
  return *rules;
}

const FlagRule* FindRule(absl::string_view flag) {
  const auto& rules = FlagRules();
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const FlagRule& rule) { return rule.flag == flag; });
  return found == rules.end() ? nullptr : &*found;
}

bool IsWhole(const absl::CommandLineFlag& flag) {
  return flag.IsOfType<int32_t>() || flag.IsOfType<int64_t>();
}

// Returns the flag's range, by default that of its type; nullopt for flags that are not numbers.
std::optional<NumberRange> RangeOf(const absl::CommandLineFlag& flag) {
  const FlagRule* const rule = FindRule(flag.Name());
  if (rule != nullptr && rule->range) {
    return NumberRange{rule->range->min, rule->range->max, IsWhole(flag)};
  }
  constexpr double kMax = static_cast<double>(std::numeric_limits<int64_t>::max());
  return IsWhole(flag) ? std::optional(NumberRange{-kMax, kMax, true}) : std::nullopt;
}

absl::Status CheckValue(const absl::CommandLineFlag& flag, const NumberRange& range,
                        absl::string_view written) {
  double number = 0;
  if (absl::SimpleAtod(flag.CurrentValue(), &number) && range.Has(number)) return absl::OkStatus();
  return absl::InvalidArgumentError(inspect::OutOfRange(flag.Name(), written, range));
}

absl::Status NoSuchFlag(absl::string_view name) {
  const auto all = absl::GetAllFlags();
  std::vector<absl::string_view> names;
  for (const auto& [other, flag] : all) {
    if (absl::StrContains(flag->Filename(), "db_bench_ext/")) names.push_back(other);
  }
  std::sort(names.begin(), names.end());  // makes ties deterministic
  return absl::InvalidArgumentError(absl::StrCat(
      "there is no flag --", name, inspect::DidYouMean(name, names, "--"), " (see --help)"));
}

// A flag on a command line.
struct NamedFlag {
  absl::string_view name;                 // name in the user's spelling
  absl::CommandLineFlag* flag = nullptr;  // null: unknown
  std::optional<absl::string_view> value;
};

// Splits words as Abseil does: --name=value, --name value, and --name or --noname for booleans. The
// next word is a value even if it looks like a flag.
std::vector<NamedFlag> NamedFlags(const std::vector<std::string>& words) {
  std::vector<NamedFlag> flags;
  for (size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
    absl::string_view word = words[i];
    if (!absl::ConsumePrefix(&word, "-") || word.empty()) continue;
    absl::ConsumePrefix(&word, "-");
    const size_t equals = word.find('=');
    absl::string_view name = word.substr(0, equals);
    NamedFlag named = {name, absl::FindCommandLineFlag(name), std::nullopt};
    if (named.flag == nullptr && absl::ConsumePrefix(&name, "no")) {
      absl::CommandLineFlag* const flag = absl::FindCommandLineFlag(name);
      if (flag != nullptr && flag->IsOfType<bool>()) named.flag = flag;
    }
    if (equals != absl::string_view::npos) {
      named.value = word.substr(equals + 1);
    } else if (named.flag != nullptr && !named.flag->IsOfType<bool>() && i + 1 < words.size()) {
      named.value = words[++i];
    }
    flags.push_back(named);
  }
  return flags;
}

absl::Status CheckFlag(const NamedFlag& named) {
  const auto& [name, flag, value] = named;
  if (flag == nullptr) {
    const std::string ended = inspect::WhyEnded(kEndedFlags, "", name);
    return ended.empty() ? NoSuchFlag(name) : absl::InvalidArgumentError(ended);
  }
  if (flag->IsOfType<bool>()) return absl::OkStatus();
  if (!value) {
    return absl::InvalidArgumentError(
        absl::StrCat("the flag --", name, " needs a value: --", name, "=VALUE"));
  }
  const std::optional<NumberRange> range = RangeOf(*flag);
  if (!range) return absl::OkStatus();
  std::string error;
  return flag->ParseFrom(*value, &error)
             ? CheckValue(*flag, *range, *value)
             : absl::InvalidArgumentError(inspect::OutOfRange(name, *value, *range));
}

}  // namespace

absl::Status CheckFlagWords(const std::vector<std::string>& words) {
  for (const NamedFlag& named : NamedFlags(words)) {
    if (absl::Status status = CheckFlag(named); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckFlagValues() {
  for (const FlagRule& rule : FlagRules()) {
    if (!rule.range) continue;
    const absl::CommandLineFlag* const flag = absl::FindCommandLineFlag(rule.flag);
    absl::Status status = CheckValue(*flag, *RangeOf(*flag), flag->CurrentValue());
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

GivenFlags FindGivenFlags(const std::vector<std::string>& words) {
  GivenFlags given;
  for (const NamedFlag& named : NamedFlags(words)) {
    if (named.flag != nullptr) given.emplace(named.flag->Name());
  }
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    if (flag->CurrentValue() != flag->DefaultValue()) given.emplace(name);
  }
  return given;
}

absl::Status CheckOnExisting(const GivenFlags& given) {
  for (const std::string& flag : given) {
    const FlagRule* const rule = FindRule(flag);
    if (rule != nullptr && rule->on_existing) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "--", flag, " has no meaning with --use_existing_db, which measures a database as it is"));
  }
  return absl::OkStatus();
}

absl::Status CheckFollowed(const GivenFlags& given, const BenchmarkList& benchmarks) {
  for (const auto& [flag, on_existing, range, follows] : FlagRules()) {
    if (follows == nullptr || given.count(flag) == 0 || benchmarks.Find(follows) != nullptr) {
      continue;
    }
    // Benchmarks that always have a share come first.
    const std::string first = follows == TakesShare ? NamesOf(IsMixed, ", ") + ", " : "";
    return absl::InvalidArgumentError(absl::StrCat(
        "--", flag, " has no meaning without ", first,
        NamesOf(follows == TakesShare ? MayBeMixed : follows, " or "), " in --benchmarks"));
  }
  return absl::OkStatus();
}

absl::Status FirstOf(std::initializer_list<Refusal> refusals) {
  for (const Refusal& refusal : refusals) {
    if (refusal.applies) return absl::InvalidArgumentError(refusal.why);
  }
  return absl::OkStatus();
}

}  // namespace winnow::bench
