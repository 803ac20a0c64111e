// Hash that identifies a filter when it is loaded again.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_LOADED_FILTER_H_
#define WINNOW_SRC_ROCKSDB_LOADS_LOADED_FILTER_H_

#include <cstdint>
#include <string_view>

namespace winnow::plugin {

// Returns a hash of a Winnow filter's tail, which has the payload's checksum and the filter's size.
uint64_t HashOfTail(std::string_view block) noexcept;

// Returns a hash of the size and some bytes of one of RocksDB's filters, as hashing all bytes would
// take longer than all other work. These are the last 64 bytes, which have its kind and size, and
// 32 bytes at each of four other places. Filters of equal keys have equal hashes. Other filters of
// equal size differ in these bytes, unless they have hardly any keys.
uint64_t HashOfSomeBytes(std::string_view block) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_LOADED_FILTER_H_
