#include "tools/winnow/adopt/rocksdb_version.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <link.h>

#include <algorithm>
#include <vector>

#include "src/text/printable.h"
#include "src/workers/command.h"

namespace winnow::inspect {
namespace {

// Entry point of the small program in src/preload/adopted/version_teller.cc.
constexpr char kBegin[] = "winnow_tell_rocksdb_version";
constexpr char kFunction[] = "GetRocksVersionAsString";

// This program's dynamic loader and C++ libraries, which the small program uses as well.
struct Libraries {
  std::string loader;
  std::vector<std::string> paths;
};

int AddLibrary(dl_phdr_info* object, size_t, void* to) {
  auto& libraries = *static_cast<Libraries*>(to);
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type == PT_INTERP && libraries.loader.empty()) {
      libraries.loader = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);
    }
  }
  const std::string path = object->dlpi_name;
  for (const char* name : {"/libstdc++.so", "/libgcc_s.so", "/libm.so", "/libc.so"}) {
    if (absl::StrContains(path, name)) libraries.paths.push_back(path);
  }
  return 0;
}

const Symbol* VersionFunction(const Member& member) {
  const auto found =
      std::find_if(member.symbols.begin(), member.symbols.end(), [](const Symbol& symbol) {
        return symbol.is_defined && absl::StrContains(symbol.name, kFunction);
      });
  return found == member.symbols.end() ? nullptr : &*found;
}

}  // namespace

bool IsVersionTeller(const Member& member) { return member.Defines(kBegin); }

std::string TellVersion(const Archive& archive, const Archive& ours, const std::string& folder,
                        std::string* reason) {
  const auto has_function = [](const Member& member) { return VersionFunction(member) != nullptr; };
  const auto theirs = std::find_if(archive.members.begin(), archive.members.end(), has_function);
  const auto teller = std::find_if(ours.members.begin(), ours.members.end(), IsVersionTeller);
  if (theirs == archive.members.end() || teller == ours.members.end()) {
    *reason = absl::StrCat("has no function ", kFunction,
                           ", by which the version of RocksDB is told. Expected an archive of all "
                           "of RocksDB, 7.1 or later");
    return std::string();
  }
  Libraries libraries;
  dl_iterate_phdr(AddLibrary, &libraries);
  const std::string program = absl::StrCat(folder, "/tell_version");
  const std::string begin = absl::StrCat(folder, "/version_teller.o");
  const std::string function = absl::StrCat(folder, "/version_function.o");
  if (!WriteBytes(begin, teller->bytes) || !WriteBytes(function, theirs->bytes)) {
    *reason = absl::StrCat("can't be asked for its version: ", folder, " can't be written to");
    return std::string();
  }
  // The function's object file is linked without the rest of RocksDB, which is not called.
  std::vector<std::string> link = {"ld",
                                   "-o",
                                   program,
                                   "-e",
                                   kBegin,
                                   absl::StrCat("--dynamic-linker=", libraries.loader),
                                   "--unresolved-symbols=ignore-all",
                                   "--defsym=__dso_handle=0",
                                   "-z",
                                   "lazy",
                                   "-z",
                                   "noexecstack",
                                   begin,
                                   function};
  link.insert(link.end(), libraries.paths.begin(), libraries.paths.end());
  link.push_back(libraries.loader);  // has __stack_chk_guard on some machines
  CommandResult result = RunCommand(link);
  if (result.ok()) result = RunCommand({program});
  const std::string version(absl::StripAsciiWhitespace(result.output));
  if (!result.ok() || version.empty() ||
      !absl::ascii_isdigit(static_cast<unsigned char>(version[0]))) {
    *reason = absl::StrCat(
        "does not tell its version: a program with its ", kFunction, " (",
        Printable(std::string(theirs->name)),
        ") does not link or run, and one that runs on this machine is expected. Said was: ",
        Printable(version));
    return std::string();
  }
  return version;
}

}  // namespace winnow::inspect
