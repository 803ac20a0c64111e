// What the tests of sampled lookups have in common.

#ifndef WINNOW_TESTS_ROCKSDB_SAMPLED_LOOKUPS_TESTING_H_
#define WINNOW_TESTS_ROCKSDB_SAMPLED_LOOKUPS_TESTING_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/key_grid.h"
#include "src/rocksdb/lookup_samples.h"
#include "winnow/hash.h"

namespace winnow::plugin {

// A place for keys with each first letter.
inline std::shared_ptr<const KeyGrid> GridOfLetters() {
  std::vector<std::string> cuts;
  for (char letter = 'b'; letter <= 'z'; ++letter) cuts.emplace_back(1, letter);
  return std::make_shared<const KeyGrid>(std::move(cuts));
}

inline float PlaceOfLetter(char letter) {
  return static_cast<float>(GridOfLetters()->PlaceOf(std::string(1, letter)));
}

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
