#include "src/preload/bound/absent_functions.h"

#include <rocksdb/cache.h>
#include <rocksdb/status.h>
#include <rocksdb/table_properties.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::Status;

// ---- Memory

void* New(size_t size) {
  void* const memory = std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* NewOrNull(size_t size) noexcept { return std::malloc(size != 0 ? size : 1); }
void* AlignedOrNull(size_t size, size_t alignment) noexcept {
  void* memory = nullptr;
  const size_t least = alignment > sizeof(void*) ? alignment : sizeof(void*);
  return ::posix_memalign(&memory, least, size) == 0 ? memory : nullptr;
}
void* NewAligned(size_t size, size_t alignment) {
  void* const memory = AlignedOrNull(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void Delete(void* memory) noexcept { std::free(memory); }

// ---- RocksDB

Status NotThere() {
  return Status::NotSupported("the RocksDB of this program was linked without that function");
}

// Replacements of member functions, whose object is the first parameter. A reader has one member, a
// pointer.
void MakeReader(void** reader) { *reader = nullptr; }
void DestroyReader(void** /*reader*/) {}
Status OpenReader(void** /*reader*/, const void* /*file*/) { return NotThere(); }
std::shared_ptr<const ROCKSDB_NAMESPACE::TableProperties> PropertiesOfReader(void** /*reader*/) {
  return nullptr;
}
// A table without a given cache makes one of its own.
std::shared_ptr<ROCKSDB_NAMESPACE::Cache> NoCache() { return nullptr; }

struct Absent {
  const char* beginning;  // mangled name up to the parameters
  void* function;
};

template <typename Function>
void* Address(Function* function) noexcept {
  return reinterpret_cast<void*>(function);
}

bool Begins(const char* text, const char* beginning) noexcept {
  return std::strncmp(text, beginning, std::strlen(beginning)) == 0;
}

bool HasWord(const char* text, const char* word) noexcept {
  return std::strstr(text, word) != nullptr;
}

void* Operator(const char* symbol) noexcept {
  if (Begins(symbol, "_Zd")) return Address(&Delete);
  const bool is_aligned = HasWord(symbol, "align_val_t");
  if (HasWord(symbol, "nothrow_t")) {
    return is_aligned ? Address(&AlignedOrNull) : Address(&NewOrNull);
  }
  return is_aligned ? Address(&NewAligned) : Address(&New);
}

}  // namespace

void* AbsentFunction(const char* symbol) noexcept {
  if (Begins(symbol, "_Zn") || Begins(symbol, "_Zd")) return Operator(symbol);
  const Absent all[] = {
      {"_ZN7rocksdb13SstFileReaderC1E", Address(&MakeReader)},
      {"_ZN7rocksdb13SstFileReaderD1E", Address(&DestroyReader)},
      {"_ZN7rocksdb13SstFileReader4OpenE", Address(&OpenReader)},
      {"_ZNK7rocksdb13SstFileReader18GetTablePropertiesE", Address(&PropertiesOfReader)},
      {"_ZN7rocksdb11NewLRUCacheE", Address(&NoCache)},
      {"_ZN7rocksdb24GetLatestOptionsFileNameE", Address(&NotThere)},
      {"_ZN7rocksdb16ReadFileToStringE", Address(&NotThere)},
      {"_ZN7rocksdb29GetColumnFamilyOptionsFromMapE", Address(&NotThere)},
      {"_ZN7rocksdb19GetDBOptionsFromMapE", Address(&NotThere)},
  };
  for (const Absent& absent : all) {
    if (Begins(symbol, absent.beginning)) return absent.function;
  }
  return nullptr;
}

}  // namespace winnow::preload
