// A plugin with RocksDB, and a program without RocksDB that changes options of the plugin's
// database.
//
//   preload_standin_database PLUGIN DB

#include <rocksdb/db.h>

#if STANDIN_PLUGIN

#include "third_party/rocksdb_abi/versions.h"

extern "C" __attribute__((visibility("default"))) rocksdb::DB* standin_open(const char* path) {
  rocksdb::Options options;
  options.create_if_missing = true;
  auto* const db = new winnow::rocksdb_abi::OpenedDB{};
  return rocksdb::DB::Open(options, path, db).ok() ? &**db : nullptr;
}

#else

#include <dlfcn.h>

#include <cstdio>

// Uses no function of RocksDB that the program would have to be linked with.
int main(int, char** arguments) {
  void* const plugin = ::dlopen(arguments[1], RTLD_LAZY | RTLD_LOCAL);
  if (plugin == nullptr) {
    std::fprintf(stderr, "preload_standin_database: %s\n", ::dlerror());
    return 3;
  }
  rocksdb::DB* const db = reinterpret_cast<rocksdb::DB* (*)(const char*)>(
      ::dlsym(plugin, "standin_open"))(arguments[2]);
  if (db == nullptr) {
    return 4;
  }
  std::printf("good option: %s\n",
              db->SetOptions({{"disable_auto_compactions", "true"}}).ok() ? "OK" : "refused");
  std::printf("bad option: %s\n", db->SetOptions({{"no_option", "1"}}).ok() ? "OK" : "refused");
  delete db;
}

#endif
