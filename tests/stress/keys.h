// Key space of the stress test: parts owned by threads, with groups of keys that share a prefix.

#ifndef WINNOW_TESTS_STRESS_KEYS_H_
#define WINNOW_TESTS_STRESS_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace winnow::stress {

// Keys of one owner: a letter, four digits for the group, two for the key within the group, and
// padding. Its length depends on the key: mostly a few bytes, and for some keys more than the 64
// and the 1024 that are limits of the shared hash. Every second owner's keys have one length, as
// range_kind=single needs. An owner's keys are contiguous in bytewise order and sorted by number,
// so only the owner changes what an iterator finds there.
class KeySpace {
 public:
  // owner: 0 to 25. keys: at most 990,000.
  KeySpace(unsigned owner, uint64_t keys);

  unsigned owner() const { return owner_; }
  uint64_t keys() const { return keys_; }
  uint64_t keys_in_group() const { return keys_in_group_; }
  uint64_t groups() const { return (keys_ + keys_in_group_ - 1) / keys_in_group_; }
  uint64_t GroupOf(uint64_t number) const { return number / keys_in_group_; }

  // number: less than keys(). A number always gives the same key.
  std::string Key(uint64_t number) const;

  // Returns the prefix of all keys of the group and no others. `group` may be groups(), to end a
  // range.
  std::string GroupStart(uint64_t group) const;

  // All keys of the owner, and no others, are in [Begin(), End()).
  std::string Begin() const { return std::string(1, letter()); }
  std::string End() const { return std::string(1, static_cast<char>(letter() + 1)); }

  // Keys of these groups are only put if absent and deleted by SingleDelete, as that operation
  // requires. Range deletions stay within the groups between two of them.
  static constexpr uint64_t kOnceEvery = 8;
  static bool IsOnceGroup(uint64_t group) { return group % kOnceEvery == kOnceEvery - 1; }
  bool IsOnce(uint64_t number) const { return IsOnceGroup(GroupOf(number)); }

 private:
  char letter() const { return static_cast<char>('A' + owner_); }

  unsigned owner_;
  uint64_t keys_;
  uint64_t keys_in_group_;
};

// Minimum key size: all keys are in the domain of an extractor of prefixes up to this length.
inline constexpr size_t kMinKeyBytes = 7;

// Returns a value that names its key, so that a reader without the model can check it, and that
// differs for every `serial`.
std::string MakeValue(std::string_view key, uint64_t serial);
bool IsValueOf(std::string_view key, std::string_view value);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_KEYS_H_
