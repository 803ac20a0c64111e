#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <rocksdb/version.h>
#include <sys/utsname.h>

#include <fstream>
#include <iterator>
#include <string>

#include "db_bench_ext/filter_bench/rows.h"
#include "src/text/machine.h"
#include "winnow/version.h"

namespace winnow::bench {
namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// Returns how RocksDB was built, as far as known: from the build system if RocksDB was built on
// this machine, else whether the shared library has assertions, by its references to the C library.
std::string RocksDBBuild() {
  static constexpr char kKnown[] = WINNOW_ROCKSDB_BUILT_AS;
  if (sizeof(kKnown) > 1) {
    return std::string("native: ") + kKnown;
  }
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&ROCKSDB_NAMESPACE::GetRocksVersionAsString), &info) ==
          0 ||
      info.dli_fname == nullptr) {
    return "unknown";
  }
  const bool asserts = ReadAll(info.dli_fname).find("__assert_fail") != std::string::npos;
  return "the system's, " + std::string(info.dli_fname) +
         (asserts ? ", with assertions" : ", without assertions");
}

}  // namespace

void AddContext(const RowOptions& options) {
  benchmark::AddCustomContext("winnow_version", Version());
  benchmark::AddCustomContext("winnow_kernel", KernelName());
  benchmark::AddCustomContext("rocksdb_version", ROCKSDB_NAMESPACE::GetRocksVersionAsString());
  benchmark::AddCustomContext("rocksdb_build", RocksDBBuild());
  benchmark::AddCustomContext("compiler", "GCC-compatible " __VERSION__);
  benchmark::AddCustomContext("processor", inspect::ThisMachine().processor);
  utsname system;
  if (uname(&system) == 0) {
    benchmark::AddCustomContext("system", std::string(system.sysname) + " " + system.release);
  }
  if (options.rehearse) {
    benchmark::AddCustomContext("rehearsal",
                                "filters of a thousandth of the size; figures mean nothing");
  }
}

}  // namespace winnow::bench
