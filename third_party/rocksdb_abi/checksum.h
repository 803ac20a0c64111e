// RocksDB's checksum of blocks, which its library exports and no public header declares: equal in
// 7.1 to 11.9. RocksDB's own tree has it in table/format.h.

#ifndef WINNOW_THIRD_PARTY_ROCKSDB_ABI_CHECKSUM_H_
#define WINNOW_THIRD_PARTY_ROCKSDB_ABI_CHECKSUM_H_

#include <rocksdb/table.h>

#include <cstddef>
#include <cstdint>

namespace ROCKSDB_NAMESPACE {

// Returns the checksum of bytes of which the last one is a block's compression type.
uint32_t ComputeBuiltinChecksum(ChecksumType type, const char* data, size_t size);

}  // namespace ROCKSDB_NAMESPACE

#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_CHECKSUM_H_
