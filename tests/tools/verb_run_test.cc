// `winnow run`: the environment of the started program, and programs that it refuses.

#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/sanitized.h"
#include "tests/tools/tool_testing.h"

namespace winnow {
namespace verb_run_test {

namespace fs = std::filesystem;

using nlohmann::json;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::ReadFile;
using ::testing::StartsWith;
using testing::WriteFile;
using Words = std::vector<std::string>;

// Clears variables that this process may have.
const Words kNoVariables = {"WINNOW_POLICY=", "WINNOW_ADD=", "WINNOW_LOG=", "LD_PRELOAD=", "END="};

// Begins a command of another user.
const Words kAsOther = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};

class VerbRunTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::permissions(folder_.path(), fs::perms(0755)); }

  // Runs the command with these environment variables, and no other variables of Winnow's.
  static ChildResult RunWith(Words variables, const Words& command) {
    for (const std::string& none : kNoVariables) {
      const auto is_same = [&none](const std::string& one) { return one.rfind(none, 0) == 0; };
      if (std::none_of(variables.begin(), variables.end(), is_same)) variables.push_back(none);
    }
    if (testing::kSanitized) variables.emplace_back("ASAN_OPTIONS=verify_asan_link_order=0");
    return testing::RunProgram(command, variables);
  }

  static ChildResult Run(const Words& arguments, const Words& variables = {}) {
    return RunBehind({WINNOW_TOOL, "run"}, arguments, variables);
  }

  // Copies the tool and its libraries to the folder, where other users can run it. Returns its
  // path.
  std::string ToolForAll() const {
    fs::copy_file(WINNOW_TOOL, folder_ / "winnow");
    fs::copy_file(PLUGIN_LIBRARY, folder_ / PLUGIN_NAME);
    fs::copy_file(PRELOAD_LIBRARY, PreloadForAll());
    return folder_ / "winnow";
  }
  std::string PreloadForAll() const { return folder_ / fs::path(PRELOAD_LIBRARY).filename(); }

  // Runs the command behind another one.
  static ChildResult RunBehind(Words before, const Words& command, const Words& variables = {}) {
    before.insert(before.end(), command.begin(), command.end());
    return RunWith(variables, before);
  }

  // Returns the started program's JSON.
  static json Started(const Words& arguments, const Words& variables = {}) {
    const ChildResult outcome = Run(arguments, variables);
    EXPECT_THAT(outcome.errors, IsEmpty());
    return testing::JsonOf(outcome, 0);
  }

  static json DryRun(Words arguments, int code, const Words& variables = {}) {
    arguments.insert(arguments.begin(), {"--dry_run", "--json"});
    return testing::JsonOf(Run(arguments, variables), code);
  }

  // Expects that nothing is started, with `said` in the message.
  static void ExpectRefused(const Words& arguments, int code, const std::string& said,
                            const Words& variables = {}) {
    const ChildResult outcome = Run(arguments, variables);
    const std::string what = ::testing::PrintToString(arguments);
    EXPECT_EQ(outcome.status, code) << what << outcome.output << outcome.errors;
    EXPECT_THAT(outcome.output, IsEmpty()) << what;
    EXPECT_THAT(outcome.errors, AllOf(StartsWith("winnow"), HasSubstr(said))) << what;
    EXPECT_EQ(testing::LinesThatBegin(outcome.errors, "winnow").size(), 1u) << outcome.errors;
  }

  std::string Copy(const std::string& name) const {
    fs::copy_file(STARTED_PROGRAM, folder_ / name);
    return folder_ / name;
  }

  std::string Script(const std::string& name, const std::string& text) const {
    WriteFile(folder_ / name, text);
    fs::permissions(folder_ / name, fs::perms(0755));
    return folder_ / name;
  }

  // Returns a copy of the program with changed bytes.
  std::string Patched(const std::string& name,
                      const std::function<void(ElfW(Ehdr) *, ElfW(Phdr) *, char*)>& change) const {
    std::string bytes = ReadFile(STARTED_PROGRAM);
    auto* const header = reinterpret_cast<ElfW(Ehdr)*>(bytes.data());
    auto* part = reinterpret_cast<ElfW(Phdr)*>(bytes.data() + header->e_phoff);
    while (part->p_type != PT_INTERP) ++part;
    change(header, part, bytes.data() + part->p_offset);
    return Script(name, bytes);
  }

  std::string Static(const std::string& name) const {
    return Patched(name, [](auto*, ElfW(Phdr) * loader, char*) { loader->p_type = PT_NULL; });
  }

  testing::TemporaryFolder folder_;
};

TEST_F(VerbRunTest, TheProgramGetsTheLibraryAndThePolicy) {
  const json plain = Started({STARTED_PROGRAM});
  EXPECT_EQ(plain.at("LD_PRELOAD"), PRELOAD_LIBRARY);
  EXPECT_EQ(plain.at("WINNOW_POLICY"), "winnow:10");
  EXPECT_EQ(plain.at("WINNOW_ADD"), "");
  EXPECT_EQ(plain.at("WINNOW_LOG"), "");
  const std::string policy = "{id=winnow;level_plan=auto}";
  const ChildResult outcome = Run({"--policy=" + policy, "--add", "--log", STARTED_PROGRAM});
  const json all = testing::JsonOf(outcome, 0);
  EXPECT_EQ(all.at("WINNOW_POLICY"), policy);
  EXPECT_EQ(all.at("WINNOW_ADD"), "1");
  EXPECT_EQ(all.at("WINNOW_LOG"), "1");
  // The message comes from the preloaded library itself.
  EXPECT_THAT(outcome.errors, StartsWith("winnow: not in force in started_program ("));
}

