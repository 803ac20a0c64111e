#include "src/rocksdb/key_grid.h"

#include <algorithm>
#include <utility>

namespace winnow::plugin {

KeyGrid::KeyGrid(std::string prefix, const std::vector<GridFile>& files, const FormerGrid& former)
    : prefix_(std::move(prefix)) {
  std::string last;
  for (const GridFile& file : files) {
    keys_.push_back(file.first);
    last = std::max(last, file.last);
  }
  keys_.push_back(std::move(last));
  std::sort(keys_.begin(), keys_.end());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());

  // Keys in the part that begins here, above those in the one before.
  std::vector<double> more(keys_.size());
  const auto part_of = [&](const std::string& key) {
    return static_cast<size_t>(std::lower_bound(keys_.begin(), keys_.end(), key) - keys_.begin());
  };
  for (const GridFile& file : files) {
    const size_t begin = part_of(file.first);
    const size_t end = std::max(part_of(file.last), begin + 1);
    if (end == keys_.size()) continue;  // of the last key alone
    const double keys = file.keys / static_cast<double>(end - begin);
    more[begin] += keys;
    more[end] -= keys;
  }
  double in_part = 0;
  double before = 0;
  for (const double keys : more) {
    places_.push_back(before);
    in_part += keys;
    before += std::max(in_part, 0.0);
  }
  all_ = places_.back();
  for (double& place : places_) place = all_ > 0 ? place / all_ : 0;
  CountDigits();
  CountTime(former);
}

// A part's keys are as old as those that the former grid had between the same cuts; those that came
// since, as this grid.
void KeyGrid::CountTime(const FormerGrid& former) {
  since_.assign(keys_.size(), former.now);
  if (former.grid == nullptr) return;
  double low = former.grid->PlaceOf(keys_.front(), prefix_.size());
  for (size_t part = 0; part + 1 < keys_.size(); ++part) {
    const double high = former.grid->PlaceOf(keys_[part + 1], prefix_.size());
    const double keys = (places_[part + 1] - places_[part]) * all_;
    const double share = keys > 0 ? std::min(1.0, (high - low) * former.grid->all_ / keys) : 0;
    const double since = former.grid->SinceAt((low + high) / 2);
    since_[part] += share * (since - since_[part]);
    low = high;
  }
}

size_t KeyGrid::PartAt(double place) const noexcept {
  const auto above = std::upper_bound(places_.begin(), places_.end(), place);
  const auto at = static_cast<size_t>(above - places_.begin());
  return std::min(std::max<size_t>(at, 1), places_.size() - 1) - 1;
}

double KeyGrid::SinceAt(double place) const noexcept {
  return keys_.size() < 2 ? since_.front() : since_[PartAt(place)];
}

void KeyGrid::CountDigits() {
  std::array<bool, 256> has{};
  for (const std::string& key : keys_) {
    for (const char byte : key) has[static_cast<unsigned char>(byte)] = true;
  }
  for (size_t byte = 1; byte < has.size(); ++byte) {
    digits_[byte] = static_cast<uint8_t>(digits_[byte - 1] + (has[byte - 1] ? 1 : 0));
  }
  base_ = digits_.back() + (has.back() ? 1.0 : 0.0);
}

double KeyGrid::PlaceOf(std::string_view key, size_t left_out) const noexcept {
  const std::string_view prefix =
      std::string_view(prefix_).substr(std::min(left_out, prefix_.size()));
  const std::string_view begin = key.substr(0, prefix.size());
  if (begin == prefix) return PlaceOfRest(key.substr(prefix.size()));
  return begin < prefix ? 0 : 1;
}

bool KeyGrid::Covers(std::string_view key) const noexcept {
  if (key.substr(0, prefix_.size()) != prefix_) return false;
  const std::string_view rest = key.substr(prefix_.size());
  return keys_.front() <= rest && rest <= keys_.back();
}

double KeyGrid::PlaceOfRest(std::string_view rest) const noexcept {
  const auto above = std::upper_bound(keys_.begin(), keys_.end(), rest);
  if (above == keys_.begin()) return 0;
  if (above == keys_.end()) return 1;
  const auto at = static_cast<size_t>(above - keys_.begin());
  return places_[at - 1] +
         (places_[at] - places_[at - 1]) * Between(keys_[at - 1], keys_[at], rest);
}

// Of the bytes from here on, as those of a fraction.
double KeyGrid::NumberAt(std::string_view key, size_t begin) const noexcept {
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

// How far a key lies between two that are not equal, from 0 to 1.
double KeyGrid::Between(std::string_view low, std::string_view high,
                        std::string_view key) const noexcept {
  const auto differ = std::mismatch(low.begin(), low.end(), high.begin(), high.end());
  const auto common = static_cast<size_t>(differ.first - low.begin());
  const double begin = NumberAt(low, common);
  const double width = NumberAt(high, common) - begin;
  return width > 0 ? std::clamp((NumberAt(key, common) - begin) / width, 0.0, 1.0) : 0.5;
}

MovedPlaces::MovedPlaces(const KeyGrid& from, const KeyGrid& to) : from_(from) {
  cuts_.reserve(from.keys_.size());
  std::string key = from.prefix_;
  for (const std::string& cut : from.keys_) {
    key.resize(from.prefix_.size());
    key += cut;
    cuts_.push_back(to.PlaceOf(key));
  }
}

double MovedPlaces::operator()(double place) const noexcept {
  if (cuts_.size() < 2) return 0;
  const size_t part = from_.PartAt(place);
  const double low = from_.places_[part];
  const double width = from_.places_[part + 1] - low;
  const double share = width > 0 ? std::clamp((place - low) / width, 0.0, 1.0) : 0;
  return cuts_[part] + share * (cuts_[part + 1] - cuts_[part]);
}

}  // namespace winnow::plugin
