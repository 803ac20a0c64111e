// filter_family: builds each kind of filter of the same keys at rates from 10 % to 0.001 % and
// measures sizes, rates and times. Prints a line for each; with --page and --json it writes the
// comparison to files.

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/usage.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "db_bench_ext/filter_family/family.h"
#include "db_bench_ext/filter_family/page.h"

ABSL_FLAG(uint64_t, keys, 1'000'000, "keys of each filter, 1 to 10^9");
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
ABSL_FLAG(std::string, json, "", "file to write the figures to, schema winnow.family/1");

namespace {

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

// Empty, or what is wrong.
std::string ReadFlags(FamilyOptions* options) {
  options->keys = absl::GetFlag(FLAGS_keys);
  if (options->keys < 1 || options->keys > 1'000'000'000) return "--keys must be from 1 to 10^9";
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

}  // namespace

int main(int argc, char** argv) {
  const std::string command = Command(argc, argv);
  absl::SetProgramUsageMessage("builds every kind of filter and measures sizes, rates and times");
  const std::vector<char*> others = absl::ParseCommandLine(argc, argv);
  FamilyOptions options;
  std::string fault = ReadFlags(&options);
  if (others.size() > 1) fault = absl::StrCat("there are only flags, not '", others[1], "'");
  if (!fault.empty()) {
    std::fprintf(stderr, "filter_family: %s\n", fault.c_str());
    return 2;
  }
  try {
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
    return written ? 0 : 2;
  } catch (const std::exception& fault_in_measuring) {
    std::fprintf(stderr, "filter_family: %s\n", fault_in_measuring.what());
    return 1;
  }
}
