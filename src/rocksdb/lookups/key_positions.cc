#include "src/rocksdb/lookups/key_positions.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace winnow::plugin {
namespace {

// Minimum share of a file's keys in one of the parts that it covers.
constexpr double kMinShare = 1e-3;

// Share of the former grid's keys in a range that remains if fewer keys are known now: a
// compaction's inputs count as deleted from its first output on, which leaves a gap until its last
// output. Of keys that are really gone, a fifth is left after 15 grids, in which time about as much
// is written as a tree has.
constexpr double kRemembered = 0.9;

// Factor by which a range's keys must grow to count as new keys: small numbers of keys are not
// exact, and lookups checked files there before.
constexpr double kSameKeys = 1.25;

// Number of common bytes, beyond those of the keys around them, that make keys a group, such as a
// tenant's. As numbers, all keys of a group would be equal.
constexpr size_t kBytesOfAGroup = 8;

}  // namespace

KeyPositions::KeyPositions(std::string prefix, const std::vector<FileKeys>& files,
                           const FormerPositions& former, std::shared_ptr<const SharedRuns> runs)
    : prefix_(std::move(prefix)), runs_(std::move(runs)) {
  std::string last;
  for (const FileKeys& file : files) {
    keys_.push_back(file.first);
    last = std::max(last, file.last);
  }
  keys_.push_back(std::move(last));
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  CountCommon();
  CountDigits();
  const std::vector<double> known = KeysOfParts(files);
  const std::vector<double> places = PlacesInFormer(former);
  places_.reserve(keys_.size());
  double before = 0;
  for (size_t part = 0; part < keys_.size(); ++part) {
    places_.push_back(before);
    before += std::max(known[part], kRemembered * KeysInFormer(former, places, part));
  }
  all_ = places_.back();
  for (double& place : places_) place = all_ > 0 ? place / all_ : 0;
  CountTime(former, places);
}

KeyPositions::KeyPositions(std::string prefix, const std::vector<FileKeys>& files,
                           const std::vector<double>& since, std::shared_ptr<const SharedRuns> runs)
    : KeyPositions(std::move(prefix), files, FormerPositions(), std::move(runs)) {
  std::copy_n(since.begin(), std::min(since.size(), since_.size()), since_.begin());
}

KeyPositions::KeyPositions(std::vector<KeyAt> keys, std::shared_ptr<const SharedRuns> runs)
    : runs_(std::move(runs)) {
  std::sort(keys.begin(), keys.end(), [](const KeyAt& one, const KeyAt& other) {
    return std::tie(one.key, one.place) < std::tie(other.key, other.place);
  });
  for (KeyAt& at : keys) {
    if (!keys_.empty() && keys_.back() == at.key) continue;
    places_.push_back(std::max(at.place, places_.empty() ? 0 : places_.back()));
    keys_.push_back(std::move(at.key));
  }
  CountCommon();
  CountDigits();
  since_.assign(keys_.size(), 0);
}

void KeyPositions::CountCommon() {
  common_.assign(keys_.size() + 1, 0);  // one more at the end, with no common bytes
  for (size_t i = 1; i < keys_.size(); ++i) {
    common_[i] = static_cast<uint32_t>(CommonBytes(keys_[i - 1], keys_[i]));
  }
}

// Returns the cuts' positions in the former grid, or an empty vector if there is none.
std::vector<double> KeyPositions::PlacesInFormer(const FormerPositions& former) const {
  std::vector<double> places;
  if (former.grid == nullptr) return places;
  places.reserve(keys_.size());
  for (const std::string& key : keys_) {
    places.push_back(former.grid->PlaceOf(key, prefix_.size()));
  }
  return places;
}

double KeyPositions::KeysInFormer(const FormerPositions& former, const std::vector<double>& places,
                                  size_t part) noexcept {
  if (part + 1 >= places.size()) return 0;
  return former.grid->all_ * (places[part + 1] - places[part]);
}

std::vector<KeyPositions::Span> KeyPositions::SpansOf(const std::vector<FileKeys>& files) const {
  const auto part_of = [&](const std::string& key) {
    return static_cast<size_t>(std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin());
  };
  std::vector<Span> spans;
  spans.reserve(files.size());
  for (const FileKeys& file : files) {
    const Span span{&file, part_of(file.first), part_of(file.last)};
    if (span.begin < span.end) spans.push_back(span);
  }
  return spans;
}

