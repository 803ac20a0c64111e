// Remote compactions (RocksDB's CompactionService and DB::OpenAndCompact) that build the same
// filters as the database's own process.
//
// A worker's DB::OpenAndCompact uses the table factory that the worker passes, regardless of the
// database's OPTIONS. With another factory, the worker's files have other filters or none, which
// RocksDB does not report; with none, the worker crashes. A level plan also depends on what a
// policy knows of its tree, of which a worker's policy knows nothing. Therefore, in the service,
// with the job's input:
//
//   std::string learned = winnow::ExportLearned(*policy, "default", info.db_name);
//
// and in the worker:
//
//   rocksdb::CompactionServiceOptionsOverride options;  // comparator, merge operator and so on
//   rocksdb::Status status = winnow::PrepareOpenAndCompact(name, input, learned, &options);
//   if (status.ok()) {
//     status = rocksdb::DB::OpenAndCompact(name, output_directory, input, &output, options);
//   }
//
// If this fails, let the service return kUseLocal, so that RocksDB compacts by itself. In RocksDB
// 9.7 to 11.0, jobs of other families fail if the WAL has a merge of the family "default", unless
// its merge operator is registered in the worker's RocksDB: that family is opened from the OPTIONS
// file alone.

#ifndef WINNOW_ROCKSDB_REMOTE_COMPACTION_H_
#define WINNOW_ROCKSDB_REMOTE_COMPACTION_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <string>

#include "winnow/version.h"

namespace winnow {

// Maximum size of a text of ExportLearned. The text of a tree with 300 files has some 22,000 bytes.
inline constexpr size_t kMostLearnedBytes = 256 << 10;

// Returns the policy's sizing rule for a family's files, for PrepareOpenAndCompact: the mean of
// log2(n / k) in use (src/family/family.h), and the files with their levels, key ranges, bits, and
// sampled lookups of absent keys. Call it when the service gets the job, since files change.
//
// The text is one line of printable ASCII. Up to 48 bytes of the first and of the last key of each
// file leave the process, in hexadecimal digits: protect the text like the database. The text has
// the bytes in which these keys differ, and all bytes behind these; for example, a hash or a number
// before a tenant's name exposes the name. Two kinds of bytes are replaced by their number and a
// hash if there are at least eight of them in a row: the common prefix of all these keys, and bytes
// that three or more keys share behind the point where these keys differ from the others, provided
// that these keys are equal from their first byte on. The worker knows nothing of keys that differ
// within such bytes. Workers of 1.x don't read the text of 2.0, nor those of 2.0 a text of 1.x:
// their LOG says so, and they build filters without it.
//
// If a job's family is unknown (RocksDB tells a service its name since 10.3), join the texts of all
// families with line feeds: the worker uses that of its job.
//
// db_name: name of the database, as in DB::GetName() and CompactionServiceJobInfo. If empty, or if
// no listener (rocksdb_listener.h) told the policy the database's files, the family of this name in
// the most recently used database is meant.
//
// policy: the policy of the family's options at the open of the database; it also represents
// policies that SetOptions makes in its place (RocksDB 9.8 and later).
//
// Returns an empty text if there is nothing to tell: the policy is not Winnow's, or neither it nor
// its replacement builds Winnow's filters with filter_memory or a level_plan other than uniform.
// Takes up to some 50 ms with thousands of files. Thread-safe.
WINNOW_EXPORT std::string ExportLearned(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                                        const std::string& family,
                                        const std::string& db_name = std::string()) noexcept;

// Sets what filters need in *override_options before DB::OpenAndCompact(name, output_directory,
// input, &output, *override_options), from the job's own options. `name` and `input` are the
// arguments of OpenAndCompact.
//
// table_factory becomes a block-based one with all table options of the database's OPTIONS file
// (the one that the input names or, if it names none, as up to RocksDB 9.7.2, the latest one),
// including the filter policy with all its options: Winnow's, RocksDB's or none. What the file
// can't store, such as block_cache, is taken from the former factory, or else is RocksDB's default.
// If there is a block cache, cache_index_and_filter_blocks is set and nothing is pinned: RocksDB
// opens all files of the database for a job and would keep their filters, which are never asked. If
// the database's tables are not block-based, the former factory is kept. prefix_extractor is set if
// it was null and the database has one that is in RocksDB's registry. Other options are unchanged.
// Call this function anew for each job, since its policy knows the tree of one job.
//
// learned: result of ExportLearned; may be empty. Unreadable text is ignored, which stderr and the
// worker's LOG report: files are correct without it, but their filters have the sizes of a plan
// that knows nothing of the tree.
//
// On error, *override_options is unchanged. The status says what is wrong and what to do:
//   InvalidArgument  the input is damaged or cut off; the options name a comparator or a prefix
//                    extractor that must be set and is not, or tables that are not block-based and
//                    no factory is given; or the policy's options are wrong
//   NotSupported     the input is of another RocksDB; a table option or filter policy is unknown
//                    here; or the RocksDB that is loaded is not the one this library was built for
//   NotFound         there is no OPTIONS file, or not this family in it
// and any status of the `env` of override_options that can't read the OPTIONS file.
// Thread-safe, with override_options of each caller's own.
WINNOW_EXPORT ROCKSDB_NAMESPACE::Status PrepareOpenAndCompact(
    const std::string& name, const std::string& input, const std::string& learned,
    ROCKSDB_NAMESPACE::CompactionServiceOptionsOverride* override_options) noexcept;

}  // namespace winnow

#endif  // WINNOW_ROCKSDB_REMOTE_COMPACTION_H_
