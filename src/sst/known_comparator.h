// Comparators of databases, as far as this program has them.

#ifndef WINNOW_SRC_SST_KNOWN_COMPARATOR_H_
#define WINNOW_SRC_SST_KNOWN_COMPARATOR_H_

#include <rocksdb/comparator.h>
#include <rocksdb/table_properties.h>

#include <memory>
#include <string>

namespace winnow::inspect {

// Returns the comparator with this name, as in SST files and MANIFESTs, or null if this program
// does not have it; an empty name stands for the bytewise comparator. It is never destroyed.
const ROCKSDB_NAMESPACE::Comparator* FindComparator(const std::string& name);

// Returns the comparator for the keys that are stored in a file, or null if this program does not
// have it. If the database doesn't persist timestamps, that is a comparator without timestamps: its
// timestamp_size() is 0. It is never destroyed.
const ROCKSDB_NAMESPACE::Comparator* ComparatorOfKeys(
    const ROCKSDB_NAMESPACE::TableProperties& properties);

// Returns a stand-in for an unknown comparator: it has the unknown one's name, and orders keys
// bytewise, ascending or descending. RocksDB accepts it, but may find keys in the wrong order and
// abort.
std::unique_ptr<ROCKSDB_NAMESPACE::Comparator> NewStandIn(const std::string& name, bool upwards);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_KNOWN_COMPARATOR_H_
