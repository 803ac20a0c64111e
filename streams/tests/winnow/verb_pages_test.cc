// Tests of `winnow pages` as users and scripts run it: its results, messages, and what it leaves
// unchanged.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "streams/tests/winnow/pages_testing.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "winnow/amq/page_store.h"
#include "winnow/amq/paged_bloom.h"
#include "winnow/hash.h"

namespace winnow {
namespace verb_pages_test {

namespace fs = std::filesystem;

using amq::PagedBloom;
using nlohmann::json;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KeyLines;
using testing::KeyNumber;
using testing::ReadFile;
using testing::RunProgram;
using testing::WriteFile;

class VerbPagesTest : public ::testing::Test {
 protected:
  // Runs the tool. The caller quotes the arguments for the shell; $P is the folder and $L the list.
  ChildResult Pages(const std::string& action, const std::string& arguments = "") {
    return RunProgram({"sh", "-c",
                       "P='" + pages_ + "'; L='" + list_ + "'; exec '" WINNOW_TOOL "' pages " +
                           action + " \"$P\" " + arguments});
  }

  // Runs the tool, which must print one line of errors alone and end with status 2; returns the
  // line.
  std::string Refusal(const std::string& action, const std::string& arguments) {
    const ChildResult outcome = Pages(action, arguments);
    EXPECT_EQ(outcome.status, 2) << action;
    EXPECT_EQ(outcome.output, "") << action;
    EXPECT_EQ(testing::LinesThatBegin(outcome.errors, "").size(), 1u) << outcome.errors;
    return outcome.errors;
  }

  json PagesJson(const std::string& action, const std::string& arguments, int code) {
    const ChildResult outcome = Pages(action, arguments + " --json");
    EXPECT_EQ(outcome.status, code) << outcome.errors << outcome.output;
    json document = json::parse(outcome.output, nullptr, /*allow_exceptions=*/false);
    EXPECT_TRUE(document.is_object()) << outcome.output;
    EXPECT_EQ(document["schema"], "winnow.pages/1");
    EXPECT_EQ(document["action"], action);
    return document;
  }

  void BuildFrom(uint64_t keys, const std::string& flags = "") {
    WriteFile(list_, KeyLines(0, keys));
    const ChildResult outcome = Pages("build", "--keys=\"$L\" " + flags);
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
    ASSERT_THAT(outcome.errors, IsEmpty());
  }

  // Returns the names and contents of all files in the folder.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(pages_)) {
      files[entry.path().filename().string()] = ReadFile(entry.path().string());
    }
    return files;
  }

  PagedBloom Opened() {
    std::string reason;
    std::optional<PagedBloom> filter = PagedBloom::Open(&store_, &reason);
    EXPECT_TRUE(filter.has_value()) << reason;
    return std::move(*filter);
  }

  std::string PathOfPage(const std::string& key) {
    const PagedBloom filter = Opened();
    return pages_ + "/" + filter.PageName(filter.PageOf(HashKey(key)));
  }

  testing::TemporaryFolder folder_;
  const std::string pages_ = folder_ / "some pages";
  const std::string list_ = folder_ / "list";
  amq::FolderPageStore store_{pages_};
};

