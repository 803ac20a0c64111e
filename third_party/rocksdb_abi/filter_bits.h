// RocksDB's two classes for filters' bits, which its public headers only name since 7.0.
//
// A filter policy must return objects of these classes, so their virtual functions are declared
// here in RocksDB's order, which is the layout of their virtual tables. The order depends on the
// version of RocksDB; the one of the headers that this file is compiled with counts. See README.md
// beside this file.
//
// The classes have the names of RocksDB's own. Every file that includes this one is therefore
// compiled with hidden visibility: a visible copy in a preloaded library would replace RocksDB's.
// It has type information (RTTI) if the RocksDB that it is built for has, whose Release builds have
// none: find.cmake sees which (winnow_rocksdb_class_flags).
//
// In RocksDB's own tree (WINNOW_IN_TREE) these are RocksDB's own declarations, compiled as RocksDB
// is.

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
