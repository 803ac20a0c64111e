#include "tests/tools/damaged_copies.h"

#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>
#include <utility>

#include "tests/support/files.h"
#include "tests/support/inspect_testing.h"

namespace winnow::testing {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;

constexpr uint64_t kKeys = 1'500;
constexpr size_t kPage = 4096;

// ---- Good files

struct Settings {
  std::string name;
  BlockBasedTableOptions table;
  ROCKSDB_NAMESPACE::Options options;
  bool timestamps = false;
  bool deleted_range = false;
};

// Returns sixteen digits that are slightly compressible.
std::string ValueOf(uint64_t i) {
  char value[32];
  std::snprintf(value, sizeof(value), "%016llx",
                static_cast<unsigned long long>(i * 0x9E3779B97F4A7C15u & 0x0FFF0FFF0FFF0FFFu));
  return value;
}

void WriteFileOf(const Settings& settings, uint64_t first, const std::string& path) {
  ROCKSDB_NAMESPACE::Options options = settings.options;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(settings.table));
  ROCKSDB_NAMESPACE::SstFileWriter writer(ROCKSDB_NAMESPACE::EnvOptions(), options);
  ASSERT_STATUS_OK(writer.Open(path));
  for (uint64_t i = 0; i < kKeys; ++i) {
    const std::string key = KeyOf(first + i);
    ASSERT_STATUS_OK(settings.timestamps ? writer.Put(key, "12345678", ValueOf(i))
                     : i % 10 == 9       ? writer.Delete(key)
                                         : writer.Put(key, ValueOf(i)));
  }
  if (settings.deleted_range) {
    ASSERT_STATUS_OK(writer.DeleteRange(KeyOf(first + 100), KeyOf(first + 200)));
  }
  ASSERT_STATUS_OK(writer.Finish());
}

Settings With(const std::string& name, const std::string& policy, uint32_t version,
              const std::function<void(Settings*)>& change = nullptr) {
  Settings settings;
  settings.name = name + ", version " + std::to_string(version);
  settings.table = TableWith(policy);
  settings.table.format_version = version;
  settings.table.block_size = 1024;
  settings.table.enable_index_compression = false;
  settings.options.compression = ROCKSDB_NAMESPACE::kNoCompression;
  if (change) change(&settings);
  return settings;
}

void Partition(Settings* settings) {
  settings->table.partition_filters = true;
  settings->table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
  settings->table.metadata_block_size = 256;
}

void TakePrefixes(Settings* settings) {
  settings->table.whole_key_filtering = false;
  settings->options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(8));
}

std::vector<Settings> FilterSettings() {
  std::vector<Settings> all;
  for (const uint32_t version : {2, 3, 4, 5}) {
    all.push_back(With("winnow", "winnow:10", version));
    all.push_back(With("winnow bloom", "{id=winnow;bloom_before_level=2147483647}", version));
    all.push_back(With("winnow partitions", "winnow:10", version, Partition));
    all.push_back(With("bloomfilter", "bloomfilter:10", version));
    all.push_back(With("no filter", "", version));
  }
  all.push_back(With("bloomfilter partitions", "bloomfilter:10", 5, Partition));
  all.push_back(With("bloomfilter partitions", "bloomfilter:10", 4, Partition));
  all.push_back(With("ribbonfilter", "ribbonfilter:10:-1", 5));
  all.push_back(With("prefixes", "winnow:10", 5, TakePrefixes));
  all.push_back(With("prefixes in partitions", "winnow:10", 5, [](Settings* settings) {
    Partition(settings);
    TakePrefixes(settings);
  }));
  return all;
}

