// Names that programs and scripts depend on are never removed: options, metrics with their types
// and labels, keys of the tool's JSON, and constants of the contract headers with their values,
// which are compiled into programs. tests/interface/names.txt lists them. New names are recorded,
// and none is removed, by
//   WINNOW_RECORD_NAMES=1 build/release/tests/frozen_names_test
// A constant that may get another value, such as a wider range of an option, is edited there by
// hand.

#include "tests/tools/frozen_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"
#include "tests/support/recorded_trace.h"
#include "tests/tools/tool_testing.h"
#include "winnow/options.h"
#include "winnow/rocksdb_filter_loads.h"
#include "winnow/rocksdb_policy.h"

namespace winnow::testing {
namespace frozen_names_test {

template <typename Value>
void AddNames(const std::string& kind, const NumberOption<Value>& option, Names* names) {
  names->insert(kind + option.name);
}

template <typename Value, size_t kCount>
void AddNames(const std::string& kind, const NamedOption<Value, kCount>& option, Names* names) {
  names->insert(kind + option.name);
  for (const auto& [name, value] : option.values) {
    names->insert(kind + option.name + "=" + std::string(name));
  }
}

TEST(FrozenNamesTest, OfOptionsAreKept) {
  Names names;
  ForEachFilterOption(
      [&](const auto& option, auto) { AddNames("option of a filter: ", option, &names); });
  ForEachPolicyOption(
      [&](const auto& option, auto) { AddNames("option of a policy: ", option, &names); });
  EXPECT_GE(names.size(), 30u);
  ExpectKept("option ", names);
}

std::string Stripped(const std::string& text, const char* pattern, const char* by = "") {
  return std::regex_replace(text, std::regex(pattern), by);
}

// Removes insignificant spaces.
std::string Tight(const std::string& text) {
  return Stripped(Stripped(text, "\\s+", " "), " *([^\\w \"]) *", "$1");
}

// Calls visit(match) for each match in the text.
template <typename Visit>
void ForEachMatch(const std::string& text, const char* pattern, const Visit& visit) {
  const std::regex expression(pattern);
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
    visit(*at);
  }
}

// Returns "WINNOW_OK=0", "Fault::kNone=0", "kBytes=\"bytes\"", ... for enumerators, macros with a
// value, and constexpr variables.
Names ConstantsOf(const std::string& header) {
  Names constants;
  const std::string code = Stripped(header, "//[^\n]*");
  ForEachMatch(code, "#define (\\w+) +(\\S[^\n]*)", [&](const std::smatch& macro) {
    constants.insert(macro.str(1) + "=" + Tight(macro.str(2)));
  });
  const std::string text = Stripped(code, "#[^\n]*");
  size_t enums = 0;
  const char* const kEnum = "\\benum\\b( class)?\\s*(\\w*)[^{};]*\\{([^{}]*)\\}";
  ForEachMatch(text, kEnum, [&](const std::smatch& found) {
    const std::string scope = found.str(1).empty() ? "" : found.str(2) + "::";
    int64_t value = -1;
    ForEachMatch(found.str(3), "(\\w+)\\s*(=\\s*([^,]+))?", [&](const std::smatch& constant) {
      value = constant.str(3).empty() ? value + 1 : std::stoll(constant.str(3), nullptr, 0);
      constants.insert(scope + constant.str(1) + "=" + std::to_string(value));
    });
    ++enums;
  });
  ForEachMatch(text, "\\benum\\b", [&](const std::smatch&) { --enums; });
  EXPECT_EQ(enums, 0u) << "an enumeration is not understood";
  ForEachMatch(
      text, "\\bconstexpr\\b[^(){};=]*\\b(\\w+)\\s*(=[^;]*|\\{[^;]*);",
      [&](const std::smatch& constant) {
        constants.insert(constant.str(1) + Tight(Stripped(constant.str(2), "^(?=\\{)", "=")));
      });
  return constants;
}

TEST(FrozenNamesTest, ConstantsOfContractHeadersAreKept) {
  Names all;
  for (const auto& header : std::filesystem::directory_iterator(WINNOW_HEADERS)) {
    if (header.path().extension() != ".h") continue;
    for (const std::string& constant : ConstantsOf(ReadFile(header.path()))) {
      if (std::regex_match(constant, std::regex("WINNOW_VERSION_(MINOR|PATCH)=.*"))) continue;
      all.insert("constant of " + header.path().filename().string() + ": " + constant);
    }
  }
  EXPECT_GE(all.size(), 50u);
  ExpectKept("constant of ", all);
}

// Names like "metric: winnow_filters_built_total{kind="bloom"} counter". Labels whose values depend
// on the process are recorded without values.
TEST(FrozenNamesTest, OfMetricsAreKept) {
  const TemporaryFolder folder;
  const auto database = OpenDatabase(MakeOptions(TableWith("winnow:10")), folder / "db");
  PutAndFlush(database.get(), {1000});
  std::string value;
  ASSERT_STATUS_OK(database->Get({}, KeyOf(9), &value));
  Names names;
  std::map<std::string, std::string> types;
  ForEachMatch(
      CountersAsPrometheusText(), "(# TYPE )?(\\w+)(\\{.*\\})? (\\w+)\n",
      [&](const std::smatch& line) {
        if (line[1].matched) {
          types[line.str(2)] = line.str(4);
        } else if (const auto type = types.find(line.str(2)); type != types.end()) {
          names.insert("metric: " + line.str(2) +
                       Stripped(line.str(3), "\\b(?!(?:kind|filter)=)(\\w+)=\"[^\"]*\"", "$1") +
                       " " + type->second);
        }
      });
  EXPECT_GE(names.size(), 45u);
  ExpectKept("metric: ", names);
}

void AddDocument(const std::string& verb, const std::string& text, Names* names) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return;  // the verb printed an error only
  EXPECT_EQ(document.value("schema", ""), "winnow." + verb +
                                              (verb == "advise"   ? "/3"
                                               : verb == "policy" ? "/2"
                                                                  : "/1"));
  AddKeys(document, "json of " + verb + ": ", names);
}

