// Comparison of names in the interface with the recorded ones.

#ifndef WINNOW_TESTS_TOOLS_FROZEN_NAMES_H_
#define WINNOW_TESTS_TOOLS_FROZEN_NAMES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow::testing {

using Names = std::set<std::string>;

inline constexpr char kRecord[] = WINNOW_INTERFACE_FOLDER "/names.txt";

// Returns the recorded names that begin with `begin`.
inline Names Recorded(const std::string& begin) {
  Names names;
  for (const std::string& name : LinesThatBegin(ReadFile(kRecord), begin)) names.insert(name);
  return names;
}

inline Names Without(const Names& names, const Names& others) {
  Names left;
  std::set_difference(names.begin(), names.end(), others.begin(), others.end(),
                      std::inserter(left, left.end()));
  return left;
}

inline void ExpectKept(const std::string& begin, const Names& today) {
  const Names recorded = Recorded(begin);
  EXPECT_EQ(Without(recorded, today), Names()) << "users have these names, and they are gone";
  const Names added = Without(today, recorded);
  if (std::getenv("WINNOW_RECORD_NAMES") == nullptr) {
    EXPECT_EQ(added, Names()) << "new names: record them, see frozen_names_test.cc";
    return;
  }
  Names all = Recorded("");
  all.insert(added.begin(), added.end());
  std::string text;
  for (const std::string& name : all) text += name + "\n";
  WriteFile(kRecord, text);
}

// Adds names such as "json of verify: files[].path". An array has the keys of all its elements.
inline void AddKeys(const nlohmann::json& value, const std::string& path, Names* names) {
  if (value.is_array()) {
    for (const nlohmann::json& element : value) AddKeys(element, path + "[]", names);
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      const std::string name = path + (path.back() == ' ' ? "" : ".") + key;
      names->insert(name);
      AddKeys(member, name, names);
    }
  }
}

// Runs the tool and compares its JSON keys; `name` is the recorded one, such as "pages ask" in
// "json of pages ask".
inline void ExpectKeysKept(const std::string& name, const std::string& arguments, int code) {
  SCOPED_TRACE(name);
  const ChildResult outcome =
      RunProgram({"sh", "-c", "'" WINNOW_TOOL "' " + arguments + " --json"});
  EXPECT_EQ(outcome.status, code) << outcome.errors << outcome.output;
  const nlohmann::json document =
      nlohmann::json::parse(outcome.output, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(document.is_object()) << outcome.output;
  Names names;
  AddKeys(document, "json of " + name + ": ", &names);
  EXPECT_GE(names.size(), 3u);
  ExpectKept("json of " + name + ": ", names);
}

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_TOOLS_FROZEN_NAMES_H_
