// Compactions in other processes (RocksDB's CompactionService and DB::OpenAndCompact) that build
// the filters that the database's own process would have built.
//
// A worker's DB::OpenAndCompact takes the table factory that the worker gives it, whatever the
// database's OPTIONS say: with another one its files have other filters or none, and RocksDB tells
// nobody; with none it ends by a signal. And a level plan goes by what a policy has seen of its
// tree, of which a worker has seen nothing. So, in the service, beside the job's input:
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
// Where that fails, let the service answer kUseLocal: RocksDB then compacts by itself. From RocksDB
// 9.7 to 11.0 jobs of other families fail where the WAL has a merge of the family "default", unless
// its merge operator is in RocksDB's registry of the worker: that family is opened by the OPTIONS
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

// No text of ExportLearned has more bytes. One of a tree with 300 files has some 22,000, and with
// level_plan=learned up to 120,000 more.
inline constexpr size_t kMostLearnedBytes = 256 << 10;

// The rule by which the policy sizes filters of a family's files, for PrepareOpenAndCompact: the
// price of memory that all of its files have (lambda, src/rocksdb/trees/file_rates.h), its files
// with their levels, ranges of keys and places, and what lookups reach each place. To be called
// when the service is given the job, as files change.
//
// level_plan=learned samples lookups where they ask filters that the database's own process built,
// as flushes do, and not at those that workers built.
//
// One line of printable ASCII. Up to 48 bytes of a key leave the process: it has so many of the
// first and of the last key of each file, in hexadecimal digits. Guard it as the database itself.
// What differs between these keys, and what stands behind it, is in the text: a hash or a number
// before a tenant's name lets the name out. Left out, but for their number and their hash, are the
// bytes that all of these keys begin with, and those in which three or more of them go on alike
// where they part from the others, if they are alike from their first byte on; both where they are
// eight bytes or more in a row. The worker knows nothing of keys that differ from the others within
// such bytes. Workers of 1.0 don't read the text of 1.1, which their LOG says, and build as without
// it; 1.1 reads that of 1.0.
//
// Where a job's family is not known (RocksDB tells a service its name from 10.3 on), join
// the texts of all families with line feeds: the worker takes that of its job.
//
// db_name: of the database, as DB::GetName() and CompactionServiceJobInfo have it; empty, and where
// no listener (rocksdb_listener.h) told the policy of its files: the family of this name in
// whichever database was used last.
//
// policy: of the family's options when the database was opened; it tells for those that SetOptions
// makes in its place (RocksDB from 9.8 on) too.
//
// Empty where there is nothing to tell: the policy is not Winnow's, or neither it nor the one in
// its place builds Winnow's filters by filter_memory or by a level_plan other than uniform. Takes
// up to some 50 ms with thousands of files. Safe from any thread.
WINNOW_EXPORT std::string ExportLearned(const ROCKSDB_NAMESPACE::FilterPolicy& policy,
                                        const std::string& family,
                                        const std::string& db_name = std::string()) noexcept;

// Fills what filters need before DB::OpenAndCompact(name, output_directory, input, &output,
// *override_options), from the job's own options. `name` and `input` are those that OpenAndCompact
// is given.
//
// table_factory becomes a block-based one with all table options of the database's OPTIONS file
// (that which the input names; where it names none, as up to RocksDB 9.7.2, the latest one), among
// them the filter policy with all of its options, Winnow's or RocksDB's or none. What has no place
// in that file, such as block_cache, is as in the factory that was there, or else RocksDB's
// default.
// But where there is a block cache, cache_index_and_filter_blocks is set, and nothing is pinned:
// RocksDB opens all files of the database for a job, and would keep their filters, which nobody
// asks. Where the database's tables are not block-based, the factory that was there stays.
// prefix_extractor is set where it was null and the database has one that RocksDB's registry knows.
// All else stays. Call it anew for each job: its policy knows the tree of this one.
//
// learned: of ExportLearned; may be empty. One that can't be read is left out, which stderr and the
// worker's LOG tell: files are right without it, but their filters are as large as a plan makes
// them that knows nothing of the tree.
//
// Errors leave *override_options as it was, and say what was found and what to do:
//   InvalidArgument  the input is damaged or cut off; the options name a comparator or a prefix
//                    extractor that must be set and is not, or tables that are not block-based and
//                    no factory is given; or the policy's options are wrong
//   NotSupported     the input is of another RocksDB; a table option or filter policy is unknown
//                    here; or the RocksDB that is loaded is not the one this library was built for
//   NotFound         there is no OPTIONS file, or not this family in it
//   and whatever `env` of override_options says that can't read the OPTIONS file.
// Safe from any thread, with options of its own.
WINNOW_EXPORT ROCKSDB_NAMESPACE::Status PrepareOpenAndCompact(
    const std::string& name, const std::string& input, const std::string& learned,
    ROCKSDB_NAMESPACE::CompactionServiceOptionsOverride* override_options) noexcept;

}  // namespace winnow

#endif  // WINNOW_ROCKSDB_REMOTE_COMPACTION_H_
