// Seen lines in Redis or Valkey, so that several machines share one stream.

#ifndef WINNOW_STREAMS_DEDUP_REDIS_LINES_H_
#define WINNOW_STREAMS_DEDUP_REDIS_LINES_H_

#include <absl/status/statusor.h>

#include <memory>

#include "streams/dedup/redis_plan.h"
#include "streams/dedup/seen_lines.h"

namespace winnow::dedup {

// Creates the stream's keys at full length and warns that the stream is new, or joins the stream
// that another client created by the same plan. Returns an error if the existing plan differs, or
// if only a part of the stream exists. Each line is one command on one key, which sets all bits and
// returns their previous values: of clients that send a new line at the same time, exactly one is
// told that it is new.
//
// Add() takes up to plan.inflight lines. Nothing is sent on a connection that the server has
// closed. A line whose answer is lost is resent as soon as the server is back. Add() waits for the
// server until plan.waits ends, even if the server returns repeatedly without answering a line. If
// all bits are set by then, the line is called new and counted as uncertain. An error of Add() ends
// the stream: lines that were sent but not answered, and lines whose key had vanished, are also
// called new and counted as uncertain; lines that were refused or not sent are left out.
//
// Keys of a cluster are spread over all masters, and a replica that is promoted may lack
// acknowledged lines of its master. Lines acknowledged in the last `replay` seconds are therefore
// resent when the master of their slot changes, before further lines of the slot. If bits come back
// 0, the line was lost; it is counted and set again. A duplicate of the line that arrives before
// that is not called new. A duplicate that another client sends meanwhile is called new and is not
// counted. A line is forgotten when it is older than `replay` and all changes of masters of its
// time are known.
//
// Builds without hiredis return an error that says so.
absl::StatusOr<std::unique_ptr<SeenLines>> OpenRedis(const RedisPlan& plan);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_REDIS_LINES_H_
