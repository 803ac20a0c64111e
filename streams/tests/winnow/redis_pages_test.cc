// Tests of a filter's pages in a real Redis server: the store itself, and `winnow pages --redis`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "streams/redis/key_slots.h"
#include "streams/redis/redis_access.h"
#include "streams/tests/support/page_stores.h"
#include "streams/tests/support/started_cluster.h"
#include "streams/tests/support/started_redis.h"
#include "streams/tests/winnow/pages_testing.h"
#include "streams/winnow/pages/redis_page_store.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/started_tool.h"
#include "winnow/amq/page_store.h"
#include "winnow/amq/paged_bloom.h"
#include "winnow/hash.h"

namespace winnow {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::KeyLines;
using ::testing::Not;
using testing::RunProgram;
using testing::StartedCluster;
using testing::StartedRedis;
using tools::RedisPageStore;
using Found = amq::PageStore::Found;

std::vector<redis::RedisAccess> Access(const std::string& addresses) {
  return redis::ParseServers(addresses, {}).value();
}

class RedisPagesTest : public testing::RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (!IsSkipped()) server_ = std::make_unique<StartedRedis>();
  }

  std::unique_ptr<RedisPageStore> Connect(const std::string& name = "n") {
    std::string reason;
    std::unique_ptr<RedisPageStore> store =
        RedisPageStore::Connect(Access(server_->address()), name, &reason);
    EXPECT_NE(store, nullptr) << reason;
    return store;
  }

  // Runs the tool. The caller quotes the arguments for the shell; $L is the list.
  ChildResult Pages(const std::string& action, const std::string& arguments,
                    const std::vector<std::string>& environment = {}) {
    return RunProgram({"sh", "-c",
                       "L='" + list_ + "'; exec '" WINNOW_TOOL "' pages " + action +
                           " --redis=" + server_->address() + " " + arguments},
                      environment);
  }

  // Runs the tool, which must end with this status, and returns its messages.
  std::string ErrorsOf(const std::string& action, const std::string& arguments, int status = 2,
                       const std::vector<std::string>& environment = {}) {
    const ChildResult outcome = Pages(action, arguments, environment);
    EXPECT_EQ(outcome.status, status) << action << ": " << outcome.errors;
    return outcome.errors;
  }

  testing::TemporaryFolder folder_;
  const std::string list_ = folder_ / "list";
  std::unique_ptr<StartedRedis> server_;
};

TEST_F(RedisPagesTest, KeepsBytes) {
  const std::unique_ptr<RedisPageStore> store = Connect();
  std::string bytes;
  std::string reason;
  EXPECT_FALSE(store->Store("1-0", "x", &reason)) << "without the lock";
  ASSERT_TRUE(store->Lock(&reason)) << reason;
  testing::ExpectKeepsBytes(store.get());
  EXPECT_EQ(Connect()->Load("1-1", &bytes, &reason), Found::kYes) << reason;
  EXPECT_EQ(Connect("other")->Load("1-1", &bytes, &reason), Found::kNo);
  EXPECT_TRUE(store->Remove("1-0", &reason)) << reason;
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

  // The lock expired meanwhile.
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

// The server closes idle connections, as with `timeout`; the lock is in a key, and stays.
TEST_F(RedisPagesTest, AConnectionThatTheServerClosedIsMadeAnew) {
  const std::unique_ptr<RedisPageStore> store = Connect();
  std::string reason;
  std::string bytes;
  ASSERT_TRUE(store->Lock(&reason)) << reason;
  EXPECT_EQ(server_->Ask({"client", "kill", "type", "normal"}), "1");
  EXPECT_TRUE(store->Store("1-0", "page", &reason)) << reason;
  EXPECT_EQ(server_->Ask({"client", "kill", "type", "normal"}), "1");
  EXPECT_EQ(store->Load("1-0", &bytes, &reason), Found::kYes) << reason;
  EXPECT_EQ(bytes, "page");
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
  // More data than is sent at once: the rest is written to a reset connection, without a SIGPIPE.
  EXPECT_FALSE(sender->Store("1-0", std::string(30'000'000, 'x'), &reason));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(store->Load("1-0", &bytes, &reason), Found::kFailed);
    EXPECT_FALSE(store->Store("1-0", std::string(3'000'000, 'x'), &reason));
    EXPECT_THAT(reason, HasSubstr("can't change n:1-0 on " + server_->address()));
  }
  EXPECT_EQ(RedisPageStore::Connect(Access(server_->address()), "n", &reason), nullptr);
  EXPECT_THAT(reason, HasSubstr("can't connect to " + server_->address()));
  for (const char* address : {"[::1]:1", "::1:1", "127.0.0.1:1"}) {
    EXPECT_EQ(RedisPageStore::Connect(Access(address), "n", &reason), nullptr) << address;
    EXPECT_THAT(reason, HasSubstr(std::string("can't connect to ") + address));
  }
}

