// TLS encryption of connections.

#ifndef WINNOW_STREAMS_REDIS_REDIS_TLS_H_
#define WINNOW_STREAMS_REDIS_REDIS_TLS_H_

#include <absl/status/status.h>
#include <hiredis/hiredis.h>

#include <string>

namespace winnow::redis {

// Returns InvalidArgument, with a message, if this program lacks a library or a file for TLS.
absl::Status CheckTls();

// Encrypts a new connection to this host, a name or an IP address, which the server's certificate
// must match. Trusted authorities are those of OpenSSL: the system's, or those in the file named by
// the environment variable SSL_CERT_FILE. WINNOW_REDIS_CERT names a file with the client's own
// certificate and key. Returns an IsLost() error if a retry may succeed.
absl::Status Encrypt(const std::string& host, redisContext* connection);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_REDIS_TLS_H_
