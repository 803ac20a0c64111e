// The run-time bound plugin, with libraries that contain a RocksDB: renamed copies of this build's,
// so that they are not the shared RocksDB that the plugin next to the preloaded library is for.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <rocksdb/version.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/preload/traces.h"
#include "tests/support/child_process.h"
#include "tests/support/database_files.h"
#include "tests/support/files.h"

namespace winnow {
namespace {

using testing::AllAreWinnows;
using ::testing::AllOf;
using ::testing::AnyOf;
using testing::ChildResult;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KindsOfFilters;
using testing::LinesThatBegin;
using testing::NewestOptionsFile;
using ::testing::Not;
using testing::ReadFile;
using testing::RunProgram;
using testing::TemporaryFolder;
using testing::Traces;
using testing::TracesOf;
using testing::WriteFile;
using Kinds = std::map<std::string, int>;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

constexpr int kKeys = 100'000;
// Number of keys if the resulting files are compared byte by byte.
constexpr int kFewKeys = 10'000;

const Words kPolicies = {"bloom:10", "ribbon:10:0", "string:filter_policy=bloomfilter:10",
                         "string:filter_policy=ribbonfilter:12:3"};
const Words kWinnow = {"WINNOW_POLICY=winnow:10", "WINNOW_LOG=1"};

Words Joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void ReplaceAll(std::string* bytes, const std::string& from, const std::string& to) {
  EXPECT_EQ(from.size(), to.size());
  for (size_t at = bytes->find(from); at != std::string::npos; at = bytes->find(from, at + 1)) {
    bytes->replace(at, from.size(), to);
  }
}

// Returns the path of this build's RocksDB.
std::string OwnRocksDB() {
  Dl_info known{};
  std::string (*const function)(bool) = &rocksdb::GetRocksVersionAsString;
  EXPECT_NE(::dladdr(reinterpret_cast<void*>(function), &known), 0);
  return fs::canonical(known.dli_fname);
}

// Returns the path of the loaded library whose path contains `name`; empty if none is loaded.
std::string PathOfLoaded(const std::string& name) {
  struct Search {
    const std::string& name;
    std::string path;
  } search{name, ""};
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* context) {
        auto& found = *static_cast<Search*>(context);
        if (std::strstr(object->dlpi_name, found.name.c_str()) == nullptr) return 0;
        found.path = object->dlpi_name;
        return 1;
      },
      &search);
  return search.path;
}

struct Change {
  std::string from;
  std::string to;
};

// Calls `change` for each dynamic symbol whose name begins with `beginning`. Returns their number.
int ChangeSymbols(std::string* library, const std::string& beginning,
                  const std::function<void(Elf64_Sym* symbol)>& change) {
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(library->data());
  const auto* const sections =
      reinterpret_cast<const Elf64_Shdr*>(library->data() + header->e_shoff);
  int changed = 0;
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM) continue;
    const char* const names = library->data() + sections[sections[i].sh_link].sh_offset;
    auto* const symbols = reinterpret_cast<Elf64_Sym*>(library->data() + sections[i].sh_offset);
    for (size_t s = 0; s < sections[i].sh_size / sizeof *symbols; ++s) {
      if (std::strncmp(names + symbols[s].st_name, beginning.c_str(), beginning.size()) != 0) {
        continue;
      }
      change(symbols + s);
      ++changed;
    }
  }
  return changed;
}

// Makes the symbol local: only the library itself finds it.
void Hide(Elf64_Sym* symbol) {
  symbol->st_info = static_cast<unsigned char>(ELF64_ST_INFO(STB_LOCAL, symbol->st_info & 15));
}

// Makes a unique symbol weak, so that the dynamic linker can unload the library.
void Unpin(Elf64_Sym* symbol) {
  if (ELF64_ST_BIND(symbol->st_info) == STB_GNU_UNIQUE) {
    symbol->st_info = static_cast<unsigned char>(ELF64_ST_INFO(STB_WEAK, symbol->st_info & 15));
  }
}

void Enlarge(Elf64_Sym* symbol) { symbol->st_size += sizeof(void*); }

#if defined(__x86_64__)
// Returns the file offset of the code or data at this address.
size_t PlaceOf(const std::string& library, size_t address) {
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(library.data());
  const auto* const parts = reinterpret_cast<const Elf64_Phdr*>(library.data() + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    if (parts[i].p_type == PT_LOAD && address - parts[i].p_vaddr < parts[i].p_filesz) {
      return address - parts[i].p_vaddr + parts[i].p_offset;
    }
  }
  return std::string::npos;
}

