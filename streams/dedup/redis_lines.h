// Seen lines in Redis or Valkey, so that several machines share one stream.

#ifndef WINNOW_STREAMS_DEDUP_REDIS_LINES_H_
#define WINNOW_STREAMS_DEDUP_REDIS_LINES_H_

#include <absl/status/statusor.h>

#include <memory>

#include "streams/dedup/redis_plan.h"
#include "streams/dedup/seen_lines.h"

namespace winnow::dedup {

// Makes the stream's keys, at full length, and says that; or goes on with those that another client
// has made by the same plan; an error if theirs is another, or if only a part is there. Each line
// is one command on one key, which sets all bits and gives back what they were: of clients that
// send a new line at once exactly one is told that it is new.
//
// Add takes up to plan.inflight lines. Nothing is sent to a connection that the server closed
// before. A line whose answer is lost is sent again as soon as the server is back, which is waited
// for until plan.waits ends, however often it comes back without answering a line; if all bits are
// set by then, it is called new and counted as uncertain. An error
// of Add ends the stream: a line that was sent and has no answer is called new and counted as
// uncertain as well, and so is one whose key had vanished; one that was refused or not sent is left
// out.
//
// In a cluster keys are spread over all masters, and a replica that takes over may lack what its
// master had acknowledged. So the lines that were acknowledged in the last `replay` are sent again
// when the master of their slot changes, before further ones of the slot: where bits come back 0,
// the line was lost, is counted, and is set again. One that comes again before that is not called
// new either. What another client sends meanwhile is called new, and counted by nobody. A line is
// forgotten when it is older than `replay` and all changes of masters of its time are known.
//
// Without hiredis there is only an error that says so.
absl::StatusOr<std::unique_ptr<SeenLines>> OpenRedis(const RedisPlan& plan);

}  // namespace winnow::dedup

#endif  // WINNOW_STREAMS_DEDUP_REDIS_LINES_H_
