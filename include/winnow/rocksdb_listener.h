// Winnow's event listener for RocksDB, by which a filter policy learns which files there are.
//
// RocksDB tells a filter policy about a file only while it is built. A policy therefore doesn't
// know the files that a database has when it is opened, files that are ingested, and guesses which
// are moved to another level or deleted. With the listener it knows:
//
//   options.listeners.push_back(winnow::NewListener(policy));
//
// before the database is opened, for each of its policies, or in an options string or OPTIONS file
//
//   listeners=winnow
//
// which serves the policy of the family `default` from the open on, and those of other families
// from the first file on that they write. The library that is preloaded does that by itself.
// level_plan=auto and learned are then as good after an open as before. Without the listener they
// are where RocksDB reads all filters at the open, which have notes (tree_notes); elsewhere they
// need some lookups and some turnover of the tree, and work all the same.
//
// It also knows in which order the keys of a flush or compaction are, without which families other
// than `default` get no range filters (docs/range-filters.md), and costs a few microseconds each.
//
// Where compactions run in other processes (RocksDB's CompactionService), the listener also looks
// at a file of each compaction that such a process wrote, with every policy of Winnow: RocksDB
// takes a worker's table factory from the worker, and tells nobody where its files have RocksDB's
// filters or none. The listener names such files in the database's LOG and, with WINNOW_LOG=1, on
// stderr, with what to do (rocksdb_remote_compaction.h): the first at once, then one in ten minutes
// with the number of the compactions between, and at the close the number of those that are left.
// It reads the properties and a filter of the compaction's first file by the database's Env, when
// the compaction ends, in its thread; up to eight others as well, as long as those before can't be
// read or rightly have no filter. It says nothing of files that it did not look at. It does not
// report rates that the policy had earlier in this process, before SetOptions: the worker may have
// begun then. Once the policy had level_plan=learned, filter_memory, absent_share below 1 with
// level_plan=auto, or more than 64 rates, it reports no rate until the process ends. From RocksDB
// 9.8 on it looks at none without a service.
//
// Costs: almost nothing with level_plan=uniform, which needs to know no files. RocksDB calls the
// listener at flushes, compactions and ingestions, in their threads, and not in lookups. There it
// reads DB::GetLiveFilesMetaData, under RocksDB's mutex, about 1 us a file, and compares it with
// what is known, some 3 us a file. It does so at once after an open, and then not before 100 times
// as long as the last reading took has gone by: at most one per cent of the time. Only after a
// compaction with files that were not written here it does so at once. Once after an open it reads
// the table properties of each file that is not known yet, from the file itself, as they may not be
// in memory: 30 to 100 us a file that is in the page cache, and some reads of a disk otherwise. Of
// that it does 50 ms at a time, or with many files 10 times what the list took, and then nothing
// for 10 times as long. Memory: some 60 bytes a file, for up to 131,072 files, besides what the
// policy has.
//
// Which families of a database are the policy's. Those that build filters by it; before they built
// any, those whose newest file names Winnow's policy in its properties. A family of another Winnow
// policy in the same database counts as this one's until its first file is written: where that
// matters, set one policy for all families. Families without any file of Winnow's count from the
// first filter on.
//
// The LOG says, at most once in ten minutes, if filters of ingested or imported files cost 5 % more
// memory or 10 % more false reads than those that the policy's level_plan builds there, and what
// mends it; it passes over filters with the rate of bits_per_key, as SstFileWriter builds them. The
// search for them takes at most one per cent of the time as well. Among files that were there
// before the open, it sees those that SstFileWriter wrote or that have no filter; `winnow inspect`
// sees all.
//
// Filters that were built before the database was opened are known by size, but not by their bytes:
// their lookups teach level_plan=learned nothing until the files are written again.

#ifndef WINNOW_ROCKSDB_LISTENER_H_
#define WINNOW_ROCKSDB_LISTENER_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>

#include <memory>

#include "winnow/version.h"

namespace winnow {

// A listener that tells the policy of the files of each database that it is in. It may be in
// several, and may outlive the policy; policies that SetOptions makes in place of this one (RocksDB
// from 9.8 on) are told as well. OPTIONS files don't have it, but that of `listeners=winnow`. It
// never changes what RocksDB does, and throws nothing.
//
// For a policy that is not Winnow's, or null, a listener that tells no policy of files, but knows
// in which order keys are. Null where memory is short, and where NewFilterPolicy refuses this
// RocksDB too. Safe from any thread.
WINNOW_EXPORT std::shared_ptr<ROCKSDB_NAMESPACE::EventListener> NewListener(
    const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& policy);

}  // namespace winnow

#endif  // WINNOW_ROCKSDB_LISTENER_H_
