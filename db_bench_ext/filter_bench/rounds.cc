#include "db_bench_ext/filter_bench/rounds.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"

namespace winnow::bench {
namespace {

// Rows that run consecutively in each round.
struct Group {
  std::string ours;
  std::string twin;  // may equal `ours`; empty if the row has no rivals
  std::vector<std::string> rivals;

  std::vector<std::string> InOrder(bool backward) const {
    std::vector<std::string> rows = {ours};
    if (!twin.empty()) {
      rows.push_back(twin);
    }
    rows.insert(rows.end(), rivals.begin(), rivals.end());
    if (backward) {
      std::reverse(rows.begin(), rows.end());
    }
    return rows;
  }
};

// Rule for rivals: in a row name that matches `ours`, `rival` replaces the match; the rival exists
// if such a row does.
struct Rivalry {
  std::regex ours;
  std::string rival;
};

std::vector<Rivalry> Rivalries() {
  std::vector<Rivalry> all = {
      {std::regex("^(filter_set_of_\\d+)/\\w+/(batched_)?(copies|views)/"),
       "$1/bloom/builtin_readers/"},
      {std::regex("/huge_pages$"), "/malloc"},
      {std::regex("^(ranges/build)/range_filter/"), "$1/point_bloom/"},
      {std::regex("^(ranges/single_keys)/range_filter/"), "$1/point_ribbon/"},
      {std::regex("^library/(.*)/winnow_"), "query/$1/builtin_"}};
  std::string first;  // first of the added libraries
  for (const Subject& subject : Subjects()) {
    const std::string name = subject.name;
    if (!subject.is_ours || absl::EndsWith(name, "_twin")) {
      continue;
    }
    const std::string kind = subject.is_ribbon ? "ribbon" : "bloom";
    const std::string whose = name.substr(0, name.size() - kind.size());
    const std::regex ours("/" + name + "/");
    if (!first.empty() && whose != first) {
      all.push_back({ours, absl::StrCat("/", first, kind, "/")});
    } else if (whose != "winnow_") {
      first = whose;
    }
    all.push_back({ours, absl::StrCat("/builtin_", kind, "/")});
    if (subject.is_ribbon) {
      all.push_back({ours, "/builtin_bloom/"});
    }
  }
  return all;
}

std::vector<std::string> ChosenRows() {
  std::string filter = benchmark::GetBenchmarkFilter();
  if (filter == "all") filter.clear();  // Google Benchmark uses "." for "all"
  const bool is_negative = !filter.empty() && filter[0] == '-';
  const std::regex expression(is_negative ? filter.substr(1) : filter,
                              std::regex::extended);  // Google Benchmark's syntax
  std::vector<std::string> chosen;
  std::copy_if(RowNames().begin(), RowNames().end(), std::back_inserter(chosen),
               [&](const std::string& name) {
                 const bool is_twin =
                     absl::StrContains(name, "_twin/") || absl::EndsWith(name, "_twin");
                 return !is_twin && std::regex_search(name, expression) != is_negative;
               });
  return chosen;
}

std::vector<Group> GroupsOf(const std::vector<std::string>& chosen) {
  const std::set<std::string> there(RowNames().begin(), RowNames().end());
  const std::vector<Rivalry> rivalries = Rivalries();
  const std::regex subject("(\\w+)_(bloom|ribbon)/");
  std::vector<Group> groups;
  std::set<std::string> grouped;
  for (const std::string& name : chosen) {
    Group group;
    group.ours = name;
    for (const Rivalry& rivalry : rivalries) {
      const std::string rival = std::regex_replace(name, rivalry.ours, rivalry.rival);
      if (rival != name && there.count(rival) > 0) {
        group.rivals.push_back(rival);
      }
    }
    if (!group.rivals.empty()) {
      const std::string twin = std::regex_replace(name, subject, "$1_$2_twin/");
      group.twin = there.count(twin) > 0 ? twin : name;
      for (const std::string& row : group.InOrder(false)) {
        grouped.insert(row);
      }
      groups.push_back(std::move(group));
    }
  }
  for (const std::string& name : chosen) {
    if (grouped.insert(name).second) {
      groups.push_back({name, "", {}});
    }
  }
  return groups;
}

// Fields that identify a run in the JSON file.
struct Place {
  std::string label;  // row of ours that it is compared with
  int round = 0;
  const char* suffix = "";  // appended to the row's name
};

// Returns why a row was not completed, or an empty string. Google Benchmark renamed the member in
// version 1.8.
template <typename Run>
auto ReasonOf(const Run& run, int /*preferred*/) -> decltype(run.skip_message) {
  return run.skip_message;
}
template <typename Run>
auto ReasonOf(const Run& run, long /*otherwise*/) -> decltype(run.error_message) {
  return run.error_message;
}

// Reporter that records the times per key and passes everything on to a JSON file.
class Collector : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(std::ostream* json) {
    to_file_.SetOutputStream(json);
    to_file_.SetErrorStream(json);
  }

