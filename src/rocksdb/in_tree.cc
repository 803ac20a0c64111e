// Registration of the policy if it is compiled in RocksDB's own tree. This replaces registration.cc
// and register_at_load.cc: RocksDB's build calls this function from its build_version.cc, by the
// name in winnow.mk. There is no version check, as the plugin and RocksDB are compiled together.

#include <rocksdb/utilities/object_registry.h>

#include <string>

#include "src/rocksdb/factory.h"

extern "C" int winnow_register_in_tree(ROCKSDB_NAMESPACE::ObjectLibrary& library,
                                       const std::string& /*name of the plugin*/) {
  return winnow::plugin::AddFactoryInTree(library);
}
