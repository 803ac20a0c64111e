// An event listener for RocksDB that tells a filter policy which files a database has.
//
// RocksDB tells a filter policy about a file only while the file is built. Without the listener,
// the policy does not know the files of a database at open or ingested files, and guesses which
// files are moved to another level or deleted. Set the listener before the database is opened, for
// each of its policies,
//
//   options.listeners.push_back(winnow::NewListener(policy));
//
// or in an options string or OPTIONS file:
//
//   listeners=winnow
//
// The latter serves the policy of the column family `default` from the open on, and those of other
// families once they write a file. The preload library does this by itself. With the listener,
// level_plan=auto is as good after an open as before. Without the listener, this holds if RocksDB
// reads all filters at open (max_open_files=-1, filters neither in the block cache nor in
// partitions) and these have notes (tree_notes); otherwise bits go by level, and are uniform in
// universal and FIFO compaction.
//
// The listener also tells the key order of flushes and compactions, without which families other
// than `default` get no range filters (docs/range-filters.md), and costs a few microseconds for
// each of these.
//
// Remote compactions (RocksDB's CompactionService): the listener checks, for every Winnow policy,
// one file of each compaction of another process. RocksDB takes a worker's table factory from the
// worker and reports nothing if the worker's files have RocksDB's filters or none. The listener
// names such files, and what to do (rocksdb_remote_compaction.h), in the database's LOG and, with
// WINNOW_LOG=1, on stderr: the first one at once, then at most one in ten minutes. The listener
// reads the table properties and a filter of the compaction's first file through the database's
// Env, in the compaction's thread when it ends, and of up to eight more files while files can't be
// read or rightly have no filter. Other files are not checked. Since RocksDB 9.8, no file is
// checked without a CompactionService.
//
// Costs: almost none with level_plan=uniform and no filter_memory, which needs no files. RocksDB
// calls the listener in the threads of flushes, compactions and ingestions, not in lookups. The
// listener then calls DB::GetLiveFilesMetaData, under RocksDB's mutex, about 1 us per file, and
// compares the result with the known files, some 3 us per file. It does so at once after an open,
// and then only after 100 times the duration of the last reading, so that it takes at most 1% of
// the time; a compaction with files that were not written by this process is an exception. Once
// after an open, it reads the table properties of each unknown file from the file, since they may
// not be in memory: 30 to 100 us per file in the page cache, otherwise some disk reads. This is
// done for 50 ms at a time, or with many files for 10 times the duration of the list, followed by a
// pause 10 times as long. Memory: some 60 bytes per file, for up to 131,072 files, besides the
// policy's.
//
// Families of the policy in a database are those that build filters with the policy and, before a
// family has built any, those whose newest file has Winnow's policy in its table properties. A
// family of another Winnow policy in the same database counts as this policy's until its first file
// is written; if that matters, use one policy for all families. Families without any file of
// Winnow's count from the first filter on.

#ifndef WINNOW_ROCKSDB_LISTENER_H_
#define WINNOW_ROCKSDB_LISTENER_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>

#include <memory>

#include "winnow/version.h"

namespace winnow {

// Returns a listener that tells the policy of the files of each database that has the listener in
// its options. The listener may serve several databases and may outlive the policy; policies that
// SetOptions makes in place of this one (RocksDB 9.8 and later) are told as well. OPTIONS files do
// not store the listener, except that of `listeners=winnow`. It never changes what RocksDB does and
// throws nothing.
//
// If `policy` is null or not Winnow's, the listener only tells the key order. Returns null if out
// of memory and if NewFilterPolicy refuses this RocksDB. Thread-safe.
WINNOW_EXPORT std::shared_ptr<ROCKSDB_NAMESPACE::EventListener> NewListener(
    const std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy>& policy);

}  // namespace winnow

#endif  // WINNOW_ROCKSDB_LISTENER_H_
