// Encryption of connections to servers.

#ifndef WINNOW_STREAMS_REDIS_REDIS_TLS_H_
#define WINNOW_STREAMS_REDIS_REDIS_TLS_H_

#include <absl/status/status.h>
#include <hiredis/hiredis.h>

#include <string>

namespace winnow::redis {

// InvalidArgument, with a sentence, if this program can't, for want of a library or of a file.
absl::Status CheckTls();

// A connection that was just made to this host, name or number, which the server's certificate must
// be for. Who may sign it is what OpenSSL takes: the system's authorities, or those in the file of
// SSL_CERT_FILE in the environment; WINNOW_REDIS_CERT there is a file with the client's own
// certificate and key. An error is IsLost if the connection may be tried again.
absl::Status Encrypt(const std::string& host, redisContext* connection);

}  // namespace winnow::redis

#endif  // WINNOW_STREAMS_REDIS_REDIS_TLS_H_
