// By what a filter is known again that is loaded once more.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_LOADED_FILTER_H_
#define WINNOW_SRC_ROCKSDB_LOADS_LOADED_FILTER_H_

#include <cstdint>
#include <string_view>

namespace winnow::plugin {

// A hash of a Winnow filter's tail, which has the checksum of the payload, and the number of its
// bytes.
uint64_t HashOfTail(std::string_view block) noexcept;

// A hash of the size of a filter of RocksDB's and of some of its bytes, as all of them would take
// longer than all else: 64 at its end, where its kind and size are, and 32 at each of four other
// places. Filters of the same keys are the same; others of the same size differ there, unless they
// have next to no keys.
uint64_t HashOfSomeBytes(std::string_view block) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_LOADED_FILTER_H_