// Patches GetRocksVersionAsString to return `version`, at most seven characters.
void SetVersion(std::string* library, const std::string& version) {
  std::string text = version;
  text.resize(8);
  const std::string code = std::string(
                               "\x48\x89\xf8"         // mov rax, rdi
                               "\x48\x8d\x57\x10"     // lea rdx, [rdi + 16]
                               "\x48\x89\x17"         // mov [rdi], rdx
                               "\x48\xc7\x47\x08") +  // mov qword [rdi + 8], size
                           std::string(1, static_cast<char>(version.size())) +
                           std::string(3, '\0') + "\x48\xba" + text +  // mov rdx, text
                           "\x48\x89\x57\x10"                          // mov [rdi + 16], rdx
                           "\xc3";                                     // ret
  const auto change = [&](Elf64_Sym* symbol) {
    ASSERT_GE(symbol->st_size, code.size());
    library->replace(PlaceOf(*library, symbol->st_value), code.size(), code);
  };
  EXPECT_EQ(ChangeSymbols(library, "_ZN7rocksdb23GetRocksVersionAsString", change), 1);
}
#endif

class BoundTest : public ::testing::Test {
 protected:
  // Returns a library that contains a RocksDB, which is changed by `changes`.
  std::string Carrier(const std::string& name, const std::vector<Change>& changes = {},
                      const std::string& carrier = CARRIER) {
    std::string rocksdb = ReadFile(OwnRocksDB());
    for (const Change& change : changes) ReplaceAll(&rocksdb, change.from, change.to);
    return WriteCarrier(name, std::move(rocksdb), carrier);
  }

  std::string WriteCarrier(const std::string& name, std::string rocksdb,
                           const std::string& carrier = CARRIER) {
    EXPECT_EQ(name.size(), std::strlen("rocksdb")) << name;
    std::string library = ReadFile(carrier);
    ChangeSymbols(&library, "_Z", Unpin);
    ReplaceAll(&rocksdb, "librocksdb.so", "lib" + name + ".so");
    ReplaceAll(&library, "librocksdb.so", "lib" + name + ".so");
    const std::string soname = ROCKSDB_SONAME;
    WriteFile(folder_ / ("lib" + name + soname.substr(std::strlen("librocksdb"))), rocksdb);
    const std::string path = folder_ / ("carrier_" + name + ".so");
    WriteFile(path, library);
    return path;
  }

  // Makes a RocksDB that can share a process with another copy: it has no unique symbols, and its
  // own copy of gflags, whose flags Debian's RocksDB registers once per library.
  std::string SetApart(std::string rocksdb) {
    ChangeSymbols(&rocksdb, "_Z", Unpin);
    ReplaceAll(&rocksdb, "libgflags.so", "libgflagt.so");
    const std::string flags = PathOfLoaded("libgflags.so");
    if (!flags.empty()) {
      std::string copy = ReadFile(flags);
      ReplaceAll(&copy, "libgflags.so", "libgflagt.so");
      WriteFile(folder_ / ("libgflagt" + flags.substr(flags.find(".so"))), copy);
    }
    return rocksdb;
  }

  ChildResult Run(const Words& arguments, const Words& environment) {
    return RunProgram(Joined({CARRIER_HOST}, arguments),
                      Joined({"LD_LIBRARY_PATH=" + folder_.path()}, environment));
  }
  ChildResult RunPreloaded(const Words& arguments, const Words& environment,
                           const std::string& library = BOUND_PRELOAD) {
    return Run(arguments, Joined({"LD_PRELOAD=" + library}, environment));
  }
  // Returns what a program writes to stderr, which is a pipe.
  std::string ErrorsIntoPipe(const Words& arguments, const Words& environment) {
    return RunProgram(
               Joined({"sh", "-c", "\"$@\" 2>&1 >/dev/null | cat", "sh", CARRIER_HOST}, arguments),
               Joined({"LD_LIBRARY_PATH=" + folder_.path(), "LD_PRELOAD=" BOUND_PRELOAD},
                      environment))
        .output;
  }
  Words Client(const std::string& carrier, const std::string& what, const std::string& policy,
               int keys = kKeys) {
    return {carrier, what, database_, policy, std::to_string(keys)};
  }
  // Returns `arguments` and then those of a client that writes the database, and of one that reads.
  Words ThenWriteAndRead(const Words& arguments, const std::string& carrier) {
    const Words write = Joined({"then"}, Client(carrier, "write", "bloom:10", kFewKeys));
    const Words read = Joined({"then"}, Client(carrier, "read", "bloom:10", kFewKeys));
    return Joined(arguments, Joined(write, read));
  }

