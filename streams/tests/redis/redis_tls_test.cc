// Tests of streams and pages on servers with TLS: which certificates are trusted, and the error
// messages for others.

#include <absl/cleanup/cleanup.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "streams/tests/support/started_cluster.h"
#include "streams/tests/support/started_redis.h"
#include "tests/support/becomes.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunProgram;
using testing::StartedCluster;
using testing::StartedRedis;

// The server has a plain port for the tests' commands, and a TLS port.
class RedisTlsTest : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef WINNOW_TLS
    if (!testing::HasRedis()) GTEST_SKIP() << "there is neither Redis nor Valkey";
    if (RunProgram({"sh", "-c", "command -v openssl"}).status != 0) {
      GTEST_SKIP() << "there is no openssl to make certificates with";
    }
    MakeAuthority("ca");
    MakeAuthority("other");
    MakeCertificate("server", "ca", "IP:127.0.0.1");
    MakeCertificate("client", "ca", "DNS:client");
    MakeCertificate("stranger", "other", "DNS:client");
#endif
  }

  void Openssl(const std::string& arguments) const {
    const ChildResult result =
        RunProgram({"sh", "-c", "cd '" + folder_.path() + "' && openssl " + arguments});
    ASSERT_EQ(result.status, 0) << result.errors;
  }
  void MakeAuthority(const std::string& name) const {
    Openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=" +
            name + " -keyout " + name + ".key -out " + name + ".pem");
  }
  // Creates NAME.pem, with the certificate and its key.
  void MakeCertificate(const std::string& name, const std::string& authority,
                       const std::string& host) const {
    testing::WriteFile(folder_ / "ext", "subjectAltName=" + host + "\n");
    Openssl("req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=" + name +
            " -keyout " + name + ".key -out " + name + ".csr");
    Openssl("x509 -req -days 2 -extfile ext -CAcreateserial -in " + name + ".csr -CA " + authority +
            ".pem -CAkey " + authority + ".key -out " + name + ".crt");
    testing::WriteFile(folder_ / (name + ".pem"), testing::ReadFile(folder_ / (name + ".crt")) +
                                                      testing::ReadFile(folder_ / (name + ".key")));
  }

  std::vector<std::string> Options(const std::string& certificate,
                                   const std::string& wants_clients) const {
    return {"--tls-cert-file",    folder_ / (certificate + ".pem"),
            "--tls-key-file",     folder_ / (certificate + ".key"),
            "--tls-ca-cert-file", folder_ / "ca.pem",
            "--tls-auth-clients", wants_clients};
  }

  // Runs `winnow dedup` with one line.
  ChildResult Dedup(const std::string& url, const std::vector<std::string>& environment) const {
    return RunProgram(
        {"sh", "-c", "echo a | '" WINNOW_TOOL "' dedup --capacity=1000 --redis='" + url + "'"},
        environment);
  }
  // Returns the messages of such a run, which must end with status 2.
  std::string Refusal(const std::string& url, const std::vector<std::string>& environment) const {
    const ChildResult outcome = Dedup(url, environment);
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    return outcome.errors;
  }
  static std::string UrlOf(const StartedRedis& server) {
    return "rediss://127.0.0.1:" + std::to_string(server.tls_port());
  }
  std::string Trusts(const std::string& authority) const {
    return "SSL_CERT_FILE=" + folder_ / (authority + ".pem");
  }

  const testing::TemporaryFolder folder_;
};

#ifdef WINNOW_TLS

TEST_F(RedisTlsTest, StreamsAndPagesGoThroughIt) {
  const StartedRedis server(Options("server", "no"));
  EXPECT_EQ(Dedup(UrlOf(server), {Trusts("ca")}).output, "a\n");
  EXPECT_EQ(Dedup(UrlOf(server), {Trusts("ca")}).output, "");
  EXPECT_THAT(server.Ask({"get", "winnow-dedup:plan"}), HasSubstr("servers=127.0.0.1:"));
  for (const char* action : {"build", "ask"}) {
    const ChildResult pages = RunProgram(
        {WINNOW_TOOL, "pages", action, "key", "--redis=" + UrlOf(server)}, {Trusts("ca")});
    EXPECT_EQ(pages.status, 0) << pages.errors;
  }
  // More data than a TLS record, and than a socket takes at once.
  const ChildResult many = RunProgram(
      {"sh", "-c",
       "seq 50000 | '" WINNOW_TOOL "' dedup --name=many --inflight=50000 --redis=" + UrlOf(server)},
      {Trusts("ca")});
  EXPECT_THAT(many.errors, HasSubstr("50000 lines, 50000 new")) << many.errors;
}

