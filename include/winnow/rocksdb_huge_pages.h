// A memory allocator for RocksDB's block cache that puts filters into huge pages.
//
// A lookup in a filter that no cache of the processor holds waits for the page walk as well, since
// its page is in no TLB: a quarter of its time on a virtual machine. With pages of 2 MiB there are
// 512 times fewer. RocksDB's block cache allocates its blocks by an allocator that a program may
// give it when it makes the cache:
//
//   ROCKSDB_NAMESPACE::LRUCacheOptions cache;
//   cache.capacity = size_t{8} << 30;
//   cache.memory_allocator = winnow::NewHugePageAllocator();
//   table_options.block_cache = cache.MakeSharedCache();  // before RocksDB 8: NewLRUCache(cache)
//
// An allocator sees sizes, not kinds. Blocks of 64 KiB and more, which are filters and large
// indexes mostly, lie side by side in memory that the system is asked to have in huge pages. All
// smaller blocks, and those for which there is no such memory, come from malloc, as without it.
// So filters that are cut into partitions (metadata_block_size, 4 KiB by default) gain nothing.
//
// Costs: a block takes a multiple of 4 KiB, which RocksDB charges to the cache. After many blocks
// came and went, a tenth more memory is in use than such blocks take. A huge page without a block
// is given back to the system, but for 16 MiB; one with a single block is not. Each block has 150
// bytes of bookkeeping. A mutex is held for half a microsecond, and for ten where a page is given
// back. docs/results/huge-pages.md has what was measured, beside malloc.
//
// The system must have transparent huge pages for who asks: /sys/kernel/mm/transparent_hugepage/
// enabled is "madvise" or "always" (Linux; processors with huge pages of 2 MiB). Where it does not,
// all blocks come from malloc, and the allocator's Name() says why. RocksDB writes that name into
// each database's LOG when it is opened, behind "memory_allocator":
//
//   memory_allocator : winnow.HugePages
//   memory_allocator : winnow.HugePages, which has none: transparent_hugepage/enabled is never

#ifndef WINNOW_ROCKSDB_HUGE_PAGES_H_
#define WINNOW_ROCKSDB_HUGE_PAGES_H_

#include <rocksdb/memory_allocator.h>

#include <memory>

#include "winnow/version.h"

namespace winnow {

// Reserves addresses for twice the machine's memory, and no memory; none where the process has a
// limit of addresses (ulimit -v), and then it has no huge pages. May serve several block caches at
// once; its blocks must be freed before it is gone, for which a cache keeps a share of it. Not for
// a compressed secondary cache (CompressedSecondaryCacheOptions::memory_allocator): RocksDB from
// 9.7 on asks malloc there for the size of a block, which ends the process. Its
// functions are safe from any thread. Allocate never returns null: where malloc does, it throws
// std::bad_alloc, as RocksDB does without an allocator. All others throw nothing.
//
// Null, by which a cache has RocksDB's own allocation, where memory is short, and where
// NewFilterPolicy refuses this RocksDB too. Safe from any thread.
WINNOW_EXPORT std::shared_ptr<ROCKSDB_NAMESPACE::MemoryAllocator> NewHugePageAllocator();

}  // namespace winnow

#endif  // WINNOW_ROCKSDB_HUGE_PAGES_H_
