#include "tools/winnow/run/program_file.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "src/text/printable.h"
#include "tools/winnow/run/dropped_preload.h"
#include "tools/winnow/run/mapped_file.h"
#include "tools/winnow/run/program_rights.h"
#include "tools/winnow/run/script_line.h"

// The ELF header of this program, a symbol that the linker defines.
extern "C" const ElfW(Ehdr) __ehdr_start [[gnu::visibility("hidden")]];

namespace winnow::inspect {
namespace {

namespace fs = std::filesystem;

// Runs files that execve() refuses with ENOEXEC, as in execvp().
constexpr char kShell[] = "/bin/sh";
constexpr size_t kMaxScripts = 5;  // as many as Linux allows

struct ElfFile {
  ElfW(Ehdr) header = {};
  bool has_header = false;
  bool is_whole = false;  // a program whose program headers lie in the file
  std::string loader;     // PT_INTERP, or empty
};

// Reads the headers of an ELF file. Only `header` and `has_header` are valid for another class or
// byte order.
ElfFile ReadElf(absl::string_view bytes) {
  ElfFile elf;
  elf.has_header = bytes.size() >= sizeof elf.header;
  if (!elf.has_header) return elf;
  std::memcpy(&elf.header, bytes.data(), sizeof elf.header);
  if (elf.header.e_phentsize != sizeof(ElfW(Phdr))) return elf;
  const uint64_t size = uint64_t{elf.header.e_phnum} * sizeof(ElfW(Phdr));
  const auto parts = Entries<ElfW(Phdr)>(bytes, elf.header.e_phoff, size);
  for (const ElfW(Phdr) & part : parts) {
    if (part.p_type != PT_INTERP || part.p_filesz == 0 || part.p_filesz > PATH_MAX) continue;
    elf.loader = std::string(NameAt(bytes, part.p_offset).substr(0, part.p_filesz));
  }
  elf.is_whole = parts.size() == elf.header.e_phnum &&
                 (elf.header.e_type == ET_EXEC || elf.header.e_type == ET_DYN);
  return elf;
}

bool IsElf(absl::string_view head) {
  return absl::StartsWith(head, absl::string_view(ELFMAG, SELFMAG));
}

// Returns this program's headers from memory, since /proc may be unavailable.
const ElfFile& OwnElf() {
  static const auto* const own = [] {
    auto* const elf = new ElfFile;
    elf->header = __ehdr_start;
    elf->has_header = elf->is_whole = true;
    // The first entry of dl_iterate_phdr() is the program.
    dl_iterate_phdr(
        [](dl_phdr_info* program, size_t, void* loader) {
          for (int i = 0; i < program->dlpi_phnum; ++i) {
            const ElfW(Phdr)& part = program->dlpi_phdr[i];
            if (part.p_type != PT_INTERP) continue;
            *static_cast<std::string*>(loader) =
                reinterpret_cast<const char*>(program->dlpi_addr + part.p_vaddr);
          }
          return 1;
        },
        &elf->loader);
    return elf;
  }();
  return *own;
}

std::string MachineOf(const ElfFile& elf) {
  const struct {
    unsigned machine;
    absl::string_view name;
  } names[] = {{EM_386, "i386"},           {EM_X86_64, "x86-64"}, {EM_ARM, "32-bit ARM"},
               {EM_AARCH64, "64-bit ARM"}, {EM_S390, "s390"},     {EM_PPC64, "64-bit PowerPC"},
               {EM_RISCV, "RISC-V"}};
  const bool is_swapped = elf.header.e_ident[EI_DATA] != OwnElf().header.e_ident[EI_DATA];
  const unsigned number = elf.header.e_machine;
  const unsigned machine = is_swapped ? (number & 0xFF) << 8 | number >> 8 : number;
  const char* const bits = elf.header.e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64";
  for (const auto& [known, name] : names) {
    if (known == machine) return absl::StrCat(name, ", ELF of ", bits, " bits");
  }
  return absl::StrCat("ELF's machine ", machine, " of ", bits, " bits");
}

bool IsForThisMachine(const ElfFile& elf) {
  const ElfW(Ehdr)& own = OwnElf().header;
  return elf.header.e_ident[EI_CLASS] == own.e_ident[EI_CLASS] &&
         elf.header.e_ident[EI_DATA] == own.e_ident[EI_DATA] &&
         elf.header.e_machine == own.e_machine;
}

// Returns true if both loaders have one file name or are one file. A second C library in its own
// folder has a loader of the same name.
bool IsSameLoader(const std::string& one, const std::string& other) {
  std::error_code code;
  return fs::path(one).filename() == fs::path(other).filename() || fs::equivalent(one, other, code);
}

// Returns the rest of a sentence that begins with the file's name if the loader can't run the
// program or preload the library into it, else an empty string.
std::string WhyNotPreloaded(const std::string& path, absl::string_view bytes, bool* is_missing) {
  const ElfFile elf = ReadElf(bytes);
  if (elf.has_header && !IsForThisMachine(elf)) {
    return absl::StrCat(" is a program for another machine (", MachineOf(elf),
                        "), in which this machine's library (", MachineOf(OwnElf()),
                        ") is ignored. A Winnow that is built for that machine is needed");
  }
  if (!elf.is_whole) {
    return " is an ELF file, but no program: it is an object file or is damaged. Expected a "
           "program "
           "or a script";
  }
  std::error_code code;
  if (elf.loader.empty() && !fs::equivalent(path, OwnElf().loader, code)) {
    return " is linked statically (it has no PT_INTERP): it has no loader, which alone preloads "
           "libraries. If it has RocksDB inside, build that with Winnow, as docs/in-tree.md says";
  }
  if (!elf.loader.empty() && !IsSameLoader(elf.loader, OwnElf().loader)) {
    return absl::StrCat(" is for another C library: its loader is ", elf.loader, ", and that of ",
                        "this Winnow's libraries is ", OwnElf().loader,
                        ". A Winnow that is built with that C library is needed");
  }
  if (!elf.loader.empty() && !fs::exists(elf.loader, code)) {
    *is_missing = true;
    return absl::StrCat(" needs the loader ", elf.loader,
                        ", which is not there. Install the C library that has it");
  }
  return WhyOnGuard(path);
}

enum class Access { kMissing, kFolder, kNotExecutable, kExecutable };

Access AccessTo(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) {
    return errno == EACCES ? Access::kNotExecutable : Access::kMissing;
  }
  if (S_ISDIR(status.st_mode)) return Access::kFolder;
  return S_ISREG(status.st_mode) && faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0
             ? Access::kExecutable
             : Access::kNotExecutable;
}

// Returns the search path of execvp().
std::string SearchPath() {
  if (const char* const path = std::getenv("PATH")) return path;
  std::string path(confstr(_CS_PATH, nullptr, 0), '\0');
  confstr(_CS_PATH, path.data(), path.size());
  path.resize(std::strlen(path.c_str()));
  return path;
}

// Returns the first executable file of this name in PATH, or else one that is not executable, or an
// empty string.
std::string InPath(const std::string& name) {
  if (absl::StrContains(name, '/') || name.empty()) return name;
  std::string other;
  for (const absl::string_view folder : absl::StrSplit(SearchPath(), ':')) {
    const std::string path =
        folder.empty() ? absl::StrCat("./", name) : absl::StrCat(folder, "/", name);
    const Access access = AccessTo(path);
    if (access == Access::kExecutable) return path;
    if (access != Access::kMissing && other.empty()) other = path;
  }
  return other;
}

// Returns the rest of a sentence if the file can't be executed, else an empty string.
std::string WhyNotExecuted(const std::string& file, bool is_interpreter, bool* is_missing) {
  const char* const advice =
      is_interpreter ? "the first line of a script names one" : "give the path of one";
  switch (AccessTo(file)) {
    case Access::kMissing:
      *is_missing = true;
      return absl::StrCat(" is not there. Expected a program: ", advice);
    case Access::kFolder:
      return absl::StrCat(" is a folder. Expected a program: ", advice);
    case Access::kNotExecutable:
      return " may not be executed by this user. Expected a program: chmod +x makes it one";
    case Access::kExecutable:
      break;
  }
  return std::string();
}

std::string NotInPath(const std::string& name) {
  return absl::StrCat("there is no program '", Printable(name),
                      "' in PATH. Expected the name of one, or its path");
}

// Follows the chain of interpreters, beginning with the program.
class Follower {
 public:
  Follower(std::string path, std::vector<std::string> arguments)
      : arguments_(std::move(arguments)) {
    program_.path = std::move(path);
  }

