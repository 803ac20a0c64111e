// The keys of trees that are grown to judge level plans.

#ifndef WINNOW_DB_BENCH_EXT_TUNING_LEVEL_KEYS_H_
#define WINNOW_DB_BENCH_EXT_TUNING_LEVEL_KEYS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace winnow::bench {

// A number of eight bytes, most significant first, and eight bytes that are the same in all keys.
inline std::string LevelKey(uint64_t number) {
  std::string key(16, '0');
  for (int i = 0; i < 8; ++i)
    key[static_cast<size_t>(i)] = static_cast<char>(number >> (56 - 8 * i));
  return key;
}

inline uint64_t LevelKeyNumber(std::string_view key) {
  uint64_t number = 0;
  for (size_t i = 0; i < 8 && i < key.size(); ++i) {
    number = number << 8 | static_cast<unsigned char>(key[i]);
  }
  return number;
}

// A key that is looked up, by its number.
struct AskedKey {
  uint64_t number;
  bool present;
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_TUNING_LEVEL_KEYS_H_
