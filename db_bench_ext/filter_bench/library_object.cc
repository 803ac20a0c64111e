#include <cstddef>
#include <cstdint>
#include <string_view>

#include "db_bench_ext/filter_bench/keys.h"
#include "winnow/filter.h"
#include "winnow/hash.h"
#include "winnow/version.h"

using winnow::bench::KeyGroup;

extern "C" WINNOW_EXPORT uint64_t winnow_filter_bench_ask(const char* bytes, size_t size,
                                                          winnow::bench::LookupIndices* indices,
                                                          KeyGroup* keys, uint64_t groups);

uint64_t winnow_filter_bench_ask(const char* bytes, size_t size,
                                 winnow::bench::LookupIndices* indices, KeyGroup* keys,
                                 uint64_t groups) {
  const winnow::FilterView view(std::string_view(bytes, size));
  uint64_t found = 0;
  for (; groups > 0; --groups) {
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      keys->Set(i, indices->Next());
    }
    for (size_t i = 0; i < KeyGroup::kKeys; ++i) {
      const std::string_view key(keys->Get(i), keys->length());
      found += view.MayContain(winnow::HashKey(key));
    }
  }
  return found;
}
