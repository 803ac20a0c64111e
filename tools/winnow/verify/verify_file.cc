#include "tools/winnow/verify/verify_file.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <rocksdb/comparator.h>

#include <algorithm>
#include <map>
#include <memory>

#include "src/core/format.h"
#include "src/core/ranges/range_note.h"
#include "src/sst/builtin_filters.h"
#include "src/sst/known_comparator.h"
#include "src/sst/sst_filters.h"
#include "src/sst/sst_reader.h"
#include "tools/winnow/verify/key_check.h"
#include "winnow/hash.h"
#include "winnow/range_filter.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Status;
using ROCKSDB_NAMESPACE::TableProperties;

constexpr size_t kBytesOfUnknownTimestamps = 8;

// Adds corruption to the faults, and other failures to the error, unless there is one.
void Tell(const std::string& what, const Status& status, FileVerdict* verdict) {
  const std::string sentence = absl::StrCat(what, ": ", status.ToString());
  if (status.IsCorruption()) {
    verdict->faults.push_back(sentence);
  } else if (!verdict->error) {
    verdict->error = sentence;
  }
}

// Returns true if the file has filter blocks; else sets the kind, and the reason in the verdict.
bool HasBlocks(const RawSst& sst, FileVerdict* verdict) {
  verdict->kind =
      std::string(sst.blocks.empty() && sst.properties->filter_size == 0 ? kNoFilter : kUnknown);
  if (sst.filter_fault) {
    verdict->faults.push_back(*sst.filter_fault);
  } else if (sst.obsolete_filter) {
    verdict->remarks.emplace_back(
        "the filter is an obsolete block-based one, which RocksDB has not read since 7.0");
  } else if (verdict->kind == kNoFilter) {
    verdict->remarks.emplace_back("the file has no filter: only its blocks were checked");
  } else if (sst.blocks.empty()) {
    verdict->error =
        absl::StrCat("the filter can't be verified: it is one of the policy ",
                     sst.properties->filter_policy_name, ", which this program can't ask");
  }
  if (FilterBytes(sst) > 0 && sst.properties->filter_size == 0) {
    verdict->faults.push_back(absl::StrCat("the file has a filter of ", FilterBytes(sst),
                                           " bytes, but its properties say nothing of it"));
  }
  return !sst.blocks.empty();
}

// Returns the partitions of the filter's blocks; sets verdict->error if they are unknown.
FilterPartitions PartitionsOf(const std::string& path, const RawSst& sst,
                              const Comparator* comparator, FileVerdict* verdict) {
  if (comparator == nullptr) {
    verdict->error = absl::StrCat(
        "the filter can't be verified: it is partitioned, and which partition a key is in depends "
        "on the comparator ",
        sst.properties->comparator_name, ", which this program does not have");
    return {};
  }
  FilterPartitions found = PartitionsOfBlocks(path, sst);
  if (!found.problem.empty()) {
    verdict->error = found.problem;
  }
  return found;
}

std::string Describe(const DeniedKey& key, size_t partitions) {
  return absl::StrCat(
      key.is_prefix ? "the prefix 0x" : "the key 0x", absl::BytesToHexString(key.bytes),
      key.partition ? absl::StrCat(" in partition ", *key.partition + 1, " of ", partitions) : "");
}

void TakeOver(const KeyCheck& check, FileVerdict* verdict) {
  verdict->entries = check.entries;
  verdict->keys = check.keys;
  verdict->false_negatives = check.false_negatives;
  verdict->denied = check.denied;
}

// Adds the results of range filters to the verdict.
void JudgeRanges(const RangeCheck& check, const TableProperties& properties, size_t blocks,
                 FileVerdict* verdict) {
  verdict->range = check;
  if (check.false_negatives > 0) {
    verdict->faults.push_back(absl::StrCat("the range filter denies ", check.false_negatives,
                                           " of the ", check.keys,
                                           " keys of the file: scans do not find them. First ",
                                           Describe(check.denied.front(), blocks)));
  }
  if (properties.comparator_name != ROCKSDB_NAMESPACE::BytewiseComparator()->Name()) {
    verdict->faults.push_back(absl::StrCat(
        "the file has a range filter, but its keys are ordered by ", properties.comparator_name,
        " and not by their bytes: scans may miss keys that are in the file"));
  }
}

