// Symbols that `winnow adopt` finds in object files and makes undefined.

#include "tools/winnow/adopt/object_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "tests/support/files.h"

namespace winnow::inspect {
namespace {

using testing::ReadFile;

constexpr char kSet[] = "_ZN4Base3SetEv";
constexpr char kGet[] = "_ZN4Base3GetEv";
constexpr char kTable[] = "_ZTV4Base";

bool IsAskedFor(const std::string& object, const std::string& name) {
  const ObjectSymbols read = ReadObject(object);
  return std::any_of(read.symbols.begin(), read.symbols.end(), [&name](const Symbol& symbol) {
    return symbol.name == name && !symbol.is_defined;
  });
}

// A function with another name is not, nor is one that is referred to by its place.
TEST(ObjectFileTest, AFunctionInTheTableIsReachedByNameAlone) {
  for (const auto& [path, is_reached] : {std::pair(PLAIN, true), {ALIAS, false}, {PLACE, false}}) {
    const std::string object = ReadFile(path);
    EXPECT_EQ(IsReachedByNameAlone(object, kSet, kTable), is_reached) << path;
    EXPECT_TRUE(IsReachedByNameAlone(object, kGet, kTable)) << path;
  }
}

TEST(ObjectFileTest, WhatIsNotThereIsNotReached) {
  const std::string object = ReadFile(PLAIN);
  EXPECT_FALSE(IsReachedByNameAlone(object, "_ZN4Base4MissEv", kTable));
  EXPECT_FALSE(IsReachedByNameAlone(object, kSet, "_ZTV4Miss"));
  EXPECT_FALSE(IsReachedByNameAlone(object, "_ZN4BaseD1Ev", kTable)) << "it has two names";
  EXPECT_FALSE(IsReachedByNameAlone("", kSet, kTable));
}

TEST(ObjectFileTest, AfterItsDefinitionIsTakenAwayAFunctionIsAskedFor) {
  std::string object = ReadFile(PLAIN);
  EXPECT_FALSE(IsAskedFor(object, kSet));
  EXPECT_TRUE(FindSymbol(object, kSet).has_value());
  ASSERT_TRUE(MakeUndefined(kSet, &object));
  EXPECT_TRUE(IsAskedFor(object, kSet));
  EXPECT_FALSE(FindSymbol(object, kSet).has_value());
  EXPECT_FALSE(MakeUndefined(kSet, &object));
  EXPECT_TRUE(FindSymbol(object, kGet).has_value());
}

// No damaged byte makes the reader leave the object's memory.
TEST(ObjectFileTest, SurvivesDamage) {
  const std::string whole = ReadFile(ALIAS);
  for (const char* bytes : {"\xFF\xFF\xFF\x7F", "\x01\x02\x03\x04"}) {
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged.replace(at, 4, bytes, 4);
      damaged.resize(whole.size());
      ReadObject(damaged);
      FindSymbol(damaged, kSet);
      IsReachedByNameAlone(damaged, kSet, kTable);
      MakeUndefined(kSet, &damaged);
      EXPECT_EQ(damaged.size(), whole.size());
    }
  }
  for (size_t size = 0; size < whole.size(); size += 7) {
    IsReachedByNameAlone(whole.substr(0, size), kSet, kTable);
  }
}

}  // namespace
}  // namespace winnow::inspect