TEST_F(VerbRunTest, RangeBitsThatAreNoNumberOfBitsAreRefused) {
  for (const std::string value : {"0.5", "33", "+15", "0x10", " 15", "15,5", "many"}) {
    const ChildResult by_flag = Run({"--range_bits=" + value, STARTED_PROGRAM});
    EXPECT_EQ(by_flag.status, 125) << value;
    EXPECT_THAT(by_flag.errors, AllOf(HasSubstr("range_bits is "), HasSubstr(value),
                                      HasSubstr("Nothing was started")));
    const ChildResult by_variable = Run({STARTED_PROGRAM}, {"WINNOW_RANGE_BITS=" + value});
    EXPECT_EQ(by_variable.status, 125) << value;
    EXPECT_EQ(by_variable.errors, by_flag.errors);
  }
}

TEST_F(VerbRunTest, WhatIsBehindTheProgramIsItsOwn) {
  const std::string program = STARTED_PROGRAM;
  for (const Words& arguments : {Words{"--help"},
                                 {"--json", "--version", "-x"},
                                 {"--", "a b", ""},
                                 {"--policy=winow:1"},
                                 {"--log", "--"},
                                 {"help", "--flagfile=x"}}) {
    Words expected = {program};
    expected.insert(expected.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(Started(expected).at("arguments"), expected);
    Words parted = expected;
    parted.insert(parted.begin(), "--");
    EXPECT_EQ(Started(parted).at("arguments"), expected);
  }
}

// A flag decides over the environment's variable, which stays without one.
TEST_F(VerbRunTest, VariablesAreThoseOfTheFlagOrTheEnvironment) {
  const struct {
    Words flags;
    Words environment;
    const char* name;
    const char* value;  // nullptr: it is not set
  } cases[] = {
      {{}, {"WINNOW_POLICY=winnow:12"}, "WINNOW_POLICY", "winnow:12"},
      {{"--policy=read"}, {"WINNOW_POLICY=winnow:12"}, "WINNOW_POLICY", "read"},
      {{}, {"WINNOW_ADD=1"}, "WINNOW_ADD", "1"},
      {{"--add"}, {"WINNOW_ADD=0"}, "WINNOW_ADD", "1"},
      {{"--add=false"}, {"WINNOW_ADD=1"}, "WINNOW_ADD", "0"},
      {{}, {"WINNOW_LOG=0"}, "WINNOW_LOG", "0"},
      {{"--log"}, {"WINNOW_LOG=0"}, "WINNOW_LOG", "1"},
      {{"--log=false"}, {"WINNOW_LOG=1"}, "WINNOW_LOG", "0"},
      {{"--log=false"}, {}, "WINNOW_LOG", nullptr},  // nothing is to be decided
      {{}, {}, "WINNOW_RANGE_BITS", nullptr},
      {{"--range_bits=12.5"}, {}, "WINNOW_RANGE_BITS", "12.5"},
      {{}, {"WINNOW_RANGE_BITS=15"}, "WINNOW_RANGE_BITS", "15"},
      {{"--range_bits=12"}, {"WINNOW_RANGE_BITS=15"}, "WINNOW_RANGE_BITS", "12"},
      {{"--range_bits=12.3456789"}, {}, "WINNOW_RANGE_BITS", "12.3456789"},
      {{"--range_bits=0"}, {"WINNOW_RANGE_BITS=+15"}, "WINNOW_RANGE_BITS", "0"},
  };
  for (const auto& [flags, environment, name, value] : cases) {
    Words command = flags;
    command.emplace_back(STARTED_PROGRAM);
    const json variables = DryRun(command, 0, environment).at("environment");
    const std::string what = ::testing::PrintToString(flags) + name;
    EXPECT_EQ(variables.contains(name), value != nullptr) << what;
    if (value == nullptr) continue;
    EXPECT_EQ(variables.value(name, ""), value) << what;
  }
}

TEST_F(VerbRunTest, OtherPreloadsStayBeforeOurs) {
  const std::string library = PRELOAD_LIBRARY;
  const std::string name = fs::path(library).filename().string();
  // Names without a path are searched for by the loader.
  const std::pair<std::string, std::string> cases[] = {
      {PLUGIN_LIBRARY, PLUGIN_LIBRARY ":" + library},
      {PLUGIN_LIBRARY " " PLUGIN_LIBRARY, PLUGIN_LIBRARY " " PLUGIN_LIBRARY ":" + library},
      {library, library},
      {library + ":" PLUGIN_LIBRARY, library + ":" PLUGIN_LIBRARY},
      {name, name},
      {PLUGIN_NAME, PLUGIN_NAME ":" + library}};
  const std::string folders = "LD_LIBRARY_PATH=" + fs::path(library).parent_path().string();
  for (const auto& [before, after] : cases) {
    const json dry = DryRun({STARTED_PROGRAM}, 0, {"LD_PRELOAD=" + before, folders});
    EXPECT_EQ(dry.at("environment").at("LD_PRELOAD"), after);
  }
  // A library of another build is refused.
  const std::string other = folder_ / name;
  fs::copy_file(library, other);
  ExpectRefused({STARTED_PROGRAM}, 125, "LD_PRELOAD has " + other + " already",
                {"LD_PRELOAD=" + other});
}

TEST_F(VerbRunTest, ThePolicyIsCheckedBeforeAnythingElse) {
  const std::pair<const char*, const char*> wrong[] = {
      {"winow:10", "Did you mean 'winnow'? Nothing was started"},
      {"winnow:1000", "must be a number from 1 to 32"},
      {"{id=winnow;bits=10}", "bits"},
      {"bloomfilter:10", "is RocksDB's own"},
      {"Read", "does not work"},
      {"Stock", "does not work"},
      {"nullptr", "does not work"},
  };
  for (const auto& [policy, said] : wrong) {
    ExpectRefused({std::string("--policy=") + policy, folder_ / "none"}, 125, said);
    ExpectRefused({STARTED_PROGRAM}, 125, said, {std::string("WINNOW_POLICY=") + policy});
  }
}

// The preloaded library must accept every policy that `winnow run` accepts.
TEST_F(VerbRunTest, APolicyThatPassesIsInForce) {
  for (const std::string policy :
       {"winnow", "winnow:10", " winnow:10 ", "filter_policy=winnow:10", "winnow.Filter:10", "read",
        "stock", "{id=winnow;level_plan=auto}", "{id=winnow;build=bloomfilter}",
        "{id=winnow;filter_memory=64MiB}"}) {
    const ChildResult outcome = Run(
        {"--policy=" + policy, "--log", PRELOAD_CLIENT, "write", folder_ / "db", "bloom:10", "10"});
    EXPECT_EQ(outcome.status, 0) << policy << outcome.errors;
    EXPECT_THAT(outcome.errors, AllOf(HasSubstr("winnow: in force in preload_client"),
                                      Not(HasSubstr("no policy can be made"))))
        << policy;
  }
}

TEST_F(VerbRunTest, EndsAsTheProgramDoes) {
  EXPECT_EQ(Run({STARTED_PROGRAM}, {"END=7"}).status, 7);
  EXPECT_EQ(Run({STARTED_PROGRAM}, {"END=125"}).status, 125);
  EXPECT_EQ(Run({STARTED_PROGRAM}, {"END=-15"}).status, 128 + 15);
}

// The process id, ignored signals and descriptors equal those without winnow.
TEST_F(VerbRunTest, TheProgramTakesWinnowsPlace) {
  for (const std::string before : {"", "trap '' PIPE; ", "trap '' PIPE XFSZ; exec <&-; "}) {
    const auto run = [&before](const std::string& how) {
      const ChildResult outcome =
          RunWith({}, {"sh", "-c", before + "echo $$ >&2; exec " + how + " '" STARTED_PROGRAM "'"});
      const json started = testing::JsonOf(outcome, 0);
      EXPECT_EQ(started.at("process").dump() + "\n", outcome.errors) << before;
      return started;
    };
    const json plain = run("");
    const json preloaded = run("'" WINNOW_TOOL "' run");
    for (const char* same : {"ignores_closed_pipes", "ignores_large_files", "descriptors"}) {
      EXPECT_EQ(preloaded.at(same), plain.at(same)) << before << same;
    }
    EXPECT_EQ(plain.at("ignores_closed_pipes"), !before.empty());
  }
}

TEST_F(VerbRunTest, ProgramsThatTheLoaderPreloadsNothingIntoAreRefused) {
  const auto loader = [](const char* name) {
    return [name](auto*, ElfW(Phdr) * part, char* path) {
      ASSERT_LT(std::strlen(name), part->p_filesz);
      std::strcpy(path, name);
    };
  };
  const std::pair<std::string, std::string> refused[] = {
      {Static("static"), "is linked statically (it has no PT_INTERP)"},
      {Patched("musl", loader("/ld-musl.so")), "its loader is /ld-musl.so,"},
      {Patched("bits", [](auto* elf, auto*, char*) { elf->e_ident[EI_CLASS] = ELFCLASS32; }),
       "ELF of 32 bits), in which"},
      {Patched("machine", [](auto* elf, auto*, char*) { elf->e_machine = EM_MIPS; }),
       "is a program for another machine (ELF's machine 8 of 64 bits)"},
      {Patched("bytes",
               [](auto* elf, auto*, char*) { elf->e_ident[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB; }),
       "is a program for another machine"},
      {Patched("object", [](auto* elf, auto*, char*) { elf->e_type = ET_REL; }), "but no program"},
      {Script("cut", ReadFile(STARTED_PROGRAM).substr(0, sizeof(ElfW(Ehdr)))), "but no program"},
      {Script("short", ReadFile(STARTED_PROGRAM).substr(0, SELFMAG)), "but no program"},
  };
  for (const auto& [program, said] : refused) {
    ExpectRefused({program}, 126, program + " is ", {});
    ExpectRefused({program}, 126, said);
    const json document = DryRun({program}, 126);
    EXPECT_THAT(document.at("problem"), HasSubstr(said));
    EXPECT_TRUE(document.at("environment").is_null());
  }
}

// The program's loader may be given by another path.
TEST_F(VerbRunTest, TheSameLoaderElsewhereIsNoOther) {
  std::string own;
  Patched("unchanged", [&own](auto*, auto*, char* path) { own = path; });
  EXPECT_EQ(Started({folder_ / "unchanged"}).at("LD_PRELOAD"), PRELOAD_LIBRARY);
  const std::string elsewhere = "/x/" + fs::path(own).filename().string();
  ASSERT_LE(elsewhere.size(), own.size());
  const std::string missing =
      Patched("missing", [&](auto*, auto*, char* path) { std::strcpy(path, elsewhere.c_str()); });
  ExpectRefused({missing}, 127, "needs the loader " + elsewhere + ", which is not there");
  // A loader that is started itself has no PT_INTERP, and preloads.
  EXPECT_EQ(Started({own, STARTED_PROGRAM}).at("LD_PRELOAD"), PRELOAD_LIBRARY);
}

// The kernel's AT_SECURE shows which programs have other rights than their caller.
TEST_F(VerbRunTest, ProgramsWithOtherRightsThanTheirCallerAreRefused) {
  const std::string program = Copy("program");
  std::vector<gid_t> groups(static_cast<size_t>(getgroups(0, nullptr)));
  groups.resize(static_cast<size_t>(getgroups(static_cast<int>(groups.size()), groups.data())));
  groups.push_back(getgid() + 1);  // root may give the file to this group
  const struct {
    mode_t mode;
    bool is_of_other_user;
    bool is_of_other_group;
  } cases[] = {{04755, false, false}, {02755, false, false}, {04755, true, false},
               {02755, false, true},  {02745, false, true},  {0755, true, true}};
  int refused = 0;
  for (const auto& [mode, is_of_other_user, is_of_other_group] : cases) {
    const uid_t user = is_of_other_user ? getuid() + 1 : getuid();
    gid_t group = getgid();
    for (const gid_t other : groups) group = is_of_other_group && other != getgid() ? other : group;
    if (chown(program.c_str(), user, group) != 0) continue;
    ASSERT_EQ(chmod(program.c_str(), mode), 0);
    struct stat status = {};
    if (stat(program.c_str(), &status) != 0 || (status.st_mode & 07777) != mode) continue;
    const bool is_on_guard = testing::JsonOf(RunWith({}, {program}), 0).at("on_guard") != 0;
    if (is_on_guard) {
      ExpectRefused({program}, 126,
                    is_of_other_user ? "is set-user-id to user " : "is set-group-id to group ");
      ++refused;
    } else {
      EXPECT_EQ(Started({program}).at("LD_PRELOAD"), PRELOAD_LIBRARY) << mode;
    }
  }
  if (refused == 0) {
    GTEST_SKIP() << "skipped: this user can't give a file to another one or to a group, or the "
                    "folder's file system heeds no set-user-id";
  }
}

// Runs as root and as another user, for whom the tool is copied to a readable folder.
TEST_F(VerbRunTest, FileCapabilitiesAreRefusedToWhoIsNotRoot) {
  const std::string tool = ToolForAll();
  const struct {
    const char* name;
    unsigned char flag;
    unsigned char permitted;
    unsigned char inheritable;
  } cases[] = {
      {"none", 0, 0, 0}, {"permitted", 0, 1, 0}, {"in_effect", 1, 1, 0}, {"inheritable", 0, 0, 1}};
  int refused = 0;
  for (const auto& [name, flag, permitted, inheritable] : cases) {
    const std::string program = Copy(name);
    // Version 2, little-endian: the first capability, CAP_CHOWN.
    const unsigned char bytes[20] = {flag, 0, 0, 2, permitted, 0, 0, 0, inheritable};
    if (setxattr(program.c_str(), "security.capability", bytes, sizeof bytes, 0) != 0) {
      GTEST_SKIP() << "skipped: this user can't give capabilities to files: "
                   << std::strerror(errno);
    }
    for (const bool is_root : {true, false}) {
      const auto run = [&](const Words& command) {
        return RunBehind(is_root ? Words() : kAsOther, command,
                         {"LD_LIBRARY_PATH=" + folder_.path()});
      };
      const ChildResult plain = run({program});
      if (plain.status == 126 || plain.status == 1) continue;  // lacks the capability itself
      const bool is_on_guard = testing::JsonOf(plain, 0).at("on_guard") != 0;
      const ChildResult outcome = run({tool, "run", program});
      if (is_on_guard) {
        EXPECT_EQ(outcome.status, 126) << name << is_root << outcome.output;
        EXPECT_THAT(outcome.errors, HasSubstr(program + " has file capabilities")) << name;
        ++refused;
      } else {
        EXPECT_EQ(testing::JsonOf(outcome, 0).at("LD_PRELOAD"), PreloadForAll()) << name << is_root;
      }
    }
  }
  if (refused == 0) {
    GTEST_SKIP() << "skipped: the folder's file system heeds no file capabilities";
  }
}

TEST_F(VerbRunTest, WhatAScriptIsReadByCounts) {
  const std::string fixed = Static("static");
  const std::string script = Script("script", "#! " STARTED_PROGRAM " a b \n");
  const json started = Started({script, "c"});
  EXPECT_EQ(started.at("arguments"), (Words{STARTED_PROGRAM, "a b", script, "c"}));
  EXPECT_EQ(started.at("LD_PRELOAD"), PRELOAD_LIBRARY);
  EXPECT_EQ(DryRun({script}, 0).at("interpreters"), Words{STARTED_PROGRAM});
  const std::string by_script = Script("by_script", "#!" + script + "\n");
  EXPECT_EQ(DryRun({by_script}, 0).at("interpreters"), (Words{script, STARTED_PROGRAM}));
  EXPECT_EQ(Started({by_script}).at("LD_PRELOAD"), PRELOAD_LIBRARY);

  const std::string by_static = Script("by_static", "#!" + fixed);
  ExpectRefused({by_static}, 126, fixed + ", which " + by_static + " is read by, is linked static");
  ExpectRefused({Script("far", "#!" + by_static + "\n")}, 126, "is read by, is linked statically");
  ExpectRefused({Script("gone", "#!/nosuch/interpreter\n")}, 127, "is read by, is not there");
  ExpectRefused({Script("folder", "#!" + folder_.path() + "\n")}, 126, "is read by, is a folder");
  ExpectRefused({Script("own", "#!" + folder_ / "own" + "\n")}, 126, "one too many");
}

// The preloaded library is inherited by what a program starts, which `winnow run` does not check.
TEST_F(VerbRunTest, ThePreloadReachesWhatTheProgramStarts) {
  for (const std::string before : {"nice -n 1 env A=1", "env -u A -C / B=1", "env -- A=x",
                                   "timeout 600", "setsid -w", "stdbuf -o0"}) {
    Words words = absl::StrSplit(before, ' ');
    words.insert(words.end(), {STARTED_PROGRAM, "-i"});
    const json started = Started(words);
    EXPECT_EQ(started.at("arguments"), (Words{STARTED_PROGRAM, "-i"}));
    EXPECT_THAT(started.at("LD_PRELOAD").get<std::string>(), StartsWith(PRELOAD_LIBRARY));
    EXPECT_THAT(DryRun(words, 0).at("interpreters"), IsEmpty());
  }
  const std::string script = Script("script", "#!/usr/bin/env -S A=1 " STARTED_PROGRAM "\n");
  EXPECT_EQ(Started({script, "-i"}).at("LD_PRELOAD"), PRELOAD_LIBRARY);
  EXPECT_EQ(DryRun({script}, 0).at("interpreters"), Words{"/usr/bin/env"});
  EXPECT_EQ(Run({"env"}).status, 0);
  EXPECT_EQ(Run({"env", "nosuchprogram"}).status, 127);
}

TEST_F(VerbRunTest, EnvThatTakesTheVariablesAwayIsRefused) {
  for (const std::string options :
       {"-i", "-", "-vi", "-iS", "-u A -i", "--ignore-environment", "--ign", "-uLD_PRELOAD",
        "-u LD_PRELOAD", "--unset=LD_PRELOAD", "--unset WINNOW_POLICY",
        "A=x LD_PRELOAD=", "WINNOW_POLICY=stock"}) {
    Words command = absl::StrSplit("env " + options, ' ');
    command.emplace_back(STARTED_PROGRAM);
    ExpectRefused(command, 126, "env -i winnow run PROGRAM");
  }
  ExpectRefused({"env", "-S", "-C / -i", STARTED_PROGRAM}, 126, "env -i winnow run PROGRAM");
  for (const std::string argument : {"-i", "-S -i program", "-S - program", "-vS -u LD_PRELOAD x",
                                     "-S '-i' program", "--split-string=LD_PRELOAD= program"}) {
    const std::string script = Script("script", "#!/usr/bin/env " + argument + "\n");
    ExpectRefused({script}, 126, "/usr/bin/env, which " + script + " is read by, does not pass");
  }
}

// These programs reset the environment of the started one, also if root starts them, for whom the
// loader would preload.
TEST_F(VerbRunTest, SudoIsToStandBefore) {
  const std::string path = "PATH=" + folder_.path() + ":/usr/bin:/bin";
  for (const std::string name : {"sudo", "doas", "pkexec", "run0", "systemd-run"}) {
    const std::string file = Copy(name);
    const Words command = {name, "-u", "other", STARTED_PROGRAM};
    ExpectRefused(command, 126, ": " + name + " winnow run PROGRAM", {path});
    ExpectRefused(command, 126, file, {path});
    ExpectRefused({Script("script", "#!" + file + "\n")}, 126, file);
  }
  EXPECT_EQ(Started({"systemd-run", "--scope", "x"}, {path}).at("LD_PRELOAD"), PRELOAD_LIBRARY);
  for (const std::string name : {"su", "runuser"}) {
    Copy(name);
    if (getuid() == 0) {
      EXPECT_EQ(Started({name, "other", "-c", "x"}, {path}).at("LD_PRELOAD"), PRELOAD_LIBRARY);
    }
    for (const char* login : {"-", "-l", "--login"}) {
      ExpectRefused({name, login, "other"}, 126, name + " USER -c 'winnow run PROGRAM'", {path});
    }
  }
}

// Runs as another user, since root has all rights of such programs.
TEST_F(VerbRunTest, SudoIsToStandBeforeForUsersToo) {
  const std::string sudo = Copy("sudo");
  const std::string tool = ToolForAll();
  ASSERT_EQ(chmod(sudo.c_str(), 04755), 0);
  const auto as_other = [&](const Words& command) {
    return RunBehind(kAsOther, command, {"LD_LIBRARY_PATH=" + folder_.path()});
  };
  const ChildResult plain = as_other({sudo});
  if (plain.status != 0 || testing::JsonOf(plain, 0).at("on_guard") == 0) {
    GTEST_SKIP() << "skipped: only root can start it as another user, and its folder's file system "
                    "must heed set-user-id: "
                 << plain.errors;
  }
  const ChildResult outcome = as_other({tool, "run", sudo, "-u", "other", STARTED_PROGRAM});
  EXPECT_EQ(outcome.status, 126) << outcome.output << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr(": sudo winnow run PROGRAM"));
}

// /proc is not mounted, or is another process's.
TEST_F(VerbRunTest, NeedsNoProc) {
  const std::string mounts = "mount -t tmpfs none /proc && exec \"$@\"";
  const auto without_proc = [&](const Words& command) {
    return RunBehind({"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mounts, "sh"},
                     command);
  };
  if (without_proc({"true"}).status != 0) GTEST_SKIP() << "skipped: nobody mounts anything here";
  const ChildResult outcome = without_proc({WINNOW_TOOL, "run", STARTED_PROGRAM});
  EXPECT_EQ(testing::JsonOf(outcome, 0).at("LD_PRELOAD"), PRELOAD_LIBRARY);
  EXPECT_EQ(without_proc({WINNOW_TOOL, "run", Static("static")}).status, 126);
}

// The kernel ignores set-user-id bits of users outside the user namespace.
TEST_F(VerbRunTest, UsersOutsideOfTheNameSpaceSetNothing) {
  const std::string program = Copy("program");
  if (chown(program.c_str(), getuid() + 1, getgid()) != 0) {
    GTEST_SKIP() << "skipped: this user can't give a file to another one";
  }
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  const auto run = [&](const Words& command) {
    return RunBehind({"unshare", "--user", "--map-root-user"}, command);
  };
  const ChildResult plain = run({program});
  if (plain.status != 0)
    GTEST_SKIP() << "skipped: nobody makes a name space here: " << plain.errors;
  ASSERT_EQ(testing::JsonOf(plain, 0).at("on_guard"), 0);
  EXPECT_EQ(testing::JsonOf(run({WINNOW_TOOL, "run", program}), 0).at("LD_PRELOAD"),
            PRELOAD_LIBRARY);
}

TEST_F(VerbRunTest, ATextIsReadByTheShell) {
  const std::string text = Script("text", "echo \"$0 $1 $LD_PRELOAD\"\nexit 3\n");
  const ChildResult outcome = Run({text, "a"});
  EXPECT_EQ(outcome.status, 3) << outcome.errors;
  EXPECT_EQ(outcome.output, text + " a " PRELOAD_LIBRARY "\n");
  EXPECT_EQ(DryRun({text}, 0).at("interpreters"), Words{"/bin/sh"});
}

TEST_F(VerbRunTest, TheProgramIsFoundByPath) {
  fs::create_directories(folder_ / "first/name");
  fs::create_directory(folder_ / "second");
  fs::create_directory(folder_ / "third");
  WriteFile(folder_ / "second/name", "not to be executed");
  fs::permissions(folder_ / "second/name", fs::perms(0644));
  fs::copy_file(STARTED_PROGRAM, folder_ / "third/name");
  const std::string first = folder_ / "first:" + folder_ / "nosuch:" + folder_ / "second";
  const json started = Started({"name", "x"}, {"PATH=" + first + ":" + folder_ / "third"});
  EXPECT_EQ(started.at("arguments"), (Words{"name", "x"}));
  EXPECT_EQ(DryRun({"name"}, 0, {"PATH=" + folder_ / "third:" + first}).at("program"),
            folder_ / "third/name");
  ExpectRefused({"name"}, 126, folder_ / "first/name is a folder", {"PATH=" + first});
  ExpectRefused({"name"}, 126, "may not be executed", {"PATH=" + folder_ / "second"});
  ExpectRefused({"name"}, 127, "there is no program 'name' in PATH",
                {"PATH=" + folder_ / "nosuch"});
  ExpectRefused({"./nosuchprogram"}, 127, "./nosuchprogram is not there");
  ExpectRefused({""}, 127, "there is no program ''");
  ExpectRefused({STARTED_PROGRAM "/x"}, 127, "is not there");
  ExpectRefused({folder_ / "second/name"}, 126, "may not be executed");
}

// The library is searched next to the tool's plugin, whatever that folder's name is.
TEST_F(VerbRunTest, TheLibraryIsThatBesideThePlugin) {
  const std::string library = fs::path(PRELOAD_LIBRARY).filename().string();
  const auto make = [&](const std::string& name) {
    fs::create_directory(folder_ / name);
    fs::copy_file(PLUGIN_LIBRARY, folder_ / name + "/" + PLUGIN_NAME);
    return "LD_LIBRARY_PATH=" + folder_ / name;
  };
  const std::string good = make("good");
  const std::string path = folder_ / "good/" + library;
  ExpectRefused({STARTED_PROGRAM}, 125, "there is no " + path, {good});
  ExpectRefused({STARTED_PROGRAM}, 125, "the package winnow-preload has it", {good});
  fs::copy_file(PRELOAD_LIBRARY, path);
  EXPECT_EQ(Started({STARTED_PROGRAM}, {good}).at("LD_PRELOAD"), path);
  fs::create_directory_symlink(folder_ / "good", folder_ / "link");
  EXPECT_EQ(Started({STARTED_PROGRAM}, {"LD_LIBRARY_PATH=" + folder_ / "link"}).at("LD_PRELOAD"),
            path);
  for (const auto& [name, said] :
       {std::pair("a b", "has a space"), {"a:b", "has a colon"}, {"a$LIB", "has a $"}}) {
    make(name);
    fs::copy_file(PRELOAD_LIBRARY, folder_ / name + "/" + library);
    fs::remove(folder_ / "link");
    fs::create_directory_symlink(folder_ / name, folder_ / "link");
    ExpectRefused({STARTED_PROGRAM}, 125, said, {"LD_LIBRARY_PATH=" + folder_ / "link"});
  }
}

TEST_F(VerbRunTest, ADryRunSaysWhatWouldBeAndStartsNothing) {
  const std::string script = Script("script", "#!" STARTED_PROGRAM "\n");
  for (const char* flag : {"--dry_run", "--dry-run"}) {
    const ChildResult text = Run({flag, "--log", "--policy=winnow:12", script, "--dry_run"});
    EXPECT_EQ(text.status, 0);
    EXPECT_THAT(text.errors, IsEmpty());
    EXPECT_THAT(text.output,
                AllOf(StartsWith("program      " + script), HasSubstr("bits_per_key=12;"),
                      HasSubstr("\nrocksdb      none is linked; ")));
  }
  // A value that the library does not accept.
  EXPECT_THAT(Run({"--dry_run", STARTED_PROGRAM}, {"WINNOW_ADD=yes"}).output,
              HasSubstr("WINNOW_ADD=yes (no effect: only 1 has one)\n"));
  EXPECT_THAT(Run({STARTED_PROGRAM}, {"WINNOW_ADD=yes"}).errors,
              HasSubstr("WINNOW_ADD is 'yes', and only 1 has an effect"));
  for (const std::string policy : {"read", "stock"}) {
    const json document = DryRun({"--policy=" + policy, "--add", script, "a", "--b"}, 0);
    EXPECT_EQ(document.at("schema"), "winnow.run/1");
    EXPECT_EQ(document.at("program"), script);
    EXPECT_EQ(document.at("arguments"), (Words{"a", "--b"}));
    EXPECT_EQ(document.at("library"), PRELOAD_LIBRARY);
    EXPECT_EQ(document.at("policy"), policy);
    EXPECT_TRUE(document.at("in_force").is_null());
    EXPECT_EQ(
        document.at("environment"),
        (json{{"LD_PRELOAD", PRELOAD_LIBRARY}, {"WINNOW_POLICY", policy}, {"WINNOW_ADD", "1"}}));
    EXPECT_TRUE(document.at("problem").is_null());
    EXPECT_EQ(document.at("status"), 0);
  }
  EXPECT_THAT(DryRun({"--policy=winow:10", script}, 125).at("problem"), HasSubstr("winow:10"));
  EXPECT_EQ(DryRun({"nosuchprogram"}, 127).at("status"), 127);
}

// ---- Which RocksDBs the program has

TEST_F(VerbRunTest, SaysByWhichWayEachRocksDBOfTheProgramIsReached) {
  const auto rows = [](const std::string& program, const Words& variables = {}) {
    return DryRun({STANDINS "preload_standin_host_" + program}, 0, variables).at("rocksdb");
  };
  EXPECT_EQ(rows("none").size(), 0u);
  const json shared = rows("rocksdb");
  ASSERT_EQ(shared.size(), 1u);
  EXPECT_THAT(shared[0].at("file"), HasSubstr("/librocksdb.so"));
  EXPECT_EQ(shared[0].at("way"), "the plugin beside the library that is preloaded");
  EXPECT_TRUE(shared[0].at("problem").is_null());
  const json inside = rows("exporting");
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_TRUE(inside[0].at("way").is_null());
  EXPECT_THAT(inside[0].at("problem"),
              AllOf(HasSubstr("the program has it inside"), HasSubstr("WINNOW_STAND_IN=1")));
  // A RocksDB of another version, without and with its plugin.
  const json other = rows("linked");
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].at("version"), "5.99");
  EXPECT_THAT(other[0].at("problem"), HasSubstr("-DWINNOW_ROCKSDB_HEADERS=ROCKSDB/include"));
  fs::create_directories(folder_ / "lib/winnow/plugins/5.99");
  fs::copy_file(PLUGIN_LIBRARY, folder_ / "lib/" PLUGIN_NAME);
  fs::copy_file(PRELOAD_LIBRARY, folder_ / "lib/libwinnow_preload.so");
  WriteFile(folder_ / "lib/winnow/plugins/5.99/libwinnow_rocksdb_bound.so", "");
  const Words installed = {"LD_LIBRARY_PATH=" + folder_ / "lib"};
  EXPECT_EQ(rows("linked", installed)[0].at("way"), "the plugin for 5.99");
  fs::rename(folder_ / "lib/winnow/plugins/5.99", folder_ / "lib/winnow/plugins/9.7");
  EXPECT_THAT(rows("linked", installed)[0].at("problem"),
              HasSubstr("there are plugins for 9.7 alone in "));
  // The same report as text, and before the program is started.
  EXPECT_THAT(Run({"--dry_run", STANDINS "preload_standin_host_linked"}).output,
              HasSubstr("librocksdb.so.5.99, 5.99: not reached, as said above\n"));
  EXPECT_THAT(Run({"--log", STANDINS "preload_standin_host_linked"}).errors,
              HasSubstr("has a RocksDB inside that Winnow does not reach: no plugins"));
  EXPECT_THAT(Run({STANDINS "preload_standin_host_linked"}).errors, Not(HasSubstr("inside")));
}