void JudgeKeys(const KeyCheck& check, const TableProperties& properties, size_t blocks,
               FileVerdict* verdict) {
  if (check.false_negatives > 0) {
    verdict->faults.push_back(
        absl::StrCat("the filter denies ", check.false_negatives, " of the ", check.keys,
                     " keys and prefixes that it was built from: lookups do not find them. First ",
                     Describe(check.denied.front(), blocks)));
  }
  if (check.out_of_order > 0) {
    verdict->faults.push_back(absl::StrCat(
        check.out_of_order, " entries are not in the order of the keys. First the key 0x",
        absl::BytesToHexString(check.first_out_of_order)));
  }
  if (check.too_short > 0) {
    verdict->faults.push_back(absl::StrCat(
        check.too_short, " keys are shorter than the timestamps of ", properties.comparator_name));
  }
}

void JudgeEntries(const KeyCheck& check, const TableProperties& properties, FileVerdict* verdict) {
  const uint64_t promised =
      properties.num_entries - std::min(properties.num_entries, properties.num_range_deletions);
  if (check.entries != promised) {
    verdict->faults.push_back(absl::StrCat("the file has ", check.entries,
                                           " entries, but its properties say ", promised));
  }
}

// Expected false-positive rate of a filter block.
struct BlockRate {
  std::optional<double> mean;  // nullopt if unknown
  double variance = 0;         // variance over filters of different keys
};

BlockRate RateOf(const FilterSummary& block) {
  BlockRate rate;
  rate.mean = block.expected_fpr;
  const bool is_bloom = block.kind == kWinnowBloom || block.kind == kBuiltinBloom;
  if (is_bloom && !block.is_single() && block.parameters && block.parameters->probes &&
      block.parameters->blocks && block.parameters->block_bits) {
    rate.variance =
        VarianceOfBloomRate(block.keys, std::max<uint64_t>(1, *block.parameters->blocks),
                            *block.parameters->block_bits, *block.parameters->probes);
  }
  return rate;
}

// Queries each block with a share of the absent keys that is proportional to the block's keys.
RateSample AskAbsent(const std::vector<AbsentKeys::Key>& absent,
                     const std::vector<uint64_t>& keys_of_blocks,
                     const std::vector<BlockRate>& expected, CheckedFilter* filter) {
  uint64_t all_keys = 0;
  for (const uint64_t keys : keys_of_blocks) {
    all_keys += keys;
  }
  RateSample sample;
  uint64_t keys_before = 0;
  size_t next = 0;
  for (size_t block = 0; block < keys_of_blocks.size() && all_keys > 0; ++block) {
    keys_before += keys_of_blocks[block];
    const double share = static_cast<double>(keys_before) / static_cast<double>(all_keys);
    const auto last = static_cast<size_t>(share * static_cast<double>(absent.size()) + 0.5);
    std::vector<AskedKey> asked;
    for (; next < std::min(last, absent.size()); ++next) {
      asked.push_back({absent[next].view(), absent[next].hash});
    }
    const auto answers = std::make_unique<bool[]>(asked.size());
    filter->blocks[block].MayContain(asked.data(), asked.size(), answers.get());
    sample.lookups += asked.size();
    sample.positives +=
        static_cast<uint64_t>(std::count(answers.get(), answers.get() + asked.size(), true));
    const double lookups = static_cast<double>(asked.size());
    sample.expected_positives += lookups * expected[block].mean.value_or(1);
    sample.variance_of_expected += lookups * lookups * expected[block].variance;
  }
  return sample;
}

