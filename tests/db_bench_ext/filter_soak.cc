// filter_soak: builds filters of all sizes and accuracies with every kernel of the machine, and
// looks up all keys of each. Exits with 1 if a key is denied, a rate differs from the reported one,
// or kernels give different bytes. tools/soak.sh builds and runs it.

#include <absl/flags/flag.h>
#include <absl/flags/parse.h>
#include <absl/flags/usage.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/cli/flags.h"
#include "src/simd/kernels.h"
#include "src/text/machine.h"
#include "src/text/numbers.h"
#include "src/text/text_table.h"
#include "tests/core/filter_testing.h"
#include "tests/core/soak.h"
#include "tests/support/flag_help.h"
#include "tests/support/usable_kernels.h"
#include "winnow/version.h"

ABSL_FLAG(uint64_t, lookups, 1'000'000'000,
          "lookups of inserted keys with each kernel, at least, shared evenly by the powers of ten "
          "up to --most_keys, by 2 to 20 bits per key, and by the kinds");
ABSL_FLAG(uint64_t, most_keys, 10'000'000, "keys of the largest filters: a power of ten");
ABSL_FLAG(uint64_t, random_filters, 100'000,
          "filters with each kernel besides, of 0 to 4095 keys and any bits per key");
ABSL_FLAG(uint64_t, seed, 1, "seed of the keys and the sizes");
ABSL_FLAG(std::string, json, "", "file to write the counts to as JSON, schema winnow.soak/1");
ABSL_FLAG(uint64_t, damage_one_in, 0,
          "clears the bits of every so many-th filter, to see that it is noticed; 0: of none");

