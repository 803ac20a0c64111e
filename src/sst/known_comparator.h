// The comparator that orders a database's keys, as far as this program has it.

#ifndef WINNOW_SRC_SST_KNOWN_COMPARATOR_H_
#define WINNOW_SRC_SST_KNOWN_COMPARATOR_H_

#include <rocksdb/comparator.h>
#include <rocksdb/table_properties.h>

#include <memory>
#include <string>

namespace winnow::inspect {

// By its name, as SST files and MANIFESTs have it; the bytewise one for an empty name. Null: this
// program does not have it. Lives as long as the program.
const ROCKSDB_NAMESPACE::Comparator* FindComparator(const std::string& name);

// The one that orders the keys of a file as they are stored there. Of a database that keeps no
// timestamps, that is FindComparator's without them: its timestamp_size() is 0. Null, and lives, as
// there.
const ROCKSDB_NAMESPACE::Comparator* ComparatorOfKeys(
    const ROCKSDB_NAMESPACE::TableProperties& properties);

// One that has the name of a comparator that we lack, and orders by bytes, upwards or downwards.
// RocksDB takes it for the other; where it compares keys it may find them in wrong order, and end
// the program.
std::unique_ptr<ROCKSDB_NAMESPACE::Comparator> NewStandIn(const std::string& name, bool upwards);

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_SST_KNOWN_COMPARATOR_H_
