#include "tests/stress/model.h"

namespace winnow::stress {

std::optional<std::string> PartModel::Find(size_t family, const std::string& key) const {
  const auto found = families[family].find(key);
  if (found == families[family].end()) return std::nullopt;
  return found->second;
}

bool operator==(const PartModel& a, const PartModel& b) { return a.families == b.families; }

void Apply(const Writes& writes, PartModel* model) {
  for (const Write& write : writes) {
    FamilyModel& family = model->families[write.family];
    switch (write.change) {
      case Change::kPut:
        family[write.key] = write.value;
        break;
      case Change::kMerge:
        family[write.key] += write.value;
        break;
      case Change::kDelete:
      case Change::kSingleDelete:
        family.erase(write.key);
        break;
      case Change::kDeleteRange:
        family.erase(family.lower_bound(write.key), family.lower_bound(write.value));
        break;
    }
  }
}

std::optional<ModelDifference> FirstDifference(const PartModel& expected, const PartModel& found) {
  for (size_t i = 0; i < kAllFamilies; ++i) {
    auto a = expected.families[i].begin();
    auto b = found.families[i].begin();
    const auto a_end = expected.families[i].end();
    const auto b_end = found.families[i].end();
    while (a != a_end && b != b_end && *a == *b) {
      ++a;
      ++b;
    }
    if (a == a_end && b == b_end) continue;
    ModelDifference difference{i, "", std::nullopt, std::nullopt};
    const bool is_missing = b == b_end || (a != a_end && a->first < b->first);
    const bool is_surplus = a == a_end || (b != b_end && b->first < a->first);
    difference.key = is_surplus ? b->first : a->first;
    if (!is_surplus) difference.expected = a->second;
    if (!is_missing) difference.found = b->second;
    return difference;
  }
  return std::nullopt;
}

}  // namespace winnow::stress
