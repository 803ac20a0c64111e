// The key space of the model test: parts that threads own, groups of keys with a common prefix.

#ifndef WINNOW_TESTS_STRESS_KEYS_H_
#define WINNOW_TESTS_STRESS_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace winnow::stress {

// The keys of one owner: a letter, four digits for the group, two for the key in the group, and
// padding of a length that goes with the key: mostly a few bytes, for some more than the 64 and the
// 1024 that the shared hash tells apart. All of an owner's keys lie together in the order of bytes,
// and in the order of their numbers, so that what an iterator finds there is his alone to know.
class KeySpace {
 public:
  // owner: 0 to 25. keys: at most 990,000.
  KeySpace(unsigned owner, uint64_t keys);

  unsigned owner() const { return owner_; }
  uint64_t keys() const { return keys_; }
  uint64_t keys_in_group() const { return keys_in_group_; }
  uint64_t groups() const { return (keys_ + keys_in_group_ - 1) / keys_in_group_; }
  uint64_t GroupOf(uint64_t number) const { return number / keys_in_group_; }

  // number: below keys(). The same number gives the same key.
  std::string Key(uint64_t number) const;

  // Returns the prefix of all keys of the group, and of no others. May be groups(), to end a range.
  std::string GroupStart(uint64_t group) const;

  // All keys of the owner, and no others, are in [Begin(), End()).
  std::string Begin() const { return std::string(1, letter()); }
  std::string End() const { return std::string(1, static_cast<char>(letter() + 1)); }

  // Keys of these groups are only put where they are not and deleted by SingleDelete, which is that
  // operation's contract; range deletions stay within the groups between two of them.
  static constexpr uint64_t kOnceEvery = 8;
  static bool IsOnceGroup(uint64_t group) { return group % kOnceEvery == kOnceEvery - 1; }
  bool IsOnce(uint64_t number) const { return IsOnceGroup(GroupOf(number)); }

 private:
  char letter() const { return static_cast<char>('A' + owner_); }

  unsigned owner_;
  uint64_t keys_;
  uint64_t keys_in_group_;
};

// Every key has at least so many bytes: an extractor of prefixes that are not longer takes all.
inline constexpr size_t kMinKeyBytes = 7;

// A value that names its key, so that a reader that does not know the model can still tell whose it
// is, and differs for every `serial`.
std::string MakeValue(std::string_view key, uint64_t serial);
bool IsValueOf(std::string_view key, std::string_view value);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_KEYS_H_
