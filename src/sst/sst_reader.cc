#include "src/sst/sst_reader.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/cache.h>
#include <rocksdb/comparator.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>

#include "src/core/ranges/range_note.h"
#include "src/sst/quiet_logger.h"
#include "src/sst/unreadable_table.h"
#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::BlockBasedTableOptions;
using ROCKSDB_NAMESPACE::FilterBitsBuilder;
using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::FilterBuildingContext;
using ROCKSDB_NAMESPACE::FilterPolicy;
using ROCKSDB_NAMESPACE::Options;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::SstFileReader;
using ROCKSDB_NAMESPACE::Status;

// Answers "may match" for every key.
class MayMatchReader final : public FilterBitsReader {
 public:
  bool MayMatch(const Slice&) override { return true; }

  void MayMatch(int num_keys, Slice**, bool* may_match) override {
    for (int i = 0; i < num_keys; ++i) {
      may_match[i] = true;
    }
  }
};

// Captures the filter blocks that RocksDB reads, in order, and builds no filters. Its compatibility
// name is that of RocksDB's built-in policies and of Winnow.
class CapturePolicy final : public FilterPolicy {
 public:
  explicit CapturePolicy(std::vector<std::string>* blocks) : blocks_(blocks) {}

  const char* Name() const override { return "winnow.inspect.Capture"; }
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }

  FilterBitsBuilder* GetBuilderWithContext(const FilterBuildingContext&) const override {
    return nullptr;
  }

  FilterBitsReader* GetFilterBitsReader(const Slice& contents) const override {
    blocks_->emplace_back(contents.data(), contents.size());
    return new MayMatchReader;
  }

 private:
  std::vector<std::string>* blocks_;
};

// RocksDB reads all partitions in advance only with a block cache. Cache keys are derived from the
// file's identity, which a damaged copy shares with the original, so every file has its own cache.
constexpr size_t kCacheBytes = 8 << 20;

Options ReaderOptions(const std::shared_ptr<QuietLogger>& logger,
                      std::vector<std::string>* blocks) {
  BlockBasedTableOptions table;
  table.block_cache = ROCKSDB_NAMESPACE::NewLRUCache(kCacheBytes);
  if (blocks != nullptr) {
    table.filter_policy = std::make_shared<CapturePolicy>(blocks);
  }
  Options options;
  options.info_log = logger;
  options.table_factory.reset(ROCKSDB_NAMESPACE::NewBlockBasedTableFactory(table));
  return options;
}

bool NamesKnownPolicy(std::string_view policy_name) {
  return policy_name == "rocksdb.BuiltinBloomFilter" || policy_name == "bloomfilter" ||
         policy_name == "ribbonfilter" || policy_name == "winnow.Filter";
}

// Returns a sentence if no filter block arrived although the file has one. Reads the whole file to
// verify checksums, so it is called for damaged files only.
std::string WhyNoFilter(SstFileReader* reader) {
  const Status status = reader->VerifyChecksum();
  return absl::StrCat("the file's properties promise a filter, but RocksDB can't read it",
                      status.ok() ? std::string() : absl::StrCat(": ", status.ToString()),
                      "; it reads the file as if it had none");
}

// Sets the properties. RocksDB opens files without properties, too, but no builder has written such
// files since 2013.
void TakeProperties(const SstFileReader& reader, RawSst* sst) {
  sst->properties = reader.GetTableProperties();
  if (sst->properties == nullptr) {
    sst->error = "the file is damaged: it has no properties";
  }
}

// Opens the file without its filter. The error on failure is `first_failure` or, if that is null,
// the error of this attempt.
RawSst OpenWithoutFilter(const std::string& path, const Status* first_failure) {
  RawSst sst;
  SstFileReader reader(ReaderOptions(std::make_shared<QuietLogger>(), nullptr));
  const Status status = reader.Open(path);
  if (status.ok()) {
    TakeProperties(reader, &sst);
  } else {
    sst.error = WhyNotATable(path, first_failure == nullptr ? status : *first_failure);
  }
  return sst;
}

}  // namespace

RawSst ReadSstWithoutFilter(const std::string& path) {
  if (std::optional<std::string> error = WhyNotAFile(path)) {
    RawSst sst;
    sst.error = std::move(error);
    return sst;
  }
  return OpenWithoutFilter(path, nullptr);
}

RawSst ReadRawSst(const std::string& path) {
  RawSst sst;
  sst.error = WhyNotAFile(path);
  if (sst.error) {
    return sst;
  }
  std::vector<std::string> blocks;
  auto logger = std::make_shared<QuietLogger>();
  SstFileReader reader(ReaderOptions(logger, &blocks));
  const Status status = reader.Open(path);
  if (!status.ok()) {
    // A second attempt without the filter distinguishes damage of the filter from damage of the
    // file.
    sst = OpenWithoutFilter(path, &status);
    if (!sst.error) {
      sst.filter_fault = absl::StrCat(
          "the filter can't be read, and RocksDB does not open the file: ", status.ToString());
    }
    return sst;
  }
  TakeProperties(reader, &sst);
  if (sst.error) {
    return sst;
  }
  sst.blocks = std::move(blocks);
  sst.obsolete_filter = logger->saw_obsolete_filter();
  // filter_size includes the index of partitions, which shows that a single block is a partition.
  sst.partitioned = sst.blocks.size() > 1 ||
                    (sst.blocks.size() == 1 && FilterBytes(sst) < sst.properties->filter_size);
  if (sst.blocks.empty() && sst.properties->filter_size > 0 && !sst.obsolete_filter &&
      NamesKnownPolicy(sst.properties->filter_policy_name)) {
    sst.filter_fault = WhyNoFilter(&reader);
  }
  return sst;
}

uint64_t FilterBytes(const RawSst& sst) noexcept {
  uint64_t bytes = 0;
  for (const std::string& block : sst.blocks) {
    bytes += block.size();
  }
  return bytes;
}

uint64_t RangeFilterBytes(const RawSst& sst) noexcept {
  uint64_t bytes = 0;
  for (const std::string& block : sst.blocks) {
    bytes += core::TableRanges(block).size_bytes();
  }
  return bytes;
}

}  // namespace winnow::inspect