TEST_F(RedisTlsTest, OnlyACertificateForTheHostOfATrustedAuthorityWillDo) {
  {
    const StartedRedis server(Options("server", "no"));
    for (const std::string& trusted : {Trusts("other"), std::string("SSL_CERT_FILE=/dev/null")}) {
      EXPECT_THAT(Refusal(UrlOf(server), {trusted}),
                  AllOf(HasSubstr("its certificate is refused: "),
                        HasSubstr(". It must be for 127.0.0.1, and signed by")));
    }
    EXPECT_EQ(server.Ask({"dbsize"}), "0");
    // The port does not speak TLS.
    EXPECT_THAT(Refusal("rediss://" + server.address(), {Trusts("ca")}),
                HasSubstr("it may have no TLS on this port"));
  }
  MakeCertificate("elsewhere", "ca", "IP:127.0.0.2,DNS:127.0.0.1");
  const StartedRedis server(Options("elsewhere", "no"));
  EXPECT_THAT(Refusal(UrlOf(server), {Trusts("ca")}),
              HasSubstr("its certificate is refused: IP address mismatch"));
  EXPECT_EQ(server.Ask({"dbsize"}), "0");
}

TEST_F(RedisTlsTest, AServerMayWantACertificateOfTheClient) {
  const StartedRedis server(Options("server", "yes"));
  EXPECT_EQ(
      Dedup(UrlOf(server), {Trusts("ca"), "WINNOW_REDIS_CERT=" + folder_ / "client.pem"}).output,
      "a\n");
  for (const std::string& certificate : {std::string(), folder_ / "stranger.pem"}) {
    EXPECT_THAT(Refusal(UrlOf(server), {Trusts("ca"), "WINNOW_REDIS_CERT=" + certificate}),
                AllOf(HasSubstr("it may want another certificate of the client"),
                      HasSubstr("WINNOW_REDIS_CERT")));
  }
  for (const std::string& certificate : {folder_ / "none", folder_ / "client.crt"}) {
    EXPECT_THAT(Refusal(UrlOf(server), {Trusts("ca"), "WINNOW_REDIS_CERT=" + certificate}),
                HasSubstr("but " + certificate + " is none"));
  }
}

// Redirects name the servers' TLS ports.
TEST_F(RedisTlsTest, AClusterIsFollowed) {
  std::vector<std::string> options = Options("server", "no");
  // Nodes are clients of each other, with the same certificate. Without an append-only file, a
  // warning would be printed.
  for (const char* option : {"--tls-cluster", "--tls-replication", "--appendonly"}) {
    options.insert(options.end(), {option, "yes"});
  }
  const std::vector<std::string> soon = StartedCluster::FailsOverSoon();
  options.insert(options.end(), soon.begin(), soon.end());
  StartedCluster cluster(3, 1, options);
  const std::string out = folder_ / "out";
  const std::string moved = folder_ / "moved";
  ChildResult fed;
  // The second half of the input comes after slots have moved, or after two minutes.
  std::thread client([&] {
    fed = RunProgram({"sh", "-c",
                      "(seq 1000; for i in $(seq 1200); do [ -e '" + moved +
                          "' ] && break; sleep .1; done; seq 500 1500) | '" WINNOW_TOOL
                          "' dedup --capacity=10000 --redis=" +
                          UrlOf(cluster.node(0)) + " >'" + out + "'"},
                     {Trusts("ca")});
  });
  const auto printed = [&] {
    const std::string text = testing::ReadFile(out);
    return std::count(text.begin(), text.end(), '\n');
  };
  testing::WriteFile(out, "");
  {
    const absl::Cleanup join = [&] {
      testing::WriteFile(moved, "");
      client.join();
    };
    EXPECT_TRUE(testing::Becomes([&] { return printed() == 1000; }));
    // Every 64th slot has a key.
    for (int i = 0; i < 10; ++i) cluster.MoveSlot(64 * i + 32, 1);
  }
  EXPECT_EQ(fed.status, 0);
  EXPECT_THAT(fed.errors, AllOf(HasSubstr("2001 lines, 1500 new, 501 seen before"),
                                HasSubstr("0 uncertain, 0 lost"), Not(HasSubstr("warning"))));
  EXPECT_EQ(printed(), 1500);
  cluster.WaitUntilReplicated();
  cluster.KillMaster(1);
  const ChildResult again = RunProgram(
      {"sh", "-c",
       "seq 1600 | '" WINNOW_TOOL "' dedup --capacity=10000 --redis=" + UrlOf(cluster.node(0))},
      {Trusts("ca")});
  EXPECT_THAT(again.errors, HasSubstr("1600 lines, 100 new, 1500 seen before"));
  EXPECT_THAT(Refusal(UrlOf(cluster.node(0)), {Trusts("other")}),
              HasSubstr("its certificate is refused: "));
}

#else

TEST_F(RedisTlsTest, IsMissingWhereHiredisHasNone) {
  EXPECT_THAT(Refusal("rediss://127.0.0.1:1", {}),
              HasSubstr("this winnow was built without TLS for Redis"));
}

#endif

}  // namespace
}  // namespace winnow
