// How the column families of a policy share filter_memory by their lookups, with
// level_plan=learned.
//
// Within a tree, false reads are fewest if a file's rate is lambda k / n: n lookups of absent keys
// reach its k keys (learned_rates.h). The same holds for the files of several trees, with one
// lambda for all. So a family's filters get
//   bits = mean + log2(heat) - mean of log2(heat)
// where heat is n / k, means are weighted by keys, and a bit is one of a filter whose size is
// log2(1/rate) a key, as Ribbon's is, but for a few per cent.
//
// Filters live until their files are rewritten, and traffic may turn to other families meanwhile.
// So a share of the lookups counts as if they fell evenly, as in heat_map.h, and the logarithms are
// scaled by how much of them lasts: the slope of a regression of the heat now against the heat when
// files were written.

#ifndef WINNOW_SRC_ROCKSDB_TREES_FAMILY_SHARES_H_
#define WINNOW_SRC_ROCKSDB_TREES_FAMILY_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace winnow::plugin {

// What filter_memory gives a family's keys.
struct FamilyShare {
  std::string family;
  double keys = 0;
  double more_bits = 0;  // a key, than the mean of all families; their mean by keys is 0
};

// The bits a key of one of the families, if their mean is to be mean_bits. A family's bits are its
// more_bits on top of what is the same for all, and at least kFewestBits, or mean_bits if these are
// fewer.
inline constexpr double kFewestBits = 1;
double BitsOfFamily(double mean_bits, const std::vector<FamilyShare>& shares, size_t own) noexcept;

// Belongs to what is known of a policy's trees. Not safe from several threads.
class FamilyShares {
 public:
  // Samples of lookups count half after so many others.
  static constexpr double kHalfLife = 1 << 16;
  // Fewer samples say nothing.
  static constexpr double kMinSamples = 256;
  // So many samples are assumed to fall on families by their keys.
  static constexpr double kPseudoCount = 16;
  // What lasted counts half after all trees wrote so many times their keys. And the weight of the
  // first guess, that all does: as much as one such time in which heat differed by a bit.
  static constexpr double kWritesHalfLife = 4;
  static constexpr double kGuess = 1;

  // Of one tree, which keeps it.
  struct Memory {
    uint64_t samples = 0;  // ever, when they were looked at
    double written = 0;    // keys, likewise
    double recent = 0;     // samples, the older ones by less
    // Of more_bits that heat asked for when the tree's files were written: means by keys.
    double then = 0;
    double then_squared = 0;
  };
  struct Tree {
    Memory* memory;
    std::string family;
    double keys;
    double written;     // keys, ever
    uint64_t samples;   // of lookups, ever
    double log2_reach;  // LearnedRates::log2_reach
  };
  // Takes in what trees did since the last call. Empty: all families are alike, as too little is
  // known, or there is one.
  std::vector<FamilyShare> Update(const std::vector<Tree>& trees);

 private:
  void SetWhatLasts(const std::vector<Tree>& trees, const std::vector<double>& wishes, double keys);

  double together_ = 0;  // of the heat now and then, over what was written
  double then_ = 0;      // of the heat then with itself
};

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_TREES_FAMILY_SHARES_H_
