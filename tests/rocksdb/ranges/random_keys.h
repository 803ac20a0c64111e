// Random keys and bounds, many of them equal, adjacent, or at either end of the key space.

#ifndef WINNOW_TESTS_ROCKSDB_RANGES_RANDOM_KEYS_H_
#define WINNOW_TESTS_ROCKSDB_RANGES_RANDOM_KEYS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/rocksdb/ranges/big_endian.h"
#include "tests/rocksdb/ranges/scan_checks.h"

namespace winnow::testing {

enum class Keys { kIntegers, kEvents, kDecimals, kPaths, kAnyBytes };

// Source of random keys for one thread. All sources of one database have the same users.
class RandomKeys {
 public:
  RandomKeys(Keys kind, uint64_t seed) : kind_(kind), random_(seed), has_longer_(OneIn(3)) {
    for (size_t i = 0; i < kUsers; ++i)
      users_.push_back(BigEndian(random_()) + BigEndian(random_()));
  }
  // Creates a source of the same database for another thread.
  RandomKeys(const RandomKeys& other, uint64_t seed)
      : kind_(other.kind_), random_(seed), has_longer_(other.has_longer_), users_(other.users_) {}
  RandomKeys(const RandomKeys&) = delete;
  RandomKeys& operator=(const RandomKeys&) = delete;

  std::mt19937_64* random() { return &random_; }
  uint64_t Below(uint64_t n) { return testing::Below(n, &random_); }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  std::string Key() {
    std::string key = UsualKey();
    if (has_longer_ && OneIn(60)) key += 'x';
    return key;
  }

  // Returns a key, or bytes adjacent to a key in `rows`.
  std::string Near(const Rows& rows) {
    std::string key = Key();
    if (OneIn(2)) return key;
    const auto found = rows.lower_bound(key);
    if (found == rows.end()) return key;
    key = found->first;
    switch (Below(6)) {
      case 0:
        key += '\0';
        break;
      case 1:
        if (!key.empty())
          key.back() = static_cast<char>(key.back() + 1 + static_cast<char>(Below(3)));
        break;
      case 2:
        if (!key.empty())
          key.back() = static_cast<char>(key.back() - 1 - static_cast<char>(Below(3)));
        break;
      case 3:
        key.resize(Below(key.size() + 1));
        break;
      default:
        break;
    }
    return key;
  }

  // Returns a bound, mostly slightly greater than `begin`.
  std::string Bound(const std::string& begin) {
    std::string end = begin;
    switch (Below(7)) {
      case 0:
        return end + '\0';
      case 1:  // bound of the prefix
        while (!end.empty() && end.back() == '\xff') end.pop_back();
        if (!end.empty()) end.back() = static_cast<char>(end.back() + 1);
        return end;
      case 2:
      case 3: {
        if (end.size() < 8) return end + "zz";
        const uint64_t number = LastNumber(end);
        const uint64_t more = OneIn(8) ? random_() >> (10 + Below(50)) : Below(200);
        const uint64_t sum = number + 1 + more;
        return end.substr(0, end.size() - 8) + BigEndian(sum < number ? ~uint64_t{0} : sum);
      }
      case 4:
        return Key();
      default:
        if (!end.empty()) {
          const auto last = static_cast<unsigned char>(end.back());
          end.back() = static_cast<char>(std::min<uint64_t>(255, last + 1 + Below(6)));
        }
        return end;
    }
  }

 private:
  static constexpr size_t kUsers = 40;

  std::string UsualKey() {
    switch (kind_) {
      case Keys::kIntegers: {
        const uint64_t number = random_();
        switch (Below(4)) {
          case 0:
            return BigEndian(number >> 44);
          case 1:
            return BigEndian(~uint64_t{0} - (number >> 44));
          case 2:
            return BigEndian((number & 3) << 62 | number >> 48);
          default:
            return BigEndian(number >> 40);
        }
      }
      case Keys::kEvents:
        return users_[Below(kUsers)] + BigEndian(1'700'000'000'000 + Below(4000));
      case Keys::kDecimals: {
        std::string digits = std::to_string(Below(OneIn(2) ? 100'000'000 : 20'000));
        return "user" + std::string(10 - digits.size(), '0') + digits;
      }
      case Keys::kPaths: {
        std::string path = "/usr/share/";
        for (uint64_t letters = 1 + Below(5); letters > 0; --letters) {
          path += static_cast<char>('a' + Below(9));
          if (OneIn(2)) path += static_cast<char>('a' + Below(26));
          if (OneIn(3)) path += '/';
        }
        return path;
      }
      case Keys::kAnyBytes:
        break;
    }
    std::string bytes(Below(9), '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(OneIn(3) ? 255 - Below(2) : Below(3));
    }
    return bytes;
  }

  const Keys kind_;
  std::mt19937_64 random_;
  const bool has_longer_;  // some keys are a byte longer than most
  std::vector<std::string> users_;
};

}  // namespace winnow::testing

#endif  // WINNOW_TESTS_ROCKSDB_RANGES_RANDOM_KEYS_H_