TEST_F(VerbPagesTest, WhatWasBuiltMayBeThereAndHardlyAnythingElse) {
  WriteFile(list_, KeyLines(0, 20'000));
  const json built = PagesJson("build", "--keys=\"$L\" --page_size=512 --rate=0.02", 0);
  const json filter = built["filter"];
  EXPECT_EQ(built["keys_read"], 20'000);
  EXPECT_EQ(filter["page_bytes"], 512);
  EXPECT_EQ(filter["capacity"], 20'000);
  EXPECT_EQ(filter["planned_rate"], 0.02);
  EXPECT_EQ(built["pages_written"], filter["pages"]);
  EXPECT_EQ(filter["bytes"], filter["pages"].get<int>() * 512);
  EXPECT_GT(filter["pages"], 30);
  EXPECT_LE(filter["expected_fpr"], 0.02);
  EXPECT_GT(filter["expected_fpr"], 0.016);
  EXPECT_GT(filter["worst_fpr"], filter["expected_fpr"]);
  EXPECT_GT(filter["worst_fill_ratio"], filter["fill_ratio"]);
  EXPECT_EQ(Files().size(), filter["pages"].get<size_t>() + 2) << "the plan and the lock beside";
  EXPECT_EQ(filter["expected_fpr"], Opened().expected_fpr());

  const json there = PagesJson("ask", "--keys=\"$L\"", 0);
  EXPECT_EQ(there["pages_read"], filter["pages"]);
  EXPECT_THAT(there["faults"], IsEmpty());
  ASSERT_EQ(there["keys"].size(), 20'000u);

  WriteFile(list_, KeyLines(1'000'000, 1'050'000));
  int may_be_there = 0;
  const json asked = PagesJson("ask", "--keys=\"$L\"", 1);
  ASSERT_EQ(asked["keys"].size(), 50'000u);
  for (const json& key : asked["keys"]) {
    may_be_there += key["may_contain"].get<bool>() ? 1 : 0;
  }
  const double expected = 50'000 * filter["expected_fpr"].get<double>();
  EXPECT_NEAR(may_be_there, expected, 4 * std::sqrt(expected));
}

TEST_F(VerbPagesTest, KeysMayBeHexadecimal) {
  WriteFile(list_, KeyLines(0, 10'000));
  EXPECT_THAT(Pages("build", "<\"$L\" --capacity=1.2e4").output,
              AllOf(HasSubstr("10000 keys read, "), HasSubstr("planned 1 % for 12000 keys")));
  const ChildResult asked = Pages("ask", "key-7 no-such-key --hex");
  EXPECT_EQ(asked.status, 2);
  EXPECT_THAT(asked.errors, HasSubstr("'key-7' is no key of hexadecimal digits"));
  const ChildResult hex = Pages("ask", "6b65792d37 0x6b65792d38 --hex");
  EXPECT_EQ(hex.status, 0);
  EXPECT_THAT(hex.output, AllOf(HasSubstr("key-7 (0x6b65792d37): may be there\n"),
                                HasSubstr("key-8 (0x6b65792d38): may be there\n"),
                                HasSubstr("2 keys: 2 may be there, 0 absent; ")));
}

TEST_F(VerbPagesTest, OnlyThePagesOfTheKeysAreRead) {
  BuildFrom(20'000);
  EXPECT_EQ(PagesJson("ask", "key-5 key-5", 0)["pages_read"], 1);
  const std::string wanted = PathOfPage("key-5");
  for (const auto& [name, bytes] : Files()) {
    const std::string path = pages_ + "/" + name;
    if (name != "plan" && path != wanted) fs::remove(path);
  }
  const ChildResult outcome = Pages("ask", "key-5");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.errors, IsEmpty());
  EXPECT_THAT(outcome.output, HasSubstr("1 key: 1 may be there, 0 absent; 1 of "));
}

TEST_F(VerbPagesTest, ARebuildThatPassesTheLimitLeavesTheOldPages) {
  BuildFrom(5'000);
  const auto before = Files();
  WriteFile(list_, KeyLines(0, 9'000));
  const ChildResult text = Pages("build", "--keys=\"$L\" --capacity=5000");
  EXPECT_EQ(text.status, 1);
  EXPECT_THAT(text.output, IsEmpty());
  EXPECT_THAT(text.errors, AllOf(HasSubstr("winnow pages: " + pages_ + ": nothing is changed: "),
                                 HasSubstr("planned were 0.01 for 5000 keys")));
  const json document = PagesJson("build", "--keys=\"$L\" --capacity=5000", 1);
  EXPECT_TRUE(document["filter"].is_null());
  EXPECT_EQ(document["faults"].size(), 1u);
  EXPECT_EQ(Files(), before);

  EXPECT_EQ(Pages("build", "--keys=\"$L\"").status, 0);
  EXPECT_NE(Files(), before);
  EXPECT_EQ(Pages("ask", "--keys=\"$L\"").status, 0);
}

TEST_F(VerbPagesTest, ABuildInVainLeavesNoFolder) {
  for (const char* action : {"ask", "add"}) {
    const std::string errors = Refusal(action, "key");
    EXPECT_THAT(errors, HasSubstr(pages_));
    EXPECT_EQ(errors.find(pages_), errors.rfind(pages_)) << "it is named once: " << errors;
  }
  WriteFile(list_, KeyLines(0, 9'000));
  EXPECT_EQ(Pages("build", "--keys=\"$L\" --capacity=1000").status, 1);
  EXPECT_FALSE(fs::exists(pages_));
  EXPECT_EQ(Pages("build", "--keys=/nowhere").status, 2);
  EXPECT_FALSE(fs::exists(pages_));
  EXPECT_EQ(Pages("build", "</dev/null").status, 2);
  EXPECT_FALSE(fs::exists(pages_));
}

TEST_F(VerbPagesTest, KeysAreAddedUpToTheRate) {
  BuildFrom(5'000, "--capacity=6000");
  WriteFile(list_, KeyLines(4'000, 6'000));
  const json added = PagesJson("add", "--keys=\"$L\"", 0);
  EXPECT_EQ(added["keys_read"], 2'000);
  EXPECT_GT(added["keys_new"], 900);
  EXPECT_LE(added["keys_new"], 1'000);
  EXPECT_EQ(added["pages_written"], added["filter"]["pages"]);
  EXPECT_EQ(Pages("ask", "--keys=\"$L\"").status, 0);
  const auto before = Files();
  const json again = PagesJson("add", "key-5", 0);
  EXPECT_EQ(again["keys_new"], 0);
  EXPECT_EQ(again["pages_written"], 0);
  EXPECT_EQ(again["pages_read"], 1);
  EXPECT_EQ(Files(), before);

  WriteFile(list_, KeyLines(6'000, 20'000));
  const json full = PagesJson("add", "--keys=\"$L\"", 1);
  EXPECT_LE(full["filter"]["expected_fpr"], 0.01);
  EXPECT_GT(full["filter"]["expected_fpr"], 0.0099);
  const std::string fault = full["faults"].at(0);
  EXPECT_THAT(fault, AllOf(HasSubstr("the filter is full"), HasSubstr("build it anew")));
  const size_t at = fault.find(", number ");
  ASSERT_NE(at, std::string::npos) << fault;
  const uint64_t place = std::stoull(fault.substr(at + 9));
  EXPECT_GT(place, 1u);
  WriteFile(list_, KeyLines(6'000, 6'000 + place - 1));
  EXPECT_EQ(Pages("ask", "--keys=\"$L\"").status, 0) << "those before the refused one are there";
  EXPECT_EQ(Pages("ask", KeyNumber(6'000 + place - 1)).status, 1);
}

// The record is stored before the pages, and claims too much after a crash in between.
TEST_F(VerbPagesTest, WhatAKilledAddClaimedIsCountedAnew) {
  class OnlyTheRecord : public amq::FolderPageStore {
   public:
    using FolderPageStore::FolderPageStore;
    bool Store(const std::string& name, std::string_view bytes, std::string* reason) override {
      return name == PagedBloom::RecordName() && FolderPageStore::Store(name, bytes, reason);
    }
  };
  BuildFrom(1'000, "--capacity=6000");
  OnlyTheRecord killed(pages_);
  std::string reason;
  {
    std::optional<PagedBloom> filter = PagedBloom::Open(&killed, &reason);
    ASSERT_TRUE(filter.has_value());
    for (uint64_t i = 1'000'000; i < 1'004'990; ++i) {
      ASSERT_NE(filter->Add(HashKey(KeyNumber(i)), &reason), PagedBloom::Added::kFailed);
    }
    ASSERT_FALSE(filter->Save(&reason));
  }
  ASSERT_GT(Opened().num_added(), 5'900u);
  WriteFile(list_, KeyLines(1'000, 5'900));
  const ChildResult added = Pages("add", "--keys=\"$L\"");
  EXPECT_EQ(added.status, 0) << added.errors;
  EXPECT_LT(Opened().num_added(), 5'901u);
  EXPECT_EQ(Pages("ask", "--keys=\"$L\"").status, 0);
}

TEST_F(VerbPagesTest, KeysOfALostOrDamagedPageMayBeThere) {
  BuildFrom(20'000);
  const std::string lost = PathOfPage("key-1");
  std::string other;
  for (uint64_t i = 0; other.empty() || PathOfPage(other) == lost; ++i) other = KeyNumber(i);
  for (const bool is_lost : {true, false}) {
    if (is_lost) {
      fs::rename(lost, folder_ / "page");
    } else {
      std::string bytes = ReadFile(folder_ / "page");
      bytes[bytes.size() / 2] ^= 1;
      WriteFile(lost, bytes);
    }
    const std::string name = "page " + fs::path(lost).filename().string();
    const ChildResult text = Pages("ask", "key-1 " + other + " key-1");
    EXPECT_EQ(text.status, 2);
    EXPECT_THAT(text.errors, AllOf(HasSubstr(pages_ + ": " + name), HasSubstr("its keys may be")));
    EXPECT_EQ(testing::LinesThatBegin(text.errors, "").size(), 1u) << text.errors;
    EXPECT_THAT(text.output, AllOf(HasSubstr("key-1 (0x6b65792d31): may be there: its page could"),
                                   HasSubstr("3 keys: 3 may be there, 0 absent; 1 of ")));
    const json document = PagesJson("ask", "key-1", 2);
    EXPECT_EQ(document["keys"][0]["may_contain"], true);
    EXPECT_EQ(document["keys"][0]["page_read"], false);
    EXPECT_EQ(Pages("ask", other).status, 0);

    const ChildResult added = Pages("add", "key-1");
    EXPECT_EQ(added.status, 2);
    EXPECT_THAT(added.errors, AllOf(HasSubstr("are not added: "), HasSubstr(name)));
  }
}

TEST_F(VerbPagesTest, ADamagedRecordIsRefused) {
  BuildFrom(1'000);
  std::string bytes = ReadFile(pages_ + "/plan");
  bytes[90] ^= 1;
  WriteFile(pages_ + "/plan", bytes);
  const auto before = Files();
  for (const char* action : {"build", "add", "ask"}) {
    EXPECT_THAT(Refusal(action, "key-1"),
                AllOf(HasSubstr(pages_), HasSubstr("remove what is named \"plan\" and the pages")));
  }
  EXPECT_EQ(Files(), before);
  for (const auto& [name, content] : before) {
    if (name != "lock") fs::remove(pages_ + "/" + name);
  }
  EXPECT_EQ(Pages("build", "key-1").status, 0);
}

TEST_F(VerbPagesTest, AListWithAFaultChangesNothing) {
  BuildFrom(1'000, "--capacity=2000");
  const auto before = Files();
  WriteFile(list_, "6b6579\nno digits\n");
  for (const char* action : {"build", "add", "ask"}) {
    EXPECT_THAT(Refusal(action, "--hex --keys=\"$L\""), HasSubstr("line 2 of " + list_)) << action;
  }
  EXPECT_EQ(Files(), before);
}

TEST_F(VerbPagesTest, NothingIsWrittenInAFolderOfSomethingElse) {
  fs::create_directory(pages_);
  WriteFile(pages_ + "/notes", "mine");
  for (const char* action : {"build", "add", "ask"}) {
    EXPECT_THAT(Refusal(action, "key-1"), HasSubstr(pages_)) << action;
  }
  EXPECT_EQ(Files().size(), 1u);
  fs::remove(pages_ + "/notes");
  EXPECT_EQ(Pages("build", "key-1").status, 0);
}

TEST_F(VerbPagesTest, OneProcessAtATimeChangesThePages) {
  BuildFrom(1'000, "--capacity=2000");
  const auto before = Files();
  const int lock = open((pages_ + "/lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(lock, 0);
  ASSERT_EQ(flock(lock, LOCK_EX | LOCK_NB), 0);
  for (const char* action : {"build", "add"}) {
    EXPECT_THAT(Refusal(action, "key-1500"), HasSubstr("another process changes the pages"))
        << action;
  }
  EXPECT_EQ(Pages("ask", "key-5").status, 0);
  EXPECT_EQ(Files(), before);
  close(lock);
  EXPECT_EQ(Pages("add", "key-1500").status, 0);
}

TEST_F(VerbPagesTest, WrongUsageIsSaid) {
  const struct {
    const char* arguments;
    const char* said;
  } cases[] = {
      {"", "build, add or ask?"},
      {"delete x key", "'delete' is none of build, add and ask"},
      {"ask", "the pages of which folder, or of which server (--redis)?"},
      {"build x key --rate=2", "--rate is 2, but must be a number from 1e-15 to 0.5"},
      {"build x key --rate=0", "--rate is 0, but must be"},
      {"build x key --page_size=1001", "--page_size is 1001, but must be a multiple of 8"},
      {"build x key --page_size=big", "--page_size is big, but must be a number of bytes from 64"},
      {"build x key --page_size=-1", "--page_size is -1, but must be"},
      {"build x key --pagesize=1024", "did you mean --page_size?"},
      {"build x key --capacity=2000000000000", "--capacity is 2000000000000, but must be"},
      {"build x key --capacity=1.5", "--capacity is 1.5, but must be a whole number"},
      {"build x key --capacity=many", "--capacity is many, but must be"},
      {"build x key --capacity=-5", "--capacity is -5, but must be"},
  };
  for (const auto& [arguments, said] : cases) {
    const ChildResult outcome = RunProgram(
        {"sh", "-c", "cd '" + folder_.path() + "' && exec '" WINNOW_TOOL "' pages " + arguments});
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.errors, HasSubstr(said)) << arguments;
    EXPECT_THAT(outcome.output, IsEmpty());
  }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(VerbPagesTest, PagesThatFitInNoMemoryAreASentence) {
  const ChildResult outcome =
      RunProgram({"sh", "-c",
                  "ulimit -v 4000000; exec '" WINNOW_TOOL "' pages build '" + pages_ +
                      "' key --capacity=100000000000"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("there is not enough memory"));
  EXPECT_FALSE(fs::exists(pages_));
}

// RocksDB's traces are recognized and not read as lists of lines.
TEST_F(VerbPagesTest, ATraceIsReadByTheProgramsReader) {
  const std::string begin = "feedcafedeadbeef\tTrace Version: 0.2\tRocksDB Version: 7.8\t";
  std::string head(13, '\0');
  head[8] = 1;  // type of the first record
  head[9] = static_cast<char>(begin.size());
  WriteFile(list_, head + begin);
  const ChildResult outcome = Pages("build", "--keys=\"$L\"");
  EXPECT_EQ(outcome.status, 2) << outcome.output;
  const std::string version = RunProgram({WINNOW_TOOL, "version"}).output;
  EXPECT_THAT(outcome.errors, HasSubstr(version.find("\nRocksDB ") != std::string::npos
                                            ? "has no lookups of the column family 'default'"
                                            : "this winnow is built without RocksDB"));
}

}  // namespace verb_pages_test
}  // namespace winnow
