// Compares filter policies of several builds of the plugin within one tree.
//
//   paired_trees --libraries=1.2=FILE,now=FILE
//       --policies=1.2:level_plan=uniform,1.2:level_plan=auto,now:level_plan=auto
//       [--cells=random,mixgraph] [--trees=5] [--json=FILE]
//
// tools/build_release.sh builds the plugin of an earlier commit. docs/results/paired-trees.md has
// results.

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/usage.h>
#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "db_bench_ext/filter_bench/plugin_library.h"
#include "db_bench_ext/read_amplification/system/whole_file.h"
#include "src/cli/flags.h"
#include "src/text/text_table.h"
#include "tests/paired_trees/run.h"
#include "tests/support/flag_help.h"

using Texts = std::vector<std::string>;

ABSL_FLAG(Texts, libraries, {},
          "NAME=FILE of builds of libwinnow_rocksdb.so, with commas between them");
ABSL_FLAG(Texts, policies, {},
          "LIBRARY:OPTIONS, as in 1.2:level_plan=auto+listener; +listener is Winnow's listener");
ABSL_FLAG(Texts, cells, {}, "trees to grow, with commas between them; empty: all");
ABSL_FLAG(uint64_t, keys, 400'000, "number of keys in a tree");
ABSL_FLAG(uint64_t, divide_sizes, 256,
          "divisor of RocksDB's default sizes, 1 to 1024; files have some 6,500 keys at 256");
ABSL_FLAG(uint64_t, trees, 5, "trees of each cell, with other keys each, 1 to 5");
ABSL_FLAG(std::string, json, "", "file for the results as JSON");

namespace winnow::paired_trees {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kUsage[] =
    "Compares filter policies of several builds of Winnow's plugin within one tree, which has the\n"
    "filters of the first one; docs/results/paired-trees.md says what cells and columns are.\n"
    "Databases are made in TMPDIR. Exit status: 0, 1 if a tree could not be grown, 2 for a wrong\n"
    "command line. Flags:\n\n";

// An error in the command line.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Policy of a library, by its text.
struct Asked {
  std::string text;
  std::string options;           // with "+listener" if it has one
  bench::PluginLibrary library;  // of this policy alone
  size_t same = 0;               // the first policy with these options, or this one

  PairedPolicy Make() const {
    absl::string_view of_policy = options;
    const bool has_listener = absl::ConsumeSuffix(&of_policy, "+listener");
    PairedPolicy made;
    const rocksdb::Status status = library.NewPolicy(std::string(of_policy), &made.policy);
    if (!status.ok()) throw UsageError(absl::StrCat(text, ": ", status.ToString()));
    if (has_listener) made.listener = library.NewListener(made.policy);
    return made;
  }
};

std::vector<Asked> AskedPolicies() {
  std::map<std::string, std::string> libraries;  // by name
  for (const std::string& library : absl::GetFlag(FLAGS_libraries)) {
    libraries[library.substr(0, library.find('='))] = library;
  }
  std::vector<Asked> all;
  for (const std::string& text : absl::GetFlag(FLAGS_policies)) {
    const size_t colon = text.find(':');
    const auto library = libraries.find(text.substr(0, colon));
    if (colon == std::string::npos || library == libraries.end()) {
      throw UsageError("'" + text + "' is not LIBRARY:OPTIONS of one of --libraries");
    }
    auto opened = bench::PluginLibrary::Open(library->second);
    if (!opened.ok()) throw UsageError(std::string(opened.status().message()));
    Asked asked{text, text.substr(colon + 1), *std::move(opened)};
    for (; asked.same < all.size(); ++asked.same) {
      if (all[asked.same].options == asked.options) break;
    }
    all.push_back(std::move(asked));
  }
  if (all.size() < 2) throw UsageError("--policies has less than two; see --help");
  return all;
}

std::vector<Cell> AskedCells() {
  const Texts names = absl::GetFlag(FLAGS_cells);
  if (names.empty()) return Cells();
  std::vector<Cell> cells;
  std::copy_if(Cells().begin(), Cells().end(), std::back_inserter(cells), [&](const Cell& cell) {
    return std::find(names.begin(), names.end(), cell.name) != names.end();
  });
  if (cells.size() == names.size()) return cells;
  throw UsageError("--cells has a name that is unknown or there twice; see --help");
}

uint64_t Checked(const char* flag, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return value;
  throw UsageError(absl::StrCat("--", flag, " is ", value, ", not ", least, " to ", most));
}

// Ratios of a policy to another, by figure and tree. Each policy is compared with the first, and
// with the same one of the first library that has it.
using RatiosOfTrees = std::array<std::vector<double>, std::size(kFigures)>;
using Comparisons = std::map<std::pair<size_t, size_t>, RatiosOfTrees>;

// Prints the comparisons and adds them to the results.
void Report(const std::string& cell, const std::vector<Asked>& asked,
            const Comparisons& comparisons, Json* results) {
  std::vector<inspect::Column> columns = {{cell, inspect::Align::kLeft},
                                          {"to", inspect::Align::kLeft}};
  for (const char* figure : kFigures) columns.push_back({figure});
  inspect::TextTable table(columns);
  Json rows = Json::array();
  for (const auto& [policies, ratios] : comparisons) {
    inspect::TextTable::Row row = {asked[policies.first].text, asked[policies.second].text};
    Json json = {{"policy", row[0]}, {"to", row[1]}};
    for (size_t i = 0; i < std::size(kFigures); ++i) {
      const auto [mean, interval] = MeanOf(ratios[i]);
      row.push_back(absl::StrFormat("%.3f ± %.3f", mean, (interval.high - interval.low) / 2));
      json[kFigures[i]] = {{"mean", mean}, {"low", interval.low}, {"high", interval.high}};
    }
    table.AddRow(std::move(row));
    rows.push_back(std::move(json));
  }
  std::printf("%s\n", table.ToString().c_str());
  std::fflush(stdout);
  results->push_back({{"cell", cell}, {"rows", std::move(rows)}});
}

void WriteResults(const Json& json) {
  const std::string path = absl::GetFlag(FLAGS_json);
  if (path.empty()) return;
  const absl::Status status = bench::WriteWhole(path, json.dump(1) + "\n");
  if (!status.ok()) throw std::runtime_error(std::string(status.message()));
}

void Run(const std::string& command) {
  const std::vector<Asked> asked = AskedPolicies();
  const std::vector<Cell> cells = AskedCells();
  const uint64_t keys = Checked("keys", absl::GetFlag(FLAGS_keys), 1000, 1'000'000'000);
  // RocksDB's minimum write buffer is 64 KiB.
  const uint64_t divisor = Checked("divide_sizes", absl::GetFlag(FLAGS_divide_sizes), 1, 1024);
  const uint64_t trees = Checked("trees", absl::GetFlag(FLAGS_trees), 1, 5);
  Json json = {{"format", "paired_trees/1"}, {"command", command}};
  WriteResults(json);
  std::map<std::string, Comparisons> all;
  for (const Cell& cell : cells) {
    Comparisons of_cell;
    Json bits;
    for (uint64_t tree = 0; tree < trees; ++tree) {
      std::vector<PairedPolicy> policies;
      for (const Asked& one : asked) policies.push_back(one.Make());
      const std::vector<TreeResult> results = RunTree(cell, keys, divisor, 10 * tree + 1, policies);
      for (size_t i = 0; i < asked.size(); ++i) {
        bits[asked[i].text].push_back(results[i].bits);
        for (const size_t to : std::set<size_t>{0, asked[i].same}) {
          if (to == i) continue;
          const Ratios ratios = RatiosOf(results[i], results[to]);
          for (Comparisons* sum : {&of_cell, &all[cell.skew ? "all with lookups" : "all shapes"]}) {
            for (size_t f = 0; f < ratios.size(); ++f) (*sum)[{i, to}][f].push_back(ratios[f]);
          }
        }
      }
    }
    Report(cell.name, asked, of_cell, &json["cells"]);
    json["cells"].back()["bits_per_key_at_looks"] = std::move(bits);
    WriteResults(json);
  }
  for (const auto& [name, comparisons] : all) Report(name, asked, comparisons, &json["all"]);
  WriteResults(json);
}

int Main(int argc, char** argv) {
  const Texts words(argv, argv + argc);
  if (std::any_of(words.begin(), words.end(), cli::AsksForHelp)) {
    std::printf("%s%s\nCells:", kUsage,
                testing::FlagHelp("tests/paired_trees/paired_trees.cc").c_str());
    for (const Cell& cell : Cells()) std::printf(" %s", cell.name.c_str());
    std::printf("\n");
    return 0;
  }
  absl::SetProgramUsageMessage("see --help");
  try {
    const std::vector<char*> rest = absl::ParseCommandLine(argc, argv);
    if (rest.size() > 1) throw UsageError(absl::StrCat("'", rest[1], "' is no flag; see --help"));
    Run(absl::StrJoin(words, " "));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "paired_trees: %s\n", error.what());
    return dynamic_cast<const UsageError*>(&error) != nullptr ? 2 : 1;
  }
}

}  // namespace
}  // namespace winnow::paired_trees

int main(int argc, char** argv) { return winnow::paired_trees::Main(argc, argv); }
