#include "tools/winnow/probe_text.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdint>

#include "src/inspect/internal_keys.h"
#include "src/inspect/printable.h"
#include "tools/winnow/key_arguments.h"

namespace winnow::tools {
namespace {

using inspect::FileProbe;
using inspect::ProbedKey;
using inspect::ProbeHit;

std::string Outcome(const ProbeHit& hit) {
  if (hit.entry) {
    return absl::StrCat("present: ", inspect::NameOfType(hit.entry->type), ", sequence number ",
                        hit.entry->sequence, ", value of ", hit.entry->value_bytes, " bytes");
  }
  if (hit.looked_for) {
    return hit.by_filter ? "false positive" : "absent, and no filter says so";
  }
  return hit.by_filter ? "may be there" : "may be there, by the range of keys";
}

// Whether files are of several families, so that each says its own.
bool OfSeveralFamilies(const std::vector<FileProbe>& files) {
  return std::any_of(files.begin(), files.end(), [&files](const FileProbe& file) {
    return file.column_family != files.front().column_family;
  });
}

std::string Place(const FileProbe& file, bool with_family) {
  return absl::StrCat("    ",
                      with_family ? absl::StrCat(inspect::Printable(file.column_family), ": ") : "",
                      file.level ? absl::StrCat("level ", *file.level, "  ") : "",
                      inspect::Printable(file.path), "  ");
}

std::string Line(const FileProbe& file, const ProbeHit& hit, bool with_family) {
  return absl::StrCat(Place(file, with_family), file.kind, "  ", Outcome(hit), "\n");
}

std::string Number(uint64_t number, const char* noun) {
  return absl::StrCat(number, " ", noun, number == 1 ? "" : "s");
}

std::string Sum(const std::vector<ProbedKey>& keys, const std::vector<FileProbe>& files) {
  uint64_t hits = 0;
  uint64_t present = 0;
  uint64_t false_positives = 0;
  bool exact = false;
  for (const FileProbe& file : files) {
    hits += file.hits.size();
    exact = exact || file.exact;
    for (const ProbeHit& hit : file.hits) {
      present += hit.entry ? 1 : 0;
      false_positives += hit.looked_for && hit.by_filter && !hit.entry ? 1 : 0;
    }
  }
  return absl::StrCat(
      Number(keys.size(), "key"), " in ", Number(files.size(), "file"), ": ", Number(hits, "hit"),
      exact ? absl::StrCat(", ", present, " present, ", Number(false_positives, "false positive"))
            : "",
      "\n");
}

}  // namespace

std::string ProbeText(const std::vector<ProbedKey>& keys, const std::vector<FileProbe>& files) {
  std::vector<std::string> lines(keys.size());
  std::vector<uint64_t> hits(keys.size(), 0);
  std::string sentences;
  const bool with_family = OfSeveralFamilies(files);
  for (const FileProbe& file : files) {
    for (const ProbeHit& hit : file.hits) {
      lines[hit.key] += Line(file, hit, with_family);
      ++hits[hit.key];
    }
    for (const inspect::CoveredKey& covered : file.covered) {
      absl::StrAppend(&lines[covered.key], Place(file, with_family),
                      "deleted with a range of keys: range deletion, sequence number ",
                      covered.sequence, "\n");
    }
    if (!file.remark.empty()) {
      absl::StrAppend(&sentences, "remark: ", inspect::Printable(file.path), ": ", file.remark,
                      "\n");
    }
    if (file.fault) {
      absl::StrAppend(&sentences, "fault: ", inspect::Printable(file.path), ": ", *file.fault,
                      "\n");
    }
    if (file.error) {
      absl::StrAppend(&sentences, "not read: ", inspect::Printable(file.path), ": ",
                      inspect::Printable(*file.error), "\n");
    }
  }
  std::string text;
  for (size_t i = 0; i < keys.size(); ++i) {
    absl::StrAppend(&text, KeyName(keys[i].bytes), ": ",
                    hits[i] == 0
                        ? absl::StrCat("in none of ", Number(files.size(), "file"))
                        : absl::StrCat("may be in ", hits[i], " of ", Number(files.size(), "file")),
                    "\n", lines[i]);
  }
  return absl::StrCat(text, sentences, Sum(keys, files));
}

}  // namespace winnow::tools
