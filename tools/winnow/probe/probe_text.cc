#include <absl/strings/str_cat.h>

#include <cstdint>
#include <optional>

#include "src/sst/internal_keys.h"
#include "src/text/numbers.h"
#include "src/text/printable.h"
#include "tools/winnow/cli/keys.h"
#include "tools/winnow/findings/table_arguments.h"
#include "tools/winnow/probe/probe_json.h"

namespace winnow::tools {
namespace {

using inspect::FileProbe;
using inspect::Number;
using inspect::ProbedKey;
using inspect::ProbeHit;
using inspect::ProbeReport;
using inspect::RangeHit;

std::string Present(const inspect::FoundEntry& entry) {
  return absl::StrCat("present: ", inspect::NameOfType(entry.type), ", sequence number ",
                      entry.sequence, ", value of ", entry.value_bytes, " bytes");
}

std::string Outcome(const FileProbe& file, const ProbeHit& hit) {
  if (hit.entry) return Present(*hit.entry);
  if (hit.looked_for) {
    return hit.by_filter ? "false positive" : "absent, and no filter says so";
  }
  if (file.exact) {
    return "may be there: its block could not be read";
  }
  return hit.by_filter ? "may be there" : "may be there, by the range of keys";
}

// Returns the outcome for a range, with the key of the first entry found.
std::string Outcome(const FileProbe& file, const RangeHit& hit) {
  if (hit.entry) return absl::StrCat(Present(*hit.entry), ", of ", KeyName(hit.key));
  return Outcome(file, ProbeHit{0, hit.by_filter, hit.looked_for, std::nullopt});
}

std::string Place(const FileProbe& file, bool with_family) {
  return absl::StrCat("    ",
                      with_family ? absl::StrCat(inspect::Printable(file.column_family), ": ") : "",
                      file.level ? absl::StrCat("level ", *file.level, "  ") : "",
                      inspect::Printable(file.path), "  ");
}

template <typename Hit>
std::string Line(const FileProbe& file, const Hit& hit, bool with_family) {
  return absl::StrCat(Place(file, with_family), file.kind, "  ", Outcome(file, hit), "\n");
}

// Returns a clause that says why keys may be in further files; empty if they can't.
std::string Doubt(const ProbeReport& report) {
  const size_t not_asked = report.not_asked();
  std::string doubt = not_asked == 0
                          ? ""
                          : absl::StrCat(not_asked, " of ", Number(report.files.size(), "file"),
                                         " could not be read");
  if (!report.trees_read) {
    absl::StrAppend(&doubt, doubt.empty() ? "" : ", and ", "there may be ",
                    report.files.empty() ? "" : "more ",
                    "files, as a database's tree could not be read");
  }
  return doubt;
}

std::string Answer(uint64_t hits, const ProbeReport& report, const std::string& doubt) {
  const std::string files = Number(report.files.size(), "file");
  if (hits == 0) {
    return doubt.empty() ? absl::StrCat("in none of ", files) : absl::StrCat("not known: ", doubt);
  }
  return absl::StrCat("may be in ", hits, " of ", files, doubt.empty() ? "" : "; ", doubt);
}

std::string Sum(const ProbeReport& report) {
  uint64_t hits = 0;
  uint64_t present = 0;
  uint64_t false_positives = 0;
  bool exact = false;
  const auto count = [&](const auto& hit) {
    ++hits;
    present += hit.entry ? 1 : 0;
    false_positives += hit.looked_for && hit.by_filter && !hit.entry ? 1 : 0;
  };
  for (const FileProbe& file : report.files) {
    exact = exact || file.exact;
    for (const ProbeHit& hit : file.hits) count(hit);
    if (file.range_hit) count(*file.range_hit);
  }
  const std::string keys = report.keys.empty() ? "" : Number(report.keys.size(), "key");
  return absl::StrCat(
      keys, report.range ? absl::StrCat(keys.empty() ? "" : " and ", "1 range") : "", " in ",
      Number(report.files.size(), "file"),
      report.not_asked() > 0 ? absl::StrCat(", ", report.not_asked(), " of them not read") : "",
      ": ", Number(hits, "hit"),
      exact ? absl::StrCat(", ", present, " present, ", Number(false_positives, "false positive"))
            : "",
      "\n");
}

}  // namespace

std::string ProbeText(const ProbeReport& report) {
  const std::vector<ProbedKey>& keys = report.keys;
  const std::vector<FileProbe>& files = report.files;
  std::vector<std::string> lines(keys.size());
  std::vector<uint64_t> hits(keys.size(), 0);
  std::string range_lines;
  uint64_t range_hits = 0;
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
    if (file.range_hit) {
      range_lines += Line(file, *file.range_hit, with_family);
      ++range_hits;
    }
    if (!file.remark.empty()) {
      absl::StrAppend(&sentences, "remark: ", inspect::Printable(file.path), ": ", file.remark,
                      "\n");
    }
    if (file.fault) {
      absl::StrAppend(&sentences, "fault: ", inspect::Printable(file.path), ": ", *file.fault,
                      "\n");
    }
  }
  const std::string doubt = Doubt(report);
  std::string text;
  for (size_t i = 0; i < keys.size(); ++i) {
    absl::StrAppend(&text, KeyName(keys[i].bytes), ": ", Answer(hits[i], report, doubt), "\n",
                    lines[i]);
  }
  if (report.range) {
    absl::StrAppend(&text, KeyName(report.range->begin), " to ", KeyName(report.range->end), ": ",
                    Answer(range_hits, report, doubt), "\n", range_lines);
  }
  return absl::StrCat(text, sentences, Sum(report));
}

}  // namespace winnow::tools
