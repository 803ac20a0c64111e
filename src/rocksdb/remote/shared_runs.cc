#include "src/rocksdb/remote/shared_runs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "winnow/hash.h"

namespace winnow::plugin {
namespace {

using Keys = std::vector<std::string_view>;

// Descends the trie of the keys.
class Shortener {
 public:
  Shortener(const Keys& keys, std::vector<SharedRuns::Run>* runs,
            std::vector<std::string>* shortened)
      : keys_(keys), runs_(runs), shortened_(shortened) {}

  // Handles keys [begin, end), at least one, which share their first `at` bytes; `before` is these
  // bytes without runs. Goes no deeper than the maximum length of short keys.
  void GoDown(size_t begin, size_t end, size_t at, std::string before) {
    const size_t common = CommonBytes(keys_[begin], keys_[end - 1]);
    const std::string_view shared = keys_[begin].substr(at, common - at);
    if (end - begin >= SharedRuns::kMinKeys && shared.size() >= SharedRuns::kMinBytes) {
      runs_->push_back({before, shared.size(), HashKey(shared).value});
    } else {
      before += shared;
    }
    Branch(begin, end, common, before);
  }

  // Handles keys [begin, end) that share exactly `at` bytes.
  void Branch(size_t begin, size_t end, size_t at, const std::string& before) {
    while (begin < end) {
      size_t next = begin + 1;
      const bool goes_on = keys_[begin].size() > at && before.size() < SharedRuns::kMaxKeyBytes;
      if (goes_on) {
        const char byte = keys_[begin][at];
        while (next < end && keys_[next][at] == byte) ++next;
        if (next - begin > 1) {
          GoDown(begin, next, at + 1, before + byte);
          begin = next;
          continue;
        }
      }
      std::string& shortened = (*shortened_)[begin];
      shortened = before;
      shortened += keys_[begin].substr(at);
      if (shortened.size() > SharedRuns::kMaxKeyBytes) {
        shortened.resize(SharedRuns::kMaxKeyBytes);
      }
      begin = next;
    }
  }

 private:
  const Keys& keys_;
  std::vector<SharedRuns::Run>* const runs_;
  std::vector<std::string>* const shortened_;
};

}  // namespace

SharedRuns::SharedRuns(std::vector<Run> runs) : runs_(std::move(runs)) {
  std::sort(runs_.begin(), runs_.end(),
            [](const Run& one, const Run& other) { return one.before < other.before; });
}

SharedRuns SharedRuns::Of(const Keys& keys, std::vector<std::string>* shortened) {
  std::vector<Run> runs;
  shortened->assign(keys.size(), std::string());
  if (keys.empty()) return SharedRuns({});
  const size_t common = keys.size() > 1 ? CommonBytes(keys.front(), keys.back()) : 0;
  std::string of_all(keys.front().substr(0, common));
  if (of_all.size() >= kMinBytes) {
    runs.push_back({{}, of_all.size(), HashKey(of_all).value});
    of_all.clear();
  }
  Shortener(keys, &runs, shortened).Branch(0, keys.size(), common, of_all);
  return SharedRuns(std::move(runs));
}

size_t SharedRuns::Shorten(std::string_view key, char (&shortened)[kMaxKeyBytes]) const noexcept {
  size_t size = 0;
  auto begin = runs_.begin();  // range of runs that match the short key so far
  auto end = runs_.end();
  for (;;) {
    if (begin != end && begin->before.size() == size) {
      if (key.size() < begin->bytes) return kUnknown;
      if (HashKey(key.substr(0, begin->bytes)).value != begin->hash) return kUnknown;
      key.remove_prefix(begin->bytes);
      ++begin;
    }
    if (key.empty() || size == kMaxKeyBytes) return size;
    const char byte = key.front();
    const auto byte_of = [size](const Run& run) {
      return static_cast<unsigned char>(run.before[size]);
    };
    const auto own = static_cast<unsigned char>(byte);
    begin = std::partition_point(begin, end, [&](const Run& run) { return byte_of(run) < own; });
    end = std::partition_point(begin, end, [&](const Run& run) { return byte_of(run) == own; });
    shortened[size++] = byte;
    key.remove_prefix(1);
  }
}

}  // namespace winnow::plugin
