#include "src/refilter/refilter_database.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/version.h>

#include <cstdio>
#include <set>
#include <string_view>
#include <utility>

#include "src/database/loaded_options.h"
#include "src/database/options_path.h"
#include "src/database/options_text.h"
#include "src/database/table_paths.h"
#include "src/database/table_places.h"
#include "src/policy_trial/learned_trial.h"
#include "src/policy_trial/policy_trial.h"
#include "src/policy_trial/trial_filter.h"
#include "src/rocksdb/ranges/range_extractor.h"
#include "src/sst/known_comparator.h"
#include "src/sst/table_tail.h"
#include "src/text/printable.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Env;
using ROCKSDB_NAMESPACE::Status;

constexpr char kKnownChecksum[] = "FileChecksumCrc32c";
constexpr std::string_view kHashIndex("\1\0\0\0", 4);  // BlockBasedTableOptions::kHashSearch

// Refuses an OPTIONS file that a later RocksDB than this one wrote, or one that gives new files the
// numbers of files that the MANIFEST does not name, as up to 6.14.
absl::Status CheckVersion(const std::string& path) {
  std::string text;
  ReadFileToString(Env::Default(), path, &text).PermitUncheckedError();
  const size_t at = text.find("rocksdb_version=");
  int major = 0;
  int minor = 0;
  const bool is_known = at != std::string::npos &&
                        std::sscanf(&text[at], "rocksdb_version=%d.%d", &major, &minor) == 2;
  if (is_known && std::pair(major, minor) < std::pair(6, 15)) {
    return Refused(absl::StrCat("RocksDB ", major, ".", minor,
                                " wrote the database: open and close it once with 6.15 or later"));
  }
  if (!is_known || std::pair(major, minor) <= std::pair(ROCKSDB_MAJOR, ROCKSDB_MINOR)) {
    return absl::OkStatus();
  }
  return Refused(absl::StrCat("RocksDB ", major, ".", minor,
                              " wrote the database, and this program has ", ROCKSDB_MAJOR, ".",
                              ROCKSDB_MINOR, ": take a winnow that was built for that version"));
}

struct LoadedFamily {
  ROCKSDB_NAMESPACE::ColumnFamilyOptions options;
  FamilyText text;
};
struct LoadedOptions {
  ROCKSDB_NAMESPACE::DBOptions database;
  std::map<std::string, LoadedFamily> families;  // by name
};

absl::StatusOr<LoadedOptions> LoadOptions(const std::string& database) {
  const OptionsPath path = FindOptionsFile(database);
  if (!path.error.empty()) {
    return Refused(absl::StrCat(path.error, ". Open and close the database once"));
  }
  if (const absl::Status version = CheckVersion(path.path); !version.ok()) return version;
  LoadedOptions loaded;
  std::vector<ROCKSDB_NAMESPACE::ColumnFamilyDescriptor> families;
  const std::string refusal = LoadFamilies(path.path, &families, &loaded.database);
  if (!refusal.empty()) return Refused(absl::StrCat(path.path, ": ", refusal));
  std::vector<FamilyText> texts;
  const std::string problem = ReadFamilies(path.path, &texts);
  if (!problem.empty()) return Refused(problem);
  for (const auto& family : families) loaded.families[family.name].options = family.options;
  for (const FamilyText& text : texts) loaded.families[text.name].text = text;
  return loaded;
}

// Sets the family's policy and options, or returns why it can't be refiltered.
absl::Status SetFamily(const ManifestFamily& listed, const LoadedOptions& loaded,
                       const std::string& policy, RefilterFamily* family) {
  family->name = listed.name;
  const std::string who = absl::StrCat("column family ", Printable(listed.name));
  const std::string leave_out = ": leave it out by --cf=NAME of the others";
  const auto found = loaded.families.find(listed.name);
  if (found == loaded.families.end()) {
    return Refused(absl::StrCat("the OPTIONS file lacks ", who,
                                ": open and close the database with all its families once"));
  }
  const FamilyText& text = found->second.text;
  family->options = found->second.options;
  const auto* const table = TableOptionsOf(family->options);
  if (table == nullptr) {
    return Refused(absl::StrCat(who, " has no block-based tables, and so no filters", leave_out));
  }
  family->table = *table;
  family->table.optimize_filters_for_memory = false;  // sizes would differ between runs
  family->options.comparator = FindComparator(listed.comparator);
  if (family->options.comparator == nullptr) {
    return Refused(absl::StrCat(who, " has the comparator ", Printable(listed.comparator),
                                ", which this program does not have", leave_out,
                                ", or link winnow with it"));
  }
  SetShape(family->options, &family->shape);
  family->shape.text.comparator = family->options.comparator->Name();
  family->prefixes = family->options.prefix_extractor;
  if (plugin::IsRangeExtractorText(text.prefix_extractor)) {
    family->prefixes = std::make_shared<plugin::RangeExtractor>();
  } else if (family->prefixes == nullptr && !text.prefix_extractor.empty()) {
    return Refused(absl::StrCat(who, " has the prefix extractor ", Printable(text.prefix_extractor),
                                ", which this program does not have", leave_out));
  }
  const std::string of_options = text.policy.value_or("nullptr");
  family->policy = policy.empty() && of_options != "nullptr" ? of_options : policy;
  if (family->policy.empty()) {
    family->remark = absl::StrCat(who,
                                  " has no filter policy in its OPTIONS file: its files stay as "
                                  "they are. Name a policy by --policy");
    return absl::OkStatus();
  }
  std::string problem;
  family->made = PolicyOfText(family->policy, &problem);
  if (family->made == nullptr) {
    return Refused(absl::StrCat(who, ": the filter policy can't be loaded: ", problem,
                                ". Name another one by --policy"));
  }
  if (BuildsNothing(*family->made)) {
    return Refused(absl::StrCat(who, ": the policy ", Printable(family->policy),
                                " builds no filters: name one with bits per key by --policy"));
  }
  family->winnow = WinnowPolicyOf(family->policy);
  if (DescribePolicy(PolicyOfText(of_options, &problem)) != DescribePolicy(family->made)) {
    family->remark = absl::StrCat(
        who, " has the policy ", Printable(of_options), " in its OPTIONS file, and gets ",
        Printable(family->policy),
        ": only processes with Winnow can ask Winnow's filters, and compactions build by the "
        "policy of their process");
  }
  return absl::OkStatus();
}

