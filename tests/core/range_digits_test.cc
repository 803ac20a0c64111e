// Positions of keys by their digits: lookups, which read runs of digits as numbers, give those of
// the definition, which goes from digit to digit.

#include "src/core/ranges/range_digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/core/filter_testing.h"
#include "tests/support/hex.h"
#include "tests/support/random_hashes.h"

namespace winnow::core {
namespace range_digits_test {

using testing::Hex;
using testing::RandomHashes;

// A filter's last key and digits. A run of digits tends to have the same values, as numbers have.
class DigitsTest : public ::testing::Test {
 protected:
  static RangeDigit Digit(size_t place, unsigned first, unsigned last) {
    RangeDigit digit;
    digit.place = static_cast<uint8_t>(place);
    digit.intervals = 1;
    digit.first[0] = static_cast<uint8_t>(first);
    digit.last[0] = static_cast<uint8_t>(last);
    return digit;
  }

  RangeDigit RandomDigit(size_t place) {
    switch (random_.Below(5)) {
      case 0:
        return Digit(place, 0, 255);
      case 1: {
        const auto zero = '0' + static_cast<unsigned>(random_.Below(2));
        return random_.Below(3) == 0 ? Digit(place, '2', '5') : Digit(place, zero, zero + 9);
      }
      case 2: {
        const auto first = static_cast<unsigned>(random_.Below(255));
        return Digit(place, first, first + 1 + static_cast<unsigned>(random_.Below(255 - first)));
      }
      case 3: {
        RangeDigit digit = Digit(place, '0', '2');
        digit.intervals = 2;
        digit.first[1] = '6';
        digit.last[1] = '9';
        return digit;
      }
      default: {
        RangeDigit digit = Digit(place, 0, static_cast<unsigned>(random_.Below(60)));
        digit.intervals = static_cast<uint8_t>(2 + random_.Below(3));
        for (unsigned i = 1; i < digit.intervals; ++i) {
          digit.first[i] = static_cast<uint8_t>(digit.last[i - 1] + 2 + random_.Below(30));
          digit.last[i] = static_cast<uint8_t>(digit.first[i] + random_.Below(30));
        }
        return digit;
      }
    }
  }

  void MakeDigits() {
    key_length_ = 1 + random_.Below(random_.Below(2) == 0 ? 9 : 40);
    if (random_.Below(8) == 0) key_length_ = kMaxRangeKeyBytes - random_.Below(3);
    hashed_ = random_.Below(2) == 0 ? key_length_ - std::min<size_t>(key_length_, 8) : 0;
    digits_.clear();
    most_ = 0;
    size_t place = hashed_ + random_.Below(key_length_ - hashed_);
    if (random_.Below(2) == 0)
      place = std::max(place, key_length_ - std::min<size_t>(key_length_, 9));
    for (; place < key_length_; place += random_.Below(6) == 0 ? 2 : 1) {
      RangeDigit digit = RandomDigit(place);
      if (!digits_.empty() && random_.Below(8) != 0) {
        const RangeDigit& before = digits_.back();
        digit = random_.Below(3) == 0 || digits_.size() == 1 ? digit : before;
        digit.place = static_cast<uint8_t>(place);
      }
      if (!CountDigit(digit.Radix(), &most_)) break;
      digits_.push_back(digit);
    }
    last_key_.clear();
    for (size_t i = 0; i < key_length_; ++i) last_key_ += static_cast<char>(random_.Next());
    last_key_ = RandomKey();
    bytes_ = last_key_;
    for (const RangeDigit& digit : digits_) AppendDigit(digit, &bytes_);
  }

  std::string RandomKey() {
    std::string key = last_key_;
    for (size_t i = 0; i < hashed_; ++i) key[i] = static_cast<char>(random_.Next());
    for (const RangeDigit& digit : digits_) {
      const auto rank = static_cast<unsigned>(random_.Below(digit.Radix()));
      key[digit.place] = static_cast<char>(digit.ByteOf(rank));
    }
    return key;
  }

  // The definition.
  bool PositionOf(std::string_view key, uint64_t* position) const {
    std::string others(key);
    *position = 0;
    for (const RangeDigit& digit : digits_) {
      bool is_in;
      *position = *position * digit.Radix() +
                  digit.Rank(static_cast<unsigned char>(key[digit.place]), &is_in);
      if (!is_in) return false;
      others[digit.place] = last_key_[digit.place];
    }
    return others.compare(hashed_, key_length_, last_key_, hashed_, key_length_) == 0;
  }

  RandomHashes random_{testing::TestSeed()};
  size_t key_length_ = 0;
  size_t hashed_ = 0;
  std::vector<RangeDigit> digits_;
  uint64_t most_ = 0;
  std::string last_key_;
  std::string bytes_;
};

TEST_F(DigitsTest, RunsGiveThePositionsOfTheDigits) {
  int with_runs = 0;
  int as_numbers = 0;
  for (int round = 0; round < 20'000; ++round) {
    MakeDigits();
    RangeDigits digits{reinterpret_cast<const unsigned char*>(bytes_.data()),
                       static_cast<uint16_t>(key_length_), static_cast<uint16_t>(digits_.size()),
                       static_cast<uint16_t>(hashed_)};
    digits.most_position = most_;
    digits.FindRuns();
    with_runs += digits.num_runs != 0 ? 1 : 0;
    as_numbers += digits.is_number ? 1 : 0;
    uint64_t last_position = 0;
    ASSERT_TRUE(PositionOf(last_key_, &last_position));
    for (int i = 0; i < 20; ++i) {
      std::string key = i == 0 ? last_key_ : RandomKey();
      if (i % 2 == 1) {
        char& byte = key[random_.Below(key_length_)];
        byte = static_cast<char>(byte + static_cast<char>(random_.Below(21)) - 10);
      }
      const std::string what = "key " + Hex(key) + ", filter's last key and digits " + Hex(bytes_);
      uint64_t expected = 0;
      uint64_t hash = 0;
      uint64_t position = 0;
      const bool is_key = PositionOf(key, &expected);
      // A copy, behind which the address sanitizer finds reads.
      const std::vector<char> copy(key.begin(), key.end());
      ASSERT_EQ(digits.PositionOf({copy.data(), copy.size()}, &hash, &position), is_key) << what;
      ASSERT_TRUE(!is_key || position == expected) << what;
      if (digits.PositionOfBound(key + "x", &position)) {
        ASSERT_TRUE(is_key && hashed_ == 0 && expected < last_position) << what;
        ASSERT_EQ(position, expected) << what;
      } else if (is_key && hashed_ == 0 && digits.num_runs != 0) {
        ASSERT_GE(expected, last_position) << what;
      }
    }
  }
  EXPECT_GT(with_runs, 2'000);
  EXPECT_GT(as_numbers, 500);
}

}  // namespace range_digits_test
}  // namespace winnow::core
