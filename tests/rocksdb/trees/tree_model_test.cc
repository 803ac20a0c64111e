// Record of a tree's files, compared with a model of the tree under random flushes, compactions,
// moves, deletions, ingestions and file lists.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/rocksdb/trees/tree_files.h"
#include "tests/support/random_hashes.h"

namespace winnow::plugin {
namespace tree_model_test {

constexpr int kLevels = 7;
constexpr int kBase = 2;
constexpr int kKeys = 100'000;
const FileName kDatabase = FileName::Of("/a/database", 0);

std::string Key(int number) {
  char text[16];
  std::snprintf(text, sizeof text, "%08d", number);
  return text;
}

// Returns the number of events to simulate: WINNOW_MODEL_EVENTS, or 100,000 if unset.
uint64_t NumEvents() {
  const char* const asked = std::getenv("WINNOW_MODEL_EVENTS");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 100'000;
}

// A leveled tree, which reports the events of its files to a record.
class Tree {
 public:
  Tree(uint64_t seed, size_t most_files) : random_(seed), most_files_(most_files) { List(true, 0); }

  uint64_t events() const { return events_; }
  size_t files() const { return files_.size(); }
  TreeFiles& record() { return record_; }
  double keys() const {
    double keys = 0;
    for (const auto& [number, file] : files_) keys += static_cast<double>(file.keys);
    return keys;
  }
  double bytes() const {
    double bytes = 0;
    for (const auto& [number, file] : files_) bytes += file.bytes;
    return bytes;
  }

  // Runs a random event. A compaction may still be running afterwards.
  void Step() {
    const uint64_t kind = random_() % 16;
    if (kind < 6) {
      Flush();
    } else if (kind < 12) {
      if (job_.inputs.empty()) {
        Begin();
      } else {
        GoOn();
      }
    } else if (kind == 12) {
      Move();
    } else if (kind == 13 && (files_.size() > most_files_ || random_() % 8 == 0)) {
      Delete();
    } else if (kind == 14 && random_() % 4 == 0) {
      Ingest();
    } else if (kind == 15 && random_() % 4 == 0) {
      List(random_() % 8 == 0 && job_.inputs.empty(), 4);
    }
    while (job_.inputs.empty() && files_.size() > most_files_) Delete();
  }

  // Finishes running jobs, after which a record that receives all events must match the tree.
  void Rest() {
    while (!job_.inputs.empty()) GoOn();
    if (has_untold_) List(false, 0);
  }

  // Returns true if a lower level has a file in the range.
  bool HasOneBelow(int level, int first, int last) const {
    return std::any_of(files_.begin(), files_.end(), [&](const auto& one) {
      const File& file = one.second;
      return file.level > level && file.first <= last && first <= file.last;
    });
  }

  // Returns the keys by level, as the record counts them after a file list. Overlapping flushes
  // count above the level that they will be merged into, if there is one.
  std::array<double, LookupSamples::kLevels> KeysByLevel() {
    List(false, 0);
    std::array<double, LookupSamples::kLevels> keys{};
    const bool has_base = std::any_of(files_.begin(), files_.end(),
                                      [](const auto& one) { return one.second.level > 0; });
    for (const auto& [number, file] : files_) {
      const bool is_over_others =
          HasOneBelow(file.level, file.first, file.last) || (has_base && Waits(number, file));
      const bool is_bottom = !is_over_others;
      keys[static_cast<size_t>(TreeFiles::LevelIndex(is_bottom ? kLevels : file.level,
                                                     is_bottom))] += static_cast<double>(file.keys);
    }
    return keys;
  }
  // Returns the filter memory of level-0 files that overlap others on level 0.
  double WaitingBytes() const {
    double bytes = 0;
    for (const auto& [number, file] : files_) bytes += Waits(number, file) ? file.bytes : 0;
    return bytes;
  }

  int RandomKey() { return static_cast<int>(random_() % kKeys); }
  std::mt19937_64& random() { return random_; }

 private:
  struct File {
    int level = 0;
    int first = 0;
    int last = 0;
    uint64_t keys = 0;
    double bytes = 0;
    uint64_t id = 0;  // id in the record; 0 if not built here
  };
  // A compaction, whose outputs are written one by one.
  struct Job {
    std::vector<uint64_t> inputs;
    std::vector<uint64_t> outputs;
    std::map<uint64_t, File> written;
    std::vector<File> to_write;
    int level = 0;
    uint64_t last_id = 0;
  };

  bool Waits(uint64_t number, const File& file) const {
    return file.level == 0 && std::any_of(files_.begin(), files_.end(), [&](const auto& one) {
             const File& other = one.second;
             return one.first != number && other.level == 0 && other.first <= file.last &&
                    file.first <= other.last;
           });
  }

