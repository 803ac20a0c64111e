// The files that advice is asked for: what each has, the tree that they make, the place of each in
// it, and how worker processes do something with one after the other.

#ifndef WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_FILES_H_
#define WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_FILES_H_

#include <rocksdb/comparator.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/database/tree_shape.h"
#include "src/policy_trial/trial_filter.h"
#include "src/sst/classify_block.h"
#include "src/sst/stored_filter.h"
#include "src/workers/wire.h"
#include "src/workers/worker_pool.h"
#include "tools/winnow/advise/advice_types.h"

namespace winnow::inspect {

struct AdvisedFile {
  std::string database;  // the folder that was given; empty: the file was given itself
  std::string path;
  std::optional<int> level;  // unset: not known
  std::string error;         // why it can't be read, or no filters be built for it; empty: it can

  // From here on what the file says.
  std::string family;
  std::string comparator;
  uint64_t data_bytes = 0;  // of its data blocks, by which compactions cut files
  uint64_t entries = 0;
  uint64_t keys = 0;            // in its filter; where that is not recorded, the entries
  bool keys_are_known = false;  // they are recorded
  uint64_t filter_bytes = 0;    // of the filter blocks, without range filters; 0: it has none
  uint64_t range_bytes = 0;     // of the range filters in them
  bool unread_filter = false;   // it has one, of a policy that this program does not read
  std::string policy;           // that built it, by its name in the file; may be empty
  // Partitions of the filter by their bytes, or by their keys where these were counted; empty: it
  // is whole.
  std::vector<uint64_t> partitions;
  std::string contents;   // "whole keys", "prefixes of rocksdb.FixedPrefix.8", ...
  std::string extractor;  // whose prefixes it has; empty: none
  bool has_prefixes_only = false;
  StoredRange range;
  std::optional<BuiltFor> built_for;  // of a filter of Winnow's
  double rate = 1;                    // expected of such a filter

  bool is_sampled = false;  // all its keys are read (ChooseSample)

  // From PlaceFiles.
  TreePlace place;
  bool is_last = false;  // of its family's, in the order in which a lookup asks them

  // Those that ReadAdvisedFile sets, for src/workers/wire.h.
  template <typename Code>
  void Fields(Code& code) {
    code(error, family, comparator, data_bytes, entries, keys, keys_are_known, filter_bytes,
         range_bytes, unread_filter, policy, partitions, contents, extractor, has_prefixes_only,
         range, built_for, rate);
  }
};

// Returns whether the file is on the last level that has files, below level 0.
bool IsOnLastLevel(const AdvisedFile& file);

// Returns whether RocksDB passes over its filter with optimize_filters_for_hits, as
// Version::IsFilterSkipped decides it. A file of level 0 has one all the same, and so has one that
// was moved.
bool IsFilterSkipped(const AdvisedFile& file);

// The same with the options of the family.
inline bool IsFilterSkipped(const AdvisedFile& file, const TreeShape& shape) {
  return !shape.last_level_has_filters && IsFilterSkipped(file);
}

// A sentence on a file of which the keys can't be read.
std::string CantReadKeys(const ROCKSDB_NAMESPACE::Status& status);

// Reads all but the first three members and the place; `error` says what could not be read.
AdvisedFile ReadAdvisedFile(const std::string& path);

class FamilyCosts;  // advice_costs.h

// The files of one column family of one database; or those that were given one by one and have the
// same family's name and comparator.
struct AdvisedFamily {
  std::string database;
  std::string name;
  TreeShape shape;
  std::string shape_problem;  // why it is that of defaults, as a clause; empty: it is not
  const ROCKSDB_NAMESPACE::Comparator* comparator = nullptr;
  bool knows_levels = true;  // of all files

  // In the order in which a lookup asks them: level by level, on level 0 the newest first, by the
  // numbers that their names are. Files without a level are taken for files of level 0. Below
  // level 0 by their keys.
  std::vector<size_t> files;

  uint64_t keys = 0;  // of all files

  // The costs of policies here, once lookups are known.
  std::shared_ptr<FamilyCosts> costs;
};

// Sorts the files that have no error into families and sets their places.
std::vector<AdvisedFamily> PlaceFiles(std::vector<AdvisedFile>* files);

// Pieces of work for worker processes.
struct AdviceWork {
  std::string step;           // for the progress
  std::vector<double> sizes;  // of the pieces, to judge the progress by
  int jobs = 1;
  const AdviceProgress& progress;
};

// The error of a piece, which says that it has no answer that is whole.
using ErrorOfPiece = std::function<std::string&(size_t piece)>;

// DoAdviceWork for answers that are bytes; `take` returns false for one that is not whole.
void DoPackedWork(const AdviceWork& pieces,
                  const std::function<std::string(size_t piece, const WorkerReport&)>& work,
                  const std::function<bool(size_t piece, const std::string& answer)>& take,
                  const ErrorOfPiece& error_of);

// Has a worker call work(piece, beat) for each piece, and calls take(piece, answer) in this process
// with what it returns, of a type for src/workers/wire.h. beat(share) is a sign of life with the
// share of the piece that is done, so that a long file is not taken for a worker that hangs.
// Returns when all pieces are answered. What RunInWorkers says of threads holds.
template <typename Work, typename Take>
void DoAdviceWork(const AdviceWork& pieces, const Work& work, const Take& take,
                  const ErrorOfPiece& error_of) {
  using Beat = std::function<void(double)>;
  using Answer = std::invoke_result_t<Work, size_t, const Beat&>;
  DoPackedWork(
      pieces,
      [&](size_t piece, const WorkerReport& report) {
        return Pack(work(piece, Beat([&report](double share) { report(Pack(share)); })));
      },
      [&](size_t piece, const std::string& bytes) {
        std::optional<Answer> answer = Unpack<Answer>(bytes);
        if (answer) take(piece, std::move(*answer));
        return answer.has_value();
      },
      error_of);
}

}  // namespace winnow::inspect

#endif  // WINNOW_TOOLS_WINNOW_ADVISE_ADVICE_FILES_H_
