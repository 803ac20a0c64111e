// Random options for opening a database, mainly those that decide which filters are built and how
// they are used.

#ifndef WINNOW_TESTS_STRESS_SETTINGS_H_
#define WINNOW_TESTS_STRESS_SETTINGS_H_

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "tests/stress/model.h"
#include "tests/support/random_hashes.h"

namespace winnow::stress {

using Random = testing::RandomHashes;

// Prefix extractor of seeks and filters. With kRanges prefixes are empty, and ranges are used
// instead.
struct Extractor {
  enum class Kind { kNone, kFixed, kCapped, kRanges };
  Kind kind = Kind::kNone;
  size_t length = 0;

  // Returns the extractor's name for RocksDB's options.
  std::string Text() const;
  bool InDomain(std::string_view key) const;
  // Returns whether every key of the key space is in the domain.
  bool TakesAll() const;
  std::string PrefixOf(std::string_view key) const;  // `key` must be in the domain
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> Make() const;
};

struct FamilySettings {
  std::string policy;  // an options string; empty for none
  // A policy made from `policy` and used before; null if it is yet to be made.
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> kept;
  bool is_watched = false;  // wraps Winnow's policy (watch.h)
  Extractor extractor;
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;  // without the policy
  ROCKSDB_NAMESPACE::ColumnFamilyOptions options;   // without the table factory

  bool IsWinnow() const { return policy.find("winnow") != std::string::npos; }
  bool HasMemtableFilter() const { return options.memtable_prefix_bloom_size_ratio > 0; }

  // Returns all options, with `filter_policy` instead of the named one.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions With(
      std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> filter_policy) const;
};

enum class DatabaseKind { kPlain, kTransactions, kOptimisticTransactions };

struct Settings {
  DatabaseKind kind = DatabaseKind::kPlain;
  ROCKSDB_NAMESPACE::DBOptions options;
  std::array<FamilySettings, kAllFamilies> families;

  std::string ToString() const;  // readable text, for reports
};

// Returns settings that can open any database of this test, whatever its previous settings.
Settings RandomSettings(Random* random);

// Returns the policy named by an options string. Throws std::runtime_error if it is unknown.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> MakePolicy(const std::string& text);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_SETTINGS_H_
