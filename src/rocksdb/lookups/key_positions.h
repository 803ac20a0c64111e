// Positions of keys in a tree: a key's place is about the share of the tree's keys that are before
// it. The table that maps keys to places is called a grid.

#ifndef WINNOW_SRC_ROCKSDB_LOOKUPS_KEY_POSITIONS_H_
#define WINNOW_SRC_ROCKSDB_LOOKUPS_KEY_POSITIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/rocksdb/lookups/shared_runs.h"

namespace winnow::plugin {

// First and last key of a file, without the common prefix of all keys of the tree.
struct FileKeys {
  std::string first;
  std::string last;
  double keys = 0;
};

// State that a grid inherits from the former one: the time since when each part has keys.
class KeyPositions;
struct FormerPositions {
  const KeyPositions* grid = nullptr;  // null if there is none
  double now = 0;                      // in any unit of time
};

// Grid of a tree. Immutable, and so thread-safe. Takes some 100 bytes per file.
class KeyPositions {
 public:
  // Makes the grid of a tree's files, in any order, whose keys all begin with `prefix`. The first
  // keys of the files cut the tree into parts. A file's keys are assumed to be distributed over the
  // parts that it covers like those of narrower files. The former grid's prefix must be equal or
  // longer. If `runs` is not null, the files' keys are short, without these runs, and have no
  // prefix, and the former grid must have these runs, too.
  KeyPositions(std::string prefix, const std::vector<FileKeys>& files,
               const FormerPositions& former = {},
               std::shared_ptr<const SharedRuns> runs = nullptr);

  // Makes a grid of files that sets the time of each part from `since`, as far as it has one.
  KeyPositions(std::string prefix, const std::vector<FileKeys>& files,
               const std::vector<double>& since, std::shared_ptr<const SharedRuns> runs = nullptr);

  // Makes a grid of short keys with known places, in any order; at least one.
  struct KeyAt {
    std::string key;
    double place = 0;
  };
  KeyPositions(std::vector<KeyAt> keys, std::shared_ptr<const SharedRuns> runs);

  // Returns the place of a key, from 0 before the first key to 1 after the last one. Within a part,
  // keys are assumed to be uniform as numbers, whose digits are the byte values that occur in the
  // cuts. If a part begins in one group of keys that share many bytes and ends in another group,
  // each group gets a third of the part. A key that differs within a run has the place 1. Allocates
  // nothing.
  double PlaceOf(std::string_view key) const noexcept;

  // Returns the place of a short key if there are runs; else of a key without its first `left_out`
  // bytes, which are those of this grid's prefix.
  double PlaceOf(std::string_view key, size_t left_out) const noexcept;

  // Returns whether the key is neither before the first cut nor after the last key.
  bool Covers(std::string_view key) const noexcept;

  // Returns the time since when there are keys around this place: the time of the first grid that
  // had them, or a mean if some came later. Calls must have increasing places: *part is 0 at first,
  // and then remembers the position of the search.
  double SinceBehind(double place, size_t* part) const noexcept;

 private:
  friend class MovedPlaces;

  // A file, and the range of parts that it covers.
  struct Span {
    const FileKeys* file;
    size_t begin;
    size_t end;
  };

  void CountCommon();
  void CountDigits();
  std::vector<Span> SpansOf(const std::vector<FileKeys>& files) const;
  std::vector<double> KeysOfNarrowest(std::vector<Span> spans) const;
  std::vector<double> KeysOfParts(const std::vector<FileKeys>& files) const;
  std::vector<double> PlacesInFormer(const FormerPositions& former) const;
  static double KeysInFormer(const FormerPositions& former, const std::vector<double>& places,
                             size_t part) noexcept;
  void CountTime(const FormerPositions& former, const std::vector<double>& places);
  bool CoversRest(std::string_view rest) const noexcept;
  double PlaceOfRest(std::string_view rest) const noexcept;
  double ShareOfPart(size_t part, std::string_view rest) const noexcept;
  double NumberAt(std::string_view key, size_t begin) const noexcept;
  double Between(std::string_view low, std::string_view high, std::string_view key) const noexcept;
  double Between(std::string_view low, std::string_view high, std::string_view key,
                 size_t common) const noexcept;

  std::string prefix_;
  std::shared_ptr<const SharedRuns> runs_;
  std::vector<std::string> keys_;      // the cuts and the last key, increasing
  std::vector<uint32_t> common_;       // number of bytes that each shares with the one before
  std::vector<double> places_;         // place of each of keys_, from 0 to 1
  std::vector<double> since_;          // time of the part that begins there
  double all_ = 0;                     // total number of keys
  std::array<uint8_t, 256> digits_{};  // digit of each byte: number of smaller bytes in the cuts
  double base_ = 0;                    // number of different bytes in the cuts
};

// Maps places in one grid to the places of the same keys in a newer grid. Thousands of places are
// mapped at once, so the cuts of both grids are looked up once, by the constructor.
class MovedPlaces {
 public:
  MovedPlaces(const KeyPositions& from, const KeyPositions& to);

  // Returns the place in the newer grid for a place in the older one.
  double operator()(double place) const noexcept;

 private:
  struct Cut {  // places of one key in both grids
    double from;
    double to;
  };
  std::vector<Cut> cuts_;  // cuts of both grids, increasing
  // Index for a search: for each of cuts_.size() + 1 evenly spaced places from 0 to 1, the first
  // cut above it, except for the first and the last cut.
  std::vector<uint32_t> above_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_KEY_POSITIONS_H_
