#include "src/preload/asks_linker.h"

#include <link.h>

#include <cstddef>
#include <cstring>

namespace winnow::preload {
namespace {

// Parts of an object's dynamic section by which its relocations name symbols.
struct Relocations {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * calls = nullptr;
  size_t calls_bytes = 0;
  const ElfW(Rela) * others = nullptr;
  size_t others_bytes = 0;
  bool is_symbolic = false;  // the linker searches the object itself first
};

// Converts an entry's value to an address: glibc has relocated it on most processors, and left an
// offset on some.
template <typename Entry>
const Entry* At(ElfW(Addr) base, ElfW(Addr) value) noexcept {
  return reinterpret_cast<const Entry*>(value < base ? base + value : value);
}

Relocations Read(ElfW(Addr) base, const ElfW(Dyn) * dynamic) noexcept {
  Relocations found;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        found.symbols = At<ElfW(Sym)>(base, dynamic->d_un.d_ptr);
        break;
      case DT_STRTAB:
        found.names = At<char>(base, dynamic->d_un.d_ptr);
        break;
      case DT_JMPREL:
        found.calls = At<ElfW(Rela)>(base, dynamic->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        found.calls_bytes = dynamic->d_un.d_val;
        break;
      case DT_RELA:
        found.others = At<ElfW(Rela)>(base, dynamic->d_un.d_ptr);
        break;
      case DT_RELASZ:
        found.others_bytes = dynamic->d_un.d_val;
        break;
      case DT_SYMBOLIC:
        found.is_symbolic = true;
        break;
      case DT_FLAGS:
        found.is_symbolic = found.is_symbolic || (dynamic->d_un.d_val & DF_SYMBOLIC) != 0;
        break;
      default:
        break;
    }
  }
  return found;
}

// Returns the first relocation of this symbol, or null if there is none.
const ElfW(Rela) * Find(const Relocations& all, const ElfW(Rela) * first, size_t bytes,
                        const char* symbol) noexcept {
  for (size_t i = 0; first != nullptr && i < bytes / sizeof(ElfW(Rela)); ++i) {
    // The symbol's index is stored above the relocation's type.
    const auto number = static_cast<size_t>(first[i].r_info >> (sizeof(size_t) == 8 ? 32 : 8));
    if (number != 0 && std::strcmp(all.names + all.symbols[number].st_name, symbol) == 0 &&
        !(all.is_symbolic && all.symbols[number].st_shndx != SHN_UNDEF)) {
      return first + i;
    }
  }
  return nullptr;
}

struct SymbolQuestion {
  ElfW(Addr) address;
  const char* symbol;
  std::optional<bool> answer;
  const void* called = nullptr;  // target of the relocation of the symbol's calls
};

int LookAt(dl_phdr_info* object, size_t, void* asked) noexcept {
  auto& question = *static_cast<SymbolQuestion*>(asked);
  const ElfW(Dyn)* dynamic = nullptr;
  bool is_it = false;
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const ElfW(Addr) begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_DYNAMIC) {
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    } else if (part.p_type == PT_LOAD && question.address - begin < part.p_memsz) {
      is_it = true;
    }
  }
  if (!is_it) {
    return 0;
  }
  if (dynamic != nullptr) {
    const Relocations all = Read(object->dlpi_addr, dynamic);
    // A processor without entries of this form has entries of another one.
    if (all.symbols != nullptr && all.names != nullptr &&
        (all.calls != nullptr || all.others != nullptr)) {
      const ElfW(Rela)* call = Find(all, all.calls, all.calls_bytes, question.symbol);
      if (call == nullptr) call = Find(all, all.others, all.others_bytes, question.symbol);
      question.answer = call != nullptr;
      if (call != nullptr) {
        question.called = *reinterpret_cast<void* const*>(object->dlpi_addr + call->r_offset);
      }
    }
  }
  return 1;
}

}  // namespace

std::optional<bool> AsksLinkerFor(const void* address, const char* symbol) noexcept {
  SymbolQuestion question{reinterpret_cast<ElfW(Addr)>(address), symbol, std::nullopt};
  ::dl_iterate_phdr(LookAt, &question);
  return question.answer;
}

const void* CalledBy(const void* address, const char* symbol) noexcept {
  SymbolQuestion question{reinterpret_cast<ElfW(Addr)>(address), symbol, std::nullopt};
  ::dl_iterate_phdr(LookAt, &question);
  return question.called;
}

}  // namespace winnow::preload
