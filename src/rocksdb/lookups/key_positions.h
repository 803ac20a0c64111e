// Where in a tree a key lies, as a number, its place: about the share of the tree's keys that are
// before it. The table that turns keys into places is called a grid.

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

// A file's first and last key, without the bytes that all keys of the tree begin with.
struct FileKeys {
  std::string first;
  std::string last;
  double keys = 0;
};

// State that a newer grid takes from the former one: since when each part has keys.
class KeyPositions;
struct FormerPositions {
  const KeyPositions* grid = nullptr;  // null: none
  double now = 0;                      // in whatever time is counted by
};

// Never changes: safe from any number of threads. Takes some 100 bytes a file.
class KeyPositions {
 public:
  // For the files of a tree, in any order, whose keys all begin with `prefix`. Their first keys cut
  // the tree into parts. A file's keys are assumed to spread over the parts that it covers as those
  // of narrower files do. The former grid's prefix is the same or longer. `runs`: keys of the files
  // are short, without these runs, and have no prefix; null: keys are whole. The former grid has
  // the same runs.
  KeyPositions(std::string prefix, const std::vector<FileKeys>& files,
               const FormerPositions& former = {},
               std::shared_ptr<const SharedRuns> runs = nullptr);

  // A grid of the same files, with the time of each part, as far as `since` has one.
  KeyPositions(std::string prefix, const std::vector<FileKeys>& files,
               const std::vector<double>& since, std::shared_ptr<const SharedRuns> runs = nullptr);

  // A grid of short keys whose places are known, in any order; at least one.
  struct KeyAt {
    std::string key;
    double place = 0;
  };
  KeyPositions(std::vector<KeyAt> keys, std::shared_ptr<const SharedRuns> runs);

  // The place, from 0 before the first key to 1 behind the last one. Within
  // a part keys are assumed to be even as numbers, whose digits are the bytes that the cuts have.
  // If a part begins in one group of keys that share many bytes and ends in another group, each
  // group has a third of the part. A key that leaves a run half-way has the place 1. Allocates
  // nothing.
  double PlaceOf(std::string_view key) const noexcept;

  // The place of a short key, if there are runs; else of a key without its first `left_out` bytes,
  // which are those of this grid's prefix.
  double PlaceOf(std::string_view key, size_t left_out) const noexcept;

  // Returns whether the key lies neither before the first one nor behind the last one.
  bool Covers(std::string_view key) const noexcept;

  // The time since when there are keys around this place: that of the first grid that had them, or
  // a mean if some came later. Places are asked in increasing order: *part is 0 at first, and then
  // remembers how far the grid was searched.
  double SinceBehind(double place, size_t* part) const noexcept;

 private:
  friend class MovedPlaces;

  // A file, and the parts that it covers.
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
  std::vector<std::string> keys_;      // the cuts, and the last key: increasing
  std::vector<uint32_t> common_;       // bytes that each shares with the one before
  std::vector<double> places_;         // as many, from 0 to 1
  std::vector<double> since_;          // of the part that begins there
  double all_ = 0;                     // keys
  std::array<uint8_t, 256> digits_{};  // of each byte: those of the cuts that are less
  double base_ = 0;                    // the bytes that cuts have
};

// Turns places in one grid into places of the same keys in a newer grid. Thousands of places are
// moved at once, so the cuts of both grids are looked up once, when this is made.
class MovedPlaces {
 public:
  MovedPlaces(const KeyPositions& from, const KeyPositions& to);

  // The place in the newer grid of a key with this place in the older one.
  double operator()(double place) const noexcept;

 private:
  struct Cut {  // the two places of one key
    double from;
    double to;
  };
  std::vector<Cut> cuts_;  // of both grids, increasing
  // For as many steps from 0 to 1 as there are cuts, and for 1: the first cut behind the step. The
  // first and the last cut are left out.
  std::vector<uint32_t> above_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_KEY_POSITIONS_H_
