// Exact model of one owner's part of the database.

#ifndef WINNOW_TESTS_STRESS_MODEL_H_
#define WINNOW_TESTS_STRESS_MODEL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace winnow::stress {

// Number of ordinary column families of every database, the default one first.
inline constexpr size_t kFamilies = 3;
// The next column family has keys with timestamps: see timestamps.h.
inline constexpr size_t kTimedFamily = kFamilies;
inline constexpr size_t kAllFamilies = kFamilies + 1;

using FamilyModel = std::map<std::string, std::string>;

struct PartModel {
  std::array<FamilyModel, kAllFamilies> families;
  uint64_t serial = 0;  // serial of the last value written

  std::optional<std::string> Find(size_t family, const std::string& key) const;
};
bool operator==(const PartModel& a, const PartModel& b);

enum class Change : uint8_t { kPut, kDelete, kSingleDelete, kMerge, kDeleteRange };

struct Write {
  Change change;
  uint8_t family;
  std::string key;
  std::string value;  // value of a Put, operand of a Merge, or end of a range
};

// Writes that happen atomically.
using Writes = std::vector<Write>;

void Apply(const Writes& writes, PartModel* model);

// The first of the model's entries that differs in `found`, or that only `found` has.
struct ModelDifference {
  size_t family;
  std::string key;
  std::optional<std::string> expected;
  std::optional<std::string> found;
};
std::optional<ModelDifference> FirstDifference(const PartModel& expected, const PartModel& found);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_MODEL_H_
