#include "src/preload/asks_linker.h"

#include <link.h>

#include <cstddef>
#include <cstring>

namespace winnow::preload {
namespace {

// Dynamic section of a loaded object, by which its relocations name symbols.
class DynamicSection {
 public:
  DynamicSection(ElfW(Addr) base, const ElfW(Dyn) * entries) noexcept : base_(base) {
    for (; entries->d_tag != DT_NULL; ++entries) {
      const auto tag = static_cast<size_t>(entries->d_tag);
      if (tag < DT_NUM) values_[tag] = entries->d_un.d_val;
      is_symbolic_ = is_symbolic_ || tag == DT_SYMBOLIC;
    }
    is_symbolic_ = is_symbolic_ || (values_[DT_FLAGS] & DF_SYMBOLIC) != 0;
  }

  // A processor without relocations of this form has some of another one.
  bool is_known() const noexcept {
    return values_[DT_SYMTAB] != 0 && values_[DT_STRTAB] != 0 &&
           (values_[DT_JMPREL] != 0 || values_[DT_RELA] != 0);
  }

  // Returns the first relocation of this symbol, of calls before others; null if there is none.
  const ElfW(Rela) * Find(const char* symbol) const noexcept {
    const ElfW(Rela)* const call = FindIn(DT_JMPREL, DT_PLTRELSZ, symbol);
    return call != nullptr ? call : FindIn(DT_RELA, DT_RELASZ, symbol);
  }

 private:
  const ElfW(Rela) * FindIn(size_t table, size_t table_bytes, const char* symbol) const noexcept {
    const auto* const first = At<ElfW(Rela)>(table);
    const size_t count = values_[table] == 0 ? 0 : values_[table_bytes] / sizeof *first;
    const auto* const symbols = At<ElfW(Sym)>(DT_SYMTAB);
    for (size_t i = 0; i < count; ++i) {
      // The symbol's index is stored above the relocation's type.
      const auto number = static_cast<size_t>(first[i].r_info >> (sizeof(size_t) == 8 ? 32 : 8));
      if (number != 0 && std::strcmp(At<char>(DT_STRTAB) + symbols[number].st_name, symbol) == 0 &&
          !(is_symbolic_ && symbols[number].st_shndx != SHN_UNDEF)) {
        return first + i;
      }
    }
    return nullptr;
  }

  // Converts an entry's value to an address: glibc has relocated it on most processors, and left an
  // offset on some.
  template <typename Entry>
  const Entry* At(size_t tag) const noexcept {
    const ElfW(Addr) value = values_[tag];
    return reinterpret_cast<const Entry*>(value < base_ ? base_ + value : value);
  }

  const ElfW(Addr) base_;
  ElfW(Addr) values_[DT_NUM] = {};  // by tag
  bool is_symbolic_ = false;        // the linker searches the object itself first
};

struct SymbolQuestion {
  ElfW(Addr) address;
  const char* symbol;
  std::optional<bool> answer;
  const void* called = nullptr;  // target of the relocation of the symbol's calls
};

int LookAt(dl_phdr_info* object, size_t, void* asked) noexcept {
  auto& question = *static_cast<SymbolQuestion*>(asked);
  const ElfW(Dyn)* entries = nullptr;
  bool is_it = false;
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    const ElfW(Addr) begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_DYNAMIC) {
      entries = reinterpret_cast<const ElfW(Dyn)*>(begin);
    } else if (part.p_type == PT_LOAD && question.address - begin < part.p_memsz) {
      is_it = true;
    }
  }
  if (!is_it || entries == nullptr) return is_it;
  const DynamicSection section(object->dlpi_addr, entries);
  if (!section.is_known()) return 1;
  const ElfW(Rela)* const call = section.Find(question.symbol);
  question.answer = call != nullptr;
  if (call != nullptr) {
    question.called = *reinterpret_cast<void* const*>(object->dlpi_addr + call->r_offset);
  }
  return 1;
}

SymbolQuestion Ask(const void* address, const char* symbol) noexcept {
  SymbolQuestion question{reinterpret_cast<ElfW(Addr)>(address), symbol, std::nullopt};
  ::dl_iterate_phdr(LookAt, &question);
  return question;
}

}  // namespace

std::optional<bool> AsksLinkerFor(const void* address, const char* symbol) noexcept {
  return Ask(address, symbol).answer;
}

const void* CalledBy(const void* address, const char* symbol) noexcept {
  return Ask(address, symbol).called;
}

}  // namespace winnow::preload
