#include "tools/winnow/adopt/adoption.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "src/cli/interruption.h"
#include "src/text/printable.h"
#include "src/workers/command.h"
#include "tools/winnow/adopt/archive.h"
#include "tools/winnow/adopt/binutils.h"
#include "tools/winnow/adopt/policy_names.h"
#include "tools/winnow/adopt/refusals.h"
#include "tools/winnow/adopt/rocksdb_version.h"
#include "winnow/version.h"

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

// A temporary folder, removed with its files by the destructor.
class WorkFolder {
 public:
  WorkFolder() {
    std::error_code code;
    const fs::path above = fs::temp_directory_path(code);
    path_ = ((code ? fs::path("/tmp") : above) / "winnow_adopt_XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~WorkFolder() {
    std::error_code code;
    if (!path_.empty()) fs::remove_all(path_, code);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  // Path of the folder; empty if it could not be created.
  const std::string& path() const { return path_; }
  std::string File(absl::string_view name) const { return absl::StrCat(path_, "/", name); }

 private:
  std::string path_;
};

// ---- Winnow's archive

// Variable in src/preload/adopted/facts.h.
constexpr char kSeesSetOptions[] = "winnow_adopted_sees_set_options";

// Returns the path of libwinnow_adopted.a in the build tree or installation of this program, or an
// empty string if there is none.
std::string FindOurs() {
  std::error_code code;
  const fs::path folder = fs::read_symlink("/proc/self/exe", code).parent_path();
  for (const char* libraries : {"lib", WINNOW_LIBRARY_FOLDER}) {
    const fs::path path = folder / ".." / libraries / "winnow" / WINNOW_ADOPTED_NAME;
    if (access(path.c_str(), R_OK) == 0) return fs::weakly_canonical(path, code).string();
  }
  return std::string();
}

// Returns RocksDB's functions that Winnow replaces, by their mangled names, each with the new name
// by which Winnow's object files call the original.
std::map<std::string, std::string> StockNames(const Archive& ours) {
  std::map<std::string, std::string> names;
  for (const Member& member : ours.members) {
    for (const Symbol& symbol : member.symbols) {
      const std::string own = symbol.is_defined ? std::string() : OwnName(symbol.name);
      if (!own.empty()) names.emplace(own, std::string(symbol.name));
    }
  }
  return names;
}

// ---- Making the copy

// Runs the command. Returns an empty string, or an error message with the command's output if the
// command fails.
std::string WhyFailed(const std::vector<std::string>& words) {
  const CommandResult result = RunCommand(words);
  if (result.ok()) return std::string();
  return absl::StrCat(words.front(),
                      " failed: ", Printable(std::string(absl::StripSuffix(result.output, "\n"))));
}

// Returns a file name for one of Winnow's object files that is not in *taken, and adds the name to
// *taken.
std::string NewName(absl::string_view name, std::set<std::string>* taken) {
  std::string made = absl::StrCat("winnow_", name);
  for (int i = 2; !taken->insert(made).second; ++i) made = absl::StrCat("winnow_", i, "_", name);
  return made;
}

// Functions of one object file that are renamed: pairs of old and new mangled name.
using Renamed = std::vector<std::pair<std::string, std::string>>;

// Writes `object` to the file at `path` and renames functions in it. References from the same
// object file to functions that make policies are renamed too, so they keep calling RocksDB's, as
// in RocksDB's own tree. All other functions keep their old names in references, above all in
// vtables, so that even their own object file calls Winnow's. The old name is left undefined: a
// weak definition would satisfy references, and the linker would not take Winnow's object files
// from the archive. Returns an error message, or an empty string.
std::string Rename(const std::string& path, std::string object, const Renamed& renamed) {
  std::vector<std::string> command = {"objcopy"};
  for (const auto& [own, stock] : renamed) {
    const std::optional<Place> place = FindSymbol(object, own);
    if (!place || (!IsPolicyName(own) && !place->is_one_of_name)) {
      return absl::StrCat("no place is found for ", Demangled(own), " in ", path);
    }
    command.push_back(IsPolicyName(own)
                          ? absl::StrCat("--redefine-sym=", own, "=", stock)
                          : absl::StrCat("--add-symbol=", stock, "=", place->section, ":",
                                         place->value, place->is_weak ? ",weak" : ",global",
                                         ",function"));
  }
  command.push_back(path);
  if (std::string failed =
          WriteBytes(path, object) ? WhyFailed(command) : absl::StrCat("can't write ", path);
      !failed.empty()) {
    return failed;
  }
  object = ReadBytes(path);
  for (const auto& [own, stock] : renamed) {
    if (IsPolicyName(own)) continue;
    const std::optional<Place> before = FindSymbol(object, own);
    const std::optional<Place> now = FindSymbol(object, stock);
    if (!before || !now || before->at != now->at || !MakeUndefined(own, &object)) {
      return absl::StrCat("objcopy did not give ", Demangled(own), " another name in ", path);
    }
  }
  return WriteBytes(path, object) ? std::string() : absl::StrCat("can't write ", path);
}

// Returns the bytes of one of Winnow's object files, with `sees_set_options` stored in its variable
// kSeesSetOptions; empty if the variable's place can't be found.
std::string BytesOfOurs(const Member& member, bool sees_set_options) {
  std::string bytes(member.bytes);
  if (!member.Defines(kSeesSetOptions)) return bytes;
  const std::optional<Place> place = FindSymbol(bytes, kSeesSetOptions);
  if (!place) return std::string();
  bytes[place->at] = sees_set_options ? 1 : 0;
  return bytes;
}

// Renames functions in the archive at `path`, a copy of the original, and adds Winnow's object
// files. Returns an error message, or an empty string.
std::string Change(const Archive& archive, const Archive& ours, const WorkFolder& folder,
                   const std::string& path, Adoption* adoption) {
  std::map<const Member*, Renamed> changes;
  // An inline function of a header has a weak definition in each object file that uses it, and the
  // linker takes any of them, so all are renamed.
  for (const auto& renamed : adoption->renamed) {
    for (const Member& member : archive.members) {
      if (member.Defines(renamed.first)) changes[&member].push_back(renamed);
    }
  }
  std::vector<std::string> add = {"ar", "q", path};
  std::set<std::string> taken;
  // Members of one name are replaced from the last to the first, so that the numbers of the earlier
  // ones stay valid.
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    const Member& member = *change->first;
    const std::string name(member.name);
    const std::string changed =
        folder.File(taken.insert(name).second ? name : NewName(name, &taken));
    if (std::string failed = Rename(changed, std::string(member.bytes), change->second);
        !failed.empty()) {
      return failed;
    }
    if (std::string failed = WhyFailed({"ar", "dN", std::to_string(member.number), path, name});
        !failed.empty()) {
      return failed;
    }
    add.push_back(changed);
    adoption->changed.push_back(name);
  }
  for (const Member& own : ours.members) {
    if (IsVersionTeller(own)) continue;
    add.push_back(folder.File(NewName(own.name, &taken)));
    const std::string bytes = BytesOfOurs(own, adoption->adds_policies);
    if (bytes.empty() || !WriteBytes(add.back(), bytes)) {
      return absl::StrCat("can't write ", add.back());
    }
    ++adoption->objects_added;
  }
  if (std::string failed = WhyFailed(add); !failed.empty()) return failed;
  Archive made;
  ReadArchive(path, &made);
  for (const auto& [own, stock] : adoption->renamed) {
    const Member* const now = made.MemberThatDefines(own);
    if (now == nullptr || made.MemberThatDefines(stock) == nullptr ||
        !absl::StartsWith(now->name, "winnow_")) {
      return absl::StrCat("objcopy and ar left ", Demangled(own), " as it was");
    }
  }
  if (made.members.size() != archive.members.size() + adoption->objects_added) {
    return absl::StrCat("ar left ", made.members.size(), " object files");
  }
  adoption->bytes_after = made.content.size();
  return std::string();
}

// Returns true if Winnow's function receives all calls of SetOptions: the vtables of RocksDB's
// classes, and of classes in other object files that derive from DBImpl, then refer to the function
// by its symbol.
bool SeesSetOptions(const Archive& archive, const std::map<std::string, std::string>& names) {
  for (const auto& [own, stock] : names) {
    if (!absl::StrContains(own, "10SetOptions")) continue;
    const Member* const member = archive.MemberThatDefines(own);
    return member != nullptr && IsReachedByNameAlone(member->bytes, own, TableOfClass(own));
  }
  return false;
}

std::string Copy(const Archive& archive, const Archive& ours, const WorkFolder& folder,
                 const std::string& output, Adoption* adoption) {
  const std::string path = absl::StrCat(output, ".", getpid(), ".unfinished");
  cli::UnfinishedFile unfinished(path);
  if (!WriteBytes(path, archive.content)) {
    return absl::StrCat("can't write ", Printable(path), ": ", std::strerror(errno));
  }
  std::string failed = Change(archive, ours, folder, path, adoption);
  if (!failed.empty()) return failed;
  // link() fails if another process has created the file meanwhile; rename() would replace it.
  if (link(path.c_str(), output.c_str()) != 0) {
    return absl::StrCat("can't make ", Printable(output), ": ", std::strerror(errno));
  }
  return std::string();
}

// Returns the libraries that define undefined symbols of RocksDB, by the prefixes of the symbols.
std::vector<std::string> LibrariesOf(const Archive& archive) {
  constexpr std::pair<absl::string_view, const char*> kKnown[] = {
      {"BZ2_", "bz2"},          {"LZ4_", "lz4"},          {"ZSTD_", "zstd"},
      {"_ZN6google", "gflags"}, {"_ZN6gflags", "gflags"}, {"_ZN6snappy", "snappy"},
      {"deflateInit", "z"},     {"io_uring_", "uring"},   {"numa_", "numa"},
      {"mallctl", "jemalloc"},  {"_ZN3tbb", "tbb"}};
  std::set<std::string> libraries;
  for (const Member& member : archive.members) {
    for (const Symbol& symbol : member.symbols) {
      for (const auto& [prefix, library] : kKnown) {
        if (!symbol.is_defined && !symbol.is_weak && absl::StartsWith(symbol.name, prefix)) {
          libraries.insert(library);
        }
      }
    }
  }
  return {libraries.begin(), libraries.end()};
}

}  // namespace

