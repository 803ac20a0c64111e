// A user of winnow::winnow: builds a filter and asks it for what it holds and for what it does not.

#include <winnow/builder.h>
#include <winnow/filter.h>
#include <winnow/hash.h>
#include <winnow/options.h>
#include <winnow/version.h>

#include <iostream>
#include <string>

int main() {
  constexpr int kKeys = 10000;
  winnow::FilterBuilder builder{winnow::FilterOptions{}};
  for (int i = 0; i < kKeys; ++i) builder.Add(winnow::HashKey("present " + std::to_string(i)));
  const winnow::FilterBlock block = builder.Finish();
  const winnow::FilterView view(block.bytes());

  int missed = 0;
  int false_positives = 0;
  for (int i = 0; i < kKeys; ++i) {
    if (!view.MayContain(winnow::HashKey("present " + std::to_string(i)))) ++missed;
    if (view.MayContain(winnow::HashKey("absent " + std::to_string(i)))) ++false_positives;
  }
  std::cout << "winnow " << winnow::Version() << ": " << kKeys << " keys in " << block.size
            << " bytes, " << missed << " missed, " << false_positives << " false positives\n";
  return missed == 0 && false_positives < kKeys / 10 ? 0 : 1;
}
