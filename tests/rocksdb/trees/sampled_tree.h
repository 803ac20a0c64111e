// A tree of filters with sampled lookups, and threads in each state of hash sharing.

#ifndef WINNOW_TESTS_ROCKSDB_SAMPLED_TREE_H_
#define WINNOW_TESTS_ROCKSDB_SAMPLED_TREE_H_

#include <gtest/gtest.h>
#include <pthread.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "src/rocksdb/bits_reader.h"
#include "src/rocksdb/lookups/sampled_hashes.h"
#include "src/rocksdb/lookups/shared_hash.h"
#include "src/rocksdb/trees/filter_file_map.h"
#include "src/rocksdb/trees/tree_files.h"
#include "tests/rocksdb/lookup_keys.h"
#include "tests/rocksdb/lookups/sampled_lookups_testing.h"
#include "third_party/rocksdb_abi/filter_bits.h"
#include "winnow/builder.h"
#include "winnow/filter.h"
#include "winnow/hash.h"

namespace winnow::plugin {

using Record = LookupSamples::Record;

inline constexpr uint64_t kKeys = 3000;
inline constexpr int kLevels[] = {0, 0, 1, 3, 6};
inline constexpr size_t kFiles = std::size(kLevels);

// Returns key `i`. The first letters differ, so that the keys have different places in the grid.
inline std::string KeyOf(uint64_t i, size_t length) {
  if (length == 0) return {};
  std::string key = Key(i, length);
  key[0] = static_cast<char>('a' + i % 26);
  return key;
}

// File f has the keys whose number modulo 10 is f; half of the keys are absent.
inline bool IsIn(size_t file, uint64_t i, size_t length) { return length != 0 && i % 10 == file; }

// Filters of a tree with their readers, and the expected records of lookups.
class SampledTree {
 public:
  explicit SampledTree(size_t length) : length_(length) {
    EXPECT_TRUE(NewBuiltinReader(&builtin_).ok());
    for (size_t f = 0; f < kFiles; ++f) {
      FilterOptions options;
      options.bits_per_key = 6;  // low, so that there are false positives
      FilterBuilder builder(options);
      for (uint64_t i = 0; i < kKeys; ++i) {
        if (IsIn(f, i, length)) builder.Add(HashKey(KeyOf(i)));
      }
      // Files with equal bytes would count as one.
      builder.Add(HashKey("of file " + std::to_string(f)));
      const FilterBlock block = builder.Finish();
      blocks_.emplace_back(block.bytes());
      filter_files_.Add(blocks_.back(), files_, {f + 1, kLevels[f], false});
    }
    for (const std::string& block : blocks_) {
      readers_.emplace_back(NewBitsReader(block, *builtin_, filter_files_.NewReader(block)));
    }
    files_->samples().Reserve();
    files_->samples().SetGrid(GridOfLetters(), nullptr);
  }

  std::string KeyOf(uint64_t i) const { return plugin::KeyOf(i, length_); }

  void Get(uint64_t i) {
    const std::string key = KeyOf(i);
    const ROCKSDB_NAMESPACE::Slice slice = memory_.Put(key);
    for (size_t f = 0; f < kFiles; ++f) {
      const bool may_contain = readers_[f]->MayMatch(slice);
      ASSERT_EQ(may_contain, Says(f, key)) << "key " << i << ", file " << f;
      if (may_contain && IsIn(f, i, length_)) break;
    }
    Expect(i);
  }

  // Looks up keys file by file, as RocksDB does. `numbers` must be distinct.
  void MultiGet(const std::vector<uint64_t>& numbers) {
    std::vector<uint64_t> left = numbers;
    for (size_t f = 0; f < kFiles; ++f) {
      std::vector<std::string> keys;
      for (const uint64_t i : left) keys.push_back(KeyOf(i));
      std::vector<ROCKSDB_NAMESPACE::Slice> slices = memory_.PutAll(keys);
      std::vector<ROCKSDB_NAMESPACE::Slice*> pointers;
      for (ROCKSDB_NAMESPACE::Slice& slice : slices) pointers.push_back(&slice);
      const std::unique_ptr<bool[]> answers(new bool[left.size() + 1]);
      readers_[f]->MayMatch(static_cast<int>(left.size()), pointers.data(), answers.get());
      for (size_t k = 0; k < left.size(); ++k) ASSERT_EQ(answers[k], Says(f, keys[k]));
      left.erase(
          std::remove_if(left.begin(), left.end(), [&](uint64_t i) { return IsIn(f, i, length_); }),
          left.end());
    }
    for (const uint64_t i : numbers) Expect(i);
  }

  std::vector<Record> Found() const {
    std::vector<Record> records;
    files_->samples().Snapshot(&records);
    return records;
  }
  const std::vector<Record>& Expected() const { return expected_; }
  // Number of filter checks for sampled keys.
  uint64_t sampled_checks() const { return sampled_checks_; }
  LookupSamples& samples() { return files_->samples(); }
  ROCKSDB_NAMESPACE::FilterBitsReader& reader(size_t file) { return *readers_[file]; }
  // Drops everything that the policy owns, while readers stay in a cache.
  void DropFiles() { files_.reset(); }