Adoption Adopt(const std::string& archive_path, const std::string& output) {
  Adoption adoption;
  const auto fail = [&adoption](std::string problem) {
    adoption.problem = std::move(problem);
    return std::move(adoption);
  };
  const std::vector<std::string> missing = MissingPrograms({"ar", "ld", "objcopy"});
  if (!missing.empty()) {
    return fail(absl::StrCat("there is no ", absl::StrJoin(missing, ", "),
                             " in PATH, and winnow adopt runs the programs of binutils: install "
                             "the package binutils"));
  }
  const std::string ours_path = FindOurs();
  if (ours_path.empty()) {
    return fail(
        "there is no " WINNOW_ADOPTED_NAME
        " beside this program, in the folder winnow of its libraries, which has the object files "
        "that are put into archives. The package libwinnow-rocksdb-dev has it; in a build folder, "
        "build the target winnow_adopted");
  }
  Archive ours;
  ReadArchive(ours_path, &ours);
  const std::map<std::string, std::string> names = StockNames(ours);
  if (!ours.problem.empty() || PolicyNames(names).empty()) {
    return fail(absl::StrCat(ours_path, " is not what this Winnow needs. Install Winnow anew"));
  }
  Archive archive;
  ReadArchive(archive_path, &archive);
  adoption.bytes_before = archive.content.size();
  adoption.is_refused = !archive.content.empty();
  const auto refuse = [&](const std::string& why) {
    return fail(absl::StrCat(Printable(archive_path), " ", why));
  };
  if (!archive.problem.empty()) return refuse(archive.problem);
  if (std::string why = WhyRefused(archive, names); !why.empty()) return refuse(why);
  const WorkFolder folder;
  if (folder.path().empty()) {
    adoption.is_refused = false;
    return fail(absl::StrCat("can't make a folder for temporary files: ", std::strerror(errno)));
  }
  std::string reason;
  adoption.rocksdb = TellVersion(archive, ours, folder.path(), &reason);
  if (adoption.rocksdb.empty()) return refuse(reason);
  if (std::string why = WhyVersionIsRefused(archive, ours, names, adoption.rocksdb); !why.empty()) {
    return refuse(why);
  }
  adoption.is_refused = false;
  adoption.renamed.assign(names.begin(), names.end());
  adoption.libraries = LibrariesOf(archive);
  adoption.adds_policies = SeesSetOptions(archive, names);
  adoption.problem = Copy(archive, ours, folder, output, &adoption);
  return adoption;
}

