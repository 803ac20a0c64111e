#include "winnow/hash.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "src/formulas/xxh3.h"
#include "tests/support/files.h"
#include "tests/support/matches.h"

namespace winnow {
namespace hash_test {

// The page's hashes were computed with libxxhash 0.8.1.
TEST(HashTest, IsThatOfTheFormatsPage) {
  const std::string page = testing::ReadFile(WINNOW_SOURCE_DIR "/src/core/FORMAT.md");
  const std::regex row("\\n\\| ([0-9]+) \\| ([0-9a-f]{16}) \\|");
  const std::vector<std::string> lengths = testing::AllMatches(page, row, 1);
  const std::vector<std::string> hashes = testing::AllMatches(page, row, 2);
  EXPECT_EQ(lengths.size(), 8u);
  for (size_t i = 0; i < lengths.size(); ++i) {
    std::string key;
    for (size_t byte = 0; byte < std::stoul(lengths[i]); ++byte) {
      key.push_back(static_cast<char>(7 * byte));
    }
    EXPECT_EQ(HashKey(key).value, std::stoull(hashes[i], nullptr, 16)) << lengths[i] << " bytes";
  }
}

TEST(HashTest, IsXxh3AtEveryLength) {
  std::string key;
  for (int length = 0; length <= 2000; ++length) {
    ASSERT_EQ(HashKey(key).value, XXH3_64bits(key.data(), key.size())) << length << " bytes";
    key.push_back(static_cast<char>(length * 7));
  }
}

}  // namespace hash_test
}  // namespace winnow
