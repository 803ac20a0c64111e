// A memory allocator for RocksDB's block cache that puts filters into huge pages.
//
// A lookup in a filter that is in no CPU cache also waits for a page walk, since its page is in no
// TLB: a quarter of the lookup's time on a virtual machine. With pages of 2 MiB there are 512 times
// fewer pages. A program can set the memory allocator of RocksDB's block cache when it makes the
// cache:
//
//   ROCKSDB_NAMESPACE::LRUCacheOptions cache;
//   cache.capacity = size_t{8} << 30;
//   cache.memory_allocator = winnow::NewHugePageAllocator();
//   table_options.block_cache = cache.MakeSharedCache();  // before RocksDB 8: NewLRUCache(cache)
//
// The allocator sees sizes, not kinds of blocks. Blocks of 64 KiB or more, mostly filters and large
// indexes, are packed into memory for which huge pages are requested. Smaller blocks, and all
// blocks if there is no such memory, come from malloc. Partitioned filters (metadata_block_size, 4
// KiB by default) therefore gain nothing.
//
// Costs: a block takes a multiple of 4 KiB, which RocksDB charges to the cache. After many
// allocations and frees, a tenth more memory is in use than the blocks take. A huge page without
// blocks is returned to the system, except for 16 MiB; one with a single block is not. Each block
// has 150 bytes of bookkeeping. A mutex is held for half a microsecond, or for ten when a page is
// returned. docs/results/huge-pages.md has measurements and a comparison with malloc.
//
// The system must provide transparent huge pages on request:
// /sys/kernel/mm/transparent_hugepage/enabled is "madvise" or "always" (Linux; processors with huge
// pages of 2 MiB). Otherwise all blocks come from malloc, and the allocator's Name() tells the
// reason. RocksDB writes the name into each database's LOG at open, behind "memory_allocator":
//
//   memory_allocator : winnow.HugePages
//   memory_allocator : winnow.HugePages, which has none: transparent_hugepage/enabled is never

#ifndef WINNOW_ROCKSDB_HUGE_PAGES_H_
#define WINNOW_ROCKSDB_HUGE_PAGES_H_

#include <rocksdb/memory_allocator.h>

#include <memory>

#include "winnow/version.h"

namespace winnow {

// Returns an allocator with huge pages, or null, which means RocksDB's own allocation, if out of
// memory or if NewFilterPolicy refuses this RocksDB. Thread-safe.
//
// Reserves address space of twice the machine's memory, without committing memory; if the process
// has a limit of address space (ulimit -v), it reserves none and has no huge pages. May serve
// several block caches at once, which share ownership; all blocks must be freed before it is
// destroyed. Not for a compressed secondary cache
// (CompressedSecondaryCacheOptions::memory_allocator): RocksDB since 9.7 asks malloc for the size
// of a block there, which crashes the process. The allocator's functions are thread-safe. Allocate
// never returns null: it throws std::bad_alloc if malloc returns null, as RocksDB does without an
// allocator. Other functions throw nothing.
WINNOW_EXPORT std::shared_ptr<ROCKSDB_NAMESPACE::MemoryAllocator> NewHugePageAllocator();

}  // namespace winnow

#endif  // WINNOW_ROCKSDB_HUGE_PAGES_H_
