// The verb `winnow version`: prints the versions of Winnow, of its formats and of RocksDB.

#include <absl/strings/str_cat.h>
#ifdef WINNOW_HAS_ROCKSDB
#include <rocksdb/convenience.h>
#include <rocksdb/version.h>
#endif

#include <string>
#include <vector>

#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "winnow/version.h"

namespace winnow::tools {
namespace {

#ifdef WINNOW_HAS_ROCKSDB
constexpr char kSummary[] =
    "Shows the versions of Winnow and RocksDB, and the kernel that is used on this machine";
constexpr char kHelp[] =
    "The same as winnow --version. Files of a newer RocksDB can be read if the RocksDB that is\n"
    "named here knows their format.\n";

std::string RocksDBLine() {
  return absl::StrCat("RocksDB ", ROCKSDB_NAMESPACE::GetRocksVersionAsString(), " (compiled with ",
                      ROCKSDB_MAJOR, ".", ROCKSDB_MINOR, ".", ROCKSDB_PATCH, ")\n");
}
#else
constexpr char kSummary[] =
    "Shows the version of Winnow, and the kernel that is used on this machine";
constexpr char kHelp[] = "The same as winnow --version. This winnow is built without RocksDB.\n";

std::string RocksDBLine() { return ""; }
#endif

int RunVersion(const Verb& verb, const std::vector<std::string>& arguments) {
  if (!arguments.empty()) {
    return WrongUsage(verb, "it takes no arguments");
  }
  const std::string text =
      absl::StrCat("winnow ", Version(), "\n", RocksDBLine(), "kernel ", KernelName(),
                   " (WINNOW_KERNEL=portable|avx2|gfni|avx512|neon forces one)\n");
  return Print(verb.name, text) ? kAllGood : kCouldNotRead;
}

}  // namespace

Verb VersionVerb() {
  return {"version",  "",
          kSummary,   kHelp,
          RunVersion, {{"winnow version", "the versions, and the kernel that asks filters"}}};
}

}  // namespace winnow::tools
