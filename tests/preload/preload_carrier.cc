// preload_client.cc as a library, which preload_carrier_host.c opens. With CARRIER_OWN_NEW its
// operators new and delete are its own, and end the process if they get memory of others.

#if defined(CARRIER_OWN_NEW)
#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

// Memory that is ours begins with a mark, behind which the caller's begins. RocksDB asks malloc how
// much there is of what operator new gave, so that the mark lies at its end instead.
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

// The name that main of preload_client.cc is compiled under.
int CarriedMain(int argc, char** argv);

extern "C" __attribute__((visibility("default"))) int carried_main(int argc, char** argv);
extern "C" int carried_main(int argc, char** argv) { return CarriedMain(argc, argv); }