std::vector<Settings> FormatSettings() {
  std::vector<Settings> all;
  const auto add = [&all](const std::string& name, const std::function<void(Settings*)>& change) {
    all.push_back(With(name, "winnow:10", 5, change));
  };
  add("no checksums",
      [](Settings* settings) { settings->table.checksum = ROCKSDB_NAMESPACE::kNoChecksum; });
  add("no checksums, partitions", [](Settings* settings) {
    Partition(settings);
    settings->table.checksum = ROCKSDB_NAMESPACE::kNoChecksum;
  });
  for (const auto type : {ROCKSDB_NAMESPACE::kCRC32c, ROCKSDB_NAMESPACE::kxxHash,
                          ROCKSDB_NAMESPACE::kxxHash64, ROCKSDB_NAMESPACE::kXXH3}) {
    add("checksum type " + std::to_string(type),
        [type](Settings* settings) { settings->table.checksum = type; });
  }
  for (const auto type : ROCKSDB_NAMESPACE::GetSupportedCompressions()) {
    // kDisableCompressionOption only turns compression off.
    if (type == ROCKSDB_NAMESPACE::kNoCompression ||
        type == ROCKSDB_NAMESPACE::kDisableCompressionOption) {
      continue;
    }
    const std::string number = std::to_string(type);
    for (const uint32_t version : {2, 5}) {
      all.push_back(With("compression type " + number, "winnow:10", version,
                         [type](Settings* settings) { settings->options.compression = type; }));
    }
    add("all compressed by type " + number, [type](Settings* settings) {
      Partition(settings);
      settings->options.compression = type;
      settings->table.enable_index_compression = true;
    });
  }
  add("blocks in pages", [](Settings* settings) { settings->table.block_align = true; });
  add("index with first keys", [](Settings* settings) {
    settings->table.index_type = BlockBasedTableOptions::kBinarySearchWithFirstKey;
  });
  add("index of hashes", [](Settings* settings) {
    settings->table.index_type = BlockBasedTableOptions::kHashSearch;
    settings->options.prefix_extractor.reset(ROCKSDB_NAMESPACE::NewFixedPrefixTransform(8));
  });
  add("hashes in blocks", [](Settings* settings) {
    settings->table.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
  });
  add("deleted range", [](Settings* settings) { settings->deleted_range = true; });
  add("timestamps", [](Settings* settings) {
    settings->timestamps = true;
    ASSERT_STATUS_OK(ROCKSDB_NAMESPACE::Comparator::CreateFromString(
        StrictConfig(), "leveldb.BytewiseComparator.u64ts", &settings->options.comparator));
  });
  return all;
}

bool HasRole(const SstLayout& layout, const std::string& start) {
  return std::any_of(layout.blocks.begin(), layout.blocks.end(), [&start](const LaidBlock& block) {
    return block.role.compare(0, start.size(), start) == 0;
  });
}

// ---- Damage

class Damager {
 public:
  Damager(const std::vector<DamagedKind>& kinds, uint64_t number)
      : random_(number + 1), kind_(kinds[Below(kinds.size())]) {
    copy_.kind = kind_.name;
    copy_.bytes = kind_.file;
  }

  DamagedCopy Do(uint64_t way) {
    static constexpr void (Damager::*kWays[])() = {
        &Damager::FlipAnyBit,         &Damager::FlipBitOfARareBlock,
        &Damager::FlipBitOfTheFooter, &Damager::Overwrite,
        &Damager::Truncate,           &Damager::ZeroPage,
        &Damager::ExchangeWithin,     &Damager::ExchangeWithTwin};
    (this->*kWays[way])();
    const bool truncates_or_exchanges = way == 4 || way > 5;
    if (!truncates_or_exchanges) {
      copy_.not_covered = WhyNotCovered(kind_.file, kind_.layout, copy_.bytes);
    }
    return copy_;
  }

 private:
  uint64_t Below(uint64_t limit) { return random_() % limit; }

  void FlipBit(size_t first, size_t bytes) {
    const size_t at = first + Below(bytes);
    const uint64_t bit = Below(8);
    copy_.bytes[at] = static_cast<char>(copy_.bytes[at] ^ (1 << bit));
    copy_.damage = "bit " + std::to_string(bit) + " of byte " + std::to_string(at) + " flipped";
  }

  void FlipAnyBit() { FlipBit(0, kind_.file.size()); }
  void FlipBitOfTheFooter() { FlipBit(kind_.layout.footer, kFooterBytes); }

  // Chooses a block by its role first, since most blocks have data.
  void FlipBitOfARareBlock() {
    std::vector<std::string> roles;
    for (const LaidBlock& block : kind_.layout.blocks) {
      if (block.role != "data" &&
          std::find(roles.begin(), roles.end(), block.role) == roles.end()) {
        roles.push_back(block.role);
      }
    }
    const std::string role = roles[Below(roles.size())];
    std::vector<LaidBlock> blocks;
    for (const LaidBlock& block : kind_.layout.blocks) {
      if (block.role == role) blocks.push_back(block);
    }
    const LaidBlock& block = blocks[Below(blocks.size())];
    FlipBit(block.offset, block.bytes);
    copy_.damage += ", in " + role;
  }

