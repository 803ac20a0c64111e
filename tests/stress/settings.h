// The options with which a database is opened, chosen at random: above all those that decide which
// filters are built and how they are asked.

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

// The prefixes that seeks and filters are about; of kRanges, whose prefixes are empty, the ranges.
struct Extractor {
  enum class Kind { kNone, kFixed, kCapped, kRanges };
  Kind kind = Kind::kNone;
  size_t length = 0;

  // As RocksDB's options have it.
  std::string Text() const;
  bool InDomain(std::string_view key) const;
  // Every key of the key space is in its domain.
  bool TakesAll() const;
  std::string PrefixOf(std::string_view key) const;  // of a key in its domain
  std::shared_ptr<const ROCKSDB_NAMESPACE::SliceTransform> Make() const;
};

struct FamilySettings {
  std::string policy;  // an options string; empty for none
  // Made from it and used before; null: to be made.
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> kept;
  bool is_watched = false;  // Winnow's policy, in the wrapper of watch.h
  Extractor extractor;
  ROCKSDB_NAMESPACE::BlockBasedTableOptions table;  // without the policy
  ROCKSDB_NAMESPACE::ColumnFamilyOptions options;   // without the table factory

  bool IsWinnow() const { return policy.find("winnow") != std::string::npos; }
  bool HasMemtableFilter() const { return options.memtable_prefix_bloom_size_ratio > 0; }

  // All of it; `policy` instead of the one that is named.
  ROCKSDB_NAMESPACE::ColumnFamilyOptions With(
      std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> filter_policy) const;
};

enum class DatabaseKind { kPlain, kTransactions, kOptimisticTransactions };

struct Settings {
  DatabaseKind kind = DatabaseKind::kPlain;
  ROCKSDB_NAMESPACE::DBOptions options;
  std::array<FamilySettings, kAllFamilies> families;

  std::string ToString() const;  // for people, to say what was open
};

// Settings with which any database of this test can be opened, whatever those before were.
Settings RandomSettings(Random* random);

// The policy that an options string names. Throws std::runtime_error if there is none.
std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> MakePolicy(const std::string& text);

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_SETTINGS_H_
