#include "src/rocksdb/family_texts.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace winnow::plugin {
namespace {

// Removes a comment, and surrounding spaces.
std::string_view Trimmed(std::string_view text) {
  constexpr char kSpaces[] = " \t\n\v\f\r";
  for (size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
    if (at == 0 || text[at - 1] != '\\') text = text.substr(0, at);
  }
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  return text.substr(0, text.find_last_not_of(kSpaces) + 1);
}

std::string Unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escaped = text[i] == '\\' && i + 1 < text.size();
    const char c = text[is_escaped ? ++i : i];
    plain.push_back(is_escaped && c == 'n' ? '\n' : is_escaped && c == 'r' ? '\r' : c);
  }
  return plain;
}

FamilyTexts& Family(const std::string& name, std::vector<FamilyTexts>* families) {
  for (FamilyTexts& family : *families) {
    if (family.name == name) return family;
  }
  families->emplace_back().name = name;
  return families->back();
}

}  // namespace

std::vector<FamilyTexts> ReadFamilyTexts(const std::string& text) {
  constexpr std::string_view kTable = "TableOptions/";
  std::vector<FamilyTexts> families;
  OptionTexts* section = nullptr;  // null in sections of no column family
  std::istringstream lines(text);
  for (std::string whole; std::getline(lines, whole);) {
    const std::string_view line = Trimmed(whole);
    if (line.empty() || line.front() != '[') {
      const size_t equals = line.find('=');
      if (section == nullptr || equals == line.npos) continue;
      section->emplace(Trimmed(line.substr(0, equals)), Trimmed(line.substr(equals + 1)));
      continue;
    }
    section = nullptr;
    const size_t first = line.find('"');
    const size_t last = line.rfind('"');
    if (first == last) continue;
    const std::string name = Unescaped(line.substr(first + 1, last - first - 1));
    const std::string_view title = Trimmed(line.substr(1, first - 1));
    if (title == "CFOptions") section = &Family(name, &families).family_options;
    if (title.substr(0, kTable.size()) == kTable) {
      FamilyTexts& family = Family(name, &families);
      family.table_kind = title.substr(kTable.size());
      section = &family.table_options;
    }
  }
  return families;
}

std::string ObjectText(const OptionTexts& options, const std::string& name) {
  const auto found = options.find(name);
  return found == options.end() || found->second == "nullptr" ? "" : found->second;
}

}  // namespace winnow::plugin
