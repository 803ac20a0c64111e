#include "tools/winnow/advise/advice_lookups.h"

#include <absl/algorithm/container.h>
#include <absl/strings/str_cat.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "src/sst/filter_contents.h"
#include "src/sst/filter_partitions.h"
#include "src/sst/internal_keys.h"
#include "src/sst/known_comparator.h"
#include "src/sst/sst_reader.h"
#include "src/sst/stored_filter.h"
#include "tools/winnow/advise/added_keys.h"
#include "winnow/hash.h"

namespace winnow::inspect {
namespace {

using ROCKSDB_NAMESPACE::Comparator;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

FileAnswer AnswerOfType(int type) {
  constexpr int kMergeType = 2;  // RocksDB's kTypeMerge
  return type == kMergeType ? FileAnswer::kMerge
         : IsDeletion(type) ? FileAnswer::kDeleted
                            : FileAnswer::kFound;
}

Slice SliceOf(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

// SplitMix64, by S. Vigna.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t Below(uint64_t n) { return Next() % n; }
  double Share() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

// Returns a key that differs from the given one in one byte, or has a byte appended.
std::string NearMiss(std::string key, size_t changeable, bool may_append, Random* random) {
  if (changeable == 0 || (may_append && random->Below(2) == 0)) {
    key.push_back(key.empty() ? 'a' : key[random->Below(key.size())]);
    return key;
  }
  const size_t at = changeable / 2 + random->Below(changeable - changeable / 2);
  key[at] = static_cast<char>(key[at] ^ static_cast<char>(1 + random->Below(7)));
  return key;
}

// Draws random places between the first and the last key. Each byte is in the range of the keys'
// bytes at its position, such as digits, so that places are about as dense as keys.
class Places {
 public:
  Places(const StoredRange& range, Random* random) : range_(range), random_(random) {
    const std::string& first = range.first;
    const std::string& last = range.last;
    same_ = static_cast<size_t>(
        std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first - first.begin());
    Learn(first);
    Learn(last);
  }

  // Extends the ranges of bytes by those of an existing key.
  void Learn(std::string_view key) {
    for (size_t i = 0; i < kBytes && same_ + i < key.size(); ++i) {
      const auto byte = static_cast<unsigned char>(key[same_ + i]);
      low_[i] = std::min(low_[i], byte);
      high_[i] = std::max(high_[i], byte);
    }
  }

  std::string Draw() {
    std::string place;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      place = range_.first.substr(0, same_);
      for (size_t i = 0; i < kBytes && low_[i] <= high_[i]; ++i) {
        place.push_back(
            static_cast<char>(low_[i] + random_->Below(uint64_t{1} + high_[i] - low_[i])));
      }
      // The bounds are compared bytewise, as the comparator may have the reverse order.
      if (std::min(range_.first, range_.last) <= place &&
          place <= std::max(range_.first, range_.last)) {
        break;
      }
    }
    return place;
  }

 private:
  static constexpr size_t kBytes = 8;  // number of varied bytes, after the common prefix
  static constexpr int kAttempts = 200;

  const StoredRange& range_;
  Random* random_;
  size_t same_ = 0;
  unsigned char low_[kBytes] = {255, 255, 255, 255, 255, 255, 255, 255};
  unsigned char high_[kBytes] = {};
};

// Counts the keys of a file's filter, or of each partition, if the file does not record them:
// entries may be versions of fewer keys.
class FilterCount {
 public:
  FilterCount(const AdvisedFile& file, const FilterContents& contents, const Comparator* comparator)
      : added_(contents) {
    if (!file.partitions.empty()) {
      sst_ = ReadRawSst(file.path);
      if (!sst_.error) filter_.emplace(file.path, sst_, comparator);
    }
    if (filter_) walk_.emplace(filter_->partitions(), comparator);
    if (filter_ || !file.keys_are_known) keys_.resize(std::max<size_t>(file.partitions.size(), 1));
  }