TEST_F(RedisPagesTest, TheVerbSaysTheSameAsOfAFolder) {
  testing::WriteFile(list_, KeyLines(0, 8'000));
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

  testing::WriteFile(list_, KeyLines(7'000, 8'900));
  EXPECT_EQ(Pages("add", "--keys=\"$L\"").status, 0);
  EXPECT_EQ(RunProgram({WINNOW_TOOL, "pages", "add", folder, "--keys=" + list_}).status, 0);
  testing::WriteFile(list_, KeyLines(6'000, 12'000));
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

  EXPECT_THAT(Pages("ask", "key-5").output, HasSubstr("1 key: 1 may be there, 0 absent; 1 of "));
}

TEST_F(RedisPagesTest, APasswordComesFromTheEnvironment) {
  server_ =
      std::make_unique<StartedRedis>(std::vector<std::string>{"--requirepass", "some password"});
  EXPECT_THAT(ErrorsOf("build", "key-1"), AllOf(HasSubstr("NOAUTH"), HasSubstr("REDISCLI_AUTH")));
  EXPECT_THAT(ErrorsOf("build", "key-1", 2, {"REDISCLI_AUTH=another"}),
              AllOf(HasSubstr("WRONGPASS"), HasSubstr("REDISCLI_AUTH")));
  EXPECT_THAT(ErrorsOf("build", "key-1", 2, {"WINNOW_REDIS_PASSWORD=some password"}),
              HasSubstr("NOAUTH"));
  EXPECT_EQ(ErrorsOf("build", "key-1", 0, {"REDISCLI_AUTH=some password"}), "");
  EXPECT_EQ(Pages("ask", "key-1", {"REDISCLI_AUTH=some password"}).status, 0);
}

// Such a server repeats the arguments of AUTH in its error.
TEST_F(RedisPagesTest, APasswordIsNotShownByAServerThatDoesNotKnowAuth) {
  server_ =
      std::make_unique<StartedRedis>(std::vector<std::string>{"--rename-command", "AUTH", ""});
  ASSERT_THAT(server_->Ask({"auth", "sesame"}), HasSubstr("sesame"));
  EXPECT_THAT(ErrorsOf("build", "key-1", 2, {"REDISCLI_AUTH=sesame"}),
              AllOf(HasSubstr("does not take the password"),
                    HasSubstr("REDISCLI_AUTH in the environment"), Not(HasSubstr("sesame"))));
}

TEST_F(RedisPagesTest, AFullServerLeavesTheOldPages) {
  testing::WriteFile(list_, KeyLines(0, 100));
  ASSERT_EQ(Pages("build", "--keys=\"$L\"").status, 0);
  server_->Ask({"config", "set", "maxmemory", "1500kb"});
  testing::WriteFile(list_, KeyLines(0, 1'000'000));
  EXPECT_THAT(ErrorsOf("build", "--keys=\"$L\""),
              AllOf(HasSubstr("can't change pages:2-"), HasSubstr("maxmemory")));
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

TEST_F(RedisPagesTest, SeveralServersAreOfOneCluster) {
  const StartedRedis another;
  const ChildResult two = RunProgram({WINNOW_TOOL, "pages", "build", "key-1",
                                      "--redis=" + server_->address() + "," + another.address()});
  EXPECT_EQ(two.status, 2);
  EXPECT_THAT(two.errors, HasSubstr(server_->address() + " is none of a cluster: give one server"));
  EXPECT_EQ(server_->Ask({"dbsize"}), "0");
  EXPECT_EQ(Pages("build", "key-1 --name={braced.1}").status, 0) << "braces are no fault here";
  EXPECT_EQ(server_->Ask({"exists", "{braced.1}:plan"}), "1");
}

TEST_F(RedisPagesTest, APasswordOfAUrlIsNotShown) {
  server_ = std::make_unique<StartedRedis>(std::vector<std::string>{"--requirepass", "sesame"});
  const std::string url = "--redis=redis://:sesame@" + server_->address();
  const ChildResult built = RunProgram({WINNOW_TOOL, "pages", "build", "key-1", "--json", url});
  EXPECT_EQ(built.status, 0) << built.errors;
  EXPECT_EQ(json::parse(built.output)["place"], server_->address() + "/pages");
  for (const std::string& wrong : {url + ":x", url + "/x"}) {
    const ChildResult refused = RunProgram({WINNOW_TOOL, "pages", "ask", "key-1", wrong});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("a server's URL is"), Not(HasSubstr("sesame"))));
  }
}

class RedisClusterPagesTest : public testing::RedisTest {
 protected:
  void SetUp() override {
    RedisTest::SetUp();
    if (!IsSkipped()) cluster_ = std::make_unique<StartedCluster>();
  }

  // Returns the command for the keys 0 to `last`.
  std::vector<std::string> Words(const std::string& action, const std::string& servers,
                                 uint64_t last) const {
    testing::WriteFile(folder_ / "list", KeyLines(0, last));
    return {WINNOW_TOOL,          "pages",      action,
            "--redis=" + servers, "--name={p}", "--keys=" + (folder_ / "list")};
  }
  ChildResult Pages(const std::string& action, const std::string& servers, uint64_t last) const {
    return RunProgram(Words(action, servers, last));
  }
  // Returns the messages of a run, which must end with status 2.
  std::string ErrorsOf(const std::string& action, const std::string& servers, uint64_t last) const {
    const ChildResult outcome = Pages(action, servers, last);
    EXPECT_EQ(outcome.status, 2) << action;
    return outcome.errors;
  }
  ChildResult Build() const {
    std::vector<std::string> words = Words("build", cluster_->addresses(), kBuilt);
    words.insert(words.end(), {"--capacity=9000", "--rate=0.001"});
    return RunProgram(words);
  }

  static constexpr uint64_t kBuilt = 8'000;
  static constexpr uint64_t kAdded = 8'500;
  const testing::TemporaryFolder folder_;
  const int slot_ = static_cast<int>(redis::SlotOf("{p}:plan"));
  std::unique_ptr<StartedCluster> cluster_;
};

TEST_F(RedisClusterPagesTest, ANameInBracesIsReachedFromEachServer) {
  const ChildResult spread = RunProgram(
      {WINNOW_TOOL, "pages", "build", "key-1", "--redis=" + cluster_->address(1), "--name=p"});
  EXPECT_EQ(spread.status, 2);
  EXPECT_THAT(spread.errors, HasSubstr(cluster_->address(1) + " is one of a cluster, which"));
  EXPECT_THAT(spread.errors, HasSubstr("give --name='{p}'"));
  EXPECT_THAT(ErrorsOf("build", "redis://" + cluster_->address(0) + "/1", kBuilt),
              HasSubstr("a cluster has database 0 alone"));
  for (const int master : cluster_->Masters()) EXPECT_EQ(cluster_->Ask(master, {"dbsize"}), "0");

  ASSERT_EQ(Build().status, 0);
  for (int i = 0; i < cluster_->size(); ++i) {
    const ChildResult asked = Pages("ask", cluster_->address(i), kBuilt);
    EXPECT_EQ(asked.status, 0) << asked.errors;
  }
  EXPECT_EQ(Pages("ask", cluster_->address(0), 2 * kBuilt).status, 1);
  const int master = cluster_->MasterOf(slot_);
  for (const int other : cluster_->Masters()) {
    EXPECT_EQ(cluster_->Ask(other, {"dbsize"}) == "0", other != master);
  }
  // Another process holds the lock.
  cluster_->Ask(master, {"set", "{p}:lock", "another"});
  EXPECT_THAT(ErrorsOf("add", cluster_->address(0), kAdded),
              HasSubstr("another process changes the pages {p}"));
}

TEST_F(RedisClusterPagesTest, AreThereWhileTheirSlotMoves) {
  ASSERT_EQ(Build().status, 0);
  const int from = cluster_->MasterOf(slot_);
  const int to = (from + 1) % 3;
  const int keys = atoi(cluster_->Ask(from, {"dbsize"}).c_str());
  cluster_->BeginMove(slot_, to);
  ASSERT_EQ(cluster_->MoveKeys(slot_, to, keys / 2), keys / 2);
  EXPECT_EQ(Pages("ask", cluster_->address(0), kBuilt).status, 0);
  {
    // The lock is created on the new server, and pages on the old one cannot be changed with it.
    const std::vector<std::string> words = Words("add", cluster_->address(0), kAdded);
    std::string arguments;
    for (size_t i = 1; i < words.size(); ++i) arguments += "'" + words[i] + "' ";
    const testing::Started add(arguments, STDOUT_FILENO, folder_ / "errors");
    const std::vector<std::string> count = {"cluster", "countkeysinslot", std::to_string(slot_)};
    cluster_->WaitUntil("pages are added", [&] {
      return add.HasEnded() || cluster_->Ask(to, count) != std::to_string(keys / 2);
    });
    EXPECT_FALSE(add.HasEnded()) << add.Errors();
    cluster_->MoveKeys(slot_, to);
    cluster_->EndMove(slot_, to);
    EXPECT_EQ(add.Wait(), 0) << add.Errors();
  }
  EXPECT_EQ(cluster_->MasterOf(slot_), to);
  EXPECT_EQ(cluster_->Ask(from, {"dbsize"}), "0");
  EXPECT_EQ(Pages("ask", cluster_->address(0), kAdded).status, 0);
}

// A replica without the keys would deny them once promoted.
TEST_F(RedisClusterPagesTest, AreNotAddedToWhileTheReplicaIsBehind) {
  cluster_ = std::make_unique<StartedCluster>(
      3, 1, std::vector<std::string>{"--cluster-node-timeout", "60000"});
  ASSERT_EQ(Build().status, 0);
  const int replica = cluster_->ReplicaOf(cluster_->MasterOf(slot_));
  cluster_->StopNode(replica);
  // The second run has nothing to add.
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(ErrorsOf("add", cluster_->addresses(), kAdded),
                HasSubstr("no replica of the master of {p} has what was changed"));
  }
  cluster_->ContinueNode(replica);
  const ChildResult added = Pages("add", cluster_->addresses(), kAdded);
  EXPECT_EQ(added.status, 0) << added.errors;
}

TEST_F(RedisClusterPagesTest, OutliveAFailOver) {
  cluster_ = std::make_unique<StartedCluster>(3, 1, StartedCluster::FailsOverSoon());
  ASSERT_EQ(Build().status, 0);
  cluster_->WaitUntilReplicated();
  const int master = cluster_->MasterOf(slot_);
  cluster_->KillMaster(master);
  const std::string servers = cluster_->address(master) + "," + cluster_->address((master + 1) % 3);
  for (const char* action : {"ask", "add"}) {
    const ChildResult after =
        Pages(action, servers, action == std::string("add") ? kAdded : kBuilt);
    EXPECT_EQ(after.status, 0) << after.errors;
  }
  EXPECT_EQ(Pages("ask", servers, kAdded).status, 0);
}

}  // namespace
}  // namespace winnow