// A service that must not run without Winnow.
TEST_F(VerbRunTest, RequireStartsNothingThatWinnowDoesNotReach) {
  ExpectRefused({"--require", STARTED_PROGRAM}, 125, "The program is linked with no RocksDB");
  for (const char* starts : {"--require sh -c", "--require env", "--require nice"}) {
    Words command = absl::StrSplit(starts, ' ');
    command.insert(command.end(), {STANDINS "preload_standin_host_rocksdb", "policies"});
    ExpectRefused(command, 125, "set WINNOW_REQUIRE=1");
  }
  EXPECT_EQ(Run({"env", STANDINS "preload_standin_host_exporting"}, {"WINNOW_REQUIRE=1"}).status,
            125);
  ExpectRefused({"--require", STANDINS "preload_standin_host_linked"}, 125,
                "librocksdb.so.5.99 has a RocksDB inside that Winnow does not reach: no plugins");
  ExpectRefused({"--require", STANDINS "preload_standin_host_exporting"}, 125,
                "the program has it inside");
  EXPECT_EQ(Run({"--require", "--dry_run", STARTED_PROGRAM}).status, 125);
  const Words reached = {"--require", STANDINS "preload_standin_host_rocksdb", "policies"};
  const ChildResult outcome = Run(reached);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("done"));
  Words dry = reached;
  dry.pop_back();
  EXPECT_EQ(DryRun(dry, 0).at("environment").at("WINNOW_REQUIRE"), "1");
  // A RocksDB that the program opens while it runs counts, too.
  const ChildResult opened =
      Run({"--require", STANDINS "preload_standin_host_rocksdb", "open:one"});
  EXPECT_EQ(opened.status, 125);
  EXPECT_THAT(opened.errors, HasSubstr("WINNOW_REQUIRE ends the process"));
  // The variable alone lets programs without RocksDB run.
  EXPECT_EQ(Started({STARTED_PROGRAM}, {"WINNOW_REQUIRE=1"}).at("arguments").size(), 1u);
}

