// Calls of RocksDB in a program or plugin, which STANDIN_CALLER names. The dynamic linker decides
// which RocksDB answers.

#include <dlfcn.h>

#include <cstdio>
#include <thread>

#include "tests/preload/preload_standin.h"

namespace standin {
namespace {

using rocksdb::ColumnFamilyHandle;
using rocksdb::DB;
using rocksdb::FilterPolicy;
using rocksdb::Handles;
using rocksdb::OpenedDB;

void SayHere(const std::string& how, const std::string& answer) {
  Say(STANDIN_CALLER, how, answer);
}

// Compiled to a jump, so that the caller is not on the stack.
__attribute__((noinline)) const FilterPolicy* JumpToBloom(double bits, bool block_based) {
  return rocksdb::NewBloomFilterPolicy(bits, block_based);
}

__attribute__((noinline)) const FilterPolicy* JumpToRibbon(double bits, int level) {
  return rocksdb::NewRibbonFilterPolicy(bits, level);
}

// A call that is not compiled to a jump, since code follows.
[[maybe_unused]] const FilterPolicy* Ask(double bits, bool block_based) {
  const FilterPolicy* volatile policy = rocksdb::NewBloomFilterPolicy(bits, block_based);
  return policy;
}

void AskBy(const std::string& how) {
  SayHere(how, Answer(rocksdb::NewBloomFilterPolicy(9.9, true)));
  SayHere(how, Answer(rocksdb::NewRibbonFilterPolicy(12.25, -1)));
}

[[maybe_unused]] const bool asked_at_load = [] {
  AskBy("constructor");
  return true;
}();

__attribute__((destructor)) void AskAtTheEnd() { AskBy("destructor"); }

[[maybe_unused]] DB* Open() {
  OpenedDB& db = *new OpenedDB{};
  SayHere("open", Answer(DB::Open(rocksdb::Options{1}, "name", &db)));
  return &*db;
}

}  // namespace

void AskForPolicies() {
  AskBy("plain");
  SayHere("jump", Answer(JumpToBloom(10.5, false)));
  SayHere("jump", Answer(JumpToRibbon(20, 3)));
  const FilterPolicy* (*volatile bloom)(double, bool) = &rocksdb::NewBloomFilterPolicy;
  SayHere("address", Answer(bloom(0.25, true)));
  std::thread([] { AskBy("thread"); }).join();
}

void AskForAll() {
  AskForPolicies();
#if STANDIN_PLUGIN
  // A library finds its own function by this, unless another one precedes.
  const auto found = reinterpret_cast<decltype(&Ask)>(
      ::dlsym(RTLD_DEFAULT, "_ZN7rocksdb20NewBloomFilterPolicyEdb"));
  SayHere("dlsym", Answer(found != nullptr ? found(9.9, true) : nullptr));
#endif
  const rocksdb::Options options{31};
  const rocksdb::DBOptions db_options{32};
  const rocksdb::TransactionDBOptions transactions{33};
  const rocksdb::Families families = {{34}, {35}};
  const std::string name = "a name of more than fifteen letters";
  OpenedDB db{};
  rocksdb::TransactionDB* transaction_db = nullptr;
  Handles handles;
  const std::string how = "plain";
  std::shared_ptr<const FilterPolicy> policy;
  SayHere(how, Answer(FilterPolicy::CreateFromString(rocksdb::ConfigOptions{36}, name, &policy)));
  SayHere("inside", Answer(policy.get()));
  SayHere(how, Answer(DB::Open(options, name, &db)));
  SayHere(how, Answer(DB::Open(db_options, name, families, &handles, &db)));
  SayHere(how, Answer(DB::OpenForReadOnly(options, name, &db, true)));
  SayHere(how, Answer(DB::OpenForReadOnly(db_options, name, families, &handles, &db, true)));
  SayHere(how, Answer(DB::OpenAsSecondary(options, name, "second", &db)));
  SayHere(how, Answer(DB::OpenAsSecondary(db_options, name, "second", families, &handles, &db)));
  SayHere(how, Answer(rocksdb::TransactionDB::Open(options, transactions, name, &transaction_db)));
  SayHere(how, Answer(rocksdb::TransactionDB::Open(db_options, transactions, name, families,
                                                   &handles, &transaction_db)));
  SayHere("result", transaction_db->answer);
  AskDatabase(STANDIN_CALLER, &*db);
  for (const ColumnFamilyHandle* handle : handles) {
    std::printf("%d\n", handle->number);
  }
}

}  // namespace standin

#if STANDIN_PLUGIN
extern "C" {

extern const standin::Plugin standin_plugin __attribute__((visibility("default")));
const standin::Plugin standin_plugin{
    standin::AskForPolicies,        standin::AskForAll, standin::Ask, standin::JumpToBloom,
    &rocksdb::NewBloomFilterPolicy, standin::Open};

}  // extern "C"
#endif
