// Library for preload_carrier_host.c with just the parts of a RocksDB that are checked before
// Winnow is bound to it. One build uses the old std::string ABI.

#include <string>

#define CARRIER_EXPORT __attribute__((visibility("default")))

namespace rocksdb {

class FilterPolicy;
CARRIER_EXPORT const FilterPolicy* NewBloomFilterPolicy(double bits_per_key, bool is_block_based);
CARRIER_EXPORT std::string GetRocksVersionAsString(bool with_patch);

const FilterPolicy* NewBloomFilterPolicy(double /*bits_per_key*/, bool /*is_block_based*/) {
  return nullptr;
}
std::string GetRocksVersionAsString(bool /*with_patch*/) { return CARRIER_VERSION; }

}  // namespace rocksdb

extern "C" CARRIER_EXPORT int carried_main(int argc, char** argv);
extern "C" int carried_main(int /*argc*/, char** /*argv*/) {
  return rocksdb::NewBloomFilterPolicy(10, false) == nullptr ? 0 : 1;
}