  FileName NameOf(uint64_t number) const { return kDatabase.File(number); }

  // Builds a file's filter.
  void Build(File* file, uint64_t number, uint64_t last_id) {
    ++events_;
    const KeyRange range{Key(file->first), Key(file->last)};
    const auto place = record_.PlaceOf(file->level, range, kBase);
    TreeFiles::NewFile added;
    added.level = file->level;
    added.range = range;
    added.keys = file->keys;
    added.waits = place.waits;
    added.is_bottom =
        file->level > 0 ? !HasOneBelow(file->level, file->first, file->last) : place.below < 0;
    WritingJob job;
    job.base = kBase;
    job.last = last_id;
    if (last_id > 0) record_.Continue(added, &job);
    file->id = record_.Add(added, &job);
    record_.AddMemory(file->id, {file->bytes, file->bytes});
    record_.SetName(file->id, NameOf(number));
    record_.Opened(file->id);
  }

  void Flush() {
    File file;
    file.first = RandomKey();
    file.last = std::min(file.first + static_cast<int>(random_() % (kKeys / 4)), kKeys - 1);
    file.keys = 50 + random_() % 100;
    file.bytes = static_cast<double>(file.keys + random_() % 10);
    const uint64_t number = ++last_number_;
    Build(&file, number, 0);
    if (random_() % 50 == 0) {
      record_.NotWritten(file.id);
      return;
    }
    files_[number] = file;
    record_.Installed(NameOf(number), 0);
  }

  bool IsInput(uint64_t number) const {
    return std::count(job_.inputs.begin(), job_.inputs.end(), number) > 0;
  }

  void AddInputs(int level, int first, int last) {
    for (const auto& [number, file] : files_) {
      if (file.level == level && file.first <= last && first <= file.last && !IsInput(number)) {
        job_.inputs.push_back(number);
      }
    }
  }

  void Begin() {
    if (files_.empty()) return;
    auto at = files_.begin();
    std::advance(at, static_cast<ptrdiff_t>(random_() % files_.size()));
    const File picked = at->second;
    if (picked.level == kLevels - 1) return;
    job_ = {};
    job_.level = picked.level == 0 ? kBase : picked.level + 1;
    job_.last_id = record_.last_id();
    int first = picked.first;
    int last = picked.last;
    job_.inputs.push_back(at->first);
    const auto widen = [&] {
      for (const uint64_t number : job_.inputs) {
        first = std::min(first, files_.at(number).first);
        last = std::max(last, files_.at(number).last);
      }
    };
    if (picked.level == 0) {
      for (size_t before = 0; before != job_.inputs.size();) {
        before = job_.inputs.size();
        AddInputs(0, first, last);
        widen();
      }
    }
    AddInputs(job_.level, first, last);
    widen();
    uint64_t keys = 0;
    for (const uint64_t number : job_.inputs) {
      keys += files_.at(number).keys;
      ++events_;
      record_.Ending(NameOf(number), 1);
    }
    // One key in twenty is overwritten.
    const auto outputs = static_cast<int>(std::min<uint64_t>(keys / 60 + 1, 100));
    const int step = (last - first) / outputs;
    for (int i = 0; i < outputs; ++i) {
      File file;
      file.level = job_.level;
      file.first = first + i * step + (i > 0 ? 1 : 0);
      file.last = i + 1 < outputs ? first + (i + 1) * step : last;
      if (file.last < file.first) continue;
      file.keys = std::max<uint64_t>(keys * 19 / 20 / static_cast<uint64_t>(outputs), 1);
      file.bytes = static_cast<double>(file.keys);
      job_.to_write.push_back(file);
    }
    std::reverse(job_.to_write.begin(), job_.to_write.end());
  }

  void GoOn() {
    if (!job_.to_write.empty()) {
      File file = job_.to_write.back();
      job_.to_write.pop_back();
      const uint64_t number = ++last_number_;
      Build(&file, number, job_.last_id);
      job_.written[number] = file;
      return;
    }
    if (random_() % 20 == 0) {
      for (const auto& [number, file] : job_.written) record_.NotWritten(file.id);
      has_untold_ = true;  // the inputs stay
      job_ = {};
      return;
    }
    for (const uint64_t number : job_.inputs) End(number);
    for (const auto& [number, file] : job_.written) {
      files_[number] = file;
      ++events_;
      record_.Installed(NameOf(number), file.level);
    }
    job_ = {};
  }

  void End(uint64_t number) {
    ++events_;
    const uint64_t id = files_.at(number).id;
    files_.erase(number);
    record_.Ended(NameOf(number));
    if (id > 0) record_.Closed(id);
  }

