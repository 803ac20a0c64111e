// The policy's name in RocksDB's object registry.

#ifndef WINNOW_SRC_ROCKSDB_FACTORY_H_
#define WINNOW_SRC_ROCKSDB_FACTORY_H_

#include <rocksdb/utilities/object_registry.h>

namespace winnow::plugin {

// Adds the policy to this library of factories under "winnow" and "winnow.Filter", and under either
// with ":" and anything behind it. Throws if memory is short.
void AddFactory(ROCKSDB_NAMESPACE::ObjectLibrary& library);

// The same for RocksDB's own tree, by a function of the form that RocksDB registers plugins by: the
// number of factories in the library then.
int AddFactoryInTree(ROCKSDB_NAMESPACE::ObjectLibrary& library);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_FACTORY_H_