// Returns the number of keys of each part, estimated from the narrowest file over it.
std::vector<double> KeyPositions::KeysOfNarrowest(std::vector<Span> spans) const {
  std::stable_sort(spans.begin(), spans.end(), [](const Span& one, const Span& other) {
    return one.end - one.begin < other.end - other.begin;
  });
  std::vector<double> keys(keys_.size(), 0);
  // Union-find by part: leads to the next part that no file so far covers.
  std::vector<size_t> next(keys_.size());
  std::iota(next.begin(), next.end(), size_t{0});
  const auto next_free = [&next](size_t part) {
    while (next[part] != part) part = next[part] = next[next[part]];
    return part;
  };
  for (const auto& [file, begin, end] : spans) {
    for (size_t part = next_free(begin); part < end; part = next_free(part)) {
      const std::string& to = std::min(keys_[part + 1], file->last);
      const double share =
          Between(file->first, file->last, to) - Between(file->first, file->last, keys_[part]);
      keys[part] = file->keys * std::max(share, kMinShare);
      next[part] = part + 1;
    }
  }
  return keys;
}

// Returns the number of keys of each part. A file's keys are assumed to be distributed like those
// of narrower files; keys of the narrowest file are assumed to be uniform as numbers.
std::vector<double> KeyPositions::KeysOfParts(const std::vector<FileKeys>& files) const {
  const std::vector<Span> spans = SpansOf(files);
  std::vector<double> keys = KeysOfNarrowest(spans);
  std::vector<double> before(keys.size() + 1, 0);
  std::partial_sum(keys.begin(), keys.end(), before.begin() + 1);
  std::vector<double> more(keys.size(), 0);  // files over the part, less files over the one before
  for (const auto& [file, begin, end] : spans) {
    const double narrowest = before[end] - before[begin];
    if (!(narrowest > 0)) continue;
    more[begin] += file->keys / narrowest;
    more[end] -= file->keys / narrowest;
  }
  double files_over = 0;
  for (size_t part = 0; part < keys.size(); ++part) {
    files_over += more[part];
    keys[part] *= std::max(files_over, 0.0);
  }
  return keys;
}

// Sets the time of each part. A part's keys are as old as the keys that the former grid had between
// these cuts. If many keys are new, these are as old as this grid.
void KeyPositions::CountTime(const FormerPositions& former, const std::vector<double>& places) {
  since_.assign(keys_.size(), former.now);
  size_t part_of_former = 0;
  for (size_t part = 0; part + 1 < places.size(); ++part) {
    const double keys = (places_[part + 1] - places_[part]) * all_;
    const double share =
        keys > 0 ? std::min(1.0, kSameKeys * KeysInFormer(former, places, part) / keys) : 0;
    const double middle = (places[part] + places[part + 1]) / 2;
    const double since = former.grid->SinceBehind(middle, &part_of_former);
    since_[part] += share * (since - since_[part]);
  }
}

double KeyPositions::SinceBehind(double place, size_t* part) const noexcept {
  while (*part + 2 < places_.size() && places_[*part + 1] <= place) ++*part;
  return since_[*part];
}

void KeyPositions::CountDigits() {
  std::array<bool, 256> has{};
  for (const std::string& key : keys_) {
    for (const char byte : key) has[static_cast<unsigned char>(byte)] = true;
  }
  for (size_t byte = 1; byte < has.size(); ++byte) {
    digits_[byte] = static_cast<uint8_t>(digits_[byte - 1] + (has[byte - 1] ? 1 : 0));
  }
  base_ = digits_.back() + (has.back() ? 1.0 : 0.0);
}

double KeyPositions::PlaceOf(std::string_view key) const noexcept {
  if (runs_ == nullptr) return PlaceOf(key, 0);
  char shortened[SharedRuns::kMaxKeyBytes];
  const size_t size = runs_->Shorten(key, shortened);
  return size == SharedRuns::kUnknown ? 1 : PlaceOfRest({shortened, size});
}

double KeyPositions::PlaceOf(std::string_view key, size_t left_out) const noexcept {
  const std::string_view prefix =
      std::string_view(prefix_).substr(std::min(left_out, prefix_.size()));
  const std::string_view begin = key.substr(0, prefix.size());
  if (begin == prefix) return PlaceOfRest(key.substr(prefix.size()));
  return begin < prefix ? 0 : 1;
}

bool KeyPositions::Covers(std::string_view key) const noexcept {
  if (runs_ != nullptr) {
    char shortened[SharedRuns::kMaxKeyBytes];
    const size_t size = runs_->Shorten(key, shortened);
    return size != SharedRuns::kUnknown && CoversRest({shortened, size});
  }
  if (key.substr(0, prefix_.size()) != prefix_) return false;
  return CoversRest(key.substr(prefix_.size()));
}

bool KeyPositions::CoversRest(std::string_view rest) const noexcept {
  return keys_.front() <= rest && rest <= keys_.back();
}

double KeyPositions::PlaceOfRest(std::string_view rest) const noexcept {
  const auto above = std::upper_bound(keys_.begin(), keys_.end(), rest);
  if (above == keys_.begin()) return 0;
  if (above == keys_.end()) return rest == keys_.back() ? places_.back() : 1;
  const auto part = static_cast<size_t>(above - keys_.begin()) - 1;
  return places_[part] + (places_[part + 1] - places_[part]) * ShareOfPart(part, rest);
}