// Its policy is tried on a database, which is none of the service's.
TEST_F(VerbRunTest, WritesNoMetricsOfItsOwn) {
  const std::string metrics = folder_ / "winnow.prom";
  const Words variables = {"WINNOW_METRICS=" + metrics};
  EXPECT_EQ(Run({"--dry_run", STARTED_PROGRAM}, variables).status, 0);
  EXPECT_EQ(Run({STARTED_PROGRAM}, variables).status, 0);
  EXPECT_EQ(RunWith(variables, {WINNOW_TOOL, "policy", "winnow:10"}).status, 0);
  EXPECT_FALSE(fs::exists(metrics));
}

TEST_F(VerbRunTest, SaysWhyARocksDBInALibraryIsNotReached) {
  // The program is linked with this library.
  const std::string library = folder_ / "librocksdb.so.5.99";
  const auto problem = [&](const std::string& bytes) {
    WriteFile(library, bytes);
    const json rows =
        DryRun({STANDINS "preload_standin_host_linked"}, 0, {"LD_LIBRARY_PATH=" + folder_.path()})
            .at("rocksdb");
    EXPECT_EQ(rows.at(0).at("file"), library);  // further rows may be libraries that it needs
    return rows.at(0).at("problem").get<std::string>();
  };
  const std::string bytes = ReadFile(STANDINS "librocksdb.so.5.99");
  std::string renamed = bytes;
  for (size_t at; (at = renamed.find("7rocksdb20NewBloom")) != std::string::npos;) {
    renamed.replace(at, 8, "7rockset");
  }
  EXPECT_THAT(problem(renamed), HasSubstr("(ROCKSDB_NAMESPACE), rockset."));
  EXPECT_THAT(problem(ReadFile(STANDINS "preload_standin_symbolic.so")),
              HasSubstr("without asking the dynamic linker (-Bsymbolic"));
  EXPECT_THAT(problem(ReadFile(PLUGIN_LIBRARY) + "rocksdb_build_git_sha:"),
              HasSubstr("it hides its functions. Build that RocksDB with Winnow in its tree"));
}

TEST_F(VerbRunTest, WrongUsageIsAsOfEnv) {
  ExpectRefused({"--json", STARTED_PROGRAM}, 125, "--json needs --dry_run");
  ExpectRefused({"--polcy=winnow:10", STARTED_PROGRAM}, 125, "did you mean --policy?");
  ExpectRefused({"--policy", STARTED_PROGRAM}, 125, "needs a value");
  EXPECT_EQ(Run({}).status, 125);
  EXPECT_EQ(Run({"--log", "--"}).status, 125);
  EXPECT_THAT(Run({"--help", STARTED_PROGRAM}).output, StartsWith("winnow run "));
}

}  // namespace verb_run_test
}  // namespace winnow
