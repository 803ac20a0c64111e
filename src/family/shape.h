// Shape of a tree: the sorted runs of its live files, how many lookups of absent keys reach each
// file, and sums over the files.
//
//   n, the lookups of absent keys that reach a file = (keys of the tree in its range) * heat
//   heat = 0.01 + 0.99 (denied there + 2 heat of its level) / (denied if all places were alike + 2)
//
// k are the file's keys. Lookups are taken to be spread over the tree's keys, as much as the
// answers of filters do not show otherwise. So n / k is the number of keys in the file's range to
// the file's own, times the heat.
//
// If keys are not in bytewise order, or those of a file are not told apart, ranges mean nothing.
// There, n / k is the tree's keys to those of the file's sorted run, as of files that are spread
// evenly.

#ifndef WINNOW_SRC_FAMILY_SHAPE_H_
#define WINNOW_SRC_FAMILY_SHAPE_H_

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "src/family/live_file.h"

namespace winnow::family {

// A file that is being written.
struct NewFile {
  KeyRange range;
  double keys = 0;  // in its filter, at least 1
  int level = 0;
  bool is_flush = false;
  int job = 0;  // compaction that writes it; 0 if unknown
};

// log2(n / k) of a file, and the part of it that answers of filters change.
struct Reach {
  double log2_by_keys = 0;
  double log2_heat = 0;
  double log2() const noexcept { return log2_by_keys + log2_heat; }
};

// Sums over files with filters, weighted by their keys.
struct Sums {
  double keys = 0;
  double bits = 0;
  double log2_reach = 0;
  double reached = 0;      // n
  double false_reads = 0;  // n times the filter's rate
  double bytes = 0;

  // Adds this part of a file; may be negative.
  void Add(const LiveFile& file, const Reach& reach, double part = 1) noexcept;
  void Scale(double by) noexcept;
  Sums Without(const Sums& other) const noexcept;
};

// Immutable; has the counts of its files when it was made.
class Shape {
 public:
  struct Placed {
    FilePtr file;
    int level;        // when the shape was made
    float asked = 0;  // sampled lookups, then
    Reach reach{};

    // Returns n without heat: the tree's keys in the file's range.
    double reached() const noexcept { return file->keys * std::exp2(reach.log2_by_keys); }
    // Returns those from one share of its keys to another, as they are spread now.
    double AskedIn(double from, double to) const noexcept {
      const double now = file->asked();
      return now > 0 ? asked * file->AskedIn(from, to) / now : 0;
    }
  };

  // Takes some microseconds a file.
  Shape(std::vector<Placed> files, bool is_ordered);

  const std::vector<Placed>& files() const noexcept { return files_; }  // by level and first key
  bool is_ordered() const noexcept { return is_ordered_; }
  const Sums& sums() const noexcept { return sums_; }
  // Returns the sums once this flush is in the tree, without its own file.
  Sums SumsUnder(const NewFile& flush) const;
  double keys() const noexcept { return keys_; }
  double asked() const noexcept { return asked_; }  // by all counters
  // Returns null if the file is not among those of the shape.
  const Placed* Find(const LiveFile& file) const noexcept;
  // Returns the first file whose first key begins with `first` and for which is_right(file) holds;
  // null if there is none.
  template <typename IsRight>
  FilePtr FindBy(IsRight is_right, std::string_view first) const {
    for (const auto& [level, sums] : levels_) {
      for (auto at = LowerBound(level, first);
           at != files_.end() && at->level == level &&
           std::string_view(at->file->range.first).substr(0, first.size()) == first;
           ++at) {
        if (is_right(*at->file)) return at->file;
      }
    }
    return nullptr;
  }

  // Keys that a new file's job replaces, on which the file's reach depends.
  struct Replaced {
    double keys = 0;
    double keys_on_level = 0;  // of the new file
  };
  Reach ReachOf(const NewFile& file, const Replaced& replaced) const;

  // Sums over the files that a compaction to this level in this range would replace, each by the
  // part of its keys in the range: those of the level and of the levels above.
  Sums InRange(int level, std::string_view first, std::string_view last) const;

  // Returns whether no file of this level and those above begins before the key.
  bool IsFirst(int level, std::string_view key) const noexcept;
  // Sums over all files of this level and those above.
  Sums UpTo(int level) const noexcept;

  // Returns the sampled lookups, by piece, that the file would have had.
  std::array<double, kPieces> AskedOf(const NewFile& file) const;

  // Returns the mean of log2(n / k), without heat, over the keys of a level, or of the next one
  // below that has files; 0 if there is none. MoreOnLevel returns by how much it exceeds that of
  // the tree.
  double MeanOnLevel(int level) const noexcept;
  double MoreOnLevel(int level) const noexcept;
  // Returns whether files lie over others, more than at their ends.
  bool HasOverlaps() const noexcept { return Mean() > 1.0 / 64; }

 private:
  // Files of one level with disjoint ranges. Only level 0 has several.
  struct Run {
    int level;
    std::vector<const Placed*> files;  // ascending
    std::vector<double> before;        // keys of the files before, and of all
    std::pair<size_t, double> Find(std::string_view key) const noexcept;
  };
  struct Level {
    double keys = 0;
    double log2_by_keys = 0;  // weighted by keys
    double asked = 0;         // of files with filters
    double reached = 0;       // likewise, without heat
    double heat = 1;
  };
  struct Asked {
    double asked = 0;
    double cover = 0;  // share of the range that the files cover, summed over runs
  };

  bool HasPlace(const KeyRange& range) const noexcept {
    return is_ordered_ && range.first < range.last;
  }
  std::vector<Placed>::const_iterator LowerBound(int level, std::string_view first) const noexcept;
  double Mean() const noexcept;
  void MakeRuns();
  void SetHeat();
  double KeysIn(std::string_view first, std::string_view last) const noexcept;
  Asked AskedThere(int level, std::string_view first, std::string_view last) const;
  double AskedFor(int level, const KeyRange& range, double reached) const;
  double HeatOf(int level, double reached, double asked) const noexcept;

  const bool is_ordered_;
  std::vector<Placed> files_;
  std::vector<Run> runs_;
  std::map<int, Level> levels_;
  double keys_ = 0;
  double asked_ = 0;
  double asked_a_place_ = 0;  // samples that reach a file with the whole tree's range
  Sums sums_;
};

}  // namespace winnow::family

#endif  // WINNOW_SRC_FAMILY_SHAPE_H_
