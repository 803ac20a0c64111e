// Keys by number, in memory or computed when they are asked for.

#ifndef WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_KEY_SET_H_
#define WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_KEY_SET_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace winnow::bench {

// Reading is safe from several threads.
class KeySet {
 public:
  virtual ~KeySet() = default;

  virtual uint64_t size() const = 0;
  virtual uint64_t total_bytes() const = 0;  // of all keys

  // The key of this number, below size(). Valid until *room is changed or destroyed, in which it
  // may be made, and as long as the set lives.
  virtual std::string_view Get(uint64_t i, std::string* room) const = 0;

  bool empty() const { return size() == 0; }
};

}  // namespace winnow::bench

#endif  // WINNOW_DB_BENCH_EXT_READ_AMPLIFICATION_KEYS_KEY_SET_H_
