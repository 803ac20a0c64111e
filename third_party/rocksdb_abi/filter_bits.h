// RocksDB's two classes for filters' bits, which its public headers only name since 7.0.
//
// A filter policy must return objects of these classes, so their virtual functions are declared
// here in RocksDB's order, which is the layout of their vtables. The order depends on the version
// of RocksDB; this file follows the version of the included headers. See README.md in this folder.
//
// The classes have RocksDB's own names. Every file that includes this one is therefore compiled
// with hidden visibility: a visible copy in a preloaded library would replace RocksDB's. Such files
// have type information (RTTI) if the RocksDB that they are built for has; its Release builds have
// none. find.cmake detects this (winnow_rocksdb_class_flags).
//
// RocksDB's own tree (WINNOW_IN_TREE) uses RocksDB's own declarations, compiled with
// RocksDB's flags.

#ifndef WINNOW_THIRD_PARTY_ROCKSDB_ABI_FILTER_BITS_H_
#define WINNOW_THIRD_PARTY_ROCKSDB_ABI_FILTER_BITS_H_

#include "third_party/rocksdb_abi/version_at_least.h"

#if defined(WINNOW_IN_TREE)
#include "table/block_based/filter_policy_internal.h"
#else

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <cstddef>
#include <memory>

namespace ROCKSDB_NAMESPACE {

class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() {}
  virtual void AddKey(const Slice& key) = 0;
#if WINNOW_ROCKSDB_AT_LEAST(9, 6)
  virtual void AddKeyAndAlt(const Slice& key, const Slice& alt) = 0;
#endif
  virtual size_t EstimateEntriesAdded() = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* buf) = 0;
  virtual Slice Finish(std::unique_ptr<const char[]>* buf, Status* /*status*/) {
    return Finish(buf);
  }
  virtual Status MaybePostVerify(const Slice& /*filter_content*/) { return Status::OK(); }
  virtual size_t ApproximateNumEntries(size_t bytes) = 0;
#if WINNOW_ROCKSDB_AT_LEAST(10, 9)
  virtual size_t CalculateSpace(size_t num_entries) = 0;
  virtual double EstimatedFpRate(size_t num_entries, size_t bytes) = 0;
#endif
};

class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() {}
  virtual bool MayMatch(const Slice& entry) = 0;
  virtual void MayMatch(int num_keys, Slice** keys, bool* may_match) {
    for (int i = 0; i < num_keys; ++i) {
      may_match[i] = MayMatch(*keys[i]);
    }
  }
};

}  // namespace ROCKSDB_NAMESPACE

#endif
#endif  // WINNOW_THIRD_PARTY_ROCKSDB_ABI_FILTER_BITS_H_
