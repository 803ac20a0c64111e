#include "tools/winnow/probe/probe_file.h"

#include <absl/strings/str_cat.h>
#include <rocksdb/comparator.h>
#include <rocksdb/slice.h>

#include <memory>
#include <string_view>

#include "src/sst/internal_keys.h"
#include "src/sst/known_comparator.h"
#include "src/sst/range_deletions.h"
#include "src/sst/sst_filters.h"
#include "src/sst/sst_reader.h"
#include "src/sst/stored_filter.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

std::optional<FoundEntry> Find(const std::string& key, const Comparator* comparator,
                               InternalKeys* keys) {
  keys->Seek(SoughtKey(key, comparator));
  if (!keys->Valid()) return std::nullopt;
  const std::string_view found = keys->key().user_key;
  if (comparator->CompareWithoutTimestamp(key, false, Slice(found.data(), found.size()), true) !=
      0) {
    return std::nullopt;
  }
  return FoundEntry{keys->key().type, keys->key().sequence, keys->value().size()};
}

// Returns the first entry of the range, and its key in *key; nullopt if there is none.
std::optional<FoundEntry> FindFirst(const ProbedRange& range, const Comparator* comparator,
                                    InternalKeys* keys, std::string* key) {
  keys->Seek(SoughtKey(range.begin, comparator));
  if (!keys->Valid()) return std::nullopt;
  const std::string_view found = keys->key().user_key;
  if (comparator->CompareWithoutTimestamp(Slice(found.data(), found.size()), true, range.end,
                                          false) >= 0) {
    return std::nullopt;
  }
  key->assign(found);
  return FoundEntry{keys->key().type, keys->key().sequence, keys->value().size()};
}

// Returns true if a scan of the range reads a file with these keys; also true if the comparator or
// the keys are unknown.
bool Overlap(const StoredRange& keys, const Comparator* comparator, const ProbedRange& range) {
  return !keys.empty &&
         (comparator == nullptr || !keys.known ||
          (comparator->CompareWithoutTimestamp(range.begin, false, keys.last, true) <= 0 &&
           comparator->CompareWithoutTimestamp(range.end, false, keys.first, true) > 0));
}

std::string KindOf(const RawSst& sst) {
  return !sst.blocks.empty()                ? ClassifyBlock(sst.blocks.front(), 0).kind
         : sst.properties->filter_size == 0 ? std::string(kNoFilter)
                                            : std::string(kUnknown);
}

std::optional<std::string> FaultOf(const RawSst& sst) {
  for (size_t i = 0; i < sst.blocks.size(); ++i) {
    if (std::optional<std::string> fault = ClassifyBlock(sst.blocks[i], 0).fault) {
      return sst.blocks.size() == 1
                 ? fault
                 : absl::StrCat("partition ", i + 1, " of ", sst.blocks.size(), ": ", *fault);
    }
  }
  return sst.blocks.empty() ? sst.filter_fault : std::nullopt;
}

// Returns sentences on the checks that were impossible.
std::string Remark(const RawSst& sst, const StoredFilter& filter, const Comparator* comparator,
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

FileProbe ProbeFile(const std::string& path, const std::vector<ProbedKey>& keys, bool exact,
                    const std::optional<ProbedRange>& probed_range) {
  FileProbe probe;
  probe.path = path;
  const RawSst sst = ReadRawSst(path);
  if (sst.error) {
    probe.error = sst.error;
    return probe;
  }
  probe.kind = KindOf(sst);
  probe.fault = FaultOf(sst);
  const Comparator* comparator = ComparatorOfKeys(*sst.properties);
  std::unique_ptr<InternalKeys> entries;
  StoredRange range;
  Status status = InternalKeys::Open(
      path, comparator != nullptr ? comparator : ROCKSDB_NAMESPACE::BytewiseComparator(), &entries);
  if (status.ok()) {
    status = ReadRange(entries.get(), &range);
  }
  StoredFilter filter(path, sst, comparator);
  probe.remark = Remark(sst, filter, comparator, exact);
  probe.exact = exact && comparator != nullptr;
  RangeDeletions deletions;
  if (probe.exact) {
    deletions = ReadRangeDeletions(path, *sst.properties);
    if (probe.remark.empty()) {
      probe.remark = deletions.problem;
    }
  }
  probe.asked = entries != nullptr;
  for (size_t i = 0; i < keys.size() && probe.asked; ++i) {
    if (!deletions.ranges.empty()) {
      if (const auto sequence = NewestCovering(deletions, *comparator, keys[i].bytes)) {
        probe.covered.push_back({i, *sequence});
      }
    }
    if (!IsWithin(range, comparator, keys[i].bytes)) {
      continue;
    }
    const std::optional<bool> answer =
        probe.fault ? std::nullopt : filter.MayContain(keys[i].bytes, keys[i].hash);
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
  if (probed_range && probe.asked && Overlap(range, comparator, *probed_range)) {
    const std::optional<bool> answer =
        probe.fault ? std::nullopt : filter.MayContainRange(probed_range->begin, probed_range->end);
    if (answer.value_or(true)) {
      RangeHit& hit = probe.range_hit.emplace();
      hit.by_filter = answer.has_value();
      if (probe.exact) {
        hit.entry = FindFirst(*probed_range, comparator, entries.get(), &hit.key);
        hit.looked_for = entries->status().ok();
        status = status.ok() ? entries->status() : status;
      }
    }
  }
  if (!status.ok()) {
    probe.error = absl::StrCat("a block can't be read: ", status.ToString());
  }
  return probe;
}

}  // namespace winnow::inspect
