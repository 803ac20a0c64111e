#include "tools/winnow/adopt/object_file.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>

namespace winnow::inspect {
namespace {

constexpr absl::string_view kBitcode = "BC\xC0\xDE";
constexpr absl::string_view kWrappedBitcode = "\xDE\xC0\x17\x0B";

#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
constexpr unsigned kMachine = EM_NONE;
#endif

// Bytes between a 4-byte PC-relative field and the end of its instruction, from which the offset
// counts.
constexpr uint64_t kBehindPlace = 4;

// Reads a T at `offset`; nullopt if it does not lie within the bytes.
template <typename T>
std::optional<T> ValueAt(absl::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Returns the given part of the bytes; empty if it does not lie within them.
absl::string_view PartOf(absl::string_view bytes, uint64_t offset, uint64_t size) {
  const bool is_within = offset <= bytes.size() && size <= bytes.size() - offset;
  return is_within ? bytes.substr(offset, size) : absl::string_view();
}

// Returns the zero-terminated string at `offset` of a string table.
absl::string_view TextAt(absl::string_view texts, uint64_t offset) {
  const absl::string_view rest = texts.substr(std::min<uint64_t>(offset, texts.size()));
  return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

// A symbol table entry.
struct Entry {
  ElfW(Sym) symbol;
  absl::string_view name;
  uint64_t at = 0;  // offset of the ElfW(Sym) in the object file

  unsigned type() const { return ELF64_ST_TYPE(symbol.st_info); }
  bool is_local() const { return ELF64_ST_BIND(symbol.st_info) == STB_LOCAL; }
  bool is_defined() const { return symbol.st_shndx != SHN_UNDEF; }
};

// Sections and symbols of a parsed object file.
class Parts {
 public:
  explicit Parts(absl::string_view object) : object_(object) {
    const auto header = ValueAt<ElfW(Ehdr)>(object, 0);
    if (!header) return;
    ReadSections(*header);
    const uint64_t names = header->e_shstrndx != SHN_XINDEX ? header->e_shstrndx
                           : sections_.empty()              ? 0
                                                            : sections_.front().sh_link;
    if (names < sections_.size()) names_ = Content(sections_[names]);
    for (const ElfW(Shdr) & section : sections_) {
      if (section.sh_type == SHT_SYMTAB && section.sh_link < sections_.size()) ReadEntries(section);
    }
  }

  const std::vector<ElfW(Shdr)>& sections() const { return sections_; }
  const std::vector<Entry>& entries() const { return entries_; }
  absl::string_view NameOf(const ElfW(Shdr) & section) const {
    return TextAt(names_, section.sh_name);
  }
  absl::string_view Content(const ElfW(Shdr) & section) const {
    return section.sh_type == SHT_NOBITS ? absl::string_view()
                                         : PartOf(object_, section.sh_offset, section.sh_size);
  }

  // Returns the global or weak definition of the symbol, or null.
  const Entry* Find(absl::string_view name) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [name](const Entry& entry) {
      return !entry.is_local() && entry.is_defined() && entry.name == name;
    });
    return found == entries_.end() ? nullptr : &*found;
  }

 private:
  void ReadSections(const ElfW(Ehdr) & header) {
    // If there are too many sections for e_shnum, their number is in the first section header.
    uint64_t number = header.e_shnum;
    const auto first = ValueAt<ElfW(Shdr)>(object_, header.e_shoff);
    if (number == 0 && header.e_shoff != 0 && first) number = first->sh_size;
    for (uint64_t i = 0; i < number; ++i) {
      const auto section =
          ValueAt<ElfW(Shdr)>(object_, header.e_shoff + i * uint64_t{sizeof(ElfW(Shdr))});
      if (!section) return;
      sections_.push_back(*section);
    }
  }

  void ReadEntries(const ElfW(Shdr) & section) {
    const absl::string_view table = Content(section);
    const absl::string_view names = Content(sections_[section.sh_link]);
    for (uint64_t at = 0; const auto symbol = ValueAt<ElfW(Sym)>(table, at); at += sizeof *symbol) {
      entries_.push_back({*symbol, TextAt(names, symbol->st_name), section.sh_offset + at});
    }
  }

  const absl::string_view object_;
  std::vector<ElfW(Shdr)> sections_;
  absl::string_view names_;
  std::vector<Entry> entries_;
};

std::string WhyNotOurs(absl::string_view object) {
  const auto header = ValueAt<ElfW(Ehdr)>(object, 0);
  if (!header || !absl::StartsWith(object, absl::string_view(ELFMAG, SELFMAG))) {
    return "is no object file in the form ELF";
  }
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_machine != kMachine) {
    return absl::StrCat("is for another machine (ELF's machine ", header->e_machine,
                        ", of this program ", kMachine, ")");
  }
  return std::string();
}

// Returns false for sections of unwinding and debug information, whose relocations are no calls.
bool IsOfCode(absl::string_view name) {
  return !absl::StartsWith(name, ".eh_frame") && !absl::StartsWith(name, ".debug_");
}

}  // namespace

