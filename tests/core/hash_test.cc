#include "winnow/hash.h"

#include <gtest/gtest.h>

#include <string>

#include "src/formulas/xxh3.h"

namespace winnow {
namespace {

// Reference values of XXH3_64bits with seed 0, from `xxhsum -H3` of xxHash 0.8.
TEST(HashTest, IsXxh3WithSeedZero) {
  EXPECT_EQ(HashKey("").value, 0x2d06800538d394c2u);
  EXPECT_EQ(HashKey("a").value, 0xe6c632b61e964e1fu);
  EXPECT_EQ(HashKey("abc").value, 0x78af5f94892f3950u);
}

// The same for long keys, of which byte i is the remainder of 7 i by 256: by libxxhash 0.8.1.
TEST(HashTest, IsXxh3WithSeedZeroForLongKeys) {
  std::string key;
  for (unsigned i = 0; i < 1025; ++i) {
    key.push_back(static_cast<char>(7 * i));
  }
  EXPECT_EQ(HashKey(key.substr(0, 40)).value, 0x1bdcd3399cc64d80u);
  EXPECT_EQ(HashKey(key.substr(0, 200)).value, 0x7c64f3b17285e96au);
  EXPECT_EQ(HashKey(key.substr(0, 300)).value, 0xe2558afb5598da2au);
  EXPECT_EQ(HashKey(key).value, 0xe1d9cd946277ae26u);
}

TEST(HashTest, IsXxh3AtEveryLength) {
  std::string key;
  for (int length = 0; length <= 2000; ++length) {
    ASSERT_EQ(HashKey(key).value, XXH3_64bits(key.data(), key.size())) << length << " bytes";
    key.push_back(static_cast<char>(length * 7));
  }
}

TEST(HashTest, DependsOnEveryByteAtEveryLength) {
  for (size_t length = 1; length <= 300; ++length) {
    std::string key(length, 'x');
    const KeyHash before = HashKey(key);
    for (size_t i = 0; i < length; ++i) {
      key[i] = 'y';
      EXPECT_NE(HashKey(key), before) << "length " << length << ", byte " << i;
      key[i] = 'x';
    }
  }
}

TEST(HashTest, TakesBytesOfAnyValueAndAlignment) {
  std::string bytes("\0\xff\0key\0\xff\x80", 9);
  const std::string shifted = "." + bytes;
  EXPECT_EQ(HashKey(bytes), HashKey(std::string_view(shifted).substr(1)));
  EXPECT_NE(HashKey(bytes), HashKey(std::string_view(bytes).substr(0, 8)));
}

}  // namespace
}  // namespace winnow
