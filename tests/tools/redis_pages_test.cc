// Pages of a filter in a real Redis server: the store by itself, and `winnow pages --redis`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/started_redis.h"
#include "tools/winnow/pages/redis_page_store.h"
#include "winnow/amq/page_store.h"
#include "winnow/amq/paged_bloom.h"
#include "winnow/hash.h"

namespace winnow {
namespace {

using amq::PagedBloom;
using nlohmann::json;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::LinesThatBegin;
using testing::RunProgram;
using testing::StartedRedis;
using tools::RedisPageStore;
using Found = amq::PageStore::Found;

std::string KeyNumber(uint64_t i) { return "key-" + std::to_string(i); }

std::string Lines(uint64_t first, uint64_t last) {
  std::string lines;
  for (uint64_t i = first; i < last; ++i) {
    lines += KeyNumber(i) + "\n";
  }
  return lines;
}

class RedisPagesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!testing::HasRedis()) {
      GTEST_SKIP() << "there is neither Redis nor Valkey";
    }
    server_ = std::make_unique<StartedRedis>();
  }

  std::unique_ptr<RedisPageStore> Connect(const std::string& name = "n") {
    std::string reason;
    std::unique_ptr<RedisPageStore> store =
        RedisPageStore::Connect(server_->address(), name, &reason);
    EXPECT_NE(store, nullptr) << reason;
    return store;
  }

  // The arguments are quoted for the shell by the caller; L stands for the list.
  ChildResult Pages(const std::string& action, const std::string& arguments,
                    const std::vector<std::string>& environment = {}) {
    return RunProgram({"sh", "-c",
                       "L='" + list_ + "'; exec '" WINNOW_TOOL "' pages " + action +
                           " --redis=" + server_->address() + " " + arguments},
                      environment);
  }

  testing::TemporaryFolder folder_;
  const std::string list_ = folder_ / "list";
  std::unique_ptr<StartedRedis> server_;
};

TEST_F(RedisPagesTest, KeepsBytes) {
  const std::unique_ptr<RedisPageStore> store = Connect();
  std::string bytes = "before";
  std::string reason;
  EXPECT_EQ(store->Load("1-0", &bytes, &reason), Found::kNo);
  EXPECT_FALSE(store->Store("1-0", "x", &reason)) << "without the lock";
  ASSERT_TRUE(store->Lock(&reason)) << reason;
  const std::string any("\0\n\xff bytes", 9);
  ASSERT_TRUE(store->Store("1-0", any, &reason)) << reason;
  ASSERT_TRUE(store->Store("1-1", "", &reason)) << reason;
  EXPECT_EQ(store->Load("1-0", &bytes, &reason), Found::kYes) << reason;
  EXPECT_EQ(bytes, any);
  EXPECT_EQ(store->Load("1-1", &bytes, &reason), Found::kYes) << reason;
  EXPECT_EQ(bytes, "");
  const std::string large(3'000'000, 'x');
  ASSERT_TRUE(store->Store("1-0", large, &reason)) << reason;
  EXPECT_EQ(Connect()->Load("1-0", &bytes, &reason), Found::kYes) << reason;
  EXPECT_EQ(bytes, large);
  EXPECT_EQ(Connect("other")->Load("1-0", &bytes, &reason), Found::kNo);
  ASSERT_TRUE(store->Remove("1-0", &reason)) << reason;
  EXPECT_TRUE(store->Remove("1-0", &reason)) << reason;
  EXPECT_EQ(store->Load("1-0", &bytes, &reason), Found::kNo);
  EXPECT_EQ(server_->Ask({"exists", "n:1-1"}), "1");
}

TEST_F(RedisPagesTest, OnlyWhoHasTheLockChangesAnything) {
  std::string reason;
  std::string bytes;
  std::unique_ptr<RedisPageStore> first = Connect();
  const std::unique_ptr<RedisPageStore> second = Connect();
  ASSERT_TRUE(first->Lock(&reason)) << reason;
  EXPECT_FALSE(second->Lock(&reason));
  EXPECT_THAT(reason, AllOf(HasSubstr("another process"), HasSubstr("n:lock")));
  EXPECT_TRUE(Connect("other")->Lock(&reason)) << reason;
  ASSERT_TRUE(first->Store("1-0", "old", &reason)) << reason;

  // It ran out meanwhile.
  server_->Ask({"del", "n:lock"});
  ASSERT_TRUE(second->Lock(&reason)) << reason;
  EXPECT_FALSE(first->Store("1-0", "late", &reason));
  EXPECT_THAT(reason, HasSubstr("the lock n:lock is not ours any more"));
  EXPECT_FALSE(first->Remove("1-0", &reason));
  EXPECT_EQ(second->Load("1-0", &bytes, &reason), Found::kYes);
  EXPECT_EQ(bytes, "old");
  first.reset();
  EXPECT_TRUE(second->Store("1-0", "new", &reason)) << "the lock of another was given back";
}

