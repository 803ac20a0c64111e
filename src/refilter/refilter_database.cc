#include "src/refilter/refilter_database.h"

#include <absl/status/status.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "src/database/loaded_options.h"
#include "src/database/options_path.h"
#include "src/database/options_text.h"
#include "src/database/table_places.h"
#include "src/policy_trial/learned_trial.h"
#include "src/policy_trial/trial_filter.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "src/sst/known_comparator.h"
#include "src/text/printable.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::Status;

constexpr char kKnownChecksum[] = "FileChecksumCrc32c";
constexpr char kHashIndex[] = {1, 0, 0, 0};  // BlockBasedTableOptions::kHashSearch

// Returns a sentence if a later RocksDB than this one wrote the OPTIONS file.
absl::Status CheckVersion(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t begin = line.find_first_not_of(' ');
    constexpr std::string_view kVersion = "rocksdb_version=";
    if (begin == std::string::npos || line.compare(begin, kVersion.size(), kVersion) != 0) continue;
    const std::string text = line.substr(begin + kVersion.size());
    const std::vector<std::string> parts = absl::StrSplit(text, '.');
    int major = 0;
    int minor = 0;
    if (parts.size() < 2 || !absl::SimpleAtoi(parts[0], &major) ||
        !absl::SimpleAtoi(parts[1], &minor)) {
      break;
    }
    if (std::pair(major, minor) <= std::pair(ROCKSDB_MAJOR, ROCKSDB_MINOR)) break;
    return Refused(absl::StrCat("RocksDB ", text, " wrote the database, and this program has ",
                                ROCKSDB_MAJOR, ".", ROCKSDB_MINOR,
                                ": take a winnow that was built for that version"));
  }
  return absl::OkStatus();
}

struct LoadedOptions {
  ROCKSDB_NAMESPACE::DBOptions database;
  std::vector<ColumnFamilyDescriptor> families;
  std::vector<FamilyText> texts;
};

absl::StatusOr<LoadedOptions> LoadOptions(const std::string& database) {
  const OptionsPath path = FindOptionsFile(database);
  if (!path.error.empty()) {
    return Refused(absl::StrCat(path.error, ". Open and close the database once"));
  }
  if (const absl::Status version = CheckVersion(path.path); !version.ok()) return version;
  LoadedOptions loaded;
  const std::string refusal = LoadFamilies(path.path, &loaded.families, &loaded.database);
  if (!refusal.empty()) return Refused(absl::StrCat(path.path, ": ", refusal));
  const std::string problem = ReadFamilies(path.path, &loaded.texts);
  if (!problem.empty()) return Refused(problem);
  return loaded;
}

// Sets the family's policy and options, or returns why it can't be refiltered.
absl::Status SetFamily(const ManifestFamily& listed, const LoadedOptions& loaded,
                       const std::string& policy, RefilterFamily* family) {
  family->name = listed.name;
  const std::string who = absl::StrCat("column family ", Printable(listed.name));
  const auto options =
      std::find_if(loaded.families.begin(), loaded.families.end(),
                   [&](const ColumnFamilyDescriptor& one) { return one.name == listed.name; });
  const auto text = std::find_if(loaded.texts.begin(), loaded.texts.end(),
                                 [&](const FamilyText& one) { return one.name == listed.name; });
  if (options == loaded.families.end() || text == loaded.texts.end()) {
    return Refused(absl::StrCat("the OPTIONS file lacks ", who,
                                ": open and close the database with all its families once"));
  }
  family->options = options->options;
  const auto* const table = TableOptionsOf(family->options);
  if (table == nullptr) {
    return Refused(absl::StrCat(who,
                                " has no block-based tables, and so no filters: leave it "
                                "out by --cf=NAME of the others"));
  }
  family->table = *table;
  SetShape(family->options, &family->shape);
  family->shape.text.comparator = listed.comparator;
  family->options.comparator = FindComparator(listed.comparator);
  if (family->options.comparator == nullptr) {
    return Refused(absl::StrCat(who, " has the comparator ", Printable(listed.comparator),
                                ", which this program does not have: leave it out by --cf=NAME of "
                                "the others, or link winnow with it"));
  }
  family->prefixes = family->options.prefix_extractor;
  if (plugin::IsRangeExtractorText(text->prefix_extractor)) {
    family->prefixes = std::make_shared<plugin::RangeExtractor>();
  } else if (family->prefixes == nullptr && !text->prefix_extractor.empty()) {
    return Refused(absl::StrCat(who, " has the prefix extractor ",
                                Printable(text->prefix_extractor),
                                ", which this program does not have: leave it out by --cf=NAME of "
                                "the others"));
  }
  family->policy = policy;
  if (family->policy.empty() && text->policy && *text->policy != "nullptr") {
    family->policy = *text->policy;
  }
  if (family->policy.empty()) return absl::OkStatus();
  std::string problem;
  family->made = PolicyOfText(family->policy, &problem);
  if (family->made == nullptr) {
    return Refused(absl::StrCat(who, ": the filter policy can't be loaded: ", problem,
                                ". Name another one by --policy"));
  }
  family->winnow = WinnowPolicyOf(family->policy);
  return absl::OkStatus();
}

// Returns a sentence if the family's next compactions would build other filters than these.
std::string OtherPolicy(const RefilterFamily& family, const std::vector<FamilyText>& texts) {
  const auto text = std::find_if(texts.begin(), texts.end(),
                                 [&](const FamilyText& one) { return one.name == family.name; });
  std::string problem;
  const std::string of_options = text == texts.end() ? "" : text->policy.value_or("");
  const auto stated = of_options.empty() ? nullptr : PolicyOfText(of_options, &problem);
  if (DescribePolicy(stated) == DescribePolicy(family.made)) return {};
  return absl::StrCat(
      "column family ", Printable(family.name), " has the policy ",
      of_options.empty() ? "nullptr" : Printable(of_options), " in its OPTIONS file, and gets ",
      Printable(family.policy),
      ": only processes with Winnow can ask Winnow's filters, and compactions build by the policy "
      "of their process");
}