namespace winnow::testing {
namespace {

using Json = nlohmann::ordered_json;

bool IsPowerOfTen(uint64_t number) {
  while (number > 0 && number % 10 == 0) number /= 10;
  return number == 1;
}

SoakPlan PlanOfFlags() {
  SoakPlan plan;
  plan.lookups = absl::GetFlag(FLAGS_lookups);
  plan.most_keys = absl::GetFlag(FLAGS_most_keys);
  plan.random_filters = absl::GetFlag(FLAGS_random_filters);
  plan.seed = absl::GetFlag(FLAGS_seed);
  if (const uint64_t one_in = absl::GetFlag(FLAGS_damage_one_in); one_in > 0) {
    plan.damage = [one_in, filters = uint64_t{0}](FilterBlock* block) mutable {
      if (++filters % one_in != 0) return;
      constexpr size_t kMaxBehindPayload = 32 + 16 * 5;
      if (block->size > kMaxBehindPayload) {
        std::fill_n(block->data.get(), block->size - kMaxBehindPayload, '\0');
      }
    };
  }
  return plan;
}

Json ToJson(const SoakCounts& counts) {
  return {{"filters", counts.filters},
          {"unusable", counts.unusable},
          {"keys", counts.keys},
          {"lookups", counts.lookups},
          {"false_negatives", counts.false_negatives},
          {"absent_lookups", counts.absent_lookups},
          {"false_positives", counts.false_positives},
          {"expected_false_positives", counts.expected_false_positives},
          {"good", counts.Good()}};
}

Json ToJson(const SoakResult& result, double seconds) {
  Json json = {{"kernel", result.kernel},
               {"seconds", seconds},
               {"digest", absl::StrFormat("%016x", result.digest)},
               {"good", result.Good()},
               {"rows", Json::array()}};
  for (const SoakRow& row : result.rows) {
    Json counts = {{"kind", ToString(row.kind)},
                   {"filters_of", row.least_keys == 0 ? "random sizes" : "given sizes"},
                   {"least_keys", row.least_keys},
                   {"most_keys", row.most_keys}};
    counts.update(ToJson(row.counts));
    json["rows"].push_back(std::move(counts));
  }
  return json;
}

// Runs the soak in this process, with the kernel named in the environment.
Json SoakHere(SoakPlan plan) {
  int told = 0;
  plan.progress = [&told](double share) {
    const int percent = static_cast<int>(share * 100);
    if (percent < told + 5) return;
    told = percent;
    std::fprintf(stderr, "filter_soak: %s: %d %%\n", simd::ActiveKernels().name, percent);
  };
  const auto begin = std::chrono::steady_clock::now();
  const SoakResult result = Soak(plan);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return ToJson(result, seconds.count());
}

// Runs the soak in a child process, because a process selects its kernel only once. Returns null if
// the child fails.
Json SoakWith(const char* kernel, const SoakPlan& plan) {
  int ends[2];
  if (pipe(ends) != 0) return nullptr;
  const pid_t child = fork();
  if (child < 0) return nullptr;
  if (child == 0) {
    close(ends[0]);
    setenv("WINNOW_KERNEL", kernel, 1);
    const std::string text = SoakHere(plan).dump();
    std::FILE* out = fdopen(ends[1], "w");
    const bool written = out != nullptr &&
                         std::fwrite(text.data(), 1, text.size(), out) == text.size() &&
                         std::fclose(out) == 0;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Json result = Json::parse(text, nullptr, false);
  if (status != 0 || !result.is_object() || result["kernel"] != kernel) {
    std::fprintf(stderr, "filter_soak: %s: the process ended with status %d and no result\n",
                 kernel, status);
    return nullptr;
  }
  return result;
}

// Returns a table with a row per kernel, kind and selection of sizes.
std::string Table(const Json& kernels) {
  inspect::TextTable table({{"kernel", inspect::Align::kLeft},
                            {"kind", inspect::Align::kLeft},
                            {"filters of", inspect::Align::kLeft},
                            {"filters"},
                            {"lookups of their keys"},
                            {"denied"},
                            {"of absent keys"},
                            {"false positives"},
                            {"expected"}});
  table.Underline();
  for (const Json& kernel : kernels) {
    for (const FilterKind known : testing::kKinds) {
      const std::string kind(ToString(known));
      for (const char* sizes : {"given sizes", "random sizes"}) {
        const auto sum = [&](const char* name) {
          double total = 0;
          for (const Json& row : kernel["rows"]) {
            if (row["kind"] == kind && row["filters_of"] == sizes) total += row[name].get<double>();
          }
          return inspect::Count(static_cast<uint64_t>(total));
        };
        table.AddRow({kernel["kernel"], kind, sizes, sum("filters"), sum("lookups"),
                      sum("false_negatives"), sum("absent_lookups"), sum("false_positives"),
                      sum("expected_false_positives")});
      }
    }
  }
  return table.ToString();
}

// Returns the faults, one sentence per line.
std::string Objections(const Json& kernels) {
  std::string text;
  for (const Json& kernel : kernels) {
    for (const Json& row : kernel["rows"]) {
      if (row["good"]) continue;
      absl::StrAppendFormat(
          &text,
          "%s, %s filters of %d to %d keys: of %d filters %d can't be read; %d of %d lookups of "
          "inserted keys were denied; %d false positives, %.0f expected\n",
          kernel["kernel"].get<std::string>(), row["kind"].get<std::string>(),
          row["least_keys"].get<uint64_t>(), row["most_keys"].get<uint64_t>(),
          row["filters"].get<uint64_t>(), row["unusable"].get<uint64_t>(),
          row["false_negatives"].get<uint64_t>(), row["lookups"].get<uint64_t>(),
          row["false_positives"].get<uint64_t>(), row["expected_false_positives"].get<double>());
    }
    if (kernel["digest"] != kernels[0]["digest"]) {
      absl::StrAppend(&text, kernel["kernel"].get<std::string>(), " and ",
                      kernels[0]["kernel"].get<std::string>(), " built filters of other bytes\n");
    }
  }
  return text;
}

bool WriteJson(const std::string& path, const std::string& command, bool good, Json kernels) {
  const inspect::Machine machine = inspect::ThisMachine();
  const Json json = {{"schema", "winnow.soak/1"},
                     {"command", command},
                     {"winnow_version", Version()},
                     {"machine",
                      {{"processor", machine.processor},
                       {"threads", machine.threads},
                       {"memory_bytes", machine.memory_bytes},
                       {"system", machine.system}}},
                     {"good", good},
                     {"kernels", std::move(kernels)}};
  std::ofstream out(path);
  // Command-line arguments are bytes, but JSON must be UTF-8.
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  out.close();
  return !out.fail();
}

constexpr char kUsage[] =
    "Builds filters of all sizes and accuracies with every kernel of this machine, one after the\n"
    "other, and asks each filter for all its keys, one by one and in batches, and for absent "
    "ones.\n"
    "Ends with 1 if a key was denied, if a rate is not the one that the filters state, or if\n"
    "kernels made different bytes.\n\n"
    "Flags, with what they are if they are not given:\n\n";

int Main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (std::any_of(words.begin(), words.end(), cli::AsksForHelp)) {
    std::printf("%s%s", kUsage, testing::FlagHelp("tests/db_bench_ext/filter_soak.cc").c_str());
    return 0;
  }
  absl::SetProgramUsageMessage("see --help");
  const std::vector<char*> rest = absl::ParseCommandLine(argc, argv);
  if (rest.size() > 1) {
    std::fprintf(stderr, "filter_soak: '%s' is no flag; see --help\n", rest[1]);
    return 2;
  }
  if (!IsPowerOfTen(absl::GetFlag(FLAGS_most_keys))) {
    std::fprintf(stderr, "filter_soak: --most_keys is %s, but has to be a power of ten\n",
                 absl::StrCat(absl::GetFlag(FLAGS_most_keys)).c_str());
    return 2;
  }
  const std::string path = absl::GetFlag(FLAGS_json);
  if (!path.empty() && !std::ofstream(path, std::ios::app)) {
    std::fprintf(stderr, "filter_soak: --json: %s can't be written\n", path.c_str());
    return 2;
  }

  Json kernels = Json::array();
  bool all_ended = true;
  for (const simd::Kernels* kernel : testing::UsableKernels()) {
    Json result = SoakWith(kernel->name, PlanOfFlags());
    all_ended = all_ended && result.is_object();
    if (result.is_object()) kernels.push_back(std::move(result));
  }
  const std::string objections = Objections(kernels);
  std::printf("%s", Table(kernels).c_str());
  std::printf("%s", objections.empty()
                        ? "Every key was found, and every kernel made the same bytes.\n"
                        : objections.c_str());
  const bool good = all_ended && objections.empty();
  if (!path.empty() && !WriteJson(path, absl::StrJoin(words, " "), good, std::move(kernels))) {
    std::fprintf(stderr, "filter_soak: --json: %s could not be written\n", path.c_str());
    return 2;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace winnow::testing

int main(int argc, char** argv) {
  try {
    return winnow::testing::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "filter_soak: %s\n", error.what());
    return 2;
  }
}
