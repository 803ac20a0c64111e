// Tests of the location of the file of `winnow dedup --state`, and of other files there.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "streams/tests/dedup/dedup_testing.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/started_tool.h"

namespace winnow {
namespace dedup_state_place_test {

namespace fs = std::filesystem;

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Numbered;
using testing::ReadFile;
using testing::RunDedup;
using testing::RunProgram;
using testing::WriteFile;

class DedupStatePlaceTest : public testing::DedupStateTest {};

TEST_F(DedupStatePlaceTest, AFullDiskIsASentence) {
  const std::string disk = folder_ / "disk";
  fs::create_directory(disk);
  const std::string in_namespace =
      "unshare -rm sh -c \"mount -t tmpfs -o size=2m none '" + disk + "' && ";
  if (RunProgram({"sh", "-c", in_namespace + "true\""}).status != 0) {
    GTEST_SKIP() << "no file system can be mounted here";
  }
  const ChildResult outcome =
      RunProgram({"sh", "-c",
                  in_namespace + "echo x | '" WINNOW_TOOL "' dedup --capacity=1e6 --state='" +
                      disk + "/state'; echo status \\$?; ls '" + disk + "'\""});
  EXPECT_EQ(outcome.output, "status 2\n");
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("has no room"), HasSubstr("No space left")));
  const ChildResult read_only = RunProgram({"sh", "-c",
                                            in_namespace + "mount -o remount,ro '" + disk +
                                                "' && '" WINNOW_TOOL "' dedup --state='" + disk +
                                                "/state' </dev/null; echo status \\$?\""});
  EXPECT_EQ(read_only.output, "status 2\n");
  EXPECT_THAT(read_only.errors, HasSubstr("can't be made: Read-only file system"));
  EXPECT_THAT(testing::ErrorsOf("--state='" + folder_ / "none/state" + "' </dev/null"),
              HasSubstr("No such file or directory"));
}

// The output would overwrite the state, and the state is not a text.
TEST_F(DedupStatePlaceTest, AFileOfAnotherUseIsRefused) {
  const std::string small = " --capacity=1000 ";
  Run({"a"}, small);
  const std::string before = ReadFile(state_);
  const std::string link = folder_ / "link", hard = folder_ / "hard";
  ASSERT_EQ(symlink(state_.c_str(), link.c_str()), 0);
  ASSERT_EQ(::link(state_.c_str(), hard.c_str()), 0);
  WriteFile(folder_ / "in", "b\n");
  const std::string in = "'" + folder_ / "in" + "'";
  for (const std::string& name : {state_, link, hard}) {
    const std::string quoted = "'" + name + "'";
    const struct {
      std::string arguments;
      const char* what;
    } cases[] = {
        {in + " >>" + quoted, "standard output"},  {in + " --count >>" + quoted, "standard output"},
        {in + " 1<>" + quoted, "standard output"}, {in + " - <" + quoted, "standard input"},
        {"<" + quoted, "standard input"},          {in + " " + quoted, "the input "}};
    for (const auto& it : cases) {
      EXPECT_THAT(testing::Refusal("--state='" + state_ + "'" + small + it.arguments),
                  HasSubstr("the state " + state_ + " is " + it.what))
          << it.arguments;
      EXPECT_TRUE(ReadFile(state_) == before) << it.arguments;
    }
    // Standard error is the state itself: no message can be printed.
    for (const char* to : {" 2>>", " >>/dev/null 2>>"}) {
      EXPECT_EQ(RunDedup("--state='" + state_ + "'" + small + in + to + quoted).status, 2);
      EXPECT_TRUE(ReadFile(state_) == before);
    }
  }
  EXPECT_EQ(Run({"a", "b"}, small).output, "b\n");
  // The state file is created by the first line.
  const std::string fresh = folder_ / "fresh";
  const ChildResult later = RunDedup(in + " '" + fresh + "' --state='" + fresh + "'");
  EXPECT_EQ(later.status, 2);
  EXPECT_EQ(later.output, "a\nb\n");
  EXPECT_THAT(later.errors, HasSubstr("fresh is the state, which has no lines"));
}

TEST_F(DedupStatePlaceTest, WhatIsNoStateIsSaidInAUsersWords) {
  const std::string state = Run({"a"}).status == 0 ? ReadFile(state_) : "";
  ASSERT_GT(state.size(), 4096u);
  const std::string filter = state.substr(4096, 1'000'000);  // a filter of another kind
  for (const std::string& bytes : {std::string("root:x:0:0:root:/root:/bin/bash\n"), std::string(),
                                   std::string("W"), filter}) {
    WriteFile(state_, bytes);
    EXPECT_THAT(Refusal({"b"}), AllOf(HasSubstr("is not a state of winnow dedup"),
                                      HasSubstr("give another file"), Not(HasSubstr("Serialize"))));
    EXPECT_TRUE(ReadFile(state_) == bytes);
  }
  fs::remove(state_);
  fs::create_directory(state_);
  EXPECT_THAT(Run({"b"}).errors, HasSubstr("Is a directory"));
}