  ProgramFile Follow() && {
    while (Step()) {
    }
    return std::move(program_);
  }

 private:
  // Examines the last file. Returns false at the end of the chain.
  bool Step() {
    const std::string file = Last();
    if (const std::string why =
            WhyNotExecuted(file, /*is_interpreter=*/!script_.empty(), &program_.is_missing);
        !why.empty()) {
      return Refuse(why);
    }
    const std::string behind = WinnowBehind(fs::path(file).filename().string(), arguments_);
    if (!behind.empty()) {
      return Refuse(absl::StrCat(
          " does not pass LD_PRELOAD and WINNOW_POLICY on to what it starts. Let it start winnow: ",
          behind));
    }
    const MappedFile mapped(file);
    if (!mapped.error().empty()) {
      program_.unknown = absl::StrCat(
          Subject(), " can't be read (", mapped.error(),
          "), so that it is not known whether Winnow will be in force: with --log it says so "
          "itself");
      return Refuse(WhyOnGuard(file));
    }
    const absl::string_view bytes = mapped.bytes();
    if (IsElf(bytes)) return Refuse(WhyNotPreloaded(file, bytes, &program_.is_missing));
    const std::optional<FirstLine> line = FirstLineOf(bytes.substr(0, kLineBytes));
    return StepToInterpreter(file, line.value_or(FirstLine{kShell, ""}));
  }

  bool StepToInterpreter(const std::string& script, const FirstLine& line) {
    if (program_.interpreters.size() == kMaxScripts) {
      return Refuse(" is a script in its turn, which is one too many. Name the program itself");
    }
    script_ = script;
    arguments_ = {line.argument};  // Linux passes the rest of the line as one argument
    program_.interpreters.push_back(line.interpreter);
    return true;
  }

  // Returns the file's name as the subject of a sentence, with the script that it reads.
  std::string Subject() const {
    const std::string last = Printable(Last());
    return script_.empty() ? last
                           : absl::StrCat(last, ", which ", Printable(script_), " is read by,");
  }

  // Returns false.
  bool Refuse(const std::string& why) {
    if (!why.empty()) program_.problem = Subject() + why;
    return false;
  }

  const std::string& Last() const {
    return program_.interpreters.empty() ? program_.path : program_.interpreters.back();
  }

  ProgramFile program_;
  std::vector<std::string> arguments_;  // of the last file
  std::string script_;                  // the script that the last file reads, or empty
};

}  // namespace

ProgramFile FindProgram(const std::vector<std::string>& command) {
  const std::string& name = command.front();
  const std::string path = InPath(name);
  if (!path.empty()) return Follower(path, {command.begin() + 1, command.end()}).Follow();
  ProgramFile none;
  none.is_missing = true;
  none.problem = NotInPath(name);
  return none;
}

}  // namespace winnow::inspect
