#include "streams/redis/redis_tls.h"

#include <absl/strings/str_cat.h>
#include <arpa/inet.h>
#include <errno.h>
#include <hiredis/hiredis_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include <memory>

namespace winnow::redis {
namespace {

constexpr char kOwnCertificate[] = "WINNOW_REDIS_CERT";

// SSL context shared by all connections, or the error of its creation.
struct Authorities {
  Authorities() : context(SSL_CTX_new(TLS_client_method())) {
    if (context == nullptr || SSL_CTX_set_default_verify_paths(context) != 1) {
      Fail("OpenSSL does not start");
      return;
    }
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    const char* const file = getenv(kOwnCertificate);
    if (file == nullptr || *file == '\0') return;
    if (SSL_CTX_use_certificate_chain_file(context, file) != 1 ||
        SSL_CTX_use_PrivateKey_file(context, file, SSL_FILETYPE_PEM) != 1) {
      Fail(absl::StrCat(kOwnCertificate,
                        " in the environment must name a PEM file with a "
                        "certificate and its key, without a passphrase, but ",
                        file, " is none"));
    }
  }

  void Fail(const std::string& what) {
    char reason[256];
    ERR_error_string_n(ERR_get_error(), reason, sizeof(reason));
    status = absl::InvalidArgumentError(absl::StrCat(what, " (", reason, ")"));
  }

  SSL_CTX* const context;
  absl::Status status;
};

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

const Authorities& CommonAuthorities() {
  // Leaked, since threads may outlive static objects.
  static const Authorities& authorities = *new Authorities;
  return authorities;
}

// Sets the host to verify. A numeric host must be in the certificate as an IP address; a name is
// also sent to the server by SNI.
bool SetHost(const std::string& host, SSL* ssl) {
  in6_addr number;
  if (inet_pton(AF_INET, host.c_str(), &number) == 1 ||
      inet_pton(AF_INET6, host.c_str(), &number) == 1) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
  }
  return SSL_set1_host(ssl, host.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

}  // namespace

absl::Status CheckTls() { return CommonAuthorities().status; }

// hiredis's own contexts do not verify the host name in the certificate.
absl::Status Encrypt(const std::string& host, redisContext* connection) {
  std::unique_ptr<SSL, FreeSsl> ssl(SSL_new(CommonAuthorities().context));
  if (ssl == nullptr || !SetHost(host, ssl.get())) {
    return absl::ResourceExhaustedError("no memory for an encrypted connection");
  }
  if (redisInitiateSSL(connection, ssl.get()) == REDIS_OK) {
    static_cast<void>(ssl.release());  // now owned by the connection
    return absl::OkStatus();
  }
  const bool timed_out = errno == EAGAIN;
  if (const long verified = SSL_get_verify_result(ssl.get()); verified != X509_V_OK) {
    return absl::FailedPreconditionError(
        absl::StrCat("its certificate is refused: ", X509_verify_cert_error_string(verified),
                     ". It must be for ", host,
                     ", and signed by an authority of this system, or of the file "
                     "that SSL_CERT_FILE names in the environment"));
  }
  return absl::UnavailableError(absl::StrCat(
      "no encrypted connection (", timed_out ? "no reply to the handshake" : connection->errstr,
      "): it may have no TLS on this port"));
}

}  // namespace winnow::redis