TEST_F(RedisPagesTest, AServerThatGoesAwayIsASentence) {
  const std::unique_ptr<RedisPageStore> store = Connect();
  std::string reason;
  std::string bytes;
  ASSERT_TRUE(store->Lock(&reason)) << reason;
  server_->Ask({"sadd", "n:1-1", "no page"});
  EXPECT_EQ(store->Load("1-1", &bytes, &reason), Found::kFailed);
  EXPECT_THAT(reason, AllOf(HasSubstr("can't read n:1-1 on 127.0.0.1"), HasSubstr("WRONGTYPE")));
  const std::unique_ptr<RedisPageStore> sender = Connect();
  server_->Stop();
  // More than is sent at once: the rest goes to a connection that was reset, without a SIGPIPE.
  EXPECT_FALSE(sender->Store("1-0", std::string(30'000'000, 'x'), &reason));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(store->Load("1-0", &bytes, &reason), Found::kFailed);
    EXPECT_FALSE(store->Store("1-0", std::string(3'000'000, 'x'), &reason));
    EXPECT_THAT(reason, HasSubstr("can't change n:1-0 on " + server_->address()));
  }
  EXPECT_EQ(RedisPageStore::Connect(server_->address(), "n", &reason), nullptr);
  EXPECT_THAT(reason, HasSubstr("can't connect to " + server_->address()));
  for (const char* address : {"", ":1", "host:0", "host:x", "host:70000", "[::1]x", "[::1"}) {
    EXPECT_EQ(RedisPageStore::Connect(address, "n", &reason), nullptr) << address;
    EXPECT_THAT(reason, HasSubstr("is no address of a server")) << address;
  }
  for (const char* address : {"[::1]:1", "::1:1", "127.0.0.1:1"}) {
    EXPECT_EQ(RedisPageStore::Connect(address, "n", &reason), nullptr) << address;
    EXPECT_THAT(reason, HasSubstr(std::string("can't connect to ") + address));
  }
}

