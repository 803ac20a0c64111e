// Options of the interposer, read from the environment.

#ifndef WINNOW_SRC_PRELOAD_REQUEST_H_
#define WINNOW_SRC_PRELOAD_REQUEST_H_

#include <rocksdb/status.h>

#include <atomic>
#include <string>

#include "src/rocksdb/messages/stderr_line.h"
#include "src/rocksdb/policy_options.h"

namespace winnow::preload {

// Parsed WINNOW_POLICY.
struct PolicyRequest {
  PolicyOptions options = PolicyOptions();
  bool has_bits = false;  // true if it has bits_per_key; else the program's policy has
  // True if Winnow's filters are read, and each policy builds what the program asked for. `options`
  // are unused then.
  bool only_reads = false;

  // Returns whether new files get Winnow's filters.
  bool builds_ours() const { return !only_reads && options.build == Build::kWinnow; }

  // Error message if WINNOW_POLICY is invalid, else empty. `options` are then the nearest valid
  // ones. RocksDB validates policies only when a database is opened, which then fails.
  std::string complaint;
};

// Returns the message of a status that is not OK, without the kind of error, which is evident.
std::string Sentence(const ROCKSDB_NAMESPACE::Status& status);

// Parses "read", and the forms of the plugin's options string: "winnow", "winnow:10",
// "winnow.Filter:10", "{id=winnow;bits_per_key=10;build=bloomfilter}", the last one also without
// braces. RocksDB must be the version that was compiled against.
PolicyRequest ParsePolicyRequest(const std::string& text);

// Default of WINNOW_POLICY if it is unset or empty: "", which changes nothing, or "read", in
// RocksDB's own tree (stand_in/stand_in.cc) and if the front sets it (interposer.h), as for
// archives. Must be set before the environment is read.
extern std::atomic<const char*> policy_if_unset;

// Returns whether WINNOW_POLICY changes policies: it or its default is set, and is not "stock".
// Reads the environment at the first call. Thread-safe, as are all functions here.
bool IsInterposing();

// Returns whether WINNOW_POLICY is "stock": everything is as without Winnow, including messages on
// stderr.
bool IsLeftAsItWas();

// Returns WINNOW_POLICY or its default, parsed at the first call. IsInterposing() must be true.
const PolicyRequest& RequestedPolicy();

// Returns RequestedPolicy() after a check that RocksDB can build its filters. If it can't, the
// result has a complaint, and Winnow's filters are the nearest option. The first call must not come
// while the plugin is opened: RocksDB's functions lead to the plugin.
const PolicyRequest& CheckedPolicy();

// Returns whether WINNOW_RANGE_BITS has an effect: WINNOW_POLICY builds Winnow's filters. The
// options of RequestedPolicy have it, too.
bool AddsRanges();

// Returns the same, as far as known while the plugin is opened.
bool HasRangeBits();
// Returns the reason, as a sentence, why WINNOW_RANGE_BITS has no effect; empty if it has one, or
// is unset, empty or 0.
std::string WhyNoRangeBits();

// Returns whether column families without a filter policy get one: WINNOW_ADD is 1.
bool IsAdding();

// IsLogging() returns whether actions are reported on stderr.
using plugin::IsLogging;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_REQUEST_H_
