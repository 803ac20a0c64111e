// Registration of the policy in RocksDB's object registry.

#ifndef WINNOW_SRC_ROCKSDB_FACTORY_H_
#define WINNOW_SRC_ROCKSDB_FACTORY_H_

#include <rocksdb/utilities/object_registry.h>

namespace winnow::plugin {

// Adds factories of the policy to `library` for the names "winnow" and "winnow.Filter", also
// followed by ":" and any text. Throws std::bad_alloc if out of memory.
void AddFactory(ROCKSDB_NAMESPACE::ObjectLibrary& library);

// Adds the factories to `library` when Winnow is compiled in RocksDB's own tree. Has the signature
// of RocksDB's registrar functions. Returns the number of factories in the library.
int AddFactoryInTree(ROCKSDB_NAMESPACE::ObjectLibrary& library);

}  // namespace winnow::plugin

#endif  // WINNOW_SRC_ROCKSDB_FACTORY_H_