  void Overwrite() {
    const size_t bytes = 1 + Below(Below(4) == 0 ? 3'000 : 40);
    const size_t at = Below(copy_.bytes.size() - std::min(bytes, copy_.bytes.size() - 1));
    do {
      for (size_t i = at; i < std::min(at + bytes, copy_.bytes.size()); ++i) {
        copy_.bytes[i] = static_cast<char>(Below(256));
      }
    } while (copy_.bytes == kind_.file);
    copy_.damage = std::to_string(bytes) + " bytes from " + std::to_string(at) + " overwritten";
  }

  void Truncate() {
    const size_t size = copy_.bytes.size();
    copy_.bytes.resize(Below(3) == 0 ? size - 1 - Below(100) : Below(size));
    copy_.damage = "truncated to " + std::to_string(copy_.bytes.size()) + " of " +
                   std::to_string(size) + " bytes";
  }

  void ZeroPage() {
    do {
      const size_t at = kPage * Below((copy_.bytes.size() + kPage - 1) / kPage);
      const size_t bytes = std::min(kPage, copy_.bytes.size() - at);
      copy_.bytes.replace(at, bytes, bytes, '\0');
      copy_.damage = "the page at " + std::to_string(at) + " zeroed";
    } while (copy_.bytes == kind_.file);
  }

  // Exchanges two blocks with different contents, of equal role and size if such are found.
  void ExchangeWithin() {
    const std::vector<LaidBlock>& blocks = kind_.layout.blocks;
    constexpr int kTries = 500;
    for (int i = 0;; ++i) {
      const LaidBlock& one = blocks[Below(blocks.size())];
      const LaidBlock& other = blocks[Below(blocks.size())];
      const bool alike = one.role == other.role && one.bytes == other.bytes;
      const size_t bytes = std::min(one.bytes, other.bytes);
      const std::string first = kind_.file.substr(one.offset, bytes);
      const std::string second = kind_.file.substr(other.offset, bytes);
      if (first == second || one.offset == other.offset || (!alike && i < kTries)) {
        continue;
      }
      copy_.bytes.replace(one.offset, bytes, second);
      copy_.bytes.replace(other.offset, bytes, first);
      copy_.damage = one.role + " at " + std::to_string(one.offset) + " and " + other.role +
                     " at " + std::to_string(other.offset) + " exchanged";
      return;
    }
  }

  // Replaces a block by one of the twin's with equal role and size.
  void ExchangeWithTwin() {
    const std::vector<LaidBlock>& blocks = kind_.layout.blocks;
    for (;;) {
      const LaidBlock& one = blocks[Below(blocks.size())];
      const LaidBlock& other = kind_.twin_layout.blocks[Below(kind_.twin_layout.blocks.size())];
      if (one.role != other.role || one.bytes != other.bytes) {
        continue;
      }
      const std::string block = kind_.twin.substr(other.offset, other.bytes);
      if (block == kind_.file.substr(one.offset, one.bytes)) {
        continue;
      }
      copy_.bytes.replace(one.offset, one.bytes, block);
      copy_.damage = one.role + " at " + std::to_string(one.offset) + " replaced by that at " +
                     std::to_string(other.offset) + " of the twin";
      copy_.not_covered = WhyTwinIsNotSeen(one);
      return;
    }
  }

  std::string WhyTwinIsNotSeen(const LaidBlock& replaced) const {
    if (replaced.role == "data") {
      const bool is_last = std::none_of(
          kind_.layout.blocks.begin(), kind_.layout.blocks.end(), [&](const LaidBlock& block) {
            return block.role == "data" && block.offset > replaced.offset;
          });
      return std::string(is_last && !kind_.asks_keys ? kTwinsLastBlock : "");
    }
    if (replaced.role.compare(0, 6, "filter") == 0) {
      return std::string();
    }
    return std::string(replaced.role.compare(0, 5, "index") == 0 ? kTwinsIndex : kTwinsOther);
  }

  std::mt19937_64 random_;
  const DamagedKind& kind_;
  DamagedCopy copy_;
};

}  // namespace

std::vector<DamagedKind> MakeDamagedKinds(const std::string& folder) {
  std::vector<Settings> all = FilterSettings();
  const std::vector<Settings> formats = FormatSettings();
  all.insert(all.end(), formats.begin(), formats.end());
  std::vector<DamagedKind> kinds;
  for (const Settings& settings : all) {
    SCOPED_TRACE(settings.name);
    DamagedKind kind;
    kind.name = settings.name;
    const std::string path = folder + "/good.sst";
    WriteFileOf(settings, 0, path);
    kind.file = ReadFile(path);
    WriteFileOf(settings, kFirstOfTwin, path);
    kind.twin = ReadFile(path);
    kind.layout = LayoutOf(kind.file);
    kind.twin_layout = LayoutOf(kind.twin);
    kind.asks_keys = HasRole(kind.layout, "filter");
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

DamagedCopy Damage(const std::vector<DamagedKind>& kinds, uint64_t number) {
  constexpr uint64_t kWays = 8;
  return Damager(kinds, number).Do(number % kWays);
}

}  // namespace winnow::testing