  void Add(const InternalKey& entry, std::string_view key) {
    if (keys_.empty()) return;
    if (const size_t of_key = walk_ ? walk_->PartitionOf(entry) : 0; of_key != partition_) {
      added_.Forget();
      partition_ = of_key;
    }
    added_.Take(key, [this](std::string_view) {
      if (partition_ < keys_.size()) ++keys_[partition_];
    });
  }

  const std::vector<uint64_t>& keys() const { return keys_; }

 private:
  AddedKeys added_;
  RawSst sst_;
  std::optional<StoredFilter> filter_;
  std::optional<PartitionWalk> walk_;
  size_t partition_ = 0;
  std::vector<uint64_t> keys_;
};

class Drawer {
 public:
  Drawer(const AdvisedFile& file, const DrawOptions& options, InternalKeys* keys)
      : file_(file),
        options_(options),
        contents_(ContentsOf(keys->properties())),
        comparator_(*FindComparator(file.comparator)),
        keys_(*keys),
        random_(options.seed),
        random_present_(~options.seed) {}

  void ReadAll(const std::function<void(double share)>& progress) {
    constexpr uint64_t kEntriesBetweenBeats = 1 << 16;
    const auto& properties = keys_.properties();
    const uint64_t entries =
        properties.num_entries - std::min(properties.num_entries, properties.num_range_deletions);
    const std::vector<uint64_t> places = DrawPlaces(options_.lookups, entries, &random_);
    const std::vector<uint64_t> present = DrawPlaces(options_.present, entries, &random_present_);
    uint64_t at = 0;
    auto next = places.begin();
    auto next_present = present.begin();
    FilterCount count(file_, contents_, &comparator_);
    // Reads to the end even after the last place, so that damage in the rest of the file is found.
    for (keys_.SeekToFirst(); keys_.Valid(); keys_.Next(), ++at) {
      for (; next != places.end() && *next == at; ++next) Take();
      for (; next_present != present.end() && *next_present == at; ++next_present) TakePresent();
      count.Add(keys_.key(), Key());
      if (at % kEntriesBetweenBeats == 0) {
        progress(std::min(1.0, static_cast<double>(at) / static_cast<double>(entries + 1)));
      }
    }
    drawn_.filter_keys = count.keys();
  }

  void SeekPlaces() {
    constexpr uint64_t kToLearn = 32;
    Places places(file_.range, &random_);
    for (uint64_t i = 0; i < kToLearn + options_.lookups + options_.present; ++i) {
      keys_.Seek(places.Draw());
      if (!keys_.Valid() && keys_.status().ok()) {
        keys_.SeekToLast();
      }
      if (!keys_.Valid()) {
        return;
      }
      places.Learn(keys_.key().user_key);
      if (i >= kToLearn + options_.lookups) {
        TakePresent();
      } else if (i >= kToLearn) {
        Take();
      }
    }
  }

  DrawnKeys drawn() && { return std::move(drawn_); }

 private:
  // Returns n random entry numbers, sorted.
  static std::vector<uint64_t> DrawPlaces(uint64_t n, uint64_t entries, Random* random) {
    std::vector<uint64_t> places;
    for (uint64_t i = 0; i < n && entries > 0; ++i) {
      places.push_back(random->Below(entries));
    }
    absl::c_sort(places);
    return places;
  }

  // Returns the current key without its timestamp.
  std::string_view Key() const {
    const std::string_view key = keys_.key().user_key;
    return key.substr(0, key.size() - std::min(key.size(), comparator_.timestamp_size()));
  }

  void TakePresent() { drawn_.present.emplace_back(Key()); }

  void Take() {
    constexpr int kAttempts = 16;
    const std::string key(Key());
    if (random_.Share() >= options_.absent_share) {
      drawn_.lookups.push_back(key);
      return;
    }
    size_t changeable = key.size();
    if (!contents_.whole_keys && contents_.prefixes != nullptr &&
        contents_.prefixes->InDomain(key)) {
      changeable = contents_.prefixes->Transform(key).size();
    }
    // Many changes of the file's first and last keys lead out of its range.
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::string near = NearMiss(key, changeable, contents_.whole_keys, &random_);
      if (IsWithin(file_.range, &comparator_, near)) {
        drawn_.lookups.push_back(std::move(near));
        return;
      }
    }
  }

