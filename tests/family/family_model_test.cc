// Random edits of a Family against a plain map of the live files. WINNOW_MODEL_EDITS is their
// number, 100,000 if unset.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "src/family/family.h"
#include "tests/family/simulated_tree.h"
#include "tests/support/from_environment.h"

namespace winnow::family {
namespace family_model_test {

constexpr uint64_t kKeysOfNumber = 256;
const uint64_t kEdits = testing::FromEnvironment("WINNOW_MODEL_EDITS", 100'000);
using PlainFiles = std::map<FileName, ListedFile>;

// A family, and what a plain map says of it.
class Model {
 public:
  Model(Family* family, uint32_t seed)
      : family_(family), random_(seed), number_(1'000'000 * seed) {}

  uint64_t At(uint64_t end) { return random_() % end; }
  template <typename Files>
  auto Any(Files& files) {
    return std::next(files.begin(), static_cast<ptrdiff_t>(At(files.size())));
  }
  KeyRange RangeOf(uint64_t first, uint64_t width) {
    KeyRange range = Range(first, first + width);
    if (At(2) == 0) range.cuts = {Key(first), Key(first + width / 9), Key(first + width)};
    return range;
  }
  // A range of one key has no place.
  KeyRange AnyRange() { return RangeOf(kKeysOfNumber * number_ - At(20'000), 1 + At(40'000)); }
  // Files whose number is odd overlap others, and stay on level 0. The others have their own keys.
  int AnyLevel(uint64_t number) { return number % 2 == 0 ? static_cast<int>(At(7)) : 0; }
  NewFile NextFile() {
    const double keys = 1.0 + static_cast<double>(At(2000));
    const bool is_apart = ++number_ % 2 == 0;
    const bool is_flush = At(3) == 0;
    return {is_apart ? RangeOf(kKeysOfNumber * number_, At(kKeysOfNumber)) : AnyRange(), keys,
            is_flush ? 0 : AnyLevel(number_), is_flush, static_cast<int>(At(4))};
  }
  uint64_t number() const { return number_; }
  ListedFile AsListed(FileName name, const NewFile& file, bool is_measured = true) {
    ListedFile listed = Listed(name, file.level, file.range, file.keys, is_measured);
    listed.bytes = 2 * file.keys;
    return listed;
  }
  FilePtr Build(const NewFile& file) {
    return family_->Built(file, static_cast<double>(At(17)), 2 * file.keys);
  }
  void Decide() {
    const auto decided = family_->BitsOf(NextFile(), 6);
    ASSERT_TRUE(decided && decided->bits >= kLeastBits && decided->bits <= kMostBits);
    ASSERT_TRUE(std::isfinite(decided->mean) && std::isfinite(decided->reach.log2()));
  }

  void Expect(const PlainFiles& live, bool thoroughly) {
    Family::Totals sums;
    std::set<int> levels;
    bool is_measured = true;
    for (const auto& [name, file] : live) {
      sums += {1, file.keys, 2 * file.keys, file.level == 0 ? file.keys : 0};
      if (file.level > 0) levels.insert(file.level);
      is_measured = is_measured && file.is_measured;
    }
    const Family::Totals totals = family_->totals();
    ASSERT_EQ(totals.files, sums.files);
    ASSERT_EQ(totals.keys, sums.keys);
    ASSERT_EQ(totals.bytes, sums.bytes);
    ASSERT_EQ(totals.keys_on_level_0, sums.keys_on_level_0);
    ASSERT_EQ(family_->levels().base, levels.empty() ? -1 : *levels.begin());
    ASSERT_EQ(family_->levels().depth, levels.empty() ? -1 : *levels.rbegin());
    ASSERT_EQ(family_->knows_all(), family_->is_told() && is_measured);
    if (!thoroughly) return;
    const std::shared_ptr<const Shape> shape = LookAnew(family_);
    ASSERT_EQ(shape->files().size(), live.size());
    std::set<FileName> seen;
    for (const auto& [file, level, asked, reach] : shape->files()) {
      ASSERT_TRUE(seen.insert(file->name).second && live.count(file->name) > 0);
      const ListedFile& plain = live.at(file->name);
      ASSERT_EQ(level, plain.level);
      ASSERT_EQ(file->keys, plain.keys);
      ASSERT_EQ(file->range.first, plain.range.first);
    }
    for (int i = 0; i < 5; ++i) {
      const KeyRange range = AnyRange();
      double n = 100;
      for (const auto& [name, file] : live) {
        n += file.keys * (file.range.Before(range.last) - file.range.Before(range.first));
      }
      const Reach reach = shape->ReachOf(Flushed(range, 100), {});
      ASSERT_NEAR(std::exp2(reach.log2_by_keys) * 100, n, 1e-6 * (sums.keys + 100));
    }
  }

 protected:
  Family* const family_;

 private:
  std::mt19937 random_;
  uint64_t number_;
};

// Two databases with a listener.
class ToldModel : public Model {
 public:
  using Model::Model;

  void Edit() {
    const uint64_t kind = At(1000);
    if (kind == 0) {
      family_->StopBeingTold();
      ASSERT_FALSE(family_->BitsOf(NextFile(), 6));
      Expect(live, false);
    }
    if (kind < 5) {
      List(kind == 1 ? 2 : 1);
    } else if (kind < 20) {
      Decide();
    } else if (kind < 40 && !live.empty()) {
      // Lookups and readers change nothing.
      const std::shared_ptr<const Shape> shape = family_->Look();
      for (const auto& placed : shape->files()) {
        family_->Opened(placed.file);
        placed.file->CountDenied(AnyRange().first);
        family_->Closed(placed.file);
      }
    } else {
      Event(At(10) == 0 ? 2 : 1);
    }
  }

  PlainFiles live;

 private:
  void Event(uint64_t database) {
    const uint64_t kind = At(live.size() > 60 ? 13 : 9);
    if (kind < 3) {
      const NewFile file = NextFile();
      const FileName name = Name(number(), database);
      const FilePtr record = Build(file);
      family_->SetName(record, name);
      written_[name] = {record, AsListed(name, file)};
    } else if (kind < 6 && !written_.empty()) {
      const auto [name, file] = *Any(written_);
      written_.erase(name);
      if (At(10) == 0) return family_->NotWritten(file.first);
      Install(file.second);
    } else if (kind == 6 && !live.empty()) {
      Install(Any(live)->second);
    } else if (kind == 7) {
      std::vector<FileName> inputs = {Name(999)};
      for (uint64_t i = At(5); i > 0 && !live.empty(); --i) inputs.push_back(Any(live)->first);
      family_->Begin(static_cast<int>(At(4)), inputs);
    } else if (kind == 8) {
      family_->End(static_cast<int>(At(4)));
    } else if (!live.empty()) {
      const FileName name = Any(live)->first;
      family_->Ended(name);
      live.erase(name);
      changed_.insert(name);
    }
  }

  void Install(ListedFile file) {
    file.level = AnyLevel(file.name.number);
    family_->Installed(file.name, file.level);
    live[file.name] = file;
    changed_.insert(file.name);
  }

  // Lists a database whose files also came, moved and went untold; events come meanwhile.
  void List(uint64_t database) {
    family_->BeginList();
    changed_.clear();
    PlainFiles now;
    for (const auto& [name, file] : live) {
      if (name.database != database || At(16) == 0) continue;
      ListedFile& listed = now[name] = file;
      if (At(8) == 0) listed.level = AnyLevel(name.number);
      if (!file.is_measured && At(2) == 0) {
        listed.is_measured = true;
        listed.keys += 5;
        listed.bytes += 10;
      }
    }
    if (!written_.empty() && written_.begin()->first.database == database) {
      now.insert({written_.begin()->first, written_.begin()->second.second});
      written_.erase(written_.begin());
    }
    for (uint64_t i = At(4); i > 0; --i) {
      const FileName name = Name(number() + 1, database);
      now[name] = AsListed(name, NextFile(), At(2) == 0);
    }
    std::vector<ListedFile> list;
    for (const auto& [name, file] : now) list.push_back(file);
    if (!now.empty() && live.count(now.rbegin()->first) == 0 &&
        At(2) == 0) {  // a file without a record moves
      now.rbegin()->second.level = AnyLevel(now.rbegin()->first.number);
      family_->Installed(now.rbegin()->first, now.rbegin()->second.level);
    }
    for (uint64_t i = At(6); i > 0; --i) Event(database);
    family_->TakeList(database, list);
    for (auto file = live.begin(); file != live.end();) {
      const bool is_gone = file->first.database == database && now.count(file->first) == 0 &&
                           changed_.count(file->first) == 0;
      file = is_gone ? live.erase(file) : std::next(file);
    }
    for (const auto& [name, file] : now) {
      if (changed_.count(name) == 0) live[name] = file;
    }
  }

  std::map<FileName, std::pair<FilePtr, ListedFile>> written_;
  std::set<FileName> changed_;  // since the list began
};

// A database without a listener, whose readers tell. Names serve the model alone.
class ReadModel : public Model {
 public:
  using Model::Model;

  void Edit() {
    const uint64_t kind = At(live.size() > 60 ? 12 : 9);
    if (kind == 0) {
      if (At(4) == 0) Decide();
    } else if (kind == 1) {
      Opened(Named(family_->Found(AsListed({}, NextFile()))));
    } else if (kind < 4) {
      const NewFile file = NextFile();
      const FilePtr made = Named(Build(file));
      if (!file.is_flush) written_.push_back(made);
      Opened(made, file.is_flush);
    } else if (kind < 6 && !readers_.empty()) {
      Opened(Any(readers_)->first, false);
    } else if (!readers_.empty() && At(1000) > 0) {
      Closed(Any(readers_)->first);
    } else if (!readers_.empty()) {
      std::vector<FilePtr> all;
      while (!readers_.empty()) Closed(all.emplace_back(readers_.begin()->first));
      ASSERT_EQ(family_->totals().files, 0u);
      ASSERT_FALSE(family_->is_reopened());
      for (const FilePtr& file : all) Opened(file);
      ASSERT_TRUE(family_->is_reopened());
    }
  }

  PlainFiles live;

 private:
  FilePtr Named(const FilePtr& file) {
    family_->SetName(file, Name(number()));
    return file;
  }
  void Live(const FilePtr& file) {
    live[file->name] = AsListed(file->name, {file->range, file->keys, file->level});
  }
  void Opened(const FilePtr& file, bool lives = true) {
    family_->Opened(file);
    ++readers_[file];
    if (lives) Live(file);
  }
  void Closed(const FilePtr& closed) {
    const FilePtr file = closed;
    family_->Closed(file);
    if (--readers_[file] > 0) return;
    readers_.erase(file);
    for (const FilePtr& made : std::exchange(written_, {})) Live(made);
    live.erase(file->name);
  }

  std::vector<FilePtr> written_;
  std::map<FilePtr, int> readers_;
};

template <typename AModel>
void RunEdits(AModel model, uint64_t edits) {
  for (uint64_t i = 0; i < edits; ++i) {
    model.Edit();
    if (i % 16 == 0 || edits < 200'000) model.Expect(model.live, i % 512 == 0);
    if (::testing::Test::HasFatalFailure()) FAIL() << "after edit " << i;
  }
}

TEST(FamilyModel, AListenersFilesAreThoseOfAPlainMap) {
  Family family;
  family.TakeList(1, {});
  RunEdits(ToldModel(&family, 1), kEdits);
}

TEST(FamilyModel, FilesWithReadersAreThoseOfAPlainMap) {
  Family family;
  family.SetReadersTell(true);
  RunEdits(ReadModel(&family, 2), kEdits / 4);
}

// Each of two threads writes, installs and ends files of a database of its own; others decide,
// look, open, close and look up at the same time.
TEST(FamilyModel, ThreadsEditDecideAndLookUpAtOnce) {
  Family family;
  family.TakeList(1, {});
  std::array<PlainFiles, 2> live;
  std::atomic<bool> is_over{false};
  const auto edit = [&](uint64_t database) {
    Model model(&family, static_cast<uint32_t>(database));
    PlainFiles& files = live[database - 1];
    for (int i = 0; i < 3000; ++i) {
      NewFile file = model.NextFile();
      file.job = static_cast<int>(database);
      const FileName name = Name(model.number(), database);
      std::vector<FileName> inputs;
      while (files.size() > 30 && inputs.size() < 2) inputs.push_back(model.Any(files)->first);
      family.Begin(file.job, inputs);
      model.Decide();
      family.SetName(model.Build(file), name);
      family.Installed(name, file.level);
      files[name] = model.AsListed(name, file);
      for (const FileName input : inputs) {
        family.Ended(input);
        files.erase(input);
      }
      family.End(file.job);
      if (database != 1 || i % 32 != 0) continue;
      family.BeginList();
      std::vector<ListedFile> list;
      for (const auto& [listed, plain] : files) list.push_back(plain);
      family.TakeList(database, list);
    }
  };
  const auto read = [&](uint32_t seed) {
    Model model(&family, seed);
    std::vector<Weighed> all;
    while (!is_over) {
      model.Decide();
      const std::shared_ptr<const Shape> shape = family.Look();
      for (const Shape::Placed& placed : shape->files()) {
        family.Opened(placed.file);
        for (int i = 0; i < 20; ++i) placed.file->CountDenied(placed.file->range.last);
        family.Closed(placed.file);
      }
      family.Found(Listed({}, 1, model.AnyRange()));
      family.AppendWith(model.NextFile(), &all);
      all.clear();
    }
  };
  std::thread readers[] = {std::thread(read, 3), std::thread(read, 4)};
  std::thread editors[] = {std::thread(edit, 1), std::thread(edit, 2)};
  for (std::thread& thread : editors) thread.join();
  is_over = true;
  for (std::thread& thread : readers) thread.join();
  live[0].merge(live[1]);
  Model(&family, 2).Expect(live[0], true);
}

}  // namespace family_model_test
}  // namespace winnow::family
