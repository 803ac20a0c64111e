#include "src/inspect/probe_file.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/comparator.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "src/inspect/filter_asker.h"
#include "src/inspect/filter_contents.h"
#include "src/inspect/filter_partitions.h"
#include "src/inspect/internal_keys.h"
#include "src/inspect/known_comparator.h"
#include "src/inspect/sst_filters.h"
#include "src/inspect/sst_reader.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

constexpr uint64_t kNewestSequence = (uint64_t{1} << 56) - 1;

Slice SliceOf(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

// The first and the last user key, with their timestamps.
struct KeyRange {
  std::string first;
  std::string last;
  bool empty = false;
  bool known = false;  // else it tells nothing
};

Status ReadRange(InternalKeys* keys, KeyRange* range) {
  keys->SeekToFirst();
  range->empty = !keys->Valid() && keys->status().ok();
  if (keys->Valid()) {
    range->first = std::string(keys->key().user_key);
    keys->SeekToLast();
    range->last = keys->Valid() ? std::string(keys->key().user_key) : std::string();
  }
  range->known = keys->status().ok();
  return keys->status();
}

bool IsWithin(const KeyRange& range, const Comparator* comparator, const std::string& key) {
  return !range.empty &&
         (comparator == nullptr || !range.known ||
          (comparator->CompareWithoutTimestamp(key, false, range.first, true) >= 0 &&
           comparator->CompareWithoutTimestamp(key, false, range.last, true) <= 0));
}

// The user key that a lookup of the newest version seeks: with the highest timestamp.
std::string SoughtKey(const std::string& key, const Comparator* comparator) {
  return key + std::string(comparator == nullptr ? 0 : comparator->timestamp_size(), '\xff');
}

// What RocksDB asks the filter for; unset: it does not ask.
std::optional<std::string_view> AskedBytes(const FilterContents& contents, const std::string& key) {
  if (contents.whole_keys) {
    return key;
  }
  if (contents.prefixes == nullptr || !contents.prefixes->InDomain(key)) {
    return std::nullopt;
  }
  const Slice prefix = contents.prefixes->Transform(key);
  return std::string_view(prefix.data(), prefix.size());
}

// A file's filter, to be asked key by key.
class Filter {
 public:
  Filter(const std::string& path, const RawSst& sst, const Comparator* comparator)
      : comparator_(comparator), contents_(ContentsOf(*sst.properties)) {
    for (const std::string& block : sst.blocks) {
      askers_.emplace_back(block);
    }
    if (sst.partitioned && comparator != nullptr) {
      partitions_ = ReadFilterPartitions(path, *sst.properties);
      if (partitions_.problem.empty() && partitions_.partitions.size() != askers_.size()) {
        partitions_.problem = "the filter's index names other partitions than RocksDB reads";
      }
    }
  }

  const std::string& problem() const { return partitions_.problem; }

  // Unset: there is nothing to ask.
  std::optional<bool> MayContain(const ProbedKey& key) {
    const std::optional<std::string_view> bytes = AskedBytes(contents_, key.bytes);
    if (!bytes || askers_.empty() || !partitions_.problem.empty()) {
      return std::nullopt;
    }
    const AskedKey asked = {*bytes, contents_.whole_keys ? key.hash : HashKey(*bytes).value};
    if (askers_.size() > 1 && partitions_.partitions.empty()) {
      return std::any_of(askers_.begin(), askers_.end(),
                         [&asked](FilterAsker& asker) { return Ask(&asker, asked); });
    }
    const std::string sought = SoughtKey(key.bytes, comparator_);
    const size_t block =
        partitions_.partitions.empty()
            ? 0
            : FindPartition(partitions_, comparator_, {sought, kNewestSequence, 255});
    return Ask(&askers_[block], asked);
  }

 private:
  static bool Ask(FilterAsker* asker, const AskedKey& key) {
    bool answer = true;
    asker->MayContain(&key, 1, &answer);
    return answer;
  }

  const Comparator* comparator_;
  FilterContents contents_;
  FilterPartitions partitions_;
  std::vector<FilterAsker> askers_;
};

std::optional<FoundEntry> Find(const std::string& key, const Comparator* comparator,
                               InternalKeys* keys) {
  keys->Seek(SoughtKey(key, comparator));
  if (!keys->Valid() ||
      comparator->CompareWithoutTimestamp(key, false, SliceOf(keys->key().user_key), true) != 0) {
    return std::nullopt;
  }
  return FoundEntry{keys->key().type, keys->key().sequence, keys->value().size()};
}

std::string KindOf(const RawSst& sst) {
  return !sst.blocks.empty()                ? ClassifyBlock(sst.blocks.front(), 0).kind
         : sst.properties->filter_size == 0 ? std::string(kNoFilter)
                                            : std::string(kUnknown);
}

// Sentences of what can't be told.
std::string Remark(const RawSst& sst, const Filter& filter, const Comparator* comparator,
                   bool exact) {
  if (comparator == nullptr) {
    return absl::StrCat("its keys are ordered by ", sst.properties->comparator_name,
                        ", which this program does not have, so only its filter was asked",
                        exact ? ", and no block was read" : "");
  }
  if (!filter.problem().empty()) {
    return filter.problem();
  }
  const bool has_filter = !sst.blocks.empty() || sst.properties->filter_size == 0;
  return has_filter ? std::string() : "its filter can't be asked by this program";
}

}  // namespace

FileProbe ProbeFile(const std::string& path, const std::vector<ProbedKey>& keys, bool exact) {
  FileProbe probe;
  probe.path = path;
  probe.kind = std::string(kUnknown);
  const RawSst sst = ReadRawSst(path);
  if (sst.error) {
    probe.error = sst.error;
    return probe;
  }
  probe.kind = KindOf(sst);
  const Comparator* comparator = FindComparator(sst.properties->comparator_name);
  std::unique_ptr<InternalKeys> entries;
  KeyRange range;
  Status status = InternalKeys::Open(
      path, comparator != nullptr ? comparator : ROCKSDB_NAMESPACE::BytewiseComparator(), &entries);
  if (status.ok()) {
    status = ReadRange(entries.get(), &range);
  }
  Filter filter(path, sst, comparator);
  probe.remark = Remark(sst, filter, comparator, exact);
  probe.exact = exact && comparator != nullptr;
  for (size_t i = 0; i < keys.size() && entries != nullptr; ++i) {
    if (!IsWithin(range, comparator, keys[i].bytes)) {
      continue;
    }
    const std::optional<bool> answer = filter.MayContain(keys[i]);
    if (!answer.value_or(true)) {
      continue;
    }
    ProbeHit hit = {i, answer.has_value(), false, std::nullopt};
    if (probe.exact) {
      hit.entry = Find(keys[i].bytes, comparator, entries.get());
      hit.looked_for = entries->status().ok();
      status = status.ok() ? entries->status() : status;
    }
    probe.hits.push_back(hit);
  }
  if (!status.ok()) {
    probe.error = absl::StrCat("a block can't be read: ", status.ToString());
  }
  return probe;
}

}  // namespace winnow::inspect
