// Filter reader that can be stopped: it then answers "may match".

#ifndef WINNOW_SRC_PRELOAD_STOPPABLE_READER_H_
#define WINNOW_SRC_PRELOAD_STOPPABLE_READER_H_

#include <rocksdb/filter_policy.h>

#include <atomic>
#include <memory>

namespace winnow::preload {

// Returns a reader that answers like `reader`, which it owns, until *stopped is true. The caller
// owns the result, which is null ("may match" to RocksDB) if `reader` is null or if out of memory.
ROCKSDB_NAMESPACE::FilterBitsReader* NewStoppableReader(
    ROCKSDB_NAMESPACE::FilterBitsReader* reader,
    std::shared_ptr<const std::atomic<bool>> stopped) noexcept;

}  // namespace winnow::preload

#endif  // WINNOW_SRC_PRELOAD_STOPPABLE_READER_H_
