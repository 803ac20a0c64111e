// `winnow size` with the filter kinds of winnow::amq.

#include "streams/winnow/size/stream_kinds.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/size/size_report.h"

namespace winnow::tools {

Verb SizeWithStreamsVerb() { return SizeVerb(inspect::StreamKinds()); }

}  // namespace winnow::tools
