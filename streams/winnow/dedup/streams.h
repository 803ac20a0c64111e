// `winnow dedup --list`, `--check` and `--remove`: administration of the streams on servers.

#ifndef WINNOW_STREAMS_WINNOW_DEDUP_STREAMS_H_
#define WINNOW_STREAMS_WINNOW_DEDUP_STREAMS_H_

#include <string>

#include "streams/dedup/redis_plan.h"
#include "streams/dedup/stream_admin.h"

namespace winnow::tools {

// Runs the action on plan.servers for the stream plan.name, and prints the result. Returns the exit
// code: kFaultFound if the stream is incomplete, past its rate, or missing.
int RunStreams(dedup::StreamAction action, const dedup::RedisPlan& plan, bool as_json);

}  // namespace winnow::tools

#endif  // WINNOW_STREAMS_WINNOW_DEDUP_STREAMS_H_