  // Expects that the RocksDB is refused and that the program runs as without Winnow. Returns
  // stderr.
  std::string Refusal(const std::string& carrier) {
    const ChildResult run = RunPreloaded(Client(carrier, "write", "bloom:10", kFewKeys), kWinnow);
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_THAT(KindsOfFilters(database_), ElementsAre(::testing::Pair("built-in bloom", 2)));
    const Words lines = LinesThatBegin(run.errors, "winnow: ");
    EXPECT_EQ(lines.size(), 1U) << run.errors;
    return run.errors;
  }

  const std::string& database() const { return database_; }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
  const std::string database_ = folder_ / "db";
};

TEST_F(BoundTest, FindsAllKeysByWinnowsFiltersAndWithoutWinnowToo) {
  const std::string carrier = Carrier("carried");
  for (const std::string& policy : kPolicies) {
    const ChildResult written = RunPreloaded(Client(carrier, "write", policy), kWinnow);
    EXPECT_EQ(written.status, 0) << written.errors;
    EXPECT_THAT(written.errors,
                AllOf(HasSubstr("winnow: in force in "),
                      HasSubstr("; bound to the RocksDB inside " + (folder() / "libcarried"))));
    EXPECT_TRUE(AllAreWinnows(KindsOfFilters(database()))) << policy;
    const ChildResult read = RunPreloaded(Client(carrier, "read", policy), kWinnow);
    EXPECT_THAT(read.output, HasSubstr("missing=0 invented=0")) << read.errors;
    // Winnow's filters were used: without them a hundred times as many blocks are read.
    EXPECT_THAT(read.output, Not(HasSubstr("useful=0 "))) << policy;
    const ChildResult plain = Run(Client(carrier, "read", policy), {});
    EXPECT_THAT(plain.output, HasSubstr("missing=0 invented=0 newer=0 useful=0 ")) << plain.errors;
  }
}

TEST_F(BoundTest, FollowsColumnFamiliesTransactionsAndSetOptions) {
  const std::string carrier = Carrier("carried");
  for (const std::string how : {"families@", "transaction@", "optimistic@", "ttl@"}) {
    const Words environment = {"WINNOW_POLICY=winnow:10", "WINNOW_ADD=1"};
    for (const std::string what : {"write", "read"}) {
      const ChildResult run = RunPreloaded(
          {carrier, what, how + database(), "bloom:10", std::to_string(kFewKeys)}, environment);
      EXPECT_EQ(run.status, 0) << how << what << run.errors;
      if (what == "read") {
        EXPECT_THAT(run.output, HasSubstr("missing=0 invented=0"));
      }
    }
    EXPECT_TRUE(AllAreWinnows(KindsOfFilters(database()))) << how;
  }
  // The output equals that of a program with the shared RocksDB and this preloaded library.
  const ChildResult bound = RunPreloaded(Client(carrier, "prefixes", "none", 100),
                                         {"WINNOW_POLICY=winnow:10", "WINNOW_ADD=1"});
  EXPECT_EQ(bound.status, 0) << bound.errors;
  EXPECT_EQ(bound.output, Run(Client(carrier, "prefixes", "none", 100), {}).output);
}

// A renamed copy of the shared library, which the program is linked with.
TEST_F(BoundTest, ReachesALibraryThatTheProgramIsLinkedWith) {
  const std::string client = Carrier("carried", {}, PRELOAD_CLIENT);
  fs::permissions(client, fs::perms::owner_all);
  const auto run = [&](const std::string& what, const Words& environment) {
    return RunProgram({client, what, database(), "bloom:10", std::to_string(kKeys)},
                      Joined({"LD_LIBRARY_PATH=" + folder().path()}, environment));
  };
  const Words preloaded = Joined(kWinnow, {"LD_PRELOAD=" BOUND_PRELOAD});
  const ChildResult written = run("write", preloaded);
  EXPECT_EQ(written.status, 0) << written.errors;
  EXPECT_THAT(written.errors,
              HasSubstr("; bound to the RocksDB inside " + (folder() / "libcarried")));
  EXPECT_EQ(KindsOfFilters(database()), (Kinds{{"winnow ribbon", 2}}));
  EXPECT_THAT(run("read", preloaded).output,
              AllOf(HasSubstr("missing=0 invented=0"), Not(HasSubstr("useful=0 "))));
  EXPECT_THAT(run("read", {}).output, HasSubstr("missing=0 invented=0"));
}