  void Delete() {
    auto at = files_.begin();
    std::advance(at, static_cast<ptrdiff_t>(random_() % files_.size()));
    if (!IsInput(at->first)) End(at->first);
  }

  void Move() {
    if (files_.empty() || !job_.inputs.empty()) return;
    auto at = files_.begin();
    std::advance(at, static_cast<ptrdiff_t>(random_() % files_.size()));
    File& moved = at->second;
    const int to = moved.level == 0 ? kBase : moved.level + 1;
    const bool meets = std::any_of(files_.begin(), files_.end(), [&](const auto& one) {
      const File& other = one.second;
      return &other != &moved && (other.level == to || other.level == moved.level) &&
             other.first <= moved.last && moved.first <= other.last;
    });
    if (to == kLevels || meets) return;
    moved.level = to;
    ++events_;
    record_.Installed(NameOf(at->first), to);
  }

  // Ingests a file, without an event.
  void Ingest() {
    File file;
    file.first = RandomKey();
    file.last = std::min(file.first + 100, kKeys - 1);
    file.keys = 80;
    file.bytes = 90;
    files_[++last_number_] = file;
    has_untold_ = true;
    ++events_;
  }

  // Reads a file list, with up to `most_steps` - 1 events before and after.
  void List(bool is_first, uint64_t most_steps) {
    if (is_listing_) return;
    is_listing_ = true;
    if (is_first) record_.StopBeingTold();
    record_.BeginList();
    const auto steps = [&] {
      for (uint64_t i = most_steps > 0 ? random_() % most_steps : 0; i > 0; --i) Step();
    };
    steps();
    has_untold_ = false;
    std::vector<ListedFile> list;
    for (const auto& [number, file] : files_) {
      ListedFile listed;
      listed.name = NameOf(number);
      listed.level = file.level;
      listed.range = {Key(file.first), Key(file.last)};
      listed.keys = file.keys;
      listed.filter_bytes = file.bytes;
      listed.memory = {file.bytes, file.bytes};
      listed.is_measured = true;
      listed.is_ending = IsInput(number);
      list.push_back(std::move(listed));
    }
    steps();
    record_.TakeList(kDatabase, is_first, list);
    is_listing_ = false;
    ++events_;
  }

  std::mt19937_64 random_;
  const size_t most_files_;
  TreeFiles record_;
  std::map<uint64_t, File> files_;
  Job job_;
  uint64_t last_number_ = 0;
  uint64_t events_ = 0;
  bool has_untold_ = false;
  bool is_listing_ = false;
};

class TreeModelTest : public ::testing::TestWithParam<size_t> {};

TEST_P(TreeModelTest, ARecordThatIsToldOfAllFilesHasThem) {
  const uint64_t seed = testing::TestSeed();
  Tree tree(seed, GetParam());
  size_t most = 0;
  for (int check = 0; tree.events() < NumEvents(); ++check) {
    const uint64_t until = tree.events() + 1000;
    while (tree.events() < until) tree.Step();
    tree.Rest();
    const TreeFiles::Sums sums = tree.record().sums();
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(tree.events()) + " events");
    ASSERT_EQ(sums.files, tree.files());
    ASSERT_EQ(sums.keys, tree.keys());
    ASSERT_EQ(sums.filter_bytes, tree.bytes());
    ASSERT_TRUE(tree.record().KnowsAllFiles());
    most = std::max(most, tree.files());
    const auto keys = tree.KeysByLevel();
    const TreeFiles::Sums listed = tree.record().sums();
    for (size_t level = 0; level < keys.size(); ++level) {
      ASSERT_EQ(listed.levels[level].keys, keys[level]) << level;
    }
    ASSERT_EQ(tree.record().Memory().waiting.bytes, tree.WaitingBytes());
    for (int i = 0; i < 20; ++i) {
      const int level = static_cast<int>(tree.random()() % kLevels);
      const int first = tree.RandomKey();
      const int last = std::min(first + static_cast<int>(tree.random()() % 1000), kKeys - 1);
      const auto place = tree.record().PlaceOf(level, {Key(first), Key(last)}, -1);
      // A file with none below it counts as the last level's.
      const bool has_one = tree.HasOneBelow(level, first, last);
      ASSERT_TRUE(has_one ? place.below > level
                          : place.below < 0 || place.below == TreeFiles::kBottom)
          << first << " to " << last << " on level " << level;
    }
  }
  EXPECT_GT(most, GetParam() / 2);
}

INSTANTIATE_TEST_SUITE_P(Files, TreeModelTest, ::testing::Values(20, 300, 2000));

}  // namespace tree_model_test
}  // namespace winnow::plugin