ObjectSymbols ReadObject(absl::string_view object) {
  ObjectSymbols found;
  if (absl::StartsWith(object, kBitcode) || absl::StartsWith(object, kWrappedBitcode)) {
    found.has_lto = true;
    return found;
  }
  found.problem = WhyNotOurs(object);
  if (!found.problem.empty()) return found;
  const Parts parts(object);
  for (const ElfW(Shdr) & section : parts.sections()) {
    if (absl::StartsWith(parts.NameOf(section), ".gnu.lto_")) found.has_lto = true;
  }
  for (const Entry& entry : parts.entries()) {
    if (entry.type() == STT_FILE) {
      found.source_files.push_back(entry.name);
    } else if (!entry.is_local() && !entry.name.empty()) {
      found.symbols.push_back(
          {entry.name, entry.is_defined(), ELF64_ST_BIND(entry.symbol.st_info) == STB_WEAK});
    }
  }
  return found;
}

std::optional<Place> FindSymbol(absl::string_view object, absl::string_view name) {
  const Parts parts(object);
  const Entry* const entry = parts.Find(name);
  if (entry == nullptr || entry->symbol.st_shndx >= parts.sections().size()) return std::nullopt;
  const ElfW(Shdr)& section = parts.sections()[entry->symbol.st_shndx];
  Place place;
  place.section = std::string(parts.NameOf(section));
  place.is_one_of_name = std::count_if(parts.sections().begin(), parts.sections().end(),
                                       [&](const ElfW(Shdr) & other) {
                                         return parts.NameOf(other) == place.section;
                                       }) == 1;
  place.is_weak = ELF64_ST_BIND(entry->symbol.st_info) == STB_WEAK;
  place.value = entry->symbol.st_value;
  place.at = section.sh_offset + entry->symbol.st_value;
  if (place.at >= object.size()) return std::nullopt;
  return place;
}

bool MakeUndefined(absl::string_view name, std::string* object) {
  const Parts parts(*object);
  const Entry* const entry = parts.Find(name);
  if (entry == nullptr) return false;
  ElfW(Sym) symbol = entry->symbol;
  symbol.st_shndx = SHN_UNDEF;
  symbol.st_value = 0;
  symbol.st_size = 0;
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
  std::memcpy(object->data() + entry->at, &symbol, sizeof symbol);
  return true;
}

bool IsReachedByNameAlone(absl::string_view object, absl::string_view function,
                          absl::string_view table) {
  const Parts parts(object);
  const Entry* const own = parts.Find(function);
  const Entry* const virtuals = parts.Find(table);
  if (own == nullptr || virtuals == nullptr) return false;
  const std::vector<Entry>& entries = parts.entries();
  const auto is_other_name = [own](const Entry& entry) {
    return &entry != own && entry.type() == STT_FUNC &&
           entry.symbol.st_shndx == own->symbol.st_shndx &&
           entry.symbol.st_value == own->symbol.st_value;
  };
  if (std::any_of(entries.begin(), entries.end(), is_other_name)) return false;
  bool is_in_table = false;
  for (const ElfW(Shdr) & section : parts.sections()) {
    if (section.sh_type == SHT_REL || section.sh_info >= parts.sections().size()) continue;
    if (section.sh_type != SHT_RELA || !IsOfCode(parts.NameOf(parts.sections()[section.sh_info]))) {
      continue;
    }
    const absl::string_view content = parts.Content(section);
    for (uint64_t at = 0; const auto one = ValueAt<ElfW(Rela)>(content, at); at += sizeof *one) {
      const uint64_t number = ELF64_R_SYM(one->r_info);
      if (number >= entries.size()) return false;
      const Entry& named = entries[number];
      const uint64_t behind = one->r_offset - virtuals->symbol.st_value;
      if (&named == own && section.sh_info == virtuals->symbol.st_shndx &&
          behind < virtuals->symbol.st_size) {
        is_in_table = true;
      }
      const uint64_t place = named.symbol.st_value + static_cast<uint64_t>(one->r_addend);
      if (&named != own && named.symbol.st_shndx == own->symbol.st_shndx &&
          (place == own->symbol.st_value || place + kBehindPlace == own->symbol.st_value)) {
        return false;
      }
    }
  }
  return is_in_table;
}

}  // namespace winnow::inspect
