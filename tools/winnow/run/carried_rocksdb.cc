#include "tools/winnow/run/carried_rocksdb.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "src/workers/command.h"
#include "tools/winnow/run/elf_symbols.h"

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

constexpr char kInTree[] =
    "Build that RocksDB with Winnow in its tree and WINNOW_STAND_IN=1, as docs/in-tree.md says";
constexpr char kBuildPlugin[] =
    "A plugin is built from Winnow's source and the RocksDB's headers: cmake -S WINNOW -B BUILD "
    "-DWINNOW_ROCKSDB_HEADERS=ROCKSDB/include && cmake --build BUILD && cmake --install BUILD "
    "--prefix PREFIX";

// Returns the libraries that the loader finds for the program: paths of "NAME => PATH (ADDRESS)"
// and "PATH (ADDRESS)" lines.
std::vector<std::string> LibrariesOf(const std::string& program, const std::string& loader) {
  std::vector<std::string> paths;
  if (loader.empty()) return paths;
  const CommandResult listed = RunCommand({loader, "--list", program}, CommandErrors::kDropped);
  for (absl::string_view line : absl::StrSplit(listed.output, '\n')) {
    const size_t arrow = line.find(" => ");
    if (arrow != absl::string_view::npos) line.remove_prefix(arrow + 4);
    line = absl::StripAsciiWhitespace(line.substr(0, line.rfind(" (")));
    if (absl::StartsWith(line, "/")) paths.emplace_back(line);
  }
  return paths;
}

// Returns "7.8" for librocksdb.so.7.8; empty for other names.
std::string VersionIn(absl::string_view soname) {
  if (!absl::ConsumePrefix(&soname, "librocksdb.so.")) return std::string();
  const std::vector<absl::string_view> numbers = absl::StrSplit(soname, '.');
  return numbers.size() < 2 ? std::string() : absl::StrCat(numbers[0], ".", numbers[1]);
}

// Returns the RocksDB versions for which plugins are installed next to the library.
std::vector<std::string> InstalledVersions(const fs::path& folder) {
  std::vector<std::string> versions;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    if (fs::exists(at->path() / WINNOW_BOUND_NAME, code)) {
      versions.push_back(at->path().filename().string());
    }
  }
  std::sort(versions.begin(), versions.end());
  return versions;
}

// Sets the way or the problem for a library whose calls reach the preloaded library.
void SetPlugin(const fs::path& plugins, CarriedRocksDB* carried) {
  const std::vector<std::string> versions = InstalledVersions(plugins);
  const std::string installed = absl::StrJoin(versions, ", ");
  const bool is_installed =
      std::find(versions.begin(), versions.end(), carried->version) != versions.end();
  if (is_installed) {
    carried->way = absl::StrCat("the plugin for ", carried->version);
  } else if (!versions.empty() && carried->version.empty()) {
    carried->way = absl::StrCat("its plugin, if its version is one of ", installed,
                                ", which --log says when the program runs");
  } else {
    carried->problem = absl::StrCat(
        versions.empty() ? "no plugins are installed that are bound at run time, in "
                         : absl::StrCat("there are plugins for ", installed, " alone in "),
        plugins.string(), ". ", kBuildPlugin);
  }
}

// Returns the RocksDB in a file; `file` is empty if there is none.
CarriedRocksDB LookAt(const std::string& path, bool is_program, const fs::path& plugins) {
  const RocksDBSymbols symbols = ReadRocksDBSymbols(path);
  CarriedRocksDB carried;
  if (!symbols.has_code && symbols.name_space.empty()) return carried;
  carried.file = path;
  carried.version = VersionIn(symbols.soname);
  if (is_program) {
    carried.problem = absl::StrCat(
        "the program has it inside, and its calls were bound when it was linked. ", kInTree);
  } else if (symbols.name_space.empty()) {
    carried.problem = absl::StrCat("it hides its functions. ", kInTree);
  } else if (symbols.name_space != "rocksdb") {
    carried.problem = absl::StrCat("its functions are in another namespace (ROCKSDB_NAMESPACE), ",
                                   symbols.name_space, ". ", kInTree);
  } else if (!symbols.asks_linker) {
    carried.problem = absl::StrCat(
        "it calls its functions without asking the dynamic linker (-Bsymbolic, LTO or hidden "
        "symbols). ",
        kInTree);
  } else if (symbols.soname == WINNOW_ROCKSDB_NAME) {
    carried.way = "the plugin beside the library that is preloaded";
  } else {
    SetPlugin(plugins, &carried);
  }
  return carried;
}

}  // namespace

std::vector<CarriedRocksDB> FindCarriedRocksDBs(const std::string& program,
                                                const std::string& preload_library) {
  const fs::path plugins = fs::path(preload_library).parent_path() / "winnow" / "plugins";
  std::vector<std::string> files = LibrariesOf(program, ReadRocksDBSymbols(program).loader);
  files.insert(files.begin(), program);
  std::vector<CarriedRocksDB> all;
  std::set<std::string> seen;
  for (const std::string& file : files) {
    std::error_code code;
    const fs::path real = fs::canonical(file, code);
    if (!seen.insert(code ? file : real.string()).second) continue;
    CarriedRocksDB carried = LookAt(file, file == program, plugins);
    if (!carried.file.empty()) all.push_back(std::move(carried));
  }
  return all;
}

}  // namespace winnow::inspect
