#include "src/database/tree_levels.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <rocksdb/comparator.h>
#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "src/database/options_text.h"
#include "src/database/read_only_env.h"
#include "src/database/table_places.h"
#include "src/sst/known_comparator.h"
#include "src/sst/quiet_logger.h"
#include "src/workers/wire.h"
#include "third_party/rocksdb_abi/versions.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyDescriptor;
using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::ColumnFamilyOptions;
using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::DBOptions;
using ROCKSDB_NAMESPACE::LiveFileMetaData;
using ROCKSDB_NAMESPACE::Status;

// A file in the MANIFEST.
struct ListedFile {
  std::string name;  // "000123.sst"
  int path_number = 0;
  TreePosition position;

  template <typename Code>
  void Fields(Code& code) {
    code(name, path_number, position);
  }
};

struct Listing {
  std::vector<ListedFile> files;
  std::map<std::string, uint32_t> family_ids;
  std::string problem;  // RocksDB's error message; empty if all files are listed

  template <typename Code>
  void Fields(Code& code) {
    code(files, family_ids, problem);
  }
};

std::string ProblemOf(const Status& status) { return status.ok() ? "" : status.ToString(); }

DBOptions ReadOnlyOptions(const std::string& database, ROCKSDB_NAMESPACE::Env* env) {
  DBOptions options;
  for (const std::string& path : StandInPaths(database)) {
    options.db_paths.emplace_back(path, 0);
  }
  options.env = env;
  options.info_log = std::make_shared<QuietLogger>();
  // Damaged or missing SST files must not prevent reading the tree.
  rocksdb_abi::LeaveFileSizesUnchecked(&options);
  options.skip_stats_update_on_db_open = true;
  // RocksDB's minimum; with a higher number, files would be opened in advance.
  options.max_open_files = 20;
  options.create_if_missing = false;
  return options;
}

// Returns the names of the families' comparators that this program does not have.
std::set<std::string> MissingComparators(const std::vector<std::string>& families,
                                         const std::map<std::string, std::string>& comparators) {
  std::set<std::string> missing;
  for (const std::string& family : families) {
    const auto found = comparators.find(family);
    if (found != comparators.end() && FindComparator(found->second) == nullptr) {
      missing.insert(found->second);
    }
  }
  return missing;
}

// Column families with their comparators, and the stand-ins among the comparators.
struct Families {
  std::vector<ColumnFamilyDescriptor> descriptors;
  std::vector<std::unique_ptr<Comparator>> stand_ins;
};

Families DescribeFamilies(const std::vector<std::string>& names,
                          const std::map<std::string, std::string>& comparators,
                          bool stand_ins_upwards) {
  Families families;
  for (const std::string& name : names) {
    const auto found = comparators.find(name);
    const std::string comparator_name = found == comparators.end() ? "" : found->second;
    ColumnFamilyOptions options;
    options.comparator = FindComparator(comparator_name);
    if (options.comparator == nullptr) {
      families.stand_ins.push_back(NewStandIn(comparator_name, stand_ins_upwards));
      options.comparator = families.stand_ins.back().get();
    }
    families.descriptors.emplace_back(name, options);
  }
  return families;
}

Listing ListFiles(const std::string& database, const DBOptions& options, const Families& families) {
  Listing listing;
  rocksdb_abi::OpenedDB opened{};
  std::vector<ColumnFamilyHandle*> handles;
  listing.problem =
      ProblemOf(DB::OpenForReadOnly(options, database, families.descriptors, &handles, &opened));
  if (!listing.problem.empty()) {
    return listing;
  }
  const std::unique_ptr<DB> db = rocksdb_abi::Own(std::move(opened));
  std::vector<LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  // RocksDB lists the files of a level in search order.
  for (const LiveFileMetaData& file : files) {
    listing.files.push_back(
        {file.name.substr(1), NumberOfPath(database, file.db_path),
         TreePosition{file.level, file.column_family_name, file.size, listing.files.size(), ""}});
  }
  for (ColumnFamilyHandle* handle : handles) {
    listing.family_ids[handle->GetName()] = handle->GetID();
    const Status status = db->DestroyColumnFamilyHandle(handle);
    if (!status.ok()) {
      listing.problem = status.ToString();
    }
  }
  return listing;
}

// Tries both bytewise orders, each in a child process: RocksDB compares keys while it builds the
// tree, and may abort if the order is wrong.
std::optional<Listing> ListWithStandIns(const std::string& database, const DBOptions& options,
                                        const std::vector<std::string>& names,
                                        const std::map<std::string, std::string>& comparators) {
  constexpr std::chrono::seconds kLimit(60);
  for (const bool upwards : {true, false}) {
    const Families families = DescribeFamilies(names, comparators, upwards);
    std::string problem;
    std::optional<Listing> listing = Unpack<Listing>(
        AskChild([&] { return Pack(ListFiles(database, options, families)); }, kLimit), &problem);
    // A wrong order results in an error or, in newer versions of RocksDB, in a tree without files.
    if (listing && listing->problem.empty() && !listing->files.empty()) {
      return listing;
    }
  }
  return std::nullopt;
}

void Place(const std::string& database, const std::vector<std::string>& folders,
           const Listing& listing, TreeLevels* tree) {
  std::vector<std::string> places = {database};
  places.insert(places.end(), folders.begin(), folders.end());
  for (const ListedFile& file : listing.files) {
    const std::optional<std::string> found = FindTableFile(file.name, file.position.bytes, places);
    const std::string path =
        found ? *found : (std::filesystem::path(database) / file.name).lexically_normal().string();
    TreePosition& position = tree->files[path];
    position = file.position;
    if (!found) {
      position.not_found = WhyNotFound(file.name, file.path_number, database);
    }
  }
}

}  // namespace

TreeLevels ReadTreeLevels(const std::string& database,
                          const std::map<std::string, std::string>& comparators,
                          const std::vector<std::string>& folders) {
  TreeLevels tree;
  std::unique_ptr<ROCKSDB_NAMESPACE::Env> env;
  Listing listing;
  listing.problem = ProblemOf(NewReadOnlyEnv(&env));
  std::vector<std::string> names;
  const DBOptions options = ReadOnlyOptions(database, env.get());
  if (listing.problem.empty()) {
    listing.problem = ProblemOf(DB::ListColumnFamilies(options, database, &names));
  }
  if (listing.problem.empty()) {
    std::map<std::string, std::string> known = comparators;
    known.merge(ComparatorsOfOptionsFile(database));
    const std::set<std::string> missing = MissingComparators(names, known);
    if (missing.empty()) {
      listing = ListFiles(database, options, DescribeFamilies(names, known, true));
    } else {
      const std::optional<Listing> found = ListWithStandIns(database, options, names, known);
      tree.remark = absl::StrCat(
          "keys are ordered by ", absl::StrJoin(missing, " and "),
          ", which this program does not have: ",
          found ? "levels are read with a stand-in that orders by bytes" : "levels are unknown");
      listing = found.value_or(Listing());
    }
  }
  if (!listing.problem.empty()) {
    tree.problem = absl::StrCat("RocksDB can't open it as a database: ", listing.problem);
  }
  Place(database, folders, listing, &tree);
  tree.family_ids = std::move(listing.family_ids);
  return tree;
}

}  // namespace winnow::inspect
