// Keys in memory.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_KEY_TABLE_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_KEY_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db_bench_ext/read_amplification/keys/key_set.h"

namespace winnow::bench {

// A sequence of keys in contiguous memory.
class KeyTable : public KeySet {
 public:
  void Add(std::string_view key) {
    bytes_.append(key);
    ends_.push_back(bytes_.size());
  }

  uint64_t size() const override { return ends_.size(); }
  uint64_t total_bytes() const override { return bytes_.size(); }
  std::string_view Get(uint64_t i, std::string*) const override { return (*this)[i]; }

  std::string_view operator[](uint64_t i) const {
    const uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string bytes_;
  std::vector<uint64_t> ends_;
};

// Returns the number of the first key that is not less than `bound` among sorted keys; size() if
// there is none.
inline uint64_t LowerBound(const KeyTable& keys, std::string_view bound) {
  uint64_t below = 0;
  uint64_t end = keys.size();
  while (below < end) {
    const uint64_t middle = below + (end - below) / 2;
    if (keys[middle] < bound) {
      below = middle + 1;
    } else {
      end = middle;
    }
  }
  return below;
}

// Returns the distinct keys of `all` in order of first occurrence.
KeyTable DropDuplicates(const KeyTable& all);

// Returns the keys in bytewise order.
KeyTable Sorted(const KeyTable& keys);

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_KEY_TABLE_H_
