// A filter's reader that can be told to answer "may match" from now on.

#ifndef WINNOW_SRC_PRELOAD_STOPPABLE_READER_H_
#define WINNOW_SRC_PRELOAD_STOPPABLE_READER_H_

#include <rocksdb/filter_policy.h>

#include <atomic>
#include <memory>

namespace winnow::preload {

// Answers as `reader`, which it then owns, until *stopped is true. The caller owns it; null, which
// RocksDB takes as "may match", if `reader` is null or memory is short.
ROCKSDB_NAMESPACE::FilterBitsReader* NewStoppableReader(
    ROCKSDB_NAMESPACE::FilterBitsReader* reader,
    std::shared_ptr<const std::atomic<bool>> stopped) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_STOPPABLE_READER_H_
