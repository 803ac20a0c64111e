// Tests of parsing the servers in user input.

#include "streams/redis/redis_access.h"

#include <absl/status/status.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace winnow::redis {
namespace redis_access_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const GivenPassword kNone = {"", "A_VARIABLE in the environment"};

RedisAccess One(const std::string& text, const GivenPassword& password = kNone) {
  const auto servers = ParseServers(text, password);
  EXPECT_TRUE(servers.ok()) << text << ": " << servers.status();
  return servers.ok() && servers->size() == 1 ? servers->front() : RedisAccess();
}

std::string ErrorOf(const std::string& text, const GivenPassword& password = kNone) {
  const auto servers = ParseServers(text, password);
  EXPECT_TRUE(absl::IsInvalidArgument(servers.status())) << text;
  return std::string(servers.status().message());
}

TEST(RedisAccessTest, AddressesAreKeptAsTheyWereGiven) {
  const struct {
    const char* given;
    const char* address;
    const char* host;
    int port;
  } rows[] = {
      {"host", "host", "host", 6379},
      {"host:7000", "host:7000", "host", 7000},
      {"127.0.0.1:1", "127.0.0.1:1", "127.0.0.1", 1},
      {"[::1]", "[::1]", "::1", 6379},
      {"[fe80::2]:65535", "[fe80::2]:65535", "fe80::2", 65'535},
      {"::1:1", "::1:1", "::1", 1},
      {"redis://host", "host", "host", 6379},
      {"redis://host:7000/", "host:7000", "host", 7000},
      {"redis://[::1]:7000/5", "[::1]:7000", "::1", 7000},
      {"VALKEY://:word@host:7000", "host:7000", "host", 7000},
  };
  for (const auto& row : rows) {
    const RedisAccess access = One(row.given);
    EXPECT_EQ(access.address, row.address) << row.given;
    EXPECT_EQ(access.host, row.host) << row.given;
    EXPECT_EQ(access.port, row.port) << row.given;
    EXPECT_FALSE(access.encrypted) << row.given;
  }
  EXPECT_TRUE(One("rediss://host").encrypted);
  EXPECT_TRUE(One("valkeys://host").encrypted);
  EXPECT_EQ(One("redis://host/15").database, 15);
  EXPECT_EQ(One("redis://host").database, 0);
}

TEST(RedisAccessTest, UsersAndPasswordsAreDecoded) {
  const RedisAccess both = One("redis://me:open%20se%2csame%40%25@host:1/2");
  EXPECT_EQ(both.user, "me");
  EXPECT_EQ(both.password, "open se,same@%");
  EXPECT_EQ(both.address, "host:1");
  EXPECT_EQ(both.database, 2);
  EXPECT_EQ(One("redis://:word@host").user, "");
  EXPECT_EQ(One("redis://:word@host").password, "word");
  EXPECT_EQ(One("redis://:a:b@c@host").password, "a:b@c");
  EXPECT_EQ(One("redis://me:@host", {"word", "x"}).password, "word");
}

TEST(RedisAccessTest, APasswordOfTheUrlGoesBeforeTheGivenOne) {
  const auto servers = ParseServers("a:1,redis://:own@b,redis://me@c", {"word", "--a_flag"});
  ASSERT_TRUE(servers.ok()) << servers.status();
  ASSERT_EQ(servers->size(), 3U);
  EXPECT_EQ((*servers)[0].password, "word");
  EXPECT_EQ((*servers)[0].password_from, "--a_flag");
  EXPECT_EQ((*servers)[1].password, "own");
  EXPECT_EQ((*servers)[1].password_from, "the URL of the server");
  EXPECT_EQ((*servers)[2].user, "me");
  EXPECT_EQ((*servers)[2].password, "word");
  EXPECT_EQ(One("a:1").password_from, kNone.from) << "what it could be given by";
}

TEST(RedisAccessTest, AnotherServerIsReachedInTheSameWay) {
  const RedisAccess other = One("rediss://me:word@[::1]:1/3").At("host", 7000);
  EXPECT_EQ(other.address, "host:7000");
  EXPECT_EQ(other.host, "host");
  EXPECT_EQ(other.port, 7000);
  EXPECT_EQ(other.user, "me");
  EXPECT_EQ(other.password, "word");
  EXPECT_TRUE(other.encrypted);
  EXPECT_EQ(other.database, 3);
  EXPECT_EQ(other.At("fe80::2", 1).address, "[fe80::2]:1");
}

TEST(RedisAccessTest, WrongAddressesAreSentences) {
  for (const std::string text : {"", ":1", "host:0", "host:x", "host:70000", "[::1]x", "[::1"}) {
    EXPECT_EQ(ErrorOf(text), "'" + text + "' is no address of a server, like localhost:6379");
    EXPECT_THAT(ErrorOf("redis://" + text), HasSubstr("there is no HOST or HOST:PORT"));
  }
  EXPECT_THAT(ErrorOf("host:1,"), HasSubstr("'' is no address"));
  EXPECT_THAT(ErrorOf("http://host"), HasSubstr("the scheme is another"));
  EXPECT_THAT(ErrorOf("redis://host/x"), HasSubstr("no number of a database"));
  EXPECT_THAT(ErrorOf("redis://host/-1"), HasSubstr("no number of a database"));
  EXPECT_THAT(ErrorOf("redis://host/1?a=b"), HasSubstr("no number of a database"));
  EXPECT_THAT(ErrorOf("redis://me@host"),
              AllOf(HasSubstr("the URL of host has a user, and there is no password: give "
                              "A_VARIABLE in the environment"),
                    HasSubstr("redis://:PASSWORD@HOST")));
}

TEST(RedisAccessTest, NoErrorShowsAPartOfAPassword) {
  for (const char* text :
       {"redis://me:se%same@host", "redis://me:sesa%2@host", "redis://me:sesa%-2@host",
        "redis://:sesame@host:x", "redis://:sesame@", "rdis://:sesame@host", "me:sesame@host",
        "redis://:sesame@host/x", "host:1,redis://:open,sesame@host", "redis://:open,sesame@host:1",
        "redis://sesame@host"}) {
    EXPECT_THAT(ErrorOf(text), AllOf(Not(HasSubstr("sesa")), Not(HasSubstr("open")))) << text;
  }
  EXPECT_THAT(ErrorOf("redis://host:1,sesame@host"), HasSubstr("a comma in a password is %2C"));
}

}  // namespace redis_access_test
}  // namespace winnow::redis
