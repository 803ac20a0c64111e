// Where in the range of keys a tree has data, by level, as far as its filters were built here.
//
// RocksDB moves a file down as it is where nothing lies in its range, so that a filter that was
// built for a small level stays, with its many bits, on the last one: a sequential load ends with
// all its files there. Whether that will happen can be told when a file is finished: by whether
// files were built below it before in whose range it lies.

#ifndef WINNOW_SRC_ROCKSDB_KNOWN_RANGES_H_
#define WINNOW_SRC_ROCKSDB_KNOWN_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace winnow::plugin {

// Of the user's keys, both ends included, in the order of bytes. A tree with another order has its
// keys compared so too, which costs accuracy.
struct KeyRange {
  std::string first;
  std::string last;

  bool Overlaps(const KeyRange& other) const noexcept {
    return first <= other.last && other.first <= last;
  }
};

// Pieces of the range of keys that don't overlap. Of those that lie next to each other, some are
// joined when they become too many: where there is nothing for a long time that lies between them.
class Coverage {
 public:
  static constexpr size_t kMostPieces = 256;

  void Add(KeyRange range);

  // Remembers what lies between two pieces, and is to be told from them.
  bool Overlaps(const KeyRange& range) noexcept;

  size_t pieces() const noexcept { return pieces_.size(); }

 private:
  struct Piece {
    KeyRange range;
    uint64_t gap_seen = 0;  // when something was last in the gap before it
  };

  // The first piece that does not end before this.
  std::vector<Piece>::iterator FirstNotBefore(const std::string& key) noexcept;
  void JoinOnePair();

  std::vector<Piece> pieces_;  // in order
  uint64_t now_ = 0;
};

// Takes up to some 40 KB for each level that has more pieces than it may. Safe from any number of
// threads.
class KnownRanges {
 public:
  // Keys are remembered by as many bytes.
  static constexpr size_t kMostKeyBytes = 48;
  // Flushes whose files may still be on level 0.
  static constexpr size_t kRecentFlushes = 8;

  // The level of what has nothing below it: RocksDB moves it down, now or when the tree gets
  // deeper.
  static constexpr int kBottom = std::numeric_limits<int>::max();

  // Level 0 is for flushes.
  void Add(int level, KeyRange range);

  // The least level below this one where something was built in the range, which may be kBottom;
  // -1: none. For level 0, a recent flush in the range counts as on `base`, on which RocksDB merges
  // the two.
  int LevelBelow(int level, const KeyRange& range, int base);

 private:
  std::mutex mutex_;
  std::map<int, Coverage> levels_;  // 1 and on, and kBottom
  std::vector<KeyRange> flushes_;   // the latest last
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_KNOWN_RANGES_H_
