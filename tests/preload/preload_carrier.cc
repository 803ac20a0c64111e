// preload_client.cc as a library for preload_carrier_host.c. CARRIER_OWN_NEW gives it its own
// operators new and delete, which abort if they get foreign memory.

#if defined(CARRIER_OWN_NEW)
#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

// A mark identifies this library's memory. It is at the end of the block, since RocksDB calls
// malloc_usable_size() for memory from operator new.
constexpr size_t kMark = sizeof(size_t);
constexpr size_t kOurs = 0x57696e6e6f77206e;

size_t* MarkOf(void* memory) {
  char* const end = static_cast<char*>(memory) + malloc_usable_size(memory);
  return reinterpret_cast<size_t*>(end - kMark);
}

void* Get(size_t size) {
  void* const memory = std::malloc((size + 2 * kMark) & ~(kMark - 1));
  if (memory == nullptr) std::abort();
  *MarkOf(memory) = kOurs ^ reinterpret_cast<size_t>(memory);
  return memory;
}

void Put(void* memory) {
  if (memory == nullptr) return;
  if (*MarkOf(memory) != (kOurs ^ reinterpret_cast<size_t>(memory))) {
    std::fputs("preload_carrier: memory of others is deleted\n", stderr);
    std::abort();
  }
  *MarkOf(memory) = 0;
  std::free(memory);
}

}  // namespace

#define CARRIER_EXPORT __attribute__((visibility("default")))
CARRIER_EXPORT void* operator new(size_t size) { return Get(size); }
CARRIER_EXPORT void* operator new[](size_t size) { return Get(size); }
CARRIER_EXPORT void* operator new(size_t size, const std::nothrow_t&) noexcept { return Get(size); }
CARRIER_EXPORT void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return Get(size);
}
CARRIER_EXPORT void operator delete(void* memory) noexcept { Put(memory); }
CARRIER_EXPORT void operator delete[](void* memory) noexcept { Put(memory); }
CARRIER_EXPORT void operator delete(void* memory, size_t) noexcept { Put(memory); }
CARRIER_EXPORT void operator delete[](void* memory, size_t) noexcept { Put(memory); }
CARRIER_EXPORT void operator delete(void* memory, const std::nothrow_t&) noexcept { Put(memory); }
CARRIER_EXPORT void operator delete[](void* memory, const std::nothrow_t&) noexcept { Put(memory); }
#endif

// main() of preload_client.cc, which is compiled with this name.
int CarriedMain(int argc, char** argv);

extern "C" __attribute__((visibility("default"))) int carried_main(int argc, char** argv);
extern "C" int carried_main(int argc, char** argv) { return CarriedMain(argc, argv); }
