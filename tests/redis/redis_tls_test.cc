// Streams and pages of servers with TLS: whom winnow trusts, and what it says of the others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/child_process.h"
#include "tests/support/files.h"
#include "tests/support/started_redis.h"

namespace winnow {
namespace {

using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using testing::RunProgram;
using testing::StartedRedis;

// Its plain port has the commands of the tests, and another one has TLS.
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
  // NAME.pem has the certificate and its key.
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
    return {"--tls-port",         std::to_string(port_),
            "--tls-cert-file",    folder_ / (certificate + ".pem"),
            "--tls-key-file",     folder_ / (certificate + ".key"),
            "--tls-ca-cert-file", folder_ / "ca.pem",
            "--tls-auth-clients", wants_clients};
  }

  // One line by `winnow dedup`.
  ChildResult Dedup(const std::string& url, const std::vector<std::string>& environment) const {
    return RunProgram(
        {"sh", "-c", "echo a | '" WINNOW_TOOL "' dedup --capacity=1000 --redis='" + url + "'"},
        environment);
  }
  std::string Url() const { return "rediss://127.0.0.1:" + std::to_string(port_); }
  std::string Trusts(const std::string& authority) const {
    return "SSL_CERT_FILE=" + folder_ / (authority + ".pem");
  }

  const testing::TemporaryFolder folder_;
  const int port_ = StartedRedis::FreePort();
};

#ifdef WINNOW_TLS

TEST_F(RedisTlsTest, StreamsAndPagesGoThroughIt) {
  const StartedRedis server(Options("server", "no"));
  EXPECT_EQ(Dedup(Url(), {Trusts("ca")}).output, "a\n");
  EXPECT_EQ(Dedup(Url(), {Trusts("ca")}).output, "");
  EXPECT_THAT(server.Ask({"get", "winnow-dedup:plan"}), HasSubstr("servers=127.0.0.1:"));
  for (const char* action : {"build", "ask"}) {
    const ChildResult pages =
        RunProgram({WINNOW_TOOL, "pages", action, "key", "--redis=" + Url()}, {Trusts("ca")});
    EXPECT_EQ(pages.status, 0) << pages.errors;
  }
  // More than one record, and more than a socket takes at once.
  const ChildResult many = RunProgram(
      {"sh", "-c",
       "seq 50000 | '" WINNOW_TOOL "' dedup --name=many --inflight=50000 --redis=" + Url()},
      {Trusts("ca")});
  EXPECT_THAT(many.errors, HasSubstr("50000 lines, 50000 new")) << many.errors;
}

TEST_F(RedisTlsTest, OnlyACertificateForTheHostOfATrustedAuthorityWillDo) {
  {
    const StartedRedis server(Options("server", "no"));
    for (const ChildResult& refused :
         {Dedup(Url(), {Trusts("other")}), Dedup(Url(), {"SSL_CERT_FILE=/dev/null"})}) {
      EXPECT_EQ(refused.status, 2);
      EXPECT_THAT(refused.errors, AllOf(HasSubstr("its certificate is refused: "),
                                        HasSubstr(". It must be for 127.0.0.1, and signed by")));
    }
    EXPECT_EQ(server.Ask({"dbsize"}), "0");
    // Not TLS at all.
    const ChildResult plain = Dedup("rediss://" + server.address(), {Trusts("ca")});
    EXPECT_EQ(plain.status, 2);
    EXPECT_THAT(plain.errors, HasSubstr("it may have no TLS on this port"));
  }
  MakeCertificate("elsewhere", "ca", "IP:127.0.0.2,DNS:127.0.0.1");
  const StartedRedis server(Options("elsewhere", "no"));
  const ChildResult elsewhere = Dedup(Url(), {Trusts("ca")});
  EXPECT_EQ(elsewhere.status, 2);
  EXPECT_THAT(elsewhere.errors, HasSubstr("its certificate is refused: IP address mismatch"));
  EXPECT_EQ(server.Ask({"dbsize"}), "0");
}

TEST_F(RedisTlsTest, AServerMayWantACertificateOfTheClient) {
  const StartedRedis server(Options("server", "yes"));
  EXPECT_EQ(Dedup(Url(), {Trusts("ca"), "WINNOW_REDIS_CERT=" + folder_ / "client.pem"}).output,
            "a\n");
  for (const std::string& certificate : {std::string(), folder_ / "stranger.pem"}) {
    const ChildResult refused = Dedup(Url(), {Trusts("ca"), "WINNOW_REDIS_CERT=" + certificate});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("it may want another certificate of the client"),
                                      HasSubstr("WINNOW_REDIS_CERT")));
  }
  for (const std::string& certificate : {folder_ / "none", folder_ / "client.crt"}) {
    const ChildResult unreadable = Dedup(Url(), {Trusts("ca"), "WINNOW_REDIS_CERT=" + certificate});
    EXPECT_EQ(unreadable.status, 2);
    EXPECT_THAT(unreadable.errors, HasSubstr("but " + certificate + " is none"));
  }
}

#else

TEST_F(RedisTlsTest, IsMissingWhereHiredisHasNone) {
  const ChildResult refused = Dedup(Url(), {});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("this winnow was built without TLS for Redis"));
}

#endif

}  // namespace
}  // namespace winnow
