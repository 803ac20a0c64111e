// Keys and trees for tests of src/family: trees that flush and compact as a database with a
// listener, or with readers alone, would.

#ifndef WINNOW_TESTS_FAMILY_SIMULATED_TREE_H_
#define WINNOW_TESTS_FAMILY_SIMULATED_TREE_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/family/family.h"

namespace winnow::family {

inline constexpr double kUniform = 6.6;  // bits of uniform filters

// Returns 8 bytes in the order of the numbers.
inline std::string Key(uint64_t number) {
  std::string key(8, '\0');
  for (size_t i = 8; i-- > 0; number >>= 8) key[i] = static_cast<char>(number & 0xff);
  return key;
}
inline KeyRange Range(uint64_t first, uint64_t last) { return {Key(first), Key(last), {}}; }
inline FileName Name(uint64_t number, uint64_t database = 1) { return {database, number}; }

inline NewFile Flushed(KeyRange range, double keys) { return {std::move(range), keys, 0, true, 0}; }
inline NewFile Compacted(KeyRange range, double keys, int level, int job = 0) {
  return {std::move(range), keys, level, false, job};
}
inline ListedFile Listed(FileName name, int level, KeyRange range, double keys = 1000,
                         bool is_measured = true) {
  return {name, level, std::move(range), keys, kUniform, keys, is_measured};
}
inline FilePtr MakeFile(KeyRange range, double keys, double bits = 10) {
  auto file = std::make_shared<LiveFile>();
  file->range = std::move(range);
  file->keys = keys;
  file->bits = bits;
  return file;
}
inline void SetDenied(const FilePtr& file, const std::array<uint32_t, kPieces>& denied) {
  std::copy(denied.begin(), denied.end(), file->denied.begin());
}

// Returns a shape that has all edits.
inline std::shared_ptr<const Shape> LookAnew(Family* family) {
  family->SetOrdered(false);
  family->SetOrdered(true);
  return family->Look();
}

// A tree with real keys.
class SimulatedTree {
 public:
  struct Form {
    bool is_leveled;  // else universal
    size_t runs;      // on level 0; universal: of all
    bool by_readers = false;
    bool is_ordered = true;  // else files show ranges that mean nothing
  };
  struct File {
    FilePtr record;
    FileName name;
    int level;
    std::vector<uint64_t> keys;
  };

  explicit SimulatedTree(Form form) : form_(form) {
    family.SetOrdered(form.is_ordered);
    family.SetReadersTell(form.by_readers);
    if (!form.by_readers) family.TakeList(1, {});
  }

  // Flushes keys, ascending and distinct, and does the compactions that are due.
  void Flush(const std::vector<uint64_t>& keys) {
    files_.push_back(Write(Flushed(RangeOf(keys), static_cast<double>(keys.size())), keys));
    if (!form_.is_leveled) CompactRuns();
    while (form_.is_leveled && CompactLevel()) {
    }
  }
  void CompactAll() {
    Compact([](size_t) { return true; }, form_.is_leveled ? std::max(depth(), 1) : kLast);
  }

  struct Cost {
    double false_reads = 0;  // for as many lookups of absent keys as the tree has keys
    double bits = 0;
  };
  // Returns the sums relative to those of filters with kUniform bits.
  Cost ToUniform() const {
    Cost cost;
    Cost uniform;
    for (const File& file : files_) {
      double n = 0;
      for (const File& other : files_) {
        n += static_cast<double>(std::distance(
            std::lower_bound(other.keys.begin(), other.keys.end(), file.keys.front()),
            std::upper_bound(other.keys.begin(), other.keys.end(), file.keys.back())));
      }
      cost.false_reads += n * std::exp2(-file.record->bits);
      uniform.false_reads += n * std::exp2(-kUniform);
      cost.bits += file.record->keys * file.record->bits;
      uniform.bits += file.record->keys * kUniform;
    }
    return {cost.false_reads / uniform.false_reads, cost.bits / uniform.bits};
  }
  const std::vector<File>& files() const { return files_; }
  int depth() const {
    int depth = 0;
    for (const File& file : files_) depth = std::max(depth, file.level);
    return depth;
  }

  Family family;

 private:
  static constexpr size_t kFileKeys = 100;
  static constexpr int kLast = 60;  // level of universal trees

  KeyRange RangeOf(const std::vector<uint64_t>& keys) const {
    const auto shown = [&](size_t i) {
      return Key(form_.is_ordered ? keys[i] : keys[i] * 0x9e3779b97f4a7c15u);
    };
    const size_t size = keys.size();
    KeyRange range{shown(0), shown(size - 1), {}};
    if (size >= kPieces) range.cuts = {shown(size / 4), shown(size / 2), shown(size * 3 / 4)};
    return range;
  }