TEST_F(BoundTest, WithoutTheVariableOrByStockProgramsBuildTheirOwnFilters) {
  const std::string carrier = Carrier("carried");
  RunPreloaded(Client(carrier, "write", "bloom:10"), kWinnow);
  const ChildResult read = RunPreloaded(Client(carrier, "read", "bloom:10"), {});
  EXPECT_THAT(read.output, AllOf(HasSubstr("missing=0 invented=0"), Not(HasSubstr("useful=0 "))));
  for (const std::string& policy : kPolicies) {
    const Words write = Client(carrier, "write", policy, kFewKeys);
    const Traces plain = TracesOf(Run(write, {}), database());
    EXPECT_THAT(plain.filters, Not(IsEmpty()));
    for (const Words& environment : {Words{}, Words{"WINNOW_POLICY=stock"}}) {
      EXPECT_TRUE(TracesOf(RunPreloaded(write, environment), database()) == plain) << policy;
    }
  }
}

TEST_F(BoundTest, OptionsCanNameWinnow) {
  const std::string carrier = Carrier("carried");
  const ChildResult run =
      RunPreloaded(Client(carrier, "write", "string:filter_policy=winnow:10", kFewKeys),
                   {"WINNOW_POLICY=stock"});
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_EQ(run.errors, "");
  EXPECT_THAT(NewestOptionsFile(database()), HasSubstr("id=winnow"));
  EXPECT_TRUE(AllAreWinnows(KindsOfFilters(database())));
}

TEST_F(BoundTest, MemoryGoesByTheOperatorsOfTheHost) {
  const std::string carrier = Carrier("carried", {}, CARRIER_OWN_NEW);
  for (const std::string what : {"write", "read"}) {
    const ChildResult run = RunPreloaded(Client(carrier, what, "bloom:10"), kWinnow);
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_THAT(run.errors, HasSubstr("in force in "));
  }
}

TEST_F(BoundTest, ManyThreadsMayAskFirst) {
  const std::string carrier = Carrier("carried");
  for (int i = 0; i < 5; ++i) {
    const ChildResult run = RunPreloaded({carrier, "ask-in-threads"}, kWinnow);
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_EQ(LinesThatBegin(run.errors, "winnow: in force in ").size(), 1U) << run.errors;
    EXPECT_THAT(run.errors, Not(HasSubstr("not in force")));
  }
}

// The plugin still calls its host after the program has closed the host.
TEST_F(BoundTest, AHostStaysLoaded) {
  // RocksDB would stay loaded because of its unique symbols, and in a program without libstdc++
  // because libstdc++ uses some of its symbols.
  const std::string cxx = "libstdc++.so.6";
  std::string rocksdb = ReadFile(OwnRocksDB());
  EXPECT_GT(ChangeSymbols(&rocksdb, "_Z", Unpin), 0);
  const std::string carrier = WriteCarrier("carried", rocksdb);
  const Words arguments = ThenWriteAndRead({carrier, "ask-in-threads"}, carrier);
  const std::string library =
      "libcarried" + std::string(ROCKSDB_SONAME).substr(std::strlen("librocksdb"));
  const std::string unloads = "CARRIER_UNLOADS=" + library;
  EXPECT_THAT(Run(arguments, {"LD_PRELOAD=" + cxx, unloads}).output,
              HasSubstr(library + " gone\n"));
  const ChildResult run = RunPreloaded(
      arguments, {"WINNOW_POLICY=winnow:10", "WINNOW_LOG=1", unloads}, cxx + " " + BOUND_PRELOAD);
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_THAT(run.output, AllOf(HasSubstr("missing=0 invented=0"), Not(HasSubstr("useful=0 ")),
                                HasSubstr(library + " there\n"), Not(HasSubstr("gone"))));
  EXPECT_EQ(LinesThatBegin(run.errors, "winnow: built ").size(), 1U) << run.errors;
}