 private:
  bool Says(size_t file, const std::string& key) const {
    return FilterView(blocks_[file]).MayContain(HashKey(key));
  }

  // Adds the expected record of a lookup, if it is sampled.
  void Expect(uint64_t i) {
    const std::string key = KeyOf(i);
    if (!IsSampled(HashKey(key).value)) return;
    Record record;
    record.place = PlaceOfKey(key);
    for (size_t f = 0; f < kFiles; ++f) {
      ++sampled_checks_;
      const int level = kLevels[f];
      const bool may_contain = Says(f, key);
      record.deepest = static_cast<int8_t>(level);
      record.ended_with_no = !may_contain;
      if (!may_contain) {
        record.said_no = static_cast<uint16_t>(record.said_no | 1 << level);
        record.weight = static_cast<float>(1 / (1 - FilterView(blocks_[f]).info().expected_fpr));
      } else if (IsIn(f, i, length_)) {
        break;
      }
    }
    expected_.push_back(record);
  }

  const size_t length_;
  std::shared_ptr<const ROCKSDB_NAMESPACE::FilterPolicy> builtin_;
  std::shared_ptr<TreeFiles> files_ = std::make_shared<TreeFiles>();
  FilterFileMap filter_files_;
  std::vector<std::string> blocks_;
  std::vector<std::unique_ptr<ROCKSDB_NAMESPACE::FilterBitsReader>> readers_;
  KeyMemory memory_;
  std::vector<Record> expected_;
  uint64_t sampled_checks_ = 0;
};

inline void InThread(const std::function<void()>& call) { std::thread(call).join(); }

enum class State { kNew, kSharing, kWatching, kSurplus, kEnded };

// Gives a new thread its state by a lookup.
inline void LookUpFirst() {
  const ROCKSDB_NAMESPACE::Slice key("first");
  const ROCKSDB_NAMESPACE::Slice* const keys[] = {&key};
  KeyHash hash;
  SharedHashes(keys, 1, &hash);
}

inline pthread_key_t late_key;
inline void CallLate(void* call) { (*static_cast<const std::function<void()>*>(call))(); }

// Runs `call` in an exiting thread whose state has been released. pthread runs key destructors in
// rounds: a value set by one destructor is destroyed in the next round, after the thread's state
// was released.
inline void CallInEnded(const std::function<void()>& call) {
  const std::function<void()> again = [&call] {
    EXPECT_EQ(this_thread_key->thread, nullptr);
    call();
  };
  const std::function<void()> first = [&again] { pthread_setspecific(late_key, &again); };
  ASSERT_EQ(pthread_key_create(&late_key, CallLate), 0);
  InThread([&first] {
    LookUpFirst();
    pthread_setspecific(late_key, &first);
  });
  pthread_key_delete(late_key);
}

// True while allocations of thread states fail, in tests whose operator new checks this.
inline thread_local bool memory_is_short = false;

// Runs `call` in a thread that gets no state, since other threads own all of them. Returns false if
// the process cannot start enough threads.
inline bool CallInSurplus(const std::function<void()>& call) {
  std::promise<void> end;
  const std::shared_future<void> ended = end.get_future().share();
  std::vector<std::thread> threads;
  std::atomic<size_t> asked{0};
  std::atomic<bool> is_short{false};
  try {
    while (!is_short.load()) {
      threads.emplace_back([&] {
        memory_is_short = true;
        LookUpFirst();
        if (this_thread_key->thread == nullptr) is_short = true;
        ++asked;
        ended.wait();
      });
      while (asked.load() < threads.size()) std::this_thread::yield();
    }
    InThread([&] {
      memory_is_short = true;
      LookUpFirst();
      EXPECT_EQ(this_thread_key->thread, nullptr);
      call();
      EXPECT_EQ(this_thread_key->thread, nullptr);
    });
  } catch (const std::system_error&) {
  }
  end.set_value();
  for (std::thread& thread : threads) thread.join();
  return is_short;
}

// Runs `call` in a thread in `state`. Returns false if such a thread is impossible here.
inline bool CallIn(State state, const std::function<void()>& call) {
  switch (state) {
    case State::kNew:
      InThread(call);
      break;
    case State::kSharing:
      InThread([&call] {
        LookUpFirst();
        EXPECT_TRUE(LooksFirst(*this_thread_key));
        call();
      });
      break;
    case State::kWatching:
      SetHashSharing(false);
      InThread([&call] {
        LookUpFirst();
        call();
        EXPECT_FALSE(LooksFirst(*this_thread_key));
        EXPECT_NE(this_thread_key->thread, nullptr);
      });
      SetHashSharing(true);
      break;
    case State::kSurplus:
      return CallInSurplus(call);
    case State::kEnded:
      CallInEnded(call);
      break;
  }
  return true;
}

}  // namespace winnow::plugin

#endif  // WINNOW_TESTS_ROCKSDB_SAMPLED_TREE_H_