void JudgeRates(const RateSample& sample, uint64_t files, FileVerdict* verdict) {
  verdict->samples = sample.lookups;
  verdict->false_positives = sample.positives;
  if (sample.lookups == 0) {
    return;
  }
  const double lookups = static_cast<double>(sample.lookups);
  verdict->measured_fpr = static_cast<double>(sample.positives) / lookups;
  verdict->expected_fpr = sample.expected_positives / lookups;
  verdict->interval = WilsonInterval(sample.positives, sample.lookups);
  const RateVerdict rate = JudgeRate(sample, files);
  if (rate == RateVerdict::kAsExpected) {
    return;
  }
  std::vector<std::string>& sentences =
      rate == RateVerdict::kFault ? verdict->faults : verdict->remarks;
  sentences.push_back(absl::StrFormat(
      "the filter answers \"may contain\" for %.3g %% of absent keys (95 %% interval %.3g to %.3g "
      "%%), %.3g %% is expected",
      100 * *verdict->measured_fpr, 100 * verdict->interval.low, 100 * verdict->interval.high,
      100 * *verdict->expected_fpr));
}

// Reports a filter that answers "may match" for every key: damaged, disabled, or of a newer kind.
void JudgeUselessBlock(const std::string& block, const std::string& where, FileVerdict* verdict) {
  using Kind = BuiltinFilter::Kind;
  if (core::LooksOurs(block)) {
    return;
  }
  const BuiltinFilter filter = ParseBuiltinFilter(block);
  if (filter.kind != Kind::kAlwaysTrue && filter.kind != Kind::kReserved) {
    return;
  }
  if (filter.marker < 0) {
    verdict->error = absl::StrCat("the filter can't be verified: ", where,
                                  "it is of a kind that this program does not know");
  } else if (filter.marker > 0 || filter.payload_bytes > 1) {
    verdict->faults.push_back(
        absl::StrCat(where, "the filter of ", block.size(),
                     " bytes answers \"may contain\" for every key, as no builder writes it"));
  } else {
    verdict->remarks.push_back(absl::StrCat(
        where,
        "the filter answers \"may contain\" for every key, as RocksDB writes it where none "
        "could be built"));
  }
}

// Adds the kind and faults of the blocks to the verdict. Returns their expected rates.
std::vector<BlockRate> JudgeBlocks(const RawSst& sst, const std::vector<uint64_t>& keys_of_blocks,
                                   FileVerdict* verdict) {
  std::vector<BlockRate> expected;
  std::map<std::string, int> kinds;
  for (size_t i = 0; i < sst.blocks.size(); ++i) {
    const FilterSummary summary = ClassifyBlock(sst.blocks[i], keys_of_blocks[i]);
    expected.push_back(RateOf(summary));
    ++kinds[summary.kind];
    const std::string where =
        sst.partitioned ? absl::StrCat("partition ", i + 1, " of ", sst.blocks.size(), ": ") : "";
    if (summary.fault) {
      verdict->faults.push_back(where + *summary.fault);
    }
    JudgeUselessBlock(sst.blocks[i], where, verdict);
  }
  verdict->kind = std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) {
                    return a.second < b.second;
                  })->first;
  return expected;
}

CheckedFilter FilterOf(const RawSst& sst, const FilterPartitions& partitions,
                       const Comparator* comparator) {
  CheckedFilter filter;
  for (const std::string& block : sst.blocks) {
    filter.blocks.emplace_back(block);
    filter.ranges.emplace_back(block);
  }
  filter.partitions = sst.partitioned ? &partitions : nullptr;
  filter.comparator = comparator;
  filter.has_next_prefixes = HasNextPrefixes(*sst.properties);
  filter.contents = ContentsOf(*sst.properties);
  filter.timestamp_bytes = comparator == nullptr ? 0 : comparator->timestamp_size();
  return filter;
}

void JudgeContents(const FilterContents& contents, FileVerdict* verdict) {
  if (contents.unknown_extractor.empty()) {
    return;
  }
  const std::string sentence =
      absl::StrCat("the prefixes in the filter can't be verified: they are those of the extractor ",
                   contents.unknown_extractor, ", which this program does not have");
  if (contents.whole_keys) {
    verdict->remarks.push_back(sentence);
  } else {
    verdict->error = sentence;
  }
}

