// Building the filters of one file (or of its partitions) for RocksDB.

#ifndef WINNOW_SRC_ROCKSDB_BITS_BUILDER_H_
#define WINNOW_SRC_ROCKSDB_BITS_BUILDER_H_

#include <rocksdb/filter_policy.h>

#include "winnow/options.h"

namespace winnow::plugin {

// A builder of Winnow filters, which the caller owns; null ("no filter") if memory is short.
// Filters it finishes are added to the counters (counters.h).
//
// verify: MaybePostVerify checks that every key is found in the finished bytes and that their
// checksum is right. For that, the builder keeps all hashes, 8 bytes each, until then.
//
// No function of the builder throws. When memory runs out while it collects or finishes, Finish
// gives 6 bytes of zero: to Winnow a foreign filter, and to RocksDB's own readers, which get it
// then, a Bloom filter without probes, which says "may match" to every key. So the file stays
// right, but for the gain of a filter, and the flush or compaction goes on.
//
// One thread builds; EstimateEntriesAdded may be called from any.
ROCKSDB_NAMESPACE::FilterBitsBuilder* NewBitsBuilder(const FilterOptions& options,
                                                     bool verify) noexcept;

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_BITS_BUILDER_H_