// A dangling link is followed, as by the shell's >.
TEST_F(DedupStatePlaceTest, ALinkWithoutAFileIsFollowed) {
  fs::create_directory(folder_ / "there");
  fs::create_symlink("there/second", state_);
  fs::create_symlink(folder_ / "there/file", folder_ / "there/second");
  const ChildResult first = Run({"a"});
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_EQ(Run({"a", "b"}).output, "b\n");
  EXPECT_TRUE(fs::is_symlink(state_));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / "there/file")));
  fs::remove_all(folder_ / "there");
  EXPECT_THAT(Run({"a"}).errors, HasSubstr("can't be made: No such file or directory"));
}

TEST_F(DedupStatePlaceTest, NoneIsMadeWithoutALine) {
  const ChildResult none = Run({});
  EXPECT_EQ(none.status, 0);
  EXPECT_THAT(none.errors, HasSubstr("no line was read, so the state " + state_ + " was not made"));
  EXPECT_FALSE(fs::exists(state_));
  EXPECT_EQ(Run({}, "--count").output, "0\n");
  EXPECT_FALSE(fs::exists(state_));
  EXPECT_EQ(Run({"a"}).output, "a\n");
  EXPECT_THAT(Run({}).errors, Not(HasSubstr("was not made")));
}

// Owner, permissions and links of the file stay unchanged.
TEST_F(DedupStatePlaceTest, TheFileStaysTheSame) {
  Run({"a"}, "--capacity=70000");
  fs::permissions(state_, fs::perms(0640));
  struct stat before = {}, after = {};
  ASSERT_EQ(stat(state_.c_str(), &before), 0);
  EXPECT_EQ(Run(Numbered(0, 69'000), "--capacity=70000 --count").output, "69000\n");
  ASSERT_EQ(stat(state_.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(before.st_mode, after.st_mode);
}

// A run that was killed while it created a state leaves a file, and process numbers recur,
// especially in containers.
TEST_F(DedupStatePlaceTest, WhatAKilledRunLeftBehindIsNotInTheWay) {
  const ChildResult outcome = RunProgram({"sh", "-c",
                                          "echo mine >'" + state_ + "'.$$.unfinished; echo a >'" +
                                              folder_ / "in" + "'; exec '" WINNOW_TOOL "' dedup '" +
                                              folder_ / "in" + "' --state='" + state_ + "'"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.output, "a\n");
  EXPECT_EQ(Run({"a"}).output, "");
}

// A killed run leaves no file behind.
TEST_F(DedupStatePlaceTest, WhatIsUnfinishedHasNoName) {
  const int unnamed = open(folder_.path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed < 0) GTEST_SKIP() << "files have names on this file system";
  close(unnamed);
  const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(watch, 0);
  ASSERT_GE(inotify_add_watch(watch, folder_.path().c_str(), IN_CREATE), 0);
  EXPECT_EQ(Run({"a"}).output, "a\n");
  alignas(inotify_event) char events[4096];
  const ssize_t size = read(watch, events, sizeof events);
  close(watch);
  std::vector<std::string> names;
  for (ssize_t at = 0; at < size;) {
    const auto* const event = reinterpret_cast<const inotify_event*>(events + at);
    names.emplace_back(event->name);
    at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
  }
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("in", "state"));
}

// Both runs have found no state, and one of them creates it.
TEST_F(DedupStatePlaceTest, OfTwoThatMakeAStateOneEnds) {
  const std::string fifo = folder_ / "fifo", out = folder_ / "out";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const auto slow = testing::StartDedup("'" + fifo + "' --state='" + state_ + "'", out);
  FILE* const input = fopen(fifo.c_str(), "we");  // the run has looked for the state by then
  EXPECT_EQ(Run({"b"}).output, "b\n");
  const std::string before = ReadFile(state_);
  fputs("a\n", input);
  fclose(input);
  EXPECT_EQ(WEXITSTATUS(slow->Wait()), 2);
  EXPECT_THAT(slow->Errors(), HasSubstr("was made by another run meanwhile"));
  EXPECT_EQ(ReadFile(out), "");
  EXPECT_TRUE(ReadFile(state_) == before);
  EXPECT_EQ(Run({"a", "b"}).output, "a\n");
}

}  // namespace dedup_state_place_test
}  // namespace winnow
