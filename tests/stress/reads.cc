#include "tests/stress/reads.h"

#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "tests/stress/timestamps.h"

namespace winnow::stress {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

// Returns the first string after all strings with the prefix. `prefix` must not be all 0xff.
std::string Successor(std::string prefix) {
  while (prefix.back() == '\xff') prefix.pop_back();
  ++prefix.back();
  return prefix;
}

}  // namespace

Reads::Reads(const View& view, Random* random, Counts* counts)
    : view_(view), random_(random), counts_(counts) {}

uint64_t Reads::SomeNumber() {
  const uint64_t keys = view_.keys->keys();
  // Half of the lookups are in a tenth of the key space.
  return random_->Below(random_->Below(2) == 0 ? keys / 10 + 1 : keys) % keys;
}

std::string Reads::SomeKey() { return view_.keys->Key(SomeNumber()); }

void Reads::Any() {
  const size_t family = random_->Below(kFamilies);
  std::vector<std::string> keys;
  const auto some_keys = [this, &keys](uint64_t most) {
    for (uint64_t n = 1 + random_->Below(most); n > 0; --n) keys.push_back(SomeKey());
    return keys;
  };
  const uint64_t kind = random_->Below(100);
  if (kind < 45) {
    Get(family, SomeKey());
  } else if (kind < 60) {
    MultiGet(family, some_keys(random_->Below(8) == 0 ? 80 : 12));
  } else if (kind < 63) {
    MultiGetOfStrings(family, some_keys(20));
  } else if (kind < 67) {
    MultiGetInFamilies(some_keys(20));
  } else if (kind < 73) {
    KeyMayExist(family, SomeKey());
  } else if (kind < 88) {
    PrefixSeek(family, SomeKey());
  } else if (kind < 92) {
    PrefixSeekForPrev(family, SomeKey());
  } else {
    Walk(family, SomeKey(), random_->Below(60));
  }
}

ReadOptions Reads::Options() {
  ReadOptions options;
  options.snapshot = view_.snapshot;
  options.fill_cache = random_->Below(4) != 0;
  return options;
}

std::unique_ptr<Iterator> Reads::NewIterator(const ReadOptions& options, size_t family) const {
  return std::unique_ptr<Iterator>(
      view_.database->db().NewIterator(options, view_.database->family(family)));
}

Difference Reads::About(Question question, const char* operation, size_t family,
                        const std::string& key) const {
  Difference difference;
  difference.question = question;
  difference.operation = operation;
  difference.family = family;
  difference.key = key;
  difference.snapshot = view_.snapshot;
  difference.expected = view_.model->Find(family, key);
  return difference;
}

void Reads::Compare(Question question, const char* operation, size_t family, const std::string& key,
                    const Status& status, const std::string& value) {
  counts_->Add(Count::kAnswers);
  const auto& model = view_.model->families[family];
  const auto expected = model.find(key);
  if (expected == model.end() ? status.IsNotFound() : status.ok() && value == expected->second) {
    return;
  }
  RequireAnswer(About(question, operation, family, key), status, value);
}

void Reads::Get(size_t family, const std::string& key) {
  PinnableSlice value;
  const Status status =
      view_.database->db().Get(Options(), view_.database->family(family), key, &value);
  Compare(Question::kGet, "Get", family, key, status, value.ToString());
}

void Reads::MultiGet(size_t family, const std::vector<std::string>& keys) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<PinnableSlice> values(keys.size());
  std::vector<Status> statuses(keys.size());
  view_.database->db().MultiGet(Options(), view_.database->family(family), slices.size(),
                                slices.data(), values.data(), statuses.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    Compare(Question::kMultiGet, "MultiGet", family, keys[i], statuses[i], values[i].ToString());
  }
}

void Reads::MultiGetOfStrings(size_t family, const std::vector<std::string>& keys) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  const std::vector<ColumnFamilyHandle*> families(keys.size(), view_.database->family(family));
  std::vector<std::string> values;
  const std::vector<Status> statuses =
      view_.database->db().MultiGet(Options(), families, slices, &values);
  for (size_t i = 0; i < keys.size(); ++i) {
    Compare(Question::kMultiGet, "MultiGet of strings", family, keys[i], statuses[i], values[i]);
  }
}

void Reads::MultiGetInFamilies(const std::vector<std::string>& keys) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<size_t> numbers;
  std::vector<ColumnFamilyHandle*> families;
  for (size_t i = 0; i < keys.size(); ++i) {
    numbers.push_back(random_->Below(kFamilies));
    families.push_back(view_.database->family(numbers.back()));
  }
  std::vector<PinnableSlice> values(keys.size());
  std::vector<Status> statuses(keys.size());
  view_.database->db().MultiGet(Options(), slices.size(), families.data(), slices.data(),
                                values.data(), statuses.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    Compare(Question::kMultiGet, "MultiGet in several families", numbers[i], keys[i], statuses[i],
            values[i].ToString());
  }
}

