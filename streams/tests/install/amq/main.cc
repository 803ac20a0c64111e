// A user of winnow::amq: adds keys to a filter, and looks up present and absent keys.

#include <winnow/amq/plan.h>
#include <winnow/amq/standard_bloom.h>
#include <winnow/hash.h>

#include <iostream>
#include <string>

int main() {
  constexpr int kKeys = 10000;
  winnow::amq::Plan plan;
  plan.capacity = kKeys;
  if (const std::string problem = winnow::amq::CheckPlan(plan); !problem.empty()) {
    std::cerr << problem << "\n";
    return 1;
  }
  winnow::amq::StandardBloom filter(plan);
  for (int i = 0; i < kKeys; ++i) filter.Add(winnow::HashKey("present " + std::to_string(i)));

  int missed = 0;
  int false_positives = 0;
  for (int i = 0; i < kKeys; ++i) {
    if (!filter.MayContain(winnow::HashKey("present " + std::to_string(i)))) ++missed;
    if (filter.MayContain(winnow::HashKey("absent " + std::to_string(i)))) ++false_positives;
  }
  std::cout << kKeys << " keys in " << filter.size_bytes() << " bytes, " << missed << " missed, "
            << false_positives << " false positives\n";
  return missed == 0 && false_positives < kKeys / 10 ? 0 : 1;
}