TEST_F(RedisPagesTest, TheVerbSaysTheSameAsOfAFolder) {
  testing::WriteFile(list_, Lines(0, 8'000));
  const std::string folder = folder_ / "pages";
  const std::string flags = "--keys=\"$L\" --capacity=9000 --rate=0.003 --json";
  const ChildResult built = Pages("build", flags);
  ASSERT_EQ(built.status, 0) << built.errors;
  const ChildResult in_folder = RunProgram(
      {"sh", "-c",
       "L='" + list_ + "'; exec '" WINNOW_TOOL "' pages build '" + folder + "' " + flags});
  EXPECT_EQ(json::parse(built.output)["filter"], json::parse(in_folder.output)["filter"]);
  EXPECT_EQ(json::parse(built.output)["place"], server_->address() + "/pages");
  EXPECT_EQ(server_->Ask({"exists", "pages:lock"}), "0");
  EXPECT_EQ(server_->Ask({"dbsize"}),
            std::to_string(json::parse(built.output)["pages_written"].get<int>() + 1));

  testing::WriteFile(list_, Lines(7'000, 8'900));
  EXPECT_EQ(Pages("add", "--keys=\"$L\"").status, 0);
  EXPECT_EQ(RunProgram({WINNOW_TOOL, "pages", "add", folder, "--keys=" + list_}).status, 0);
  testing::WriteFile(list_, Lines(6'000, 12'000));
  const ChildResult asked = Pages("ask", "--keys=\"$L\" --json");
  EXPECT_EQ(asked.status, 1);
  const ChildResult asked_folder =
      RunProgram({WINNOW_TOOL, "pages", "ask", folder, "--keys=" + list_, "--json"});
  json a = json::parse(asked.output);
  json b = json::parse(asked_folder.output);
  EXPECT_EQ(a["keys"].size(), 6'000u);
  a.erase("place");
  b.erase("place");
  EXPECT_EQ(a, b);

  const ChildResult one = Pages("ask", "key-5");
  EXPECT_EQ(one.status, 0);
  EXPECT_THAT(one.output, HasSubstr("1 key: 1 may be there, 0 absent; 1 of "));
}

TEST_F(RedisPagesTest, WhatCanNotBeBuiltLeavesTheOldPages) {
  testing::WriteFile(list_, Lines(0, 3'000));
  ASSERT_EQ(Pages("build", "--keys=\"$L\" --name=x.1").status, 0);
  const std::string before = server_->Ask({"--scan"});
  const std::string plan = server_->Ask({"get", "x.1:plan"});
  testing::WriteFile(list_, Lines(0, 6'000));
  const ChildResult full = Pages("build", "--keys=\"$L\" --name=x.1 --capacity=3000");
  EXPECT_EQ(full.status, 1);
  EXPECT_THAT(full.errors,
              AllOf(HasSubstr("/x.1: nothing is changed"), HasSubstr("plan for more")));
  EXPECT_EQ(server_->Ask({"get", "x.1:plan"}), plan);
  EXPECT_EQ(Pages("ask", "--name=x.1 key-5").status, 0);
  EXPECT_EQ(Pages("build", "--keys=\"$L\" --name=x.1").status, 0);
  EXPECT_NE(server_->Ask({"get", "x.1:plan"}), plan);

  // As one that another process has, or one that was killed.
  server_->Ask({"set", "x.1:lock", "another"});
  for (const char* action : {"build", "add"}) {
    const ChildResult locked = Pages(action, "--name=x.1 key-5");
    EXPECT_EQ(locked.status, 2);
    EXPECT_THAT(locked.errors, HasSubstr("another process changes the pages x.1"));
  }
  EXPECT_EQ(server_->Ask({"get", "x.1:lock"}), "another");
}

TEST_F(RedisPagesTest, WhatTheServerLostMayBeThere) {
  testing::WriteFile(list_, Lines(0, 3'000));
  ASSERT_EQ(Pages("build", "--keys=\"$L\"").status, 0);
  std::string page;
  {
    const std::unique_ptr<RedisPageStore> store = Connect("pages");
    std::string reason;
    const std::optional<PagedBloom> filter = PagedBloom::Open(store.get(), &reason);
    ASSERT_TRUE(filter.has_value()) << reason;
    page = filter->PageName(filter->PageOf(HashKey("key-5")));
  }
  ASSERT_EQ(server_->Ask({"del", "pages:" + page}), "1");
  const ChildResult lost = Pages("ask", "key-5");
  EXPECT_EQ(lost.status, 2);
  EXPECT_THAT(lost.output, HasSubstr("may be there: its page could not be read"));
  EXPECT_THAT(lost.errors, AllOf(HasSubstr("page " + page + " is missing"), HasSubstr("may be")));
  server_->Ask({"flushall"});
  for (const char* action : {"add", "ask"}) {
    const ChildResult gone = Pages(action, "key-5");
    EXPECT_EQ(gone.status, 2);
    EXPECT_THAT(gone.errors, HasSubstr("there are no pages of a filter"));
    EXPECT_EQ(LinesThatBegin(gone.errors, "").size(), 1u);
  }
  EXPECT_EQ(server_->Ask({"dbsize"}), "0");
}

TEST_F(RedisPagesTest, APasswordComesFromTheEnvironment) {
  server_ =
      std::make_unique<StartedRedis>(std::vector<std::string>{"--requirepass", "some password"});
  const ChildResult without = Pages("build", "key-1");
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.errors, AllOf(HasSubstr("NOAUTH"), HasSubstr("REDISCLI_AUTH")));
  const ChildResult wrong = Pages("build", "key-1", {"REDISCLI_AUTH=another"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.errors, AllOf(HasSubstr("WRONGPASS"), HasSubstr("REDISCLI_AUTH")));
  const ChildResult of_dedup = Pages("build", "key-1", {"WINNOW_REDIS_PASSWORD=some password"});
  EXPECT_THAT(of_dedup.errors, HasSubstr("NOAUTH"));
  const ChildResult right = Pages("build", "key-1", {"REDISCLI_AUTH=some password"});
  EXPECT_EQ(right.status, 0) << right.errors;
  EXPECT_EQ(Pages("ask", "key-1", {"REDISCLI_AUTH=some password"}).status, 0);
}

TEST_F(RedisPagesTest, AFullServerLeavesTheOldPages) {
  testing::WriteFile(list_, Lines(0, 100));
  ASSERT_EQ(Pages("build", "--keys=\"$L\"").status, 0);
  server_->Ask({"config", "set", "maxmemory", "1500kb"});
  testing::WriteFile(list_, Lines(0, 1'000'000));
  const ChildResult full = Pages("build", "--keys=\"$L\"");
  EXPECT_EQ(full.status, 2);
  EXPECT_THAT(full.errors, AllOf(HasSubstr("can't change pages:2-"), HasSubstr("maxmemory")));
  EXPECT_EQ(Pages("ask", "key-5").status, 0);
  EXPECT_EQ(Pages("ask", "key-500 key-501 key-502 key-503").status, 1);
}

TEST_F(RedisPagesTest, WrongUsageIsSaid) {
  for (const char* name : {"'a b'", "a:b", "''", "ä"}) {
    const ChildResult outcome = Pages("build", std::string("key-1 --name=") + name);
    EXPECT_EQ(outcome.status, 2) << name;
    EXPECT_THAT(outcome.errors, HasSubstr("--name"));
    EXPECT_THAT(outcome.output, IsEmpty());
  }
  EXPECT_EQ(server_->Ask({"dbsize"}), "0");
}

}  // namespace
}  // namespace winnow
