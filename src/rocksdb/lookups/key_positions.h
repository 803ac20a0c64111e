// Where in a tree a key lies, as a number: about the share of the tree's keys that are before it.

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

// A file: its keys' ends, without what all keys of the tree begin with.
struct FileKeys {
  std::string first;
  std::string last;
  double keys = 0;
};

// What a newer grid takes from the former one: since when there are keys in each part.
class KeyPositions;
struct FormerPositions {
  const KeyPositions* grid = nullptr;  // null: none
  double now = 0;                      // in whatever time is counted by
};

// Never changes: safe from any number of threads. Takes some 100 bytes a file.
class KeyPositions {
 public:
  // The files of a tree, in any order, whose keys all begin with `prefix`. Their first keys cut the
  // tree: a file's keys are taken to lie over the parts that it covers as those of narrower files
  // do. The former grid's prefix is the same or longer. `runs`: the files' keys are short ones,
  // without these, behind no prefix; null: they are not. The former grid has the same.
  KeyPositions(std::string prefix, const std::vector<FileKeys>& files,
               const FormerPositions& former = {},
               std::shared_ptr<const SharedRuns> runs = nullptr);

  // Of the same files as a grid whose since() this is, as far as that has one time for each part.
  KeyPositions(std::string prefix, const std::vector<FileKeys>& files,
               const std::vector<double>& since, std::shared_ptr<const SharedRuns> runs = nullptr);

  // From 0, at the first key and before it, to 1, at the last one and behind it. In a part keys are
  // taken to be even as numbers, whose digits are the bytes that the cuts have; but where a part
  // begins in one group of keys that share many bytes and ends in another, each group has a third
  // of it. A key that leaves a run half-way has the place 1. Allocates nothing.
  double PlaceOf(std::string_view key) const noexcept;

  // Of a short key, where there are runs; else of a key whose first bytes are left out, so many,
  // which are those of this grid's prefix.
  double PlaceOf(std::string_view key, size_t left_out) const noexcept;

  // Whether the key lies neither before the first one nor behind the last one.
  bool Covers(std::string_view key) const noexcept;

  // Since when there are keys around this place: the time of the grid in which they were first, a
  // mean where some came later.
  double SinceAt(double place) const noexcept;

  // The same for one place after the other, none of which lies before the last one: *part is 0 at
  // first, and then how far the grid was looked through.
  double SinceBehind(double place, size_t* part) const noexcept;

  // The same for each part, and for what is behind the last one.
  const std::vector<double>& since() const noexcept { return since_; }
  // Of where each part begins, and of the last key.
  const std::vector<double>& places() const noexcept { return places_; }

 private:
  friend class MovedPlaces;

  // A file, and the parts that it lies over.
  struct Span {
    const FileKeys* file;
    size_t begin;
    size_t end;
  };

  size_t PartAt(double place) const noexcept;
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

// From the places in one grid to those in a newer one. Thousands of places move at once, so the
// cuts of both are looked up when this is made: a place that is moved often stays with its key.
class MovedPlaces {
 public:
  MovedPlaces(const KeyPositions& from, const KeyPositions& to);

  // Keys that have these places in the two, in any order.
  struct Cut {
    double from;
    double to;
  };
  explicit MovedPlaces(std::vector<Cut> cuts);

  // The place in the newer grid of what has this place in the other one.
  double operator()(double place) const noexcept;

 private:
  void LookUpCuts();

  std::vector<Cut> cuts_;  // of both grids, increasing
  // Of as many steps from 0 to 1 as there are cuts, and of 1: the first cut behind, the first and
  // the last one left out.
  std::vector<uint32_t> above_;
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOOKUPS_KEY_POSITIONS_H_
