#include "tools/winnow/adopt/archive.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <ar.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

namespace winnow::inspect {
namespace {

constexpr absl::string_view kThinMagic = "!<thin>\n";
constexpr absl::string_view kEndOfName = "/\n";

// Returns the name in a member's header, which is "NAME/" or "/OFFSET" into the table of long
// names.
absl::string_view NameOf(const ar_hdr& header, const char* at, absl::string_view long_names) {
  absl::string_view name(at, sizeof header.ar_name);
  uint64_t place = 0;
  if (absl::StartsWith(name, "/") && absl::SimpleAtoi(name.substr(1), &place)) {
    const absl::string_view rest = long_names.substr(std::min<uint64_t>(place, long_names.size()));
    return rest.substr(0, std::min(rest.find(kEndOfName), rest.size()));
  }
  return name.substr(0, std::min(name.rfind('/'), name.size()));
}

// Splits the content into members. Returns false if the content is malformed.
bool ReadMembers(Archive* archive) {
  const absl::string_view content = archive->content;
  absl::string_view long_names;
  std::map<absl::string_view, size_t> numbers;
  for (uint64_t at = SARMAG; at < content.size();) {
    ar_hdr header;
    if (content.size() - at < sizeof header) return false;
    std::memcpy(&header, content.data() + at, sizeof header);
    uint64_t size = 0;
    if (std::memcmp(header.ar_fmag, ARFMAG, sizeof header.ar_fmag) != 0 ||
        !absl::SimpleAtoi(absl::string_view(header.ar_size, sizeof header.ar_size), &size)) {
      return false;
    }
    const uint64_t begin = at + sizeof header;
    if (size > content.size() - begin) return false;
    const absl::string_view bytes = content.substr(begin, size);
    const absl::string_view in_header = absl::StripTrailingAsciiWhitespace(
        absl::string_view(content.data() + at, sizeof header.ar_name));
    if (in_header == "//") {
      long_names = bytes;
    } else if (in_header != "/" && in_header != "/SYM64/") {
      Member& member = archive->members.emplace_back();
      member.name = NameOf(header, content.data() + at, long_names);
      member.number = ++numbers[member.name];
      member.bytes = bytes;
      static_cast<ObjectSymbols&>(member) = ReadObject(bytes);
    }
    at = begin + size + size % 2;
  }
  return true;
}

}  // namespace

bool Member::Defines(absl::string_view symbol) const {
  return std::any_of(symbols.begin(), symbols.end(),
                     [symbol](const Symbol& one) { return one.is_defined && one.name == symbol; });
}

const Member* Archive::MemberThatDefines(absl::string_view symbol) const {
  const auto found = std::find_if(members.begin(), members.end(), [symbol](const Member& member) {
    return member.Defines(symbol);
  });
  return found == members.end() ? nullptr : &*found;
}

bool WriteBytes(const std::string& path, absl::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  return file.good();
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void ReadArchive(const std::string& path, Archive* archive) {
  std::ifstream file(path, std::ios::binary);
  archive->content.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) {
    archive->problem = absl::StrCat("can't be read: ", std::strerror(errno));
  } else if (absl::StartsWith(archive->content, kThinMagic)) {
    archive->problem =
        "is a thin archive, which has only the names of its object files, and a whole one is "
        "expected: make one of the same files, by ar without --thin";
  } else if (!absl::StartsWith(archive->content, absl::string_view(ARMAG, SARMAG))) {
    archive->problem =
        "is no static archive: it does not begin with !<arch>. Expected the librocksdb.a that "
        "your program is linked with";
  } else if (!ReadMembers(archive)) {
    archive->problem = "is damaged: a member's header is not where it must be. Make it anew";
  }
}

}  // namespace winnow::inspect