  File Write(const NewFile& file, std::vector<uint64_t> keys) {
    const double bits = family.BitsOf(file, kUniform)->bits;
    const FilePtr record = family.Built(file, bits, file.keys);
    const FileName name = Name(++written_);
    if (form_.by_readers) family.Opened(record);
    if (!form_.by_readers) family.SetName(record, name);
    if (file.is_flush) family.Installed(name, 0);
    return {record, name, file.level, std::move(keys)};
  }

  // Merges the files with these indexes.
  template <typename IsInput>
  void Compact(IsInput is_input, int level) {
    std::vector<File> inputs;
    std::vector<File> rest;
    for (size_t i = 0; i < files_.size(); ++i) {
      (is_input(i) ? inputs : rest).push_back(std::move(files_[i]));
    }
    std::vector<FileName> names;
    std::vector<uint64_t> keys;
    for (const File& input : inputs) {
      names.push_back(input.name);
      keys.insert(keys.end(), input.keys.begin(), input.keys.end());
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    if (!form_.by_readers) family.Begin(++jobs_, names);
    files_ = std::move(rest);
    const size_t stayed = files_.size();
    const size_t count = (keys.size() + kFileKeys - 1) / kFileKeys;
    for (size_t i = 0; i < count; ++i) {
      const auto at = [&](size_t part) {
        return keys.begin() + static_cast<ptrdiff_t>(part * keys.size() / count);
      };
      const std::vector<uint64_t> own(at(i), at(i + 1));
      files_.push_back(
          Write(Compacted(RangeOf(own), static_cast<double>(own.size()), level, jobs_), own));
    }
    for (const File& input : inputs) {
      if (form_.by_readers) family.Closed(input.record);
      family.Ended(input.name);
    }
    for (size_t i = stayed; i < files_.size(); ++i) family.Installed(files_[i].name, level);
    family.End(jobs_);
  }

  // Does one compaction of a leveled tree; returns false if none is due.
  bool CompactLevel() {
    std::map<int, std::vector<size_t>> levels;
    for (size_t i = 0; i < files_.size(); ++i) levels[files_[i].level].push_back(i);
    std::vector<size_t> from;
    if (levels[0].size() >= form_.runs) from = levels[0];
    size_t most = 5;
    for (int level = 1; from.empty() && level <= depth(); ++level, most *= 4) {
      const std::vector<size_t>& files = levels[level];
      if (files.size() > most) from = {files[static_cast<size_t>(++jobs_) % files.size()]};
    }
    if (from.empty()) return false;
    const int level = files_[from[0]].level + 1;
    uint64_t first = ~uint64_t{0};
    uint64_t last = 0;
    for (const size_t i : from) {
      first = std::min(first, files_[i].keys.front());
      last = std::max(last, files_[i].keys.back());
    }
    const auto is_input = [&](size_t i) {
      if (std::count(from.begin(), from.end(), i) > 0) return true;
      const std::vector<uint64_t>& keys = files_[i].keys;
      return files_[i].level == level && keys.back() >= first && keys.front() <= last;
    };
    std::vector<bool> inputs;
    for (size_t i = 0; i < files_.size(); ++i) inputs.push_back(is_input(i));
    Compact([&](size_t i) { return inputs[i]; }, level);
    return true;
  }

  // Merges the newest runs with each older one that is not larger than they are together.
  void CompactRuns() {
    std::vector<int> run_of;  // ascending from the newest one
    std::map<int, size_t> runs;
    for (size_t i = 0; i < files_.size(); ++i) {
      run_of.push_back(files_[i].level == 0 ? -1 - static_cast<int>(i) : files_[i].level);
      runs[run_of.back()] += files_[i].keys.size();
    }
    if (runs.size() <= form_.runs) return;
    size_t keys = 0;
    auto next = runs.begin();
    for (int merged = 0; next != runs.end() && (merged < 2 || next->second <= keys); ++merged) {
      keys += next++->second;
    }
    const int end = next == runs.end() ? kLast + 1 : next->first;
    const auto older = runs.upper_bound(std::max(end - 1, 0));
    Compact([&](size_t i) { return run_of[i] < end; },
            older == runs.end() ? kLast : older->first - 1);
  }

  const Form form_;
  std::vector<File> files_;  // oldest first, but for outputs
  uint64_t written_ = 0;
  int jobs_ = 0;
};

}  // namespace winnow::family

#endif  // WINNOW_TESTS_FAMILY_SIMULATED_TREE_H_