// Returns the relative position of a key in a part, from 0 to 1. `rest` is not before the part's
// first key, and before its last. The next cut tells where a group begins or ends.
double KeyPositions::ShareOfPart(size_t part, std::string_view rest) const noexcept {
  const std::string_view low = keys_[part];
  const std::string_view high = keys_[part + 1];
  const size_t common = common_[part + 1];
  const size_t least = common + kBytesOfAGroup;
  const size_t low_group = common_[part];
  const size_t high_group = common_[part + 2];
  if (low_group < least && high_group < least) return Between(low, high, rest, common);
  const size_t with_low = CommonBytes(low, rest);
  const size_t with_high = CommonBytes(high, rest);
  if (with_low >= least) {
    if (low_group < least) return 1.0 / 6;
    if (with_low < low_group) return 1.0 / 3;
    const double begin = NumberAt(low, low_group);
    return std::clamp((NumberAt(rest, low_group) - begin) / (1 - begin), 0.0, 1.0) / 3;
  }
  if (with_high >= least) {
    if (high_group < least) return 5.0 / 6;
    if (with_high < high_group) return 2.0 / 3;
    const double end = NumberAt(high, high_group);
    const double share = end > 0 ? NumberAt(rest, high_group) / end : 0.5;
    return (2 + std::clamp(share, 0.0, 1.0)) / 3;
  }
  return (1 + Between(low, high, rest, common)) / 3;
}

// Returns the bytes from `begin` on as digits of a fraction.
double KeyPositions::NumberAt(std::string_view key, size_t begin) const noexcept {
  constexpr size_t kDigits = 12;
  const double step = 1 / base_;
  double number = 0;
  double unit = 1;
  for (size_t i = begin; i < std::min(key.size(), begin + kDigits); ++i) {
    unit *= step;
    number += unit * std::min<double>(digits_[static_cast<unsigned char>(key[i])], base_ - 1);
  }
  return number;
}

// Returns the relative position of a key between two different keys, from 0 to 1.
double KeyPositions::Between(std::string_view low, std::string_view high,
                             std::string_view key) const noexcept {
  return Between(low, high, key, CommonBytes(low, high));
}

double KeyPositions::Between(std::string_view low, std::string_view high, std::string_view key,
                             size_t common) const noexcept {
  const double begin = NumberAt(low, common);
  const double width = NumberAt(high, common) - begin;
  return width > 0 ? std::clamp((NumberAt(key, common) - begin) / width, 0.0, 1.0) : 0.5;
}

// Positions in both grids are linear in the keys as numbers between neighboring cuts of the two
// grids.
MovedPlaces::MovedPlaces(const KeyPositions& from, const KeyPositions& to) {
  cuts_.reserve(from.keys_.size() + to.keys_.size());
  std::string key = from.prefix_;
  for (size_t i = 0; i < from.keys_.size(); ++i) {
    key.resize(from.prefix_.size());
    key += from.keys_[i];
    cuts_.push_back({from.places_[i], to.PlaceOf(key, 0)});
  }
  for (size_t i = 0; i < to.keys_.size(); ++i) {
    const double place = from.PlaceOf(to.keys_[i], to.prefix_.size());
    if (0 < place && place < 1) cuts_.push_back({place, to.places_[i]});
  }
  std::sort(cuts_.begin(), cuts_.end(), [](const Cut& one, const Cut& other) {
    return std::tie(one.from, one.to) < std::tie(other.from, other.to);
  });
  if (cuts_.size() < 2) return;
  above_.reserve(cuts_.size() + 1);
  size_t cut = 1;
  for (size_t i = 0; i <= cuts_.size(); ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(cuts_.size());
    while (cut + 1 < cuts_.size() && cuts_[cut].from <= at) ++cut;
    above_.push_back(static_cast<uint32_t>(cut));
  }
}

double MovedPlaces::operator()(double place) const noexcept {
  if (cuts_.size() < 2) return 0;
  const double at = std::clamp(place, 0.0, 1.0) * static_cast<double>(cuts_.size());
  const auto step = static_cast<size_t>(at);
  // Rounding may have put `place` into the step before or after.
  const auto begin = cuts_.begin() + above_[std::max<size_t>(step, 1) - 1];
  const auto end = cuts_.begin() + above_[std::min(step + 2, cuts_.size())];
  const auto above = std::upper_bound(
      begin, end, place, [](double value, const Cut& cut) { return value < cut.from; });
  const Cut& high = *above;
  const Cut& low = *(above - 1);
  const double width = high.from - low.from;
  const double share = width > 0 ? std::clamp((place - low.from) / width, 0.0, 1.0) : 0;
  return low.to + share * (high.to - low.to);
}

}  // namespace winnow::plugin
