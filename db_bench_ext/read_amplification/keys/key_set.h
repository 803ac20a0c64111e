// Keys by number, stored or computed on demand.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_KEY_SET_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_KEY_SET_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace winnow::bench {

// Concurrent reads are safe.
class KeySet {
 public:
  virtual ~KeySet() = default;

  virtual uint64_t size() const = 0;
  virtual uint64_t total_bytes() const = 0;  // total size of the keys

  // Returns the key with this number, below size(). The key may be stored in *room; it is valid
  // until *room changes and as long as the set lives.
  virtual std::string_view Get(uint64_t i, std::string* room) const = 0;

  bool empty() const { return size() == 0; }
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_KEY_SET_H_