// Checks the filter with the file's keys and measures the rate. Keys are read, but not queried, if
// verdict->error is set.
void CheckFilter(const RawSst& sst, const FilterPartitions& partitions,
                 const Comparator* comparator, const VerifyOptions& options, InternalKeys* keys,
                 const VerifyProgress& progress, FileVerdict* verdict) {
  CheckedFilter filter;
  if (!verdict->error) {
    filter = FilterOf(sst, partitions, comparator);
  }
  filter.comparator = comparator;
  const double all_entries = std::max(1.0, static_cast<double>(sst.properties->num_entries));
  const auto report = [&](const KeyCheck& so_far) {
    if (progress) {
      progress(so_far.keys, std::min(1.0, static_cast<double>(so_far.entries) / all_entries));
    }
  };
  AbsentKeys absent(filter.blocks.empty() ? 0 : options.samples, HashKey(verdict->path).value);
  KeyCheck check = CheckKeys(keys, &filter, &absent, report);
  if (comparator == nullptr && check.false_negatives > 0) {
    filter.timestamp_bytes = kBytesOfUnknownTimestamps;
    check = CheckKeys(keys, &filter, &absent, report);
    if (check.false_negatives > 0 || check.too_short > 0) {
      verdict->error = absl::StrCat(
          "the filter can't be verified: under the comparator ", sst.properties->comparator_name,
          ", which this program does not have, keys may end with timestamps, and with neither 0 "
          "nor 8 bytes of them the filter has all keys");
      return;
    }
  }
  TakeOver(check, verdict);
  JudgeKeys(check, *sst.properties, sst.blocks.size(), verdict);
  if (std::any_of(sst.blocks.begin(), sst.blocks.end(),
                  [](const std::string& block) { return !core::TableRanges(block).empty(); })) {
    JudgeRanges(check.range, *sst.properties, sst.blocks.size(), verdict);
  }
  if (!keys->status().ok()) {
    Tell("the entries can't be read to the end", keys->status(), verdict);
  } else {
    JudgeEntries(check, *sst.properties, verdict);
  }
  if (!filter.blocks.empty()) {
    JudgeContents(filter.contents, verdict);
    const std::vector<BlockRate> expected = JudgeBlocks(sst, check.keys_of_blocks, verdict);
    JudgeRates(AskAbsent(absent.Left(), check.keys_of_blocks, expected, &filter), options.files,
               verdict);
  } else if (!sst.blocks.empty()) {
    JudgeBlocks(sst, std::vector<uint64_t>(sst.blocks.size(), 0), verdict);
  }
}

}  // namespace

FileVerdict VerifyFile(const std::string& path, const VerifyOptions& options,
                       const VerifyProgress& progress) {
  FileVerdict verdict;
  verdict.path = path;
  const RawSst sst = ReadRawSst(path);
  if (sst.error) {
    verdict.error = sst.error;
    return verdict;
  }
  const Comparator* comparator = ComparatorOfKeys(*sst.properties);
  FilterPartitions partitions;
  if (HasBlocks(sst, &verdict) && sst.partitioned) {
    partitions = PartitionsOf(path, sst, comparator, &verdict);
  }
  verdict.partitions = sst.partitioned ? static_cast<int>(sst.blocks.size()) : 0;
  std::unique_ptr<InternalKeys> keys;
  // Iteration from the first entry on does not compare keys, so any comparator works.
  Status status = InternalKeys::Open(
      path, comparator != nullptr ? comparator : ROCKSDB_NAMESPACE::BytewiseComparator(), &keys);
  if (!status.ok()) {
    Tell("the file can't be opened", status, &verdict);
    return verdict;
  }
  status = keys->VerifyChecksums();
  if (!status.ok()) {
    Tell(status.IsCorruption() ? "a block is damaged, so the keys were not read"
                               : "a block can't be read",
         status, &verdict);
    return verdict;
  }
  CheckFilter(sst, partitions, comparator, options, keys.get(), progress, &verdict);
  return verdict;
}

}  // namespace winnow::inspect
