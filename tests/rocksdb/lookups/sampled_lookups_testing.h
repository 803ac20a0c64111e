// Helpers for tests of sampled lookups.

#ifndef WINNOW_TESTS_ROCKSDB_SAMPLED_LOOKUPS_TESTING_H_
#define WINNOW_TESTS_ROCKSDB_SAMPLED_LOOKUPS_TESTING_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/lookups/key_positions.h"
#include "src/rocksdb/lookups/lookup_samples.h"
#include "winnow/hash.h"

namespace winnow::plugin {

// Returns a grid of equally large parts between `cuts`, which must be sorted.
inline std::shared_ptr<const KeyPositions> GridOfCuts(const std::vector<std::string>& cuts) {
  std::vector<FileKeys> files;
  for (size_t i = 1; i < cuts.size(); ++i) files.push_back({cuts[i - 1], cuts[i], 1});
  return std::make_shared<const KeyPositions>("", files);
}

// Returns a grid with a part for each first letter.
inline std::shared_ptr<const KeyPositions> GridOfLetters() {
  std::vector<std::string> cuts;
  for (char letter = 'a'; letter <= '{'; ++letter) cuts.emplace_back(1, letter);
  return GridOfCuts(cuts);
}

inline float PlaceOfKey(const std::string& key) {
  static const auto& grid = *new std::shared_ptr<const KeyPositions>(GridOfLetters());
  return static_cast<float>(grid->PlaceOf(key));
}

inline float PlaceOfLetter(char letter) { return PlaceOfKey(std::string(1, letter)); }

inline void ExpectRecords(const std::vector<LookupSamples::Record>& found,
                          const std::vector<LookupSamples::Record>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE("record " + std::to_string(i));
    EXPECT_FLOAT_EQ(found[i].place, expected[i].place);
    EXPECT_EQ(found[i].said_no, expected[i].said_no);
    EXPECT_EQ(found[i].deepest, expected[i].deepest);
    EXPECT_EQ(found[i].ended_with_no, expected[i].ended_with_no);
    EXPECT_FLOAT_EQ(found[i].weight, expected[i].weight);
  }
}

}  // namespace winnow::plugin

#endif  // WINNOW_TESTS_ROCKSDB_SAMPLED_LOOKUPS_TESTING_H_
