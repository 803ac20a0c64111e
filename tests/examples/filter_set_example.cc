// Two files, each with a filter of a key: which of them may have "quince"?
#include <vector>

#include "winnow/builder.h"
#include "winnow/filter_set.h"

int main() {
  winnow::FilterBuilder builder{winnow::FilterOptions{}};
  winnow::FilterSetEdit edit;  // starts from an empty set; the next one from `files`
  uint64_t number = 0;
  for (const char* key : {"apple", "quince"}) {
    builder.Add(winnow::HashKey(key));
    edit.InsertCopy(0, ++number, builder.Finish().bytes());  // the newest first
  }
  const winnow::FilterSet files = edit.Build();  // readers may still have the one before

  std::vector<uint64_t> words(files.num_words());  // kept by the thread
  for (const size_t i : files.Candidates(winnow::HashKey("quince"), words)) {
    if (files.id(i) == number) return 0;  // here the file would be read, and found to have it
  }
  return 1;
}