// Node closes stderr on exec. A regular file as descriptor 2 may be RocksDB's by then.
TEST_F(BoundTest, SpeaksOnAStderrThatIsClosedOnExecUnlessItIsAFile) {
  const Words environment = {"WINNOW_POLICY=winnow:10", "WINNOW_LOG=1", "CARRIER_CLOSES_ON_EXEC=1"};
  const Words client = Client(Carrier("carried"), "write", "bloom:10", kFewKeys);
  const std::string said = ErrorsIntoPipe(client, environment);
  EXPECT_EQ(LinesThatBegin(said, "winnow: in force in ").size(), 1U) << said;
  EXPECT_EQ(LinesThatBegin(said, "winnow: built ").size(), 1U) << said;
  EXPECT_EQ(RunPreloaded(client, environment).errors, "");
}

TEST_F(BoundTest, NeedsNothingOfRocksDBAndOfTheLibraryOfCxx) {
  const std::string needs = RunProgram({"readelf", "-drW", BOUND_PLUGIN}).output;
  // Static thread-local storage, which linkers for ARM do not mark as such.
  EXPECT_THAT(needs, AnyOf(HasSubstr("R_X86_64_TPOFF64"), HasSubstr("R_AARCH64_TLS_TPREL")));
  EXPECT_THAT(needs, AllOf(Not(HasSubstr("librocksdb")), Not(HasSubstr("libstdc++"))));
  const std::string symbols = RunProgram({"nm", "-D", BOUND_PLUGIN}).output;
  EXPECT_THAT(symbols,
              AllOf(HasSubstr(" T winnow_rocksdb_interposer"), Not(HasSubstr("7rocksdb"))));
}

// ---- Left alone

TEST_F(BoundTest, WithoutPluginsItIsLeftAloneAsBefore) {
  const std::string library = folder() / "libwinnow_preload.so";
  fs::copy_file(BOUND_PRELOAD, library);
  const std::string carrier = Carrier("carried");
  const Words write = Client(carrier, "write", "bloom:10", kFewKeys);
  const Traces plain = TracesOf(Run(write, {}), database());
  Traces preloaded =
      TracesOf(RunPreloaded(write, {"WINNOW_POLICY=winnow:10"}, library), database());
  EXPECT_THAT(preloaded.errors, HasSubstr(" is left alone: no plugin for it is installed\n"));
  preloaded.errors.clear();
  EXPECT_TRUE(preloaded == plain);
  const ChildResult run = RunPreloaded(write, kWinnow, library);
  EXPECT_THAT(run.errors, AllOf(HasSubstr("winnow: not in force in "),
                                HasSubstr(ROCKSDB_SONAME ", is not in this process; that of "),
                                HasSubstr("libcarried"), HasSubstr(" is left alone: no plugin")));
}

TEST_F(BoundTest, WithoutAPluginForTheVersionSaysHowToBuildOne) {
  const std::string library = folder() / "libwinnow_preload.so";
  fs::copy_file(BOUND_PRELOAD, library);
  fs::create_directories(folder() / "winnow/plugins/1.0");
  const Words write = Client(Carrier("carried"), "write", "bloom:10", kFewKeys);
  for (const Words& environment : {kWinnow, Words{"WINNOW_POLICY=winnow:10"}}) {
    const ChildResult run = RunPreloaded(write, environment, library);
    EXPECT_EQ(run.status, 0);
    EXPECT_THAT(run.errors,
                AllOf(HasSubstr("libcarried"), HasSubstr("there is no plugin for that version"),
                      HasSubstr("-DWINNOW_ROCKSDB_HEADERS=ROCKSDB/include && cmake --build")));
    EXPECT_EQ(KindsOfFilters(database()), (Kinds{{"built-in bloom", 2}}));
  }
  EXPECT_EQ(RunPreloaded(write, {}, library).errors, "");
}

