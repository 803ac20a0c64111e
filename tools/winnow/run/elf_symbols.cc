#include "tools/winnow/run/elf_symbols.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/string_view.h>
#include <absl/strings/strip.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tools/winnow/run/mapped_file.h"

namespace winnow::inspect {
namespace {

// Returns "rocksdb" for _ZN7rocksdb20NewBloomFilterPolicyEdb; empty for any other function.
absl::string_view NameSpaceOf(absl::string_view symbol, absl::string_view function) {
  if (!absl::ConsumePrefix(&symbol, "_ZN") || !absl::EndsWith(symbol, function)) return {};
  symbol.remove_suffix(function.size());
  size_t digits = 0;
  while (digits < symbol.size() && absl::ascii_isdigit(symbol[digits])) ++digits;
  size_t length = 0;
  if (!absl::SimpleAtoi(symbol.substr(0, digits), &length)) return {};
  symbol.remove_prefix(digits);
  return symbol.size() == length ? symbol : absl::string_view();
}

class Reader {
 public:
  explicit Reader(absl::string_view file) : file_(file) {}

  RocksDBSymbols Read() {
    ElfW(Ehdr) header;
    if (file_.size() < sizeof header) return found_;
    std::memcpy(&header, file_.data(), sizeof header);
    if (!IsOfThisForm(header)) return found_;
    // The string is concatenated at run time so that this program does not contain it.
    found_.has_code = absl::StrContains(file_, absl::StrCat("rocksdb_build_", "git_sha"));
    for (const auto& part :
         Entries<ElfW(Phdr)>(file_, header.e_phoff, header.e_phnum * sizeof(ElfW(Phdr)))) {
      if (part.p_type == PT_INTERP) found_.loader = std::string(NameAt(file_, part.p_offset));
    }
    sections_ = Entries<ElfW(Shdr)>(file_, header.e_shoff, header.e_shnum * sizeof(ElfW(Shdr)));
    for (const ElfW(Shdr) & section : sections_) {
      if (section.sh_type == SHT_DYNAMIC) ReadDynamic(section);
    }
    for (const ElfW(Shdr) & section : sections_) {
      if (section.sh_type == SHT_DYNSYM) ReadSymbols(section);
    }
    for (const ElfW(Shdr) & section : sections_) {
      if (section.sh_type == SHT_RELA) ReadRelocations(section);
    }
    return found_;
  }

 private:
  static bool IsOfThisForm(const ElfW(Ehdr) & header) {
    constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == kClass && header.e_phentsize == sizeof(ElfW(Phdr)) &&
           header.e_shentsize == sizeof(ElfW(Shdr));
  }

  uint64_t TextsOf(const ElfW(Shdr) & section) const {
    return section.sh_link < sections_.size() ? sections_[section.sh_link].sh_offset : file_.size();
  }

  void ReadDynamic(const ElfW(Shdr) & section) {
    for (const auto& entry : Entries<ElfW(Dyn)>(file_, section.sh_offset, section.sh_size)) {
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_SONAME) {
        found_.soname = std::string(NameAt(file_, TextsOf(section) + entry.d_un.d_val));
      }
      is_symbolic_ = is_symbolic_ || entry.d_tag == DT_SYMBOLIC ||
                     (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_SYMBOLIC) != 0);
    }
  }

  void ReadSymbols(const ElfW(Shdr) & section) {
    const auto symbols = Entries<ElfW(Sym)>(file_, section.sh_offset, section.sh_size);
    is_policy_function_.resize(symbols.size());
    for (size_t i = 0; i < symbols.size(); ++i) {
      const absl::string_view name = NameAt(file_, TextsOf(section) + symbols[i].st_name);
      const absl::string_view name_space = NameSpaceOf(name, "20NewBloomFilterPolicyEdb");
      if (symbols[i].st_shndx == SHN_UNDEF) continue;
      is_policy_function_[i] =
          !name_space.empty() || absl::StrContains(name, "12FilterPolicy16CreateFromStringE");
      if (!name_space.empty()) found_.name_space = std::string(name_space);
    }
  }

  // Sets asks_linker if a relocation refers to a policy function that the file defines.
  void ReadRelocations(const ElfW(Shdr) & section) {
    if (is_symbolic_) return;
    for (const auto& entry : Entries<ElfW(Rela)>(file_, section.sh_offset, section.sh_size)) {
      const auto number = static_cast<size_t>(entry.r_info >> (sizeof(size_t) == 8 ? 32 : 8));
      if (number < is_policy_function_.size() && is_policy_function_[number]) {
        found_.asks_linker = true;
      }
    }
  }

  const absl::string_view file_;
  std::vector<ElfW(Shdr)> sections_;
  std::vector<bool> is_policy_function_;
  bool is_symbolic_ = false;
  RocksDBSymbols found_;
};

}  // namespace

RocksDBSymbols ReadRocksDBSymbols(const std::string& path) {
  const MappedFile file(path);
  return Reader(file.bytes()).Read();
}

}  // namespace winnow::inspect
