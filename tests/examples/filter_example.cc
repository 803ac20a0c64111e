// Builds a filter of a key, and asks it.
#include "winnow/builder.h"
#include "winnow/filter.h"

int main() {
  winnow::FilterBuilder builder{winnow::FilterOptions{}};
  builder.Add(winnow::HashKey("key"));
  const winnow::FilterBlock block = builder.Finish();  // bytes to store
  const winnow::FilterView filter(block.bytes());
  return filter.MayContain(winnow::HashKey("key")) ? 0 : 1;
}