  bool ReportContext(const Context& context) override {
    // Each library call reports the context, which is written only once.
    if (!std::exchange(has_context_, true)) {
      to_file_.ReportContext(context);
    }
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> named = runs;
    for (Run& run : named) {
      if (const std::string reason = ReasonOf(run, 0); !reason.empty()) {
        absl::FPrintF(stderr, "filter_bench: %s: %s\n", run.run_name.str(), reason);
        has_failed_ = true;
      }
      run.repetition_index = place_.round;
      run.report_label = place_.label;
      run.run_name.function_name += place_.suffix;
      const auto time = run.counters.find("per_key");
      time_ = time == run.counters.end() ? NAN : time->second.value;
    }
    to_file_.ReportRuns(named);
  }

  // Runs the row and returns its seconds per key, or NaN if it has none.
  double Measure(const std::string& name, const Place& place) {
    place_ = place;
    time_ = NAN;
    // Settings of a row, such as /iterations:1, follow its name.
    benchmark::RunSpecifiedBenchmarks(
        this, absl::StrCat("^", name, "(/(iterations|repeats):[0-9]+.*)?$"));
    return time_;
  }

  void WriteEnd() { to_file_.Finalize(); }
  bool has_failed() const { return has_failed_; }

 private:
  benchmark::JSONReporter to_file_;
  bool has_context_ = false;
  bool has_failed_ = false;
  Place place_;
  double time_ = NAN;
};

// Returns the quantile of the values: share 0.5 is the median.
double Quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const size_t below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

std::vector<double> RatiosOf(const std::vector<double>& above, const std::vector<double>& below) {
  std::vector<double> ratios;
  for (size_t round = 0; round < std::min(above.size(), below.size()); ++round) {
    ratios.push_back(above[round] / below[round]);
  }
  return ratios;
}

using Times = std::map<std::string, std::vector<double>>;  // seconds per key, by row and round

void Print(const Group& group, Times& times, const std::vector<double>& twin) {
  const std::vector<double>& ours = times[group.ours];
  absl::PrintF("%-58s %9.2f ns a key", group.ours, 1e9 * Quantile(ours, 0.5));
  if (group.twin.empty()) {
    absl::PrintF("\n");
    return;
  }
  const std::vector<double> noise = RatiosOf(twin, ours);
  const double low = Quantile(noise, 0.25);
  const double high = Quantile(noise, 0.75);
  absl::PrintF("   its twin: %.2f (%.2f to %.2f)\n", Quantile(noise, 0.5), low, high);
  const double spread = std::max(std::abs(low - 1), std::abs(high - 1));
  for (const std::string& rival : group.rivals) {
    const double ratio = Quantile(RatiosOf(ours, times[rival]), 0.5);
    absl::PrintF("  to %-53s %9.2f             %.2f%s\n", rival, 1e9 * Quantile(times[rival], 0.5),
                 ratio, std::abs(ratio - 1) <= spread ? " not resolved" : "");
  }
}

}  // namespace

int RunInRounds(int rounds, const std::string& json_path) {
  const std::vector<Group> groups = GroupsOf(ChosenRows());
  if (groups.empty()) {
    absl::FPrintF(stderr, "filter_bench: no row has a name that --benchmark_filter matches\n");
    return 1;
  }
  std::ofstream json(json_path.empty() ? "/dev/null" : json_path);
  if (!json) {
    absl::FPrintF(stderr, "filter_bench: %s can't be written\n", json_path);
    return 1;
  }
  Collector collector(&json);
  for (const Group& group : groups) {
    Times times;
    std::vector<double> twin;  // separate, since the twin may have the name of ours
    bool has_times = true;
    for (int round = 0; round < rounds && has_times; ++round) {
      bool was_ours = false;
      for (const std::string& row : group.InOrder(round % 2 == 1)) {
        const bool is_again = row == group.ours && std::exchange(was_ours, true);
        const bool is_twin = is_again || (row == group.twin && row != group.ours);
        if (is_twin && !has_times) {
          continue;  // bits or bytes do not vary between rounds
        }
        const double time = collector.Measure(row, {group.ours, round, is_again ? "/twin" : ""});
        (is_twin ? twin : times[row]).push_back(time);
        has_times = has_times && !std::isnan(time);
      }
    }
    if (has_times) {
      Print(group, times, twin);
    }
  }
  collector.WriteEnd();
  json.flush();
  if (!json) {
    absl::FPrintF(stderr, "filter_bench: %s could not be written to its end\n", json_path);
    return 1;
  }
  return collector.has_failed() ? 1 : 0;
}

}  // namespace winnow::bench
