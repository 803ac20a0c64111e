// Program that uses RocksDB's C API like bindings of other languages, without knowledge of Winnow.
//
//   preload_c_client DB POLICY BITS KEYS
//
// POLICY: none, bloom, bloom_full, ribbon, ribbon_hybrid. Opens the database, creating it if
// missing, writes the keys, compacts, and looks up all keys and as many absent ones.

#include <rocksdb/c.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void Check(char* error) {
  if (error != nullptr) {
    std::fprintf(stderr, "preload_c_client: %s\n", error);
    std::exit(3);
  }
}

rocksdb_filterpolicy_t* NewPolicy(const std::string& policy, double bits) {
  if (policy == "bloom") {
    return rocksdb_filterpolicy_create_bloom(bits);
  }
  if (policy == "bloom_full") {
    return rocksdb_filterpolicy_create_bloom_full(bits);
  }
  if (policy == "ribbon") {
    return rocksdb_filterpolicy_create_ribbon(bits);
  }
  if (policy == "ribbon_hybrid") {
    return rocksdb_filterpolicy_create_ribbon_hybrid(bits, 0);
  }
  return nullptr;
}

std::string Key(int number) { return "key" + std::to_string(1000000 + number); }

bool Has(rocksdb_t* db, const std::string& key) {
  rocksdb_readoptions_t* const options = rocksdb_readoptions_create();
  char* error = nullptr;
  size_t size = 0;
  char* const value = rocksdb_get(db, options, key.data(), key.size(), &size, &error);
  Check(error);
  rocksdb_readoptions_destroy(options);
  const bool found = value != nullptr;
  rocksdb_free(value);
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "preload_c_client: expected DB, POLICY, BITS and KEYS\n");
    return 2;
  }
  const int keys = std::atoi(argv[4]);
  rocksdb_options_t* const options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_disable_auto_compactions(options, 1);
  // The stats thread races with DB::Open, in inlined code of librocksdb that ThreadSanitizer does
  // not instrument.
  rocksdb_options_set_stats_dump_period_sec(options, 0);
  rocksdb_filterpolicy_t* const policy = NewPolicy(argv[2], std::atof(argv[3]));
  if (policy != nullptr) {
    rocksdb_block_based_table_options_t* const table = rocksdb_block_based_options_create();
    rocksdb_block_based_options_set_filter_policy(table, policy);
    rocksdb_options_set_block_based_table_factory(options, table);
    rocksdb_block_based_options_destroy(table);
  }
  char* error = nullptr;
  rocksdb_t* const db = rocksdb_open(options, argv[1], &error);
  Check(error);

  rocksdb_writeoptions_t* const write = rocksdb_writeoptions_create();
  for (int i = 0; i < keys; ++i) {
    const std::string key = Key(2 * i);
    rocksdb_put(db, write, key.data(), key.size(), "value", 5, &error);
    Check(error);
  }
  rocksdb_compact_range(db, nullptr, 0, nullptr, 0);
  int missing = 0;
  int invented = 0;
  for (int i = 0; i < keys; ++i) {
    missing += Has(db, Key(2 * i)) ? 0 : 1;
    invented += Has(db, Key(2 * i + 1)) ? 1 : 0;
  }
  std::printf("missing=%d invented=%d\n", missing, invented);

  rocksdb_writeoptions_destroy(write);
  rocksdb_close(db);
  rocksdb_options_destroy(options);
  return 0;
}
