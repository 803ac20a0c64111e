#include "src/preload/front/loaded_objects.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <cstring>

namespace winnow::preload {
namespace {

bool IsIn(const dl_phdr_info& object, ElfW(Addr) address) noexcept {
  for (size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    if (part.p_type == PT_LOAD && address - (object.dlpi_addr + part.p_vaddr) < part.p_memsz) {
      return true;
    }
  }
  return false;
}

struct Question {
  ElfW(Addr) address;
  size_t index;
};

int LookForAddress(dl_phdr_info* object, size_t, void* asked) noexcept {
  auto& question = *static_cast<Question*>(asked);
  if (IsIn(*object, question.address)) {
    return 1;
  }
  ++question.index;
  return 0;
}

int ReadCount(dl_phdr_info* object, size_t, void* count) noexcept {
  *static_cast<LoadCount*>(count) = {object->dlpi_adds, object->dlpi_subs};
  return 1;
}

// The names of all objects, one after the other, each with its end. The linker's own may be gone
// when an object is closed.
struct NameList {
  char* text;
  size_t size;
  size_t capacity;
};

int AddName(dl_phdr_info* object, size_t, void* list) noexcept {
  auto& names = *static_cast<NameList*>(list);
  const size_t length = std::strlen(object->dlpi_name) + 1;
  if (names.size + length > names.capacity) {
    const size_t capacity = 2 * (names.size + length);
    auto* const larger = static_cast<char*>(std::realloc(names.text, capacity));
    if (larger == nullptr) {
      return 1;
    }
    names.text = larger;
    names.capacity = capacity;
  }
  std::memcpy(names.text + names.size, object->dlpi_name, length);
  names.size += length;
  return 0;
}

// The name of an object by which it is opened again; null is the program.
void* FindInObject(const char* name, const char* symbol) noexcept {
  void* const object = ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (object == nullptr) {
    ::dlerror();  // so that the program doesn't meet our error
    return nullptr;
  }
  void* const found = ::dlsym(object, symbol);
  if (found == nullptr) {
    ::dlerror();
  }
  ::dlclose(object);
  return found;
}

}  // namespace

LoadCount CountLoads() noexcept {
  LoadCount count{0, 0};
  ::dl_iterate_phdr(ReadCount, &count);
  return count;
}

size_t ObjectOf(const void* address) noexcept {
  Question question{reinterpret_cast<ElfW(Addr)>(address), 0};
  return ::dl_iterate_phdr(LookForAddress, &question) == 0 ? kNoObject : question.index;
}

bool InSameObject(const void* one, const void* other) noexcept {
  const size_t object = ObjectOf(one);
  return object != kNoObject && object == ObjectOf(other);
}

void* FindFrom(const void* address, const char* symbol) noexcept {
  const size_t object = ObjectOf(address);
  Dl_info known{};
  if (object == kNoObject || ::dladdr(address, &known) == 0) {
    return nullptr;
  }
  return FindInObject(object == 0 ? nullptr : known.dli_fname, symbol);
}

void ForEachDefinition(const char* symbol, bool (*visit)(void* context, void* definition),
                       void* context) noexcept {
  NameList names{nullptr, 0, 0};
  ::dl_iterate_phdr(AddName, &names);
  for (size_t i = 0; i < names.size; i += std::strlen(names.text + i) + 1) {
    // The program has no name, or is the first.
    void* const found =
        FindInObject(i == 0 || names.text[i] == '\0' ? nullptr : names.text + i, symbol);
    if (found != nullptr && !visit(context, found)) {
      break;
    }
  }
  std::free(names.text);
}

}  // namespace winnow::preload
