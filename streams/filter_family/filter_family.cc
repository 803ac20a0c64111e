// filter_family: builds each kind of filter from the same keys at rates from 10 % to 0.001 %,
// measures sizes, rates and times, and prints a line for each. --page and --json write the
// comparison to files. With --contenders, it instead compares Winnow's filters with those of other
// libraries and prints a Markdown table. The tree contains none of these; each is a shared library
// (contender.h) that the user provides.

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/reflection.h>
#include <absl/flags/usage.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <initializer_list>
#include <string>
#include <vector>

#include "streams/filter_family/comparison.h"
#include "streams/filter_family/family.h"
#include "streams/filter_family/page.h"

ABSL_FLAG(
    std::vector<std::string>, keys, {},
    "keys of each filter, 1 to 10^9: one number, 1000000 by default; with --contenders numbers "
    "from 100, by default 15564,996147,7969177, which suit filters that have 2^n buckets of 4 "
    "slots, at 95 % of these");
ABSL_FLAG(std::vector<std::string>, rates,
          std::vector<std::string>({"0.1", "0.01", "0.001", "0.0001", "0.00001"}),
          "rates, each above 0 and at most 0.5");
ABSL_FLAG(uint64_t, most_lookups, 1'000'000'000,
          "lookups for a measured rate, at most; 10^4 false positives otherwise");
ABSL_FLAG(int, repetitions, 3, "how often each time is measured, 1 to 100; medians");
ABSL_FLAG(uint64_t, seed, 1, "of the keys");
ABSL_FLAG(
    std::string, page, "",
    "file to write the comparison to as Markdown; the chart is written beside it, .svg in the "
    "place of .md");
ABSL_FLAG(
    std::string, json, "",
    "file to write the figures to, schema winnow.family/1, with --contenders winnow.beside/1");

ABSL_FLAG(std::vector<std::string>, contenders, {},
          "shared libraries that export winnow_contenders() (contender.h), separated by commas: "
          "their filters are measured beside ours. The flags below are of that");
ABSL_FLAG(std::string, kind, "",
          "measure only this kind: concurrent, fuse or cuckoo; all if empty");
ABSL_FLAG(int, pairs, 15, "pairs of runs, 3 to 1000");
ABSL_FLAG(uint32_t, threads, 2, "threads that add to one filter at once, at most: 1 to 64");
ABSL_FLAG(double, bits_per_key, 10, "of kinds that have a choice, 2 to 60");
ABSL_FLAG(double, least_ms, 5, "shorter runs are repeated until they take as long");