// Reads the file of this path and sets what the plan needs of it, or returns why it can't be
// refiltered.
absl::Status ReadFile(Env* env, const std::string& found, const ManifestFile& listed,
                      const RefilterFamily& family, RefilterFile* file) {
  const std::string path = Printable(found);
  uint64_t bytes = 0;
  const Status status = env->GetFileSize(found, &bytes);
  if (!status.ok()) return Refused(absl::StrCat(path, ": ", status.ToString()));
  if (bytes != listed.bytes) {
    return Refused(absl::StrCat(path, " has ", bytes, " bytes, and the MANIFEST says ",
                                listed.bytes,
                                ": RocksDB does not open such a database; restore a backup"));
  }
  const absl::StatusOr<TableTail> tail = ReadTableTail(found);
  if (!tail.ok()) return Refused(absl::StrCat(path, ": ", tail.status().message()));
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
  const std::string comparator = tail->Text("rocksdb.comparator");
  if (!comparator.empty() && comparator != family.options.comparator->Name()) {
    return Refused(absl::StrCat(path, " has the comparator ", Printable(comparator),
                                ", and its column family ",
                                Printable(family.options.comparator->Name())));
  }
  const std::string extractor = tail->Text("rocksdb.prefix.extractor.name");
  if (tail->Text("rocksdb.block.based.table.index.type") == kHashIndex &&
      extractor != (family.prefixes == nullptr ? "nullptr" : family.prefixes->AsString())) {
    return Refused(absl::StrCat(path, " has a hash index by the prefix extractor ",
                                Printable(extractor),
                                ", and its column family has another one: compact it first"));
  }
  file->folder = found.substr(0, found.rfind('/'));
  file->bytes = tail->bytes;
  file->data_bytes = tail->Number("rocksdb.data.size");
  file->keys = tail->keys();
  constexpr char kPersisted[] = "rocksdb.user.defined.timestamps.persisted";
  file->has_timestamps = tail->properties.count(kPersisted) == 0 || tail->Number(kPersisted) != 0;
  return absl::OkStatus();
}

}  // namespace

absl::Status Refused(const std::string& why) { return absl::FailedPreconditionError(why); }

std::string RefilterFile::path() const { return absl::StrCat(folder, "/", TableName(number)); }

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
  std::set<std::string> names;
  for (const auto& [number, family] : database.manifest.families) names.insert(family.name);
  const std::vector<std::string> named = FamiliesNamed(request.families, names);
  std::set<std::string> missing(named.begin(), named.end());
  const bool has_all = missing.empty();
  for (const auto& [number, listed] : database.manifest.families) {
    if (missing.erase(listed.name) == 0 && !has_all) continue;
    RefilterFamily family;
    if (const absl::Status set = SetFamily(listed, *loaded, request.policy, &family); !set.ok()) {
      return set;
    }
    if (!family.remark.empty()) database.remarks.push_back(family.remark);
    if (!family.policy.empty()) database.families.emplace(number, std::move(family));
  }
  if (!missing.empty()) {
    return Refused(absl::StrCat("there is no column family ", Printable(*missing.begin())));
  }
  for (const auto& [number, listed] : database.manifest.files) {
    const auto family = database.families.find(listed.family);
    if (family == database.families.end()) continue;
    const std::optional<std::string> path =
        FindTableFile(TableName(number), listed.bytes, database.folders);
    RefilterFile file;
    const absl::Status read =
        path ? ReadFile(env, *path, listed, family->second, &file)
             : Refused(WhyNotFound(TableName(number), listed.path, request.database));
    if (is_open && (!path || env->FileExists(*path).IsNotFound())) continue;
    if (!read.ok()) return read;
    file.number = number;
    file.level = listed.level;
    file.family = listed.family;
    database.files.push_back(std::move(file));
  }
  // Numbers of files there must be known, too.
  if (!loaded->database.wal_dir.empty()) database.folders.push_back(loaded->database.wal_dir);
  return database;
}

}  // namespace winnow::inspect