std::string PackageText(const Adoption& adoption, const std::string& archive,
                        const std::string& output) {
  const std::string name = fs::path(output).filename().string();
  const bool is_plain = absl::StartsWith(name, "lib") && absl::EndsWith(name, ".a");
  std::string flags;
  std::error_code code;
  const fs::path folder = fs::weakly_canonical(archive, code).parent_path();
  for (const fs::path& prefix :
       {folder, folder.parent_path(), folder.parent_path().parent_path()}) {
    const fs::path headers = prefix / "include";
    // Given also if the compiler searches the folder by default: Rust's build scripts read the
    // flag.
    if (flags.empty() && fs::exists(headers / "rocksdb" / "version.h", code)) {
      flags = absl::StrCat("Cflags: -I", headers.string(), "\n");
    }
  }
  std::string text = absl::StrCat(
      "# RocksDB with Winnow inside, made by winnow adopt.\n"
      "libdir=${pcfiledir}\n\n"
      "Name: rocksdb\n"
      "Description: RocksDB ",
      adoption.rocksdb, " with Winnow ", Version(), " inside\nVersion: ", adoption.rocksdb,
      "\nLibs: -L${libdir} ",
      is_plain ? absl::StrCat("-l", name.substr(3, name.size() - 5)) : absl::StrCat("-l:", name));
  for (const std::string& library : adoption.libraries) absl::StrAppend(&text, " -l", library);
  absl::StrAppend(&text, " -lstdc++ -lm -ldl -lpthread\n", flags);
  return text;
}

}  // namespace winnow::inspect
