// `winnow version`: what this program is, reads and runs with.

#include <absl/strings/str_cat.h>
#include <rocksdb/convenience.h>
#include <rocksdb/version.h>

#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "winnow/version.h"

namespace winnow::tools {
namespace {

int RunVersion(const Verb& verb, const std::vector<std::string>& arguments) {
  if (!arguments.empty()) {
    return WrongUsage(verb, "it takes no arguments");
  }
  const std::string text = absl::StrCat(
      "winnow ", Version(), "\nRocksDB ", ROCKSDB_NAMESPACE::GetRocksVersionAsString(),
      " (compiled with ", ROCKSDB_MAJOR, ".", ROCKSDB_MINOR, ".", ROCKSDB_PATCH, ")\nkernel ",
      KernelName(), " (WINNOW_KERNEL=portable|avx2|gfni|avx512|neon forces one)\n");
  return Print(verb.name, text) ? kAllGood : kCouldNotRead;
}

}  // namespace

Verb VersionVerb() {
  return {
      "version",
      "",
      "Shows the versions of Winnow and RocksDB, and the kernel that is used on this machine",
      "The same as winnow --version. Files of a newer RocksDB can be read if the RocksDB that is\n"
      "named here knows their format.\n",
      RunVersion,
      {{"winnow version", "the versions, and the kernel that asks filters"}}};
}

}  // namespace winnow::tools
