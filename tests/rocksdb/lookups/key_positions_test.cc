#include "src/rocksdb/lookups/key_positions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/random_hashes.h"

namespace winnow::plugin {
namespace key_positions_test {

std::string RandomKey(std::mt19937_64* random) {
  std::string key((*random)() % 20, '\0');
  // Four bytes give long common prefixes; 0xff is negative where char is signed.
  for (char& byte : key) byte = "ab\xff\0"[(*random)() % 4];
  return key;
}

double SinceAt(const KeyPositions& grid, double place) {
  size_t part = 0;
  return grid.SinceBehind(place, &part);
}

TEST(KeyPositionsTest, ACutLiesBehindTheKeysOfThoseBefore) {
  const KeyPositions grid("user", {{"b", "bz", 30}, {"a", "az", 10}, {"c", "d", 60}});
  EXPECT_DOUBLE_EQ(grid.PlaceOf("usera"), 0);
  EXPECT_DOUBLE_EQ(grid.PlaceOf("userb"), 0.1);
  EXPECT_DOUBLE_EQ(grid.PlaceOf("userc"), 0.4);
  EXPECT_DOUBLE_EQ(grid.PlaceOf("userd"), 1);
}

// A file of an upper level has a part of its keys in each file that it overlaps.
TEST(KeyPositionsTest, AWideFileHasItsKeysEverywhere) {
  const KeyPositions grid("", {{"a", "az", 10}, {"b", "bz", 10}, {"c", "d", 10}, {"a", "d", 30}});
  EXPECT_NEAR(grid.PlaceOf("b"), 1 / 3.0, 1e-9);
  EXPECT_NEAR(grid.PlaceOf("c"), 2 / 3.0, 1e-9);
  EXPECT_EQ(grid.PlaceOf("d"), 1);
}

// File sizes differ widely, in range and in keys.
TEST(KeyPositionsTest, FilesOfAllSizesAddUp) {
  std::vector<FileKeys> files{{"a", "z", 1e9}, {"c", "cc", 1}, {"d", "dd", 1e9}, {"e", "ee", 0}};
  const KeyPositions grid("", files);
  EXPECT_NEAR(grid.PlaceOf("d"), 0.25, 0.25);
  EXPECT_LT(grid.PlaceOf("d"), grid.PlaceOf("dd"));
  EXPECT_EQ(grid.PlaceOf("z"), 1);
}

// Decimal, hexadecimal and binary numbers, also if files of another level begin near those of the
// last one.
TEST(KeyPositionsTest, BetweenTwoCutsKeysAreEven) {
  const auto decimal = [](int number) { return std::to_string(100'000 + number); };
  const auto hexadecimal = [](int number) {
    char text[8];
    std::snprintf(text, sizeof text, "%05x", static_cast<unsigned>(number));
    return std::string(text);
  };
  const auto bytes = [](int number) {
    return std::string{static_cast<char>(number / 256), static_cast<char>(number % 256)};
  };
  for (const auto& key :
       {std::function<std::string(int)>(decimal), std::function<std::string(int)>(hexadecimal),
        std::function<std::string(int)>(bytes)}) {
    std::vector<FileKeys> files;
    for (int i = 0; i < 58'200; i += 97) files.push_back({key(i), key(i + 96), 97});
    for (int i = 0; i < 58'200; i += 970) files.push_back({key(i + 3), key(i + 969), 97});
    const KeyPositions grid("", files);
    for (int i = 0; i < 58'000; i += 13) {
      EXPECT_NEAR(grid.PlaceOf(key(i)), i / 58'200.0, 0.25 * 97 / 58'200.0) << key(i);
    }
  }
}

TEST(KeyPositionsTest, OtherKeysLieAtTheEnds) {
  const KeyPositions grid("user", {{"b", "c", 1}});
  EXPECT_EQ(grid.PlaceOf(""), 0);
  EXPECT_EQ(grid.PlaceOf("us"), 0);
  EXPECT_EQ(grid.PlaceOf("user"), 0);
  EXPECT_EQ(grid.PlaceOf("account"), 0);
  EXPECT_EQ(grid.PlaceOf("userd"), 1);
  EXPECT_EQ(grid.PlaceOf("zebra"), 1);
  for (const char* key : {"", "us", "user", "account", "userd", "userca", "zebra"}) {
    EXPECT_FALSE(grid.Covers(key)) << key;
  }
  for (const char* key : {"userb", "userba", "userc"}) EXPECT_TRUE(grid.Covers(key)) << key;
}

TEST(KeyPositionsTest, GridsOfNoKeyAndOfOne) {
  const KeyPositions none("", {});
  EXPECT_EQ(none.PlaceOf("a"), none.PlaceOf("b"));
  const KeyPositions one("", {{"b", "b", 5}});
  EXPECT_EQ(one.PlaceOf("a"), 0);
  EXPECT_EQ(one.PlaceOf("c"), 1);
  EXPECT_EQ(MovedPlaces(none, one)(0.5), 0);
  EXPECT_EQ(MovedPlaces(one, none)(0.5), 0);
}

TEST(KeyPositionsTest, PlacesAreInTheOrderOfKeys) {
  std::mt19937_64 random(testing::TestSeed());
  std::vector<FileKeys> files;
  for (int i = 0; i < 200; ++i) {
    const auto [first, last] = std::minmax({RandomKey(&random), RandomKey(&random)});
    files.push_back({first, last, static_cast<double>(random() % 100)});
  }
  const KeyPositions grid("p", files);
  std::vector<std::string> keys;
  for (int i = 0; i < 5000; ++i) keys.push_back("p" + RandomKey(&random));
  std::sort(keys.begin(), keys.end());
  double before = 0;
  for (const std::string& key : keys) {
    const double place = grid.PlaceOf(key);
    ASSERT_GE(place, before) << key;
    ASSERT_LE(place, 1);
    before = place;
  }
}

// A key keeps its position while files come and go and the common prefix gets shorter.
TEST(KeyPositionsTest, APlaceIsFoundInANewerGrid) {
  std::vector<FileKeys> files;
  std::vector<FileKeys> newer_files;
  for (int i = 100; i < 1000; i += 3) {
    files.push_back({std::to_string(i), std::to_string(i + 2), 3});
  }
  for (int i = 100; i < 990; i += 7) {
    newer_files.push_back({"p" + std::to_string(i), "p" + std::to_string(i + 6), 7});
  }
  newer_files.push_back({"z", "zz", 100});
  const KeyPositions older("p", files);
  const KeyPositions newer("", newer_files);
  for (int i = 150; i < 900; ++i) {
    const std::string key = "p" + std::to_string(i);
    EXPECT_NEAR(MovedPlaces(older, newer)(older.PlaceOf(key)), newer.PlaceOf(key), 0.01) << key;
    EXPECT_NEAR(MovedPlaces(older, older)(older.PlaceOf(key)), older.PlaceOf(key), 1e-9) << key;
  }
}

// Files are compacted one by one, so the cuts move all the time; the grid is built during
// compactions.
TEST(KeyPositionsTest, APlaceThatMovesOftenStaysWithItsKey) {
  const auto key = [](int number) { return std::to_string(100'000 + number); };
  const auto grid_at = [&](int step, const KeyPositions* former) {
    std::vector<FileKeys> files;
    for (int i = 0; i < 10'000; i += 100) {
      // One file is deleted, and its replacement is not installed yet.
      if (i / 100 != step % 100) files.push_back({key(i + step % 7), key(i + 99), 100});
    }
    for (int i = 0; i < 10'000; i += 1000) {
      files.push_back({key(i + 31 * step % 1000), key(i + 999), 100});
    }
    return KeyPositions("", files, {former, static_cast<double>(step)});
  };
  KeyPositions grid = grid_at(0, nullptr);
  std::vector<double> places;
  for (int i = 40; i < 10'000; i += 250) places.push_back(grid.PlaceOf(key(i)));
  for (int step = 1; step <= 40; ++step) {
    KeyPositions newer = grid_at(step, &grid);
    const MovedPlaces moved(grid, newer);
    for (double& place : places) place = moved(place);
    grid = std::move(newer);
  }
  for (size_t i = 1; i < places.size(); ++i) {
    const int number = static_cast<int>(i) * 250 + 40;
    EXPECT_NEAR(places[i], grid.PlaceOf(key(number)), 0.1 * 100 / 10'000) << number;
    // A part that is being replaced does not count as new.
    EXPECT_LT(SinceAt(grid, places[i]), 10) << number;
  }
}

// A part's age stays if its keys existed before, starts at zero if they are new, and is in between
// if half of them are new.
TEST(KeyPositionsTest, APartIsAsOldAsItsKeys) {
  const KeyPositions first("", {{"b", "c", 100}, {"c", "d", 100}}, {nullptr, 10});
  EXPECT_EQ(SinceAt(first, 0.2), 10);
  const KeyPositions second("", {{"b", "c", 100}, {"c", "d", 250}, {"e", "f", 100}}, {&first, 50});
  EXPECT_EQ(SinceAt(second, second.PlaceOf("bx")), 10);
  EXPECT_NEAR(SinceAt(second, second.PlaceOf("cx")), 30, 1e-6);
  EXPECT_EQ(SinceAt(second, second.PlaceOf("ex")), 50);
  const KeyPositions third("", {{"b", "c", 100}, {"c", "d", 250}, {"e", "f", 100}}, {&second, 90});
  EXPECT_NEAR(SinceAt(third, third.PlaceOf("bx")), 10, 1e-6);
  EXPECT_NEAR(SinceAt(third, third.PlaceOf("ex")), 50, 1e-6);
  EXPECT_EQ(SinceAt(KeyPositions("", {}, {&third, 7}), 0.5), 7);
}

}  // namespace key_positions_test
}  // namespace winnow::plugin