absl::Status CheckFile(const ManifestFile& listed, const RefilterFamily& family,
                       const RefilterFile& file) {
  const TableTail& tail = file.tail;
  const std::string path = Printable(file.path());
  if (listed.has_open_metadata) {
    return Refused(absl::StrCat(path,
                                ": the MANIFEST has a copy of its end (file_open_metadata), "
                                "which would be out of date: switch that option off and "
                                "have the files rewritten"));
  }
  if (!listed.checksum_function.empty() && listed.checksum_function != kKnownChecksum) {
    return Refused(absl::StrCat(path, " has a checksum by ", Printable(listed.checksum_function),
                                ", and only ", kKnownChecksum, " is known"));
  }
  const std::string comparator = tail.Text("rocksdb.comparator");
  if (!comparator.empty() && comparator != family.options.comparator->Name()) {
    return Refused(absl::StrCat(path, " has the comparator ", Printable(comparator),
                                ", and its column family ",
                                Printable(family.options.comparator->Name())));
  }
  const std::string extractor =
      family.prefixes == nullptr ? "nullptr" : family.prefixes->AsString();
  if (tail.Text("rocksdb.block.based.table.index.type") ==
          std::string(kHashIndex, sizeof kHashIndex) &&
      tail.Text("rocksdb.prefix.extractor.name") != extractor) {
    return Refused(absl::StrCat(path, " has a hash index by the prefix extractor ",
                                Printable(tail.Text("rocksdb.prefix.extractor.name")),
                                ", and its column family has another one: compact it first"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Refused(const std::string& why) { return absl::FailedPreconditionError(why); }

std::string RefilterFile::path() const { return absl::StrCat(folder, "/", TableName(number)); }

uint64_t RefilterFile::keys() const {
  const uint64_t entries = tail.Number("rocksdb.num.entries");
  return entries - std::min(entries, tail.Number("rocksdb.num.range-deletions"));
}

absl::StatusOr<RefilterDatabase> ReadForRefilter(Env* env, const RefilterRequest& request,
                                                 bool is_open) {
  RefilterDatabase database;
  absl::StatusOr<Manifest> manifest = ReadManifest(env, request.database);
  if (!manifest.ok()) return manifest.status();
  database.manifest = std::move(*manifest);
  const absl::StatusOr<LoadedOptions> loaded = LoadOptions(request.database);
  if (!loaded.ok()) return loaded.status();
  database.copies_all = loaded->database.best_efforts_recovery;
  database.identity = IdentityOf(env, request.database);
  database.folders = {request.database};
  database.folders.insert(database.folders.end(), request.folders.begin(), request.folders.end());
  for (const std::string& name : request.families) {
    const auto& families = database.manifest.families;
    if (std::none_of(families.begin(), families.end(),
                     [&](const auto& family) { return family.second.name == name; })) {
      return Refused(absl::StrCat("there is no column family ", Printable(name)));
    }
  }
  for (const auto& [number, listed] : database.manifest.families) {
    const bool is_asked =
        request.families.empty() || std::find(request.families.begin(), request.families.end(),
                                              listed.name) != request.families.end();
    if (!is_asked) continue;
    RefilterFamily family;
    if (const absl::Status set = SetFamily(listed, *loaded, request.policy, &family); !set.ok()) {
      return set;
    }
    if (family.policy.empty()) {
      database.remarks.push_back(
          absl::StrCat("column family ", Printable(family.name),
                       " has no filter policy in its OPTIONS file: its files stay as they are. "
                       "Name a policy by --policy"));
      continue;
    }
    if (std::string remark = OtherPolicy(family, loaded->texts); !remark.empty()) {
      database.remarks.push_back(std::move(remark));
    }
    database.families.emplace(number, std::move(family));
  }
  for (const auto& [number, listed] : database.manifest.files) {
    const auto family = database.families.find(listed.family);
    if (family == database.families.end()) continue;
    const std::string name = TableName(number);
    const std::optional<std::string> path = FindTableFile(name, listed.bytes, database.folders);
    if (!path && is_open) continue;
    if (!path) return Refused(WhyNotFound(name, listed.path, request.database));
    RefilterFile file;
    file.number = number;
    file.folder = path->substr(0, path->rfind('/'));
    uint64_t bytes = 0;
    const Status status = env->GetFileSize(*path, &bytes);
    if (is_open && status.IsNotFound()) continue;
    if (!status.ok() || bytes != listed.bytes) {
      return Refused(absl::StrCat(
          Printable(*path), " has ", bytes, " bytes, and the MANIFEST says ", listed.bytes,
          status.ok() ? ": RocksDB does not open such a database; restore a backup"
                      : absl::StrCat(": ", status.ToString())));
    }
    absl::StatusOr<TableTail> tail = ReadTableTail(env, *path, bytes);
    if (!tail.ok() && is_open && !env->FileExists(*path).ok()) continue;
    if (!tail.ok()) {
      return Refused(absl::StrCat(Printable(*path), ": ", tail.status().message()));
    }
    file.tail = std::move(*tail);
    if (const absl::Status checked = CheckFile(listed, family->second, file); !checked.ok()) {
      return checked;
    }
    database.files.push_back(std::move(file));
  }
  // Numbers of files there must be known, too.
  if (!loaded->database.wal_dir.empty()) database.folders.push_back(loaded->database.wal_dir);
  return database;
}

}  // namespace winnow::inspect
