// Registers the policy with the RocksDB in whose tree it is compiled. This replaces registration.cc
// and register_at_load.cc: RocksDB's build writes a call of this function into its
// build_version.cc, by the name in winnow.mk. Versions are not compared, as there is only one.

#include <rocksdb/utilities/object_registry.h>

#include <string>

#include "src/rocksdb/factory.h"

extern "C" int winnow_register_in_tree(ROCKSDB_NAMESPACE::ObjectLibrary& library,
                                       const std::string& /*name of the plugin*/) {
  return winnow::plugin::AddFactoryInTree(library);
}