// A table of virtual functions of another size has one that the headers don't know.
TEST_F(BoundTest, RefusesALibraryWhoseSymbolsAreHiddenOrOfAnotherSize) {
  const std::string needed = "_ZNK7rocksdb5Slice9DecodeHexEPNSt7__cxx1112basic_string";
  const std::string table = "_ZTVN7rocksdb12FilterPolicyE";
  const struct {
    std::string symbol;
    void (*change)(Elf64_Sym*);
    std::string said;
  } cases[] = {
      {needed, Hide, "is left alone: it hides or lacks " + needed},
      {"_ZN7rocksdb23GetRocksVersionAsString", Hide, "it hides the function that says its version"},
      {table, Enlarge, "its " + table + " has .*Build Winnow with the headers of that RocksDB"},
  };
  for (const auto& [symbol, change, said] : cases) {
    std::string rocksdb = ReadFile(OwnRocksDB());
    EXPECT_EQ(ChangeSymbols(&rocksdb, symbol, change), 1);
    EXPECT_THAT(Refusal(WriteCarrier("carried", rocksdb)), ContainsRegex(said));
  }
}

TEST_F(BoundTest, RefusesOldStrings) {
  const ChildResult run = RunPreloaded({CARRIER_OLD_STRING}, kWinnow);
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.errors, HasSubstr("_GLIBCXX_USE_CXX11_ABI=0"));
}

TEST_F(BoundTest, RefusesALibraryThatCallsItself) {
  std::string rocksdb = ReadFile(OwnRocksDB());
  // Changes DT_RELACOUNT, which only speeds up loading, to DT_SYMBOLIC.
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(rocksdb.data());
  const auto* parts = reinterpret_cast<const Elf64_Phdr*>(rocksdb.data() + header->e_phoff);
  int changed = 0;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (parts[i].p_type != PT_DYNAMIC) continue;
    auto* entry = reinterpret_cast<Elf64_Dyn*>(rocksdb.data() + parts[i].p_offset);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag != DT_RELACOUNT) continue;
      entry->d_tag = DT_SYMBOLIC;
      ++changed;
    }
  }
  ASSERT_EQ(changed, 1);
  EXPECT_THAT(Refusal(WriteCarrier("carried", rocksdb)),
              AllOf(HasSubstr("without asking the dynamic linker (-Bsymbolic"),
                    HasSubstr("WINNOW_STAND_IN=1")));
}

// The program calls RocksDB only from within, so the interposer gets no call.
TEST_F(BoundTest, SaysAtTheEndWhyNothingCame) {
  const std::string carrier = Carrier("carried");
  const ChildResult idle = RunPreloaded({carrier, "idle"}, kWinnow);
  EXPECT_THAT(idle.errors,
              AllOf(HasSubstr("not in force"), HasSubstr("libcarried"),
                    HasSubstr("left alone: it was not asked for a filter policy or a database")));
}

// A fork may have another option at the offset that the headers give, or another name for it.
TEST_F(BoundTest, RefusesOptionsThatAreNotReadBack) {
  EXPECT_THAT(Refusal(Carrier("carried", {{"max_total_wal_size", "*****************s"},
                                          {"delayed_write_rate", "max_total_wal_size"},
                                          {"*****************s", "delayed_write_rate"}})),
              HasSubstr("is left alone: delayed_write_rate is not read back through the headers"));
  EXPECT_THAT(Refusal(Carrier("carried", {{"max_auto_readahead_size", "max_auto_readahead_sizf"}})),
              HasSubstr("is left alone: BlockBasedTableOptions is not read back"));
}

// One RocksDB is refused before the plugin's static objects are constructed, the other after.
TEST_F(BoundTest, APluginThatRefusedOneServesTheNext) {
  std::string of_other_size = ReadFile(OwnRocksDB());
  EXPECT_EQ(ChangeSymbols(&of_other_size, "_ZTVN7rocksdb12FilterPolicyE", Enlarge), 1);
  std::string renamed = ReadFile(OwnRocksDB());
  ReplaceAll(&renamed, "max_auto_readahead_size", "max_auto_readahead_sizf");
  const Words refused = {WriteCarrier("enlarge", SetApart(of_other_size)),
                         WriteCarrier("renamed", SetApart(renamed))};
  const std::string carrier = Carrier("carried");
  for (const std::string& first : refused) {
    const Words write = Client(first, "write", "bloom:10", kFewKeys);
    const ChildResult run = RunPreloaded(ThenWriteAndRead(write, carrier), kWinnow);
    EXPECT_EQ(run.status, 0) << run.errors;
    EXPECT_THAT(run.errors,
                AllOf(HasSubstr("is left alone: "),
                      HasSubstr("; bound to the RocksDB inside " + (folder() / "libcarried"))));
    EXPECT_THAT(run.output, AllOf(HasSubstr("missing=0 invented=0"), Not(HasSubstr("useful=0 "))));
    EXPECT_EQ(KindsOfFilters(database()), (Kinds{{"winnow ribbon", 2}}));
  }
}

