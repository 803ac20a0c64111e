// `winnow dedup --list`, `--check` and `--remove`: the streams that servers keep.

#ifndef WINNOW_STREAMS_WINNOW_DEDUP_STREAMS_H_
#define WINNOW_STREAMS_WINNOW_DEDUP_STREAMS_H_

#include <string>

#include "streams/dedup/redis_plan.h"
#include "streams/dedup/stream_admin.h"

namespace winnow::tools {

// Does it on plan.servers, with the stream plan.name, and prints what there is. The exit code:
// kFaultFound where the stream is not whole, past its rate, or not there.
int RunStreams(dedup::StreamAction action, const dedup::RedisPlan& plan, bool as_json);

}  // namespace winnow::tools

#endif  // WINNOW_STREAMS_WINNOW_DEDUP_STREAMS_H_