  const AdvisedFile& file_;
  const DrawOptions& options_;
  const FilterContents contents_;
  const Comparator& comparator_;
  InternalKeys& keys_;
  Random random_;
  Random random_present_;  // separate, so that present keys do not change the drawn lookups
  DrawnKeys drawn_;
};

// Returns true if every filter would let the absent key through: its prefix is in the file and the
// filter has only prefixes, or the filter can't be queried for it.
bool PassesAnyFilter(const std::string& key, const FilterContents& contents,
                     const Comparator* comparator, InternalKeys* entries) {
  const std::optional<std::string_view> asked = AskedBytes(contents, key);
  if (!asked || contents.whole_keys) return !asked;
  entries->Seek(SoughtKey(std::string(*asked), comparator));
  if (!entries->Valid()) return false;
  const Slice next = SliceOf(entries->key().user_key);
  return contents.prefixes->InDomain(next) &&
         contents.prefixes->Transform(next).ToStringView() == *asked;
}

}  // namespace

bool IsDeletion(int type) { return type == 0x00 || type == 0x07 || type == 0x14; }

DrawnKeys DrawLookups(const AdvisedFile& file, const DrawOptions& options,
                      const std::function<void(double share)>& progress) {
  DrawnKeys drawn;
  std::unique_ptr<InternalKeys> keys;
  const Status status = InternalKeys::Open(file.path, FindComparator(file.comparator), &keys);
  if (!status.ok()) {
    drawn.error = CantReadKeys(status);
    return drawn;
  }
  Drawer drawer(file, options, keys.get());
  if (file.is_sampled) {
    drawer.ReadAll(progress);
  } else if (!file.range.empty) {
    drawer.SeekPlaces();
  }
  drawn = std::move(drawer).drawn();
  if (!keys->status().ok()) drawn.error = CantReadKeys(keys->status());
  return drawn;
}

std::vector<AskedRange> LookupsWithin(const std::vector<std::string>& keys,
                                      const AdvisedFamily& family) {
  std::vector<AskedRange> ranges;
  for (const AdvisedFile& file : family.files) {
    const StoredRange& range = file.range;
    AskedRange& found = ranges.emplace_back();
    if (range.empty) continue;
    const auto compare = [&](const std::string& key, const std::string& end) {
      return family.comparator->CompareWithoutTimestamp(key, false, end, true);
    };
    const auto begin = std::partition_point(keys.begin(), keys.end(), [&](const std::string& key) {
      return compare(key, range.first) < 0;
    });
    const auto end = std::partition_point(
        begin, keys.end(), [&](const std::string& key) { return compare(key, range.last) <= 0; });
    found = {static_cast<size_t>(begin - keys.begin()), static_cast<size_t>(end - keys.begin())};
  }
  return ranges;
}

std::vector<uint32_t> SortedPlaces(const Comparator& comparator,
                                   const std::vector<std::string>& keys) {
  std::vector<uint32_t> places(keys.size());
  absl::c_iota(places, 0);
  absl::c_sort(places, [&](uint32_t a, uint32_t b) {
    return comparator.CompareWithoutTimestamp(keys[a], false, keys[b], false) < 0;
  });
  return places;
}

std::string AskFile(const std::string& path, const std::vector<std::string>& keys,
                    const AskedRange& range, std::string* error) {
  std::string answers(range.end - range.begin, static_cast<char>(FileAnswer::kDenied));
  error->clear();
  const RawSst sst = ReadRawSst(path);
  if (sst.error) {
    *error = *sst.error;
    return answers;
  }
  const Comparator* comparator = FindComparator(sst.properties->comparator_name);
  std::unique_ptr<InternalKeys> entries;
  const Status status = InternalKeys::Open(path, comparator, &entries);
  if (!status.ok()) {
    *error = CantReadKeys(status);
    return answers;
  }
  StoredFilter filter(path, sst, comparator);
  for (size_t i = 0; i < answers.size(); ++i) {
    const std::string& key = keys[range.begin + i];
    if (!filter.MayContain(key, HashKey(key).value).value_or(true)) {
      continue;
    }
    entries->Seek(SoughtKey(key, comparator));
    if (!entries->status().ok()) {
      *error = CantReadKeys(entries->status());
      return answers;
    }
    const bool found =
        entries->Valid() && comparator->CompareWithoutTimestamp(
                                key, false, SliceOf(entries->key().user_key), true) == 0;
    answers[i] = static_cast<char>(
        found ? AnswerOfType(entries->key().type)
        : PassesAnyFilter(key, filter.contents(), comparator, entries.get()) ? FileAnswer::kSure
                                                                             : FileAnswer::kFalse);
  }
  return answers;
}