void Reads::KeyMayExist(size_t family, const std::string& key) {
  std::string value;
  bool is_found = false;
  const bool may_exist = view_.database->db().KeyMayExist(Options(), view_.database->family(family),
                                                          key, &value, &is_found);
  // A key that may exist need not. RocksDB may also report a value without returning it, if it
  // stopped at an index block that is not cached (7.8.3, even without filters); values here are
  // never empty.
  if (may_exist && is_found && !value.empty()) {
    Compare(Question::kKeyMayExist, "KeyMayExist", family, key, Status::OK(), value);
  } else if (!may_exist) {
    Compare(Question::kKeyMayExist, "KeyMayExist", family, key, Status::NotFound(), "");
  }
}

void Reads::CompareEntry(const Difference& about, const Iterator& at,
                         FamilyModel::const_iterator expected, bool is_expected, bool is_found) {
  counts_->Add(Count::kAnswers);
  const bool is_same =
      is_expected == is_found &&
      (!is_found || (at.key() == expected->first && at.value() == expected->second));
  if (is_same) {
    if (!is_found) Require(at.status(), about.operation);
    return;
  }
  Difference difference = about;
  // The first key in the order of the iteration is the missing or surplus one.
  const bool is_surplus = is_found && (!is_expected || at.key().compare(expected->first) < 0);
  difference.key = is_surplus ? at.key().ToString() : expected->first;
  difference.expected = is_surplus ? std::nullopt : std::optional<std::string>(expected->second);
  if (is_found && at.key() == difference.key) difference.found = at.value().ToString();
  if (!at.status().ok()) difference.status = at.status().ToString();
  throw DifferenceFound{difference};
}

template <typename IsIn>
void Reads::CompareForward(const Difference& about, Iterator* at, IsIn is_in) {
  const FamilyModel& model = view_.model->families[about.family];
  at->Seek(about.target);
  auto expected = model.lower_bound(about.target);
  for (uint64_t i = 0; i < 100; ++i) {
    const bool is_expected = expected != model.end() && is_in(expected->first);
    const bool is_found = at->Valid() && is_in(at->key().ToString());
    CompareEntry(about, *at, expected, is_expected, is_found);
    if (!is_found) break;
    ++expected;
    at->Next();
  }
}

std::string Reads::SomeBound(const std::string& target) {
  std::string bound = target;
  switch (random_->Below(6)) {
    case 0:
      bound += '\0';
      break;
    case 1:  // a few bytes of padding further
      bound.resize(std::min(bound.size(), kMinKeyBytes + 1));
      bound = Successor(bound);
      break;
    case 2:
      bound = view_.keys->GroupStart(random_->Below(view_.keys->groups() + 1));
      break;
    case 3:
      bound = view_.keys->End();
      break;
    case 4:
      bound = SomeKey();
      break;
    default:  // the next numbers of the group
      bound.resize(kMinKeyBytes);
      bound.back() = static_cast<char>(std::min('9' + 1, bound.back() + 2));
      break;
  }
  return target < bound ? bound : target + "\xff";
}

void Reads::RangeSeek(size_t family, const std::string& target) {
  counts_->Add(Count::kRangeSeeks);
  // The range may also begin between two keys.
  std::string begin = target;
  if (random_->Below(2) == 0) begin += '\0';
  const std::string end = SomeBound(begin);
  const Slice lower_bound = begin;
  const Slice upper_bound = end;
  ReadOptions options = Options();
  options.iterate_upper_bound = &upper_bound;
  options.auto_prefix_mode = random_->Below(4) == 0;
  if (random_->Below(4) == 0) options.iterate_lower_bound = &lower_bound;
  Difference about = About(Question::kRangeSeek, "Seek with an upper bound", family, begin);
  about.target = begin;
  const std::unique_ptr<Iterator> at = NewIterator(options, family);
  CompareForward(about, at.get(), [&end](const std::string& key) { return key < end; });
}

void Reads::PrefixSeek(size_t family, const std::string& target) {
  const Extractor& extractor = view_.database->extractor(family);
  if (!extractor.InDomain(target)) return;
  if (extractor.kind == Extractor::Kind::kRanges) return RangeSeek(family, target);
  counts_->Add(Count::kPrefixSeeks);
  const std::string prefix = extractor.PrefixOf(target);
  const std::string end = Successor(prefix);
  const Slice upper_bound = end;
  ReadOptions options = Options();
  const char* operation = "Seek in a prefix";
  switch (random_->Below(4)) {
    case 0:
      // RocksDB compares the prefixes of all keys it meets, so all must be in the domain.
      if (extractor.TakesAll()) {
        options.prefix_same_as_start = true;
        operation = "Seek with prefix_same_as_start";
      }
      break;
    case 1:
      // RocksDB's options.h allows it to omit keys shorter than the prefix.
      if (extractor.kind == Extractor::Kind::kFixed && extractor.TakesAll()) {
        options.auto_prefix_mode = true;
        options.iterate_upper_bound = &upper_bound;
        operation = "Seek with auto_prefix_mode";
      }
      break;
    case 2:
      options.iterate_upper_bound = &upper_bound;
      operation = "Seek with an upper bound in a prefix";
      break;
    default:
      break;
  }
  Difference about = About(Question::kPrefixSeek, operation, family, target);
  about.target = target;
  // A key shorter than the cap has its own prefix, so equal leading bytes are not enough.
  const auto has_prefix = [&extractor, &prefix](const std::string& key) {
    return extractor.InDomain(key) && extractor.PrefixOf(key) == prefix;
  };
  const std::unique_ptr<Iterator> at = NewIterator(options, family);
  CompareForward(about, at.get(), has_prefix);
}