// golden_outputs_test compares these files with the tool's current output.
TEST(FrozenNamesTest, OfJsonThatGoldenOutputsHaveAreKept) {
  Names names;
  for (const auto& entry : std::filesystem::directory_iterator(WINNOW_GOLDEN_FOLDER)) {
    if (entry.path().extension() != ".json") continue;
    const std::string file = entry.path().filename();
    // Outputs of the plugin, and of the tool's verbs.
    const bool is_use = file == "filter_use.json";
    AddDocument(is_use ? "filter_use" : file.substr(0, file.find('_')), ReadFile(entry.path()),
                &names);
  }
  for (const char* verb : {"advise", "filter_use", "inspect", "policy", "probe", "verify"}) {
    SCOPED_TRACE(verb);
    const std::string begin = std::string("json of ") + verb + ": ";
    Names of_verb;
    std::copy_if(names.begin(), names.end(), std::inserter(of_verb, of_verb.end()),
                 [&](const std::string& name) { return name.rfind(begin, 0) == 0; });
    EXPECT_GE(of_verb.size(), 20u);
    ExpectKept(begin, of_verb);
  }
}

// Returns the path of a trace with one scan.
std::string SeeksIn(const TemporaryFolder& folder) {
  const auto database = OpenDatabase(MakeOptions({}), folder / "scanned");
  RecordTrace(database.get(), folder / "trace", [&] {
    const ROCKSDB_NAMESPACE::Slice end = "zzz";
    ROCKSDB_NAMESPACE::ReadOptions read;
    read.iterate_upper_bound = &end;
    std::unique_ptr<ROCKSDB_NAMESPACE::Iterator>(database->NewIterator(read))->Seek(KeyOf(9));
  });
  return folder / "trace";
}

TEST(FrozenNamesTest, OfJsonOfOtherRunsAreKept) {
  const TemporaryFolder folder;
  const ChildResult made = RunProgram({WINNOW_MAKE_FIXTURES, folder.path(), "column_families"});
  ASSERT_EQ(made.status, 0) << made.errors;
  std::string keys;
  for (uint64_t i = 0; i < 3000; ++i) keys += KeyOf(i) + (i % 2 == 0 ? "\n" : "x\n");
  WriteFile(folder / "keys", keys);
  const std::string advise = "advise '" + (folder / "column_families") + "'";

  ExpectKeysKept("advise with a budget", advise + " --draws=1000 --budget=40KB", 0);
  ExpectKeysKept("advise with lookups",
                 advise + " --cf=default --lookups='" + (folder / "keys") + "'", 0);
  ExpectKeysKept("advise with scans", advise + " --cf=default --lookups='" + SeeksIn(folder) + "'",
                 0);
  ExpectKeysKept("run", "run --dry_run --json true", 0);
  ExpectKeysKept("size", "size --keys=1e6 --rate=0.01", 0);
}

}  // namespace frozen_names_test
}  // namespace winnow::testing
