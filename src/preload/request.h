// Reads what the user asks of the interposer, in the environment.

#ifndef WINNOW_SRC_PRELOAD_REQUEST_H_
#define WINNOW_SRC_PRELOAD_REQUEST_H_

#include <atomic>
#include <string>

#include "src/rocksdb/policy_options.h"

namespace winnow::preload {

// Parsed WINNOW_POLICY.
struct PolicyRequest {
  PolicyOptions options = plugin::TextDefaults();
  bool has_bits = false;  // it says bits_per_key; else the program's own policy does
  // Winnow's filters are read, and each policy builds what the program asked for. The options say
  // nothing then.
  bool only_reads = false;

  // Why it can't be as it says, or empty. The options are then the nearest that can be: RocksDB
  // asks whether they are valid where a database is opened, which fails, and nowhere else.
  std::string complaint;
};

// Reads "read", and the forms that the plugin's options string has: "winnow", "winnow:10",
// "winnow.Filter:10", "{id=winnow;bits_per_key=10;build=bloomfilter}", the last one also without
// braces. RocksDB must be the one that was compiled against.
PolicyRequest ParsePolicyRequest(const std::string& text);

// The text that counts where WINNOW_POLICY is not set or empty, which depends on how calls get
// here: empty, as nothing is to be changed then, or "read", in RocksDB's own tree
// (stand_in/stand_in.cc) and where the front says so (interposer.h), as in archives, which is
// before anything is asked for.
extern std::atomic<const char*> policy_if_unset;

// Returns whether anything is to be changed at all: by WINNOW_POLICY, unless that is "stock". Reads
// the environment at the first call. Safe from any thread, as all functions here.
bool IsInterposing();

// WINNOW_POLICY is "stock": all is as it was without us, also what is said on stderr.
bool IsLeftAsItWas();

// WINNOW_POLICY or what counts in its place, parsed at the first call. IsInterposing() must be
// true.
const PolicyRequest& RequestedPolicy();

// The same, after RocksDB was asked whether it can build so. If it can't, that is a complaint, and
// Winnow's filters are what is nearest. The first call must not come while the plugin is opened:
// RocksDB's functions lead to the plugin.
const PolicyRequest& CheckedPolicy();

// Returns what WINNOW_RANGE_BITS says, where WINNOW_POLICY builds Winnow's filters; 0: it says
// nothing that counts. The options of RequestedPolicy have it as well.
double RequestedRangeBits();

// The same as far as it can be told while the plugin is opened; and whatever WINNOW_POLICY is.
bool HasRangeBits();
double GivenRangeBits();

// Returns whether column families without a filter policy get one: WINNOW_ADD is 1.
bool IsAdding();

// Returns whether to say on stderr what is done: WINNOW_LOG is set, and neither empty nor 0.
bool IsLogging();

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_REQUEST_H_