namespace {

using winnow::bench::ComparisonOptions;
using winnow::bench::ComparisonRow;
using winnow::bench::FamilyOptions;
using winnow::bench::FamilyRow;

void Print(const FamilyRow& row) {
  if (row.measured) {
    const winnow::bench::Measured& m = *row.measured;
    std::printf(
        "%-22s %-7g %7.2f bits  rate %.4g of %.4g  build %.1f  absent %.1f  present %.1f ns\n",
        row.kind.c_str(), row.rate, m.bits_per_key,
        static_cast<double>(m.passed) / static_cast<double>(m.lookups), m.expected_rate, m.build_ns,
        m.absent_ns, m.present_ns);
  } else if (row.formula_bits > 0) {
    std::printf("%-22s %-7g %7.2f bits\n", row.kind.c_str(), row.rate, row.formula_bits);
  } else {
    std::printf("%-22s %-7g       - cannot have this rate\n", row.kind.c_str(), row.rate);
  }
  std::fflush(stdout);
}

// Returns an error message, or an empty string.
std::string ReadKeys(uint64_t least, std::vector<uint64_t>* keys) {
  const std::vector<std::string> given = absl::GetFlag(FLAGS_keys);
  if (!given.empty()) keys->clear();
  for (const std::string& text : given) {
    uint64_t number = 0;
    if (!absl::SimpleAtoi(text, &number) || number < least || number > 1'000'000'000) {
      return absl::StrCat("--keys has '", text, "', but must have numbers from ", least,
                          " to 10^9");
    }
    keys->push_back(number);
  }
  return "";
}

// Returns the first of these flags that is given but has no effect, or an empty string.
std::string WithoutMeaning(std::initializer_list<const char*> flags, const char* where) {
  for (const char* name : flags) {
    const absl::CommandLineFlag* flag = absl::FindCommandLineFlag(name);
    if (flag->CurrentValue() != flag->DefaultValue()) {
      return absl::StrCat("--", name, " has no meaning ", where, " --contenders: leave it out");
    }
  }
  return "";
}

// Returns an error message, or an empty string.
std::string ReadFlags(FamilyOptions* options) {
  std::vector<uint64_t> keys = {1'000'000};
  if (std::string fault = ReadKeys(1, &keys); !fault.empty()) return fault;
  if (keys.size() > 1) return "--keys must be one number, but for --contenders";
  options->keys = keys.front();
  options->rates.clear();
  for (const std::string& text : absl::GetFlag(FLAGS_rates)) {
    double rate = 0;
    if (!absl::SimpleAtod(text, &rate) || !(rate >= 1e-9 && rate <= 0.5)) {
      return absl::StrCat("--rates has '", text, "', but must have numbers from 1e-9 to 0.5");
    }
    options->rates.push_back(rate);
  }
  options->most_lookups = absl::GetFlag(FLAGS_most_lookups);
  if (options->most_lookups < 1) return "--most_lookups must be at least 1";
  options->repetitions = absl::GetFlag(FLAGS_repetitions);
  if (options->repetitions < 1 || options->repetitions > 100) {
    return "--repetitions must be from 1 to 100";
  }
  options->seed = absl::GetFlag(FLAGS_seed);
  const std::string page = absl::GetFlag(FLAGS_page);
  if (!page.empty() && (page.size() < 4 || page.substr(page.size() - 3) != ".md")) {
    return "--page must end in .md";
  }
  return "";
}

// Returns an error message, or an empty string.
std::string ReadFlags(ComparisonOptions* options) {
  options->keys = {15'564, 996'147, 7'969'177};
  if (std::string fault = ReadKeys(100, &options->keys); !fault.empty()) return fault;
  options->pairs = absl::GetFlag(FLAGS_pairs);
  if (options->pairs < 3 || options->pairs > 1000) return "--pairs must be from 3 to 1000";
  options->threads = absl::GetFlag(FLAGS_threads);
  if (options->threads < 1 || options->threads > 64) return "--threads must be from 1 to 64";
  options->bits_per_key = absl::GetFlag(FLAGS_bits_per_key);
  if (!(options->bits_per_key >= 2 && options->bits_per_key <= 60)) {
    return "--bits_per_key must be from 2 to 60";
  }
  options->least_ms = absl::GetFlag(FLAGS_least_ms);
  if (!(options->least_ms >= 0 && options->least_ms <= 10'000)) {
    return "--least_ms must be from 0 to 10000";
  }
  options->seed = absl::GetFlag(FLAGS_seed);
  const auto& ours = winnow::bench::OurFilters();
  const std::string kind = absl::GetFlag(FLAGS_kind);
  if (!kind.empty() && std::none_of(ours.begin(), ours.end(),
                                    [&](const auto& filter) { return filter.kind == kind; })) {
    return absl::StrCat("--kind is '", kind, "', but must be concurrent, fuse or cuckoo");
  }
  return "";
}

// Appends the contenders of the library, which stays loaded. Returns an error message, or an empty
// string.
std::string Load(const std::string& path, std::vector<winnow_contender>* contenders) {
  // dlopen() searches the system's folders for a name without a slash.
  void* library = dlopen(path.find('/') == std::string::npos ? ("./" + path).c_str() : path.c_str(),
                         RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return absl::StrCat("can't load ", dlerror());
  void* symbol = dlsym(library, WINNOW_CONTENDERS_SYMBOL);
  if (symbol == nullptr) {
    return absl::StrCat(path, " has no function " WINNOW_CONTENDERS_SYMBOL "()");
  }
  winnow_contenders_function* function = nullptr;
  std::memcpy(&function, &symbol, sizeof(function));
  for (const winnow_contender* next = function(); next->version != 0; ++next) {
    if (next->version != WINNOW_CONTENDER_VERSION) {
      return absl::StrCat(path, " is for version ", next->version, " of contender.h, but this is ",
                          WINNOW_CONTENDER_VERSION);
    }
    contenders->push_back(*next);
  }
  return "";
}

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file.good()) return true;
  std::fprintf(stderr, "filter_family: can't write %s\n", path.c_str());
  return false;
}

std::string Command(int argc, char** argv) {
  std::vector<std::string> words = {"filter_family"};
  for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);
  return absl::StrJoin(words, " ");
}

