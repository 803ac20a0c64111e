// Filter kinds of winnow::amq for `winnow size`.

#ifndef WINNOW_STREAMS_WINNOW_SIZE_STREAM_KINDS_H_
#define WINNOW_STREAMS_WINNOW_SIZE_STREAM_KINDS_H_

#include "tools/winnow/size/size_report.h"

namespace winnow::inspect {

const KindTable* StreamKinds();

}  // namespace winnow::inspect

#endif  // WINNOW_STREAMS_WINNOW_SIZE_STREAM_KINDS_H_
