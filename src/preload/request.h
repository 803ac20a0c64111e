// What the user asks of the interposer, in the environment.

#ifndef WINNOW_SRC_PRELOAD_REQUEST_H_
#define WINNOW_SRC_PRELOAD_REQUEST_H_

#include <string>

#include "src/rocksdb/policy_options.h"

namespace winnow::preload {

// What WINNOW_POLICY says.
struct PolicyRequest {
  PolicyOptions options;
  bool has_bits = false;  // it says bits_per_key; else the program's own policy does
};

// Reads the forms that the plugin's options string has: "winnow", "winnow:10", "winnow.Filter:10",
// "{id=winnow;bits_per_key=10;ribbon_min_keys=50000}", the last one also without braces. Empty if
// the text is one of these, else a sentence; *request is then unchanged. RocksDB must be the one
// that was compiled against.
std::string ParsePolicyRequest(const std::string& text, PolicyRequest* request);

// Whether anything is to be changed at all: WINNOW_POLICY is set, and the RocksDB that is loaded is
// the one that was compiled against. If only the latter is wrong, says so once on stderr. Reads the
// environment at the first call; calls no other function of RocksDB than the one that tells its
// version. Safe from any thread, as all functions here.
bool IsInterposing();

// Says once on stderr why an options string that names Winnow's policy gets none, if RocksDB is not
// the version that was compiled against: RocksDB itself would drop the policy in silence.
void SayIfRefused(const std::string& options_string);

// WINNOW_POLICY, parsed at the first call. Ends the program with the reason on stderr if it is
// malformed: only to be asked when the program asks for a policy. IsInterposing() must be true.
const PolicyRequest& RequestedPolicy();

// Whether column families without a filter policy get one: WINNOW_ADD is 1.
bool IsAdding();

// Whether to say on stderr what is done: WINNOW_LOG is 1.
bool IsLogging();

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_REQUEST_H_
