// filter_beside: measures filters of other libraries beside ours. The tree has none of them: each
// comes as a shared library (contender.h) of whoever runs this.

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/usage.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "db_bench_ext/filter_family/beside.h"

ABSL_FLAG(std::vector<std::string>, contenders, {},
          "shared libraries that export winnow_contenders() (contender.h), separated by commas");
ABSL_FLAG(std::string, kind, "",
          "measure only this kind: concurrent, fuse or cuckoo; all if empty");
ABSL_FLAG(std::vector<std::string>, keys, std::vector<std::string>({"15564", "996147", "7969177"}),
          "keys of the filters, each from 100 to 10^9; the default suits filters that have 2^n "
          "buckets of 4 slots, at 95 % of these");
ABSL_FLAG(int, pairs, 15, "pairs of runs, 3 to 1000");
ABSL_FLAG(uint32_t, threads, 2, "threads that add to one filter at once, at most: 1 to 64");
ABSL_FLAG(double, bits_per_key, 10, "of kinds that have a choice, 2 to 60");
ABSL_FLAG(double, least_ms, 5, "shorter runs are repeated until they take as long");
ABSL_FLAG(uint64_t, seed, 1, "of the keys");
ABSL_FLAG(std::string, json, "", "file to write the figures to, schema winnow.beside/1");

namespace {

using winnow::bench::BesideOptions;
using winnow::bench::BesideRow;

// Empty, or what is wrong.
std::string ReadFlags(BesideOptions* options) {
  for (const std::string& text : absl::GetFlag(FLAGS_keys)) {
    uint64_t keys = 0;
    if (!absl::SimpleAtoi(text, &keys) || keys < 100 || keys > 1'000'000'000) {
      return absl::StrCat("--keys has '", text, "', but must have numbers from 100 to 10^9");
    }
    options->keys.push_back(keys);
  }
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
  if (absl::GetFlag(FLAGS_contenders).empty()) {
    return "--contenders must name a shared library that exports winnow_contenders(); "
           "db_bench_ext/filter_family/contender.h says how to write one";
  }
  const auto& ours = winnow::bench::OurFilters();
  const std::string kind = absl::GetFlag(FLAGS_kind);
  if (!kind.empty() && std::none_of(ours.begin(), ours.end(),
                                    [&](const auto& filter) { return filter.kind == kind; })) {
    return absl::StrCat("--kind is '", kind, "', but must be concurrent, fuse or cuckoo");
  }
  return "";
}

// Appends those of the library, which stays loaded. Empty, or what is wrong.
std::string Load(const std::string& path, std::vector<winnow_contender>* contenders) {
  // A name without a slash would be looked for in the system's folders.
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
  std::fprintf(stderr, "filter_beside: can't write %s\n", path.c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "measures filters of other libraries beside ours: prints a table in Markdown");
  const std::vector<char*> others = absl::ParseCommandLine(argc, argv);
  BesideOptions options;
  std::string fault = ReadFlags(&options);
  if (others.size() > 1) fault = absl::StrCat("there are only flags, not '", others[1], "'");
  std::vector<winnow_contender> contenders;
  for (const std::string& path : absl::GetFlag(FLAGS_contenders)) {
    if (fault.empty()) fault = Load(path, &contenders);
  }
  if (!fault.empty()) {
    std::fprintf(stderr, "filter_beside: %s\n", fault.c_str());
    return 2;
  }
  try {
    std::vector<BesideRow> rows;
    const std::string kind = absl::GetFlag(FLAGS_kind);
    for (const winnow_contender& contender : contenders) {
      if (!kind.empty() && contender.kind != kind) continue;
      winnow::bench::MeasureBeside(contender, options, [&rows](const BesideRow& row) {
        rows.push_back(row);
        std::fprintf(stderr, "%-10s %9llu  %-28s %7.2f beside %7.2f ns: %.3f (%.3f)\n",
                     row.kind.c_str(), static_cast<unsigned long long>(row.keys), row.work.c_str(),
                     row.ours_ns, row.contender_ns, row.ratio, row.ours_again);
      });
    }
    std::fputs(winnow::bench::BesideTable(rows).c_str(), stdout);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      std::fprintf(stderr, "filter_beside: can't write the table\n");
      return 2;
    }
    const std::string json = absl::GetFlag(FLAGS_json);
    return json.empty() || Write(json, BesideJson(options, rows)) ? 0 : 2;
  } catch (const std::exception& fault_in_measuring) {
    std::fprintf(stderr, "filter_beside: %s\n", fault_in_measuring.what());
    return 1;
  }
}