#if defined(__x86_64__)
TEST_F(BoundTest, RocksDBsOfTwoVersionsHaveAPluginEach) {
  const std::string major = std::to_string(ROCKSDB_MAJOR) + ".";
  const std::string plugins = folder() / ("winnow/plugins/" + major);
  const std::map<std::string, std::string> plugin_of = {
      {std::to_string(ROCKSDB_MINOR), BOUND_PLUGIN}, {"99", BOUND_OTHER}};
  for (const auto& [minor, plugin] : plugin_of) {
    fs::create_directories(plugins + minor);
    fs::copy_file(plugin, plugins + minor + "/libwinnow_rocksdb_bound.so");
  }
  const std::string preload = folder() / "libwinnow_preload.so";
  fs::copy_file(BOUND_PRELOAD, preload);
  std::string other = SetApart(ReadFile(OwnRocksDB()));
  SetVersion(&other, major + "99.0");
  const std::string one = Carrier("carried");
  const std::string another = WriteCarrier("another", other);

  // Each RocksDB writes, and the other one reads.
  Words arguments = Client(one, "write", "bloom:10", kFewKeys);
  for (const auto& [carrier, what] : std::vector<std::pair<std::string, std::string>>{
           {another, "read"}, {another, "write"}, {one, "read"}}) {
    arguments = Joined(arguments, Joined({"then"}, Client(carrier, what, "bloom:10", kFewKeys)));
  }
  const ChildResult run = RunPreloaded(arguments, kWinnow, preload);
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_THAT(run.errors,
              AllOf(HasSubstr("RocksDB " + major + "99."),
                    HasSubstr("; bound to the RocksDB inside " + (folder() / "libcarried")),
                    HasSubstr("; bound to the RocksDB inside " + (folder() / "libanother"))));
  // Both used Winnow's filters and found all keys.
  EXPECT_EQ(LinesThatBegin(run.output, "missing=0 invented=0").size(), 2U) << run.output;
  EXPECT_THAT(run.output, Not(HasSubstr("useful=0 ")));
  EXPECT_EQ(LinesThatBegin(run.errors, "winnow: built 0 Bloom filters and ").size(), 2U)
      << run.errors;
  EXPECT_THAT(run.errors, Not(HasSubstr(" and 0 Ribbon")));
  EXPECT_EQ(KindsOfFilters(database()), (Kinds{{"winnow ribbon", 2}}));
}
#endif

// The shared one has the plugin beside the preloaded library, and the other one the bound plugin.
TEST_F(BoundTest, TheSharedRocksDBIsServedBesideAnotherOfItsVersionAndEachIsSaid) {
  Words arguments = Client(WriteCarrier("carried", SetApart(ReadFile(OwnRocksDB()))), "write",
                           "bloom:10", kFewKeys);
  for (const std::string what : {"write", "read"}) {
    const Words next = Client(CARRIER, what, "bloom:10", kFewKeys);
    arguments.emplace_back("then");
    arguments.insert(arguments.end(), next.begin(), next.end());
  }
  const ChildResult run = RunPreloaded(arguments, kWinnow);
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_THAT(LinesThatBegin(run.errors, "winnow: in force in "),
              ElementsAre(HasSubstr("; bound to the RocksDB inside " + (folder() / "libcarried")),
                          Not(HasSubstr("bound to"))));
  EXPECT_THAT(run.output, AllOf(HasSubstr("missing=0 invented=0"), Not(HasSubstr("useful=0 "))));
  EXPECT_EQ(KindsOfFilters(database()), (Kinds{{"winnow ribbon", 2}}));
}

TEST_F(BoundTest, ServesOneRocksDBOfAVersion) {
  const Words write = Client(Carrier("carried"), "write", "bloom:10", kFewKeys);
  const ChildResult run = RunPreloaded(Joined(write, {"then", CARRIER_SMALL}), kWinnow);
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_THAT(run.errors,
              AllOf(HasSubstr("preload_carrier_small"),
                    HasSubstr("another RocksDB of this version in the process has its plugin")));
  EXPECT_EQ(KindsOfFilters(database()), (Kinds{{"winnow ribbon", 2}}));
}

}  // namespace
}  // namespace winnow
