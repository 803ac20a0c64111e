// The number by which a filter is recognized when it is loaded again.

#ifndef WINNOW_SRC_ROCKSDB_LOADS_LOADED_FILTER_H_
#define WINNOW_SRC_ROCKSDB_LOADS_LOADED_FILTER_H_

#include <cstdint>
#include <string_view>

namespace winnow::plugin {

// For a Winnow filter: a hash of its tail, which has the checksum of the payload, and of its size.
uint64_t HashOfTail(std::string_view block) noexcept;

// For a filter of RocksDB's: a hash of its size and of some of its bytes, as hashing all would take
// longer than all other work. These are 64 bytes at its end, where its kind and size are, and 32
// bytes at each of four other places. Filters of the same keys have the same hash. Other filters of
// the same size differ there, unless they have hardly any keys.
uint64_t HashOfSomeBytes(std::string_view block) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_LOADS_LOADED_FILTER_H_