void FollowLookups(const std::vector<AskedRange>& ranges, const std::vector<std::string>& answers,
                   bool drop_found, FamilyLookups* lookups) {
  const size_t n = lookups->keys.size();
  std::vector<bool> ended(n);
  std::vector<bool> found(n);
  std::vector<bool> deleted(n);
  if (drop_found) {
    for (size_t file = 0; file < ranges.size(); ++file) {
      for (size_t i = 0; i < answers[file].size(); ++i) {
        if (answers[file][i] >= static_cast<char>(FileAnswer::kFound)) {
          ended[ranges[file].begin + i] = true;
        }
      }
    }
  }
  const std::vector<bool> dropped = ended;
  lookups->asks.assign(ranges.size(), {});
  lookups->sure.assign(ranges.size(), 0);
  lookups->false_reads = 0;
  for (size_t file = 0; file < ranges.size(); ++file) {
    for (size_t i = 0; i < answers[file].size(); ++i) {
      const size_t lookup = ranges[file].begin + i;
      const auto answer = static_cast<FileAnswer>(answers[file][i]);
      if (ended[lookup]) {
        continue;
      }
      if (answer >= FileAnswer::kFound) {
        deleted[lookup] = !found[lookup] && answer == FileAnswer::kDeleted;
        found[lookup] = true;
        ended[lookup] = answer != FileAnswer::kMerge;
        continue;
      }
      lookups->asks[file].push_back(static_cast<uint32_t>(lookup));
      lookups->false_reads += answer != FileAnswer::kDenied ? 1 : 0;
      lookups->sure[file] += answer == FileAnswer::kSure ? 1 : 0;
    }
  }
  AskedRange all = {n, 0};  // between the smallest and the largest key of all files
  for (const AskedRange& range : ranges) {
    if (range.begin < range.end) {
      all = {std::min(all.begin, range.begin), std::max(all.end, range.end)};
    }
  }
  lookups->lookups = 0;
  lookups->absent = 0;
  lookups->asks_of_one = 0;
  for (size_t i = 0; i < n; ++i) {
    if (dropped[i]) {
      continue;
    }
    const bool within = all.begin <= i && i < all.end;
    ++lookups->lookups;
    lookups->absent += found[i] ? 0 : 1;
    lookups->asks_of_one += within && (!found[i] || deleted[i]) ? 1 : 0;
  }
}

double LiveShare(const std::vector<AskedRange>& ranges, const std::vector<std::string>& answers,
                 size_t present) {
  std::vector<uint32_t> files(present);
  std::vector<bool> live(present);
  for (size_t file = 0; file < ranges.size(); ++file) {
    for (size_t i = 0; i < answers[file].size(); ++i) {
      const size_t key = ranges[file].begin + i;
      const auto answer = static_cast<FileAnswer>(answers[file][i]);
      if (answer >= FileAnswer::kFound) {
        live[key] = files[key] == 0 ? answer != FileAnswer::kDeleted : live[key];
        ++files[key];
      }
    }
  }
  // A key that is in three files is drawn with three times the probability.
  double sum = 0;
  double counted = 0;
  for (size_t key = 0; key < present; ++key) {
    sum += live[key] ? 1.0 / files[key] : 0;
    counted += files[key] > 0 ? 1 : 0;
  }
  return counted > 0 ? sum / counted : 1;
}

}  // namespace winnow::inspect
