#include "db_bench_ext/filter_bench/library.h"

#include <absl/strings/str_cat.h>
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "db_bench_ext/filter_bench/rows.h"
#include "db_bench_ext/filter_bench/subjects.h"

namespace winnow::bench {
namespace {

// Returns null, after a message on stderr, if the library cannot be loaded.
AskFunction LoadLibrary() {
  // Loads by path: with the address sanitizer, dlopen() does not search the folders of this
  // program's own libraries.
  std::error_code unknown;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::filesystem::path path = program.parent_path() / ".." / "lib" / kLibraryObject;
  void* const object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const function = object == nullptr ? nullptr : dlsym(object, kAskFunction);
  if (function == nullptr) {
    std::fprintf(stderr, "filter_bench: no rows library/…, since they need %s: %s\n",
                 kLibraryObject, dlerror());
  }
  return reinterpret_cast<AskFunction>(function);
}

void QueryThroughLibrary(benchmark::State& state, AskFunction ask, const Subject& subject,
                         uint64_t num_keys, Presence presence) {
  constexpr uint64_t kGroups = 64;  // groups per FilterView
  const std::string_view bytes =
      KeptFilter(subject, 0, FilterShape{num_keys}, UsualMisalignment(0)).bytes();
  LookupIndices indices(num_keys, presence);
  KeyGroup keys;
  uint64_t found = 0;
  for (auto iteration : state) {
    found += ask(bytes.data(), bytes.size(), &indices, &keys, kGroups);
  }
  ReportLookups(state, kGroups * KeyGroup::kKeys, found);
}

}  // namespace

void RegisterLibraryRows(const RowOptions& options) {
  const AskFunction ask = LoadLibrary();
  if (ask == nullptr) {
    return;
  }
  for (const Presence presence : {Presence::kHalf, Presence::kNone}) {
    for (const char* const subject : {"winnow_bloom", "winnow_ribbon"}) {
      static constexpr uint64_t kSizes[] = {100'000, 1'000'000};
      for (const uint64_t keys : kSizes) {
        AddRow(absl::StrCat("library/hot/", NameOf(presence), "/", subject, "/", keys),
               QueryThroughLibrary, ask, *FindSubject(subject), options.KeysFor(keys), presence);
      }
    }
  }
}

}  // namespace winnow::bench