bool MeasureTheFamily(const FamilyOptions& options, const std::string& command) {
  const std::vector<FamilyRow> rows = winnow::bench::MeasureFamily(options, Print);
  bool written = true;
  if (const std::string path = absl::GetFlag(FLAGS_page); !path.empty()) {
    const std::string chart = path.substr(0, path.size() - 3) + ".svg";
    const size_t folder = chart.rfind('/');
    written &= Write(chart, winnow::bench::FamilyChart(rows));
    written &= Write(path, winnow::bench::FamilyPage(
                               options, rows, command,
                               folder == std::string::npos ? chart : chart.substr(folder + 1)));
  }
  if (const std::string path = absl::GetFlag(FLAGS_json); !path.empty()) {
    written &= Write(path, winnow::bench::FamilyJson(options, rows));
  }
  return written;
}

bool MeasureContenders(const ComparisonOptions& options,
                       const std::vector<winnow_contender>& contenders) {
  std::vector<ComparisonRow> rows;
  const std::string kind = absl::GetFlag(FLAGS_kind);
  for (const winnow_contender& contender : contenders) {
    if (!kind.empty() && contender.kind != kind) continue;
    winnow::bench::CompareWithOurs(contender, options, [&rows](const ComparisonRow& row) {
      rows.push_back(row);
      std::fprintf(stderr, "%-10s %9llu  %-28s %7.2f beside %7.2f ns: %.3f (%.3f)\n",
                   row.kind.c_str(), static_cast<unsigned long long>(row.keys), row.work.c_str(),
                   row.ours_ns, row.contender_ns, row.ratio, row.ours_again);
    });
  }
  std::fputs(winnow::bench::ComparisonTable(rows).c_str(), stdout);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fprintf(stderr, "filter_family: can't write the table\n");
    return false;
  }
  const std::string json = absl::GetFlag(FLAGS_json);
  return json.empty() || Write(json, ComparisonJson(options, rows));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = Command(argc, argv);
  absl::SetProgramUsageMessage(
      "builds every kind of filter and measures sizes, rates and times; with --contenders, those "
      "of "
      "other libraries beside ours");
  const std::vector<char*> others = absl::ParseCommandLine(argc, argv);
  const std::vector<std::string> libraries = absl::GetFlag(FLAGS_contenders);
  FamilyOptions family;
  ComparisonOptions comparison;
  std::string fault = libraries.empty() ? ReadFlags(&family) : ReadFlags(&comparison);
  if (fault.empty()) {
    fault =
        libraries.empty()
            ? WithoutMeaning({"kind", "pairs", "threads", "bits_per_key", "least_ms"}, "without")
            : WithoutMeaning({"rates", "most_lookups", "repetitions", "page"}, "with");
  }
  if (others.size() > 1) fault = absl::StrCat("there are only flags, not '", others[1], "'");
  std::vector<winnow_contender> contenders;
  for (const std::string& path : libraries) {
    if (fault.empty()) fault = Load(path, &contenders);
  }
  if (!fault.empty()) {
    std::fprintf(stderr, "filter_family: %s\n", fault.c_str());
    return 2;
  }
  try {
    const bool written = libraries.empty() ? MeasureTheFamily(family, command)
                                           : MeasureContenders(comparison, contenders);
    return written ? 0 : 2;
  } catch (const std::exception& fault_in_measuring) {
    std::fprintf(stderr, "filter_family: %s\n", fault_in_measuring.what());
    return 1;
  }
}