void Reads::PrefixSeekForPrev(size_t family, const std::string& target) {
  const Extractor& extractor = view_.database->extractor(family);
  if (!extractor.InDomain(target)) return;
  counts_->Add(Count::kPrefixSeeks);
  const FamilyModel& model = view_.model->families[family];
  auto expected = model.upper_bound(target);
  const std::string prefix = extractor.PrefixOf(target);
  // RocksDB's answer is undefined outside the prefix.
  if (expected == model.begin()) return;
  --expected;
  if (!extractor.InDomain(expected->first) || extractor.PrefixOf(expected->first) != prefix) return;
  Difference about = About(Question::kPrefixSeekForPrev, "SeekForPrev in a prefix", family, target);
  about.target = target;
  const std::unique_ptr<Iterator> at = NewIterator(Options(), family);
  at->SeekForPrev(target);
  CompareEntry(about, *at, expected, true, at->Valid());
}

void Reads::Walk(size_t family, const std::string& target, uint64_t steps) {
  const FamilyModel& model = view_.model->families[family];
  ReadOptions options = Options();
  options.total_order_seek = true;
  const std::string lower = view_.keys->Begin();
  const std::string upper = view_.keys->End();
  const Slice lower_bound = lower;
  const Slice upper_bound = upper;
  options.iterate_lower_bound = &lower_bound;
  options.iterate_upper_bound = &upper_bound;
  const std::unique_ptr<Iterator> at = NewIterator(options, family);
  const Difference about = About(Question::kTotalOrder, "a walk in total order", family, target);
  at->Seek(target);
  auto expected = model.lower_bound(target);
  CompareEntry(about, *at, expected, expected != model.end(), at->Valid());
  for (uint64_t i = 0; i < steps && at->Valid(); ++i) {
    at->Next();
    ++expected;
    CompareEntry(about, *at, expected, expected != model.end(), at->Valid());
  }
  if (!at->Valid()) return;
  // Moves the model back by one entry and compares. Returns whether there is an entry before.
  const auto is_one_back = [&] {
    const bool is_expected = expected != model.begin();
    expected = is_expected ? std::prev(expected) : model.end();
    CompareEntry(about, *at, expected, is_expected, at->Valid());
    return is_expected;
  };
  if (random_->Below(2) == 0) {
    at->SeekForPrev(target);
    expected = model.upper_bound(target);
    if (!is_one_back()) return;
  }
  for (uint64_t i = 0; i < steps; ++i) {
    at->Prev();
    if (!is_one_back()) return;
  }
}

PartModel Reads::Scan() const {
  PartModel found;
  for (size_t family = 0; family < kFamilies; ++family) {
    ReadOptions options;
    options.total_order_seek = true;
    options.snapshot = view_.snapshot;
    const std::string end = view_.keys->End();
    const Slice upper_bound = end;
    options.iterate_upper_bound = &upper_bound;
    const std::unique_ptr<Iterator> at = NewIterator(options, family);
    FamilyModel& model = found.families[family];
    for (at->Seek(view_.keys->Begin()); at->Valid(); at->Next()) {
      model.emplace_hint(model.end(), at->key().ToString(), at->value().ToString());
    }
    Require(at->status(), "a scan in total order");
  }
  found.families[kTimedFamily] = ScanVersions(*view_.database, *view_.keys);
  return found;
}

void Reads::All() {
  const PartModel found = Scan();
  for (const FamilyModel& family : view_.model->families) {
    counts_->Add(Count::kAnswers, family.size());
  }
  if (const auto first = FirstDifference(*view_.model, found)) {
    Difference difference =
        About(Question::kTotalOrder, "a scan in total order", first->family, first->key);
    difference.found = first->found;
    // The key is a version's in this column family, which no lookup can repeat.
    if (first->family == kTimedFamily) difference.question = Question::kStatus;
    throw DifferenceFound{difference};
  }
  for (uint64_t i = 0; i < view_.keys->keys() / 4; ++i) {
    ReadSomeVersions(view_, random_, counts_);
  }
  std::vector<uint64_t> order(view_.keys->keys());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_->Below(i)]);
  for (size_t family = 0; family < kFamilies; ++family) {
    for (size_t first = 0; first < order.size();) {
      const size_t batch = std::min(order.size() - first, size_t{1} + random_->Below(70));
      std::vector<std::string> keys;
      for (size_t i = first; i < first + batch; ++i) keys.push_back(view_.keys->Key(order[i]));
      // Filters have a separate code path for single keys.
      if (random_->Below(3) == 0) {
        for (const std::string& key : keys) Get(family, key);
      } else {
        MultiGet(family, keys);
      }
      first += batch;
    }
  }
}

}  // namespace winnow::stress
