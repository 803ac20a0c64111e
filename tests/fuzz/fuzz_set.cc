// Fuzz target of FilterSet and FilterSetEdit with arbitrary blocks: all bits of all kinds of
// lookups must equal the answers of the stand-alone reader.
//
// An input is a sequence of blocks, each preceded by its size in two bytes; the last one takes the
// rest.

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/format.h"
#include "tests/core/golden_blocks.h"
#include "tests/fuzz/forged_block.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/guarded_bytes.h"
#include "winnow/filter_set.h"

namespace winnow::fuzz {
namespace {

using testing::RandomHashes;

constexpr size_t kHashes = 40;  // more than a batch has in flight
constexpr size_t kMaxBlocks = 24;
constexpr size_t kMaxFiles = 200;
constexpr uint64_t kCanary = 0x5ca1ab1e5ca1ab1e;

std::vector<std::string> SplitInput(std::string_view input) {
  std::vector<std::string> blocks;
  while (input.size() >= 2 && blocks.size() < kMaxBlocks) {
    const size_t length = static_cast<unsigned char>(input[0]) |
                          static_cast<size_t>(static_cast<unsigned char>(input[1])) << 8;
    input.remove_prefix(2);
    blocks.emplace_back(input.substr(0, length));
    input.remove_prefix(blocks.back().size());
  }
  return blocks;
}

std::string JoinBlocks(const std::vector<std::string>& blocks) {
  std::string input;
  for (const std::string& block : blocks) {
    const size_t length = std::min<size_t>(block.size(), 0xffff);
    input.push_back(static_cast<char>(length));
    input.push_back(static_cast<char>(length >> 8));
    input.append(block, 0, length);
  }
  return input;
}

// Expected state of a file in the set.
struct ExpectedFile {
  uint64_t id;
  Fault fault;
  std::vector<bool> answers;  // one answer per hash
};

// Checks sets, their edits and lookups, in a sequence that the seed determines.
class SetCheck {
 public:
  SetCheck(const std::vector<std::string>& blocks, uint64_t seed)
      : blocks_(blocks), random_(seed), keys_(HashesToAsk(seed, kHashes)) {}

  void Run() {
    for (const std::string& block : blocks_) guards_.push_back(Guarded(block));
    // Blocks are repeated, so that there are more files than a word has bits.
    const uint64_t most_rounds = kMaxFiles / std::max<size_t>(blocks_.size(), 1);
    const uint64_t rounds = 1 + random_.Below(random_.Below(4) == 0 ? most_rounds : 2);
    FilterSetEdit edit;
    for (uint64_t round = 0; round < rounds; ++round) {
      for (size_t i = 0; i < blocks_.size() && files_.size() < kMaxFiles; ++i) Insert(i, &edit);
    }
    CheckSet(edit.Build());
    const FilterSet before = edit.Build();
    const std::vector<ExpectedFile> files_before = files_;
    FilterSetEdit next(before);
    for (uint64_t i = random_.Below(6); i > 0; --i) Change(before, files_before, &next);
    CheckSet(next.Build());
    files_ = files_before;
    CheckSet(before);
  }

 private:
  // A block at one of its two places, next to either guard page.
  struct Places {
    std::shared_ptr<GuardedBytes> owner;
    std::string_view bytes;
  };

  Places Guarded(const std::string& block) {
    auto owner = std::make_shared<GuardedBytes>(block.size() + 1);
    const std::string_view bytes =
        random_.Below(2) == 0 ? owner->AtEnd(block) : owner->AtBegin(block);
    return {std::move(owner), bytes};
  }

  void Insert(size_t i, FilterSetEdit* edit) {
    const size_t at = random_.Below(4) == 0 ? random_.Below(files_.size() + 1) : files_.size();
    const std::string_view bytes = guards_[i].bytes;
    const bool is_copy = random_.Below(2) == 0;
    const bool verifies = is_copy || random_.Below(2) == 0;
    const FilterView view = verifies ? FilterView::Verified(bytes) : FilterView(bytes);
    const uint64_t id = random_.Below(50);
    const Fault fault =
        is_copy ? edit->InsertCopy(at, id, bytes)
                : edit->InsertView(at, id, bytes, guards_[i].owner,
                                   verifies ? PayloadCheck::kVerify : PayloadCheck::kSkip);
    WINNOW_FUZZ_CHECK(fault == view.fault(), "fault %d", static_cast<int>(fault));
    ++counts.blocks;
    counts.usable += fault == Fault::kNone ? 1 : 0;
    files_.insert(files_.begin() + static_cast<std::ptrdiff_t>(at),
                  {id, fault,
                   fault == Fault::kPayload ? std::vector<bool>(keys_.size(), true)
                                            : testing::StandaloneAnswers(blocks_[i], keys_)});
  }

  void Change(const FilterSet& before, const std::vector<ExpectedFile>& files_before,
              FilterSetEdit* edit) {
    const auto at = [this](size_t i) { return files_.begin() + static_cast<std::ptrdiff_t>(i); };
    const size_t i = files_.empty() ? 0 : random_.Below(files_.size());
    switch (files_.empty() ? 3 : random_.Below(4)) {
      case 0:
        edit->Remove(i);
        files_.erase(at(i));
        break;
      case 1: {
        const size_t to = random_.Below(files_.size());
        edit->Move(i, to);
        const ExpectedFile file = files_[i];
        files_.erase(at(i));
        files_.insert(at(to), file);
        break;
      }
      case 2: {
        const size_t last = i + random_.Below(files_.size() - i + 1);
        edit->Remove(IndexRange{i, last});
        files_.erase(at(i), at(last));
        break;
      }
      default: {
        if (files_before.empty() || files_.size() > kMaxFiles) return;
        const size_t first = random_.Below(files_before.size());
        const size_t last = first + random_.Below(files_before.size() - first + 1);
        edit->InsertFrom(i, before, IndexRange{first, last});
        files_.insert(at(i), files_before.begin() + static_cast<std::ptrdiff_t>(first),
                      files_before.begin() + static_cast<std::ptrdiff_t>(last));
      }
    }
  }

  // Returns words with nonzero contents, followed by a canary.
  WordSpan Words(size_t n) {
    words_.assign(n + 1, kCanary);
    return {words_.data(), n};
  }

  // Checks a row of n answers for a hash: bit i is the answer of file file_of(i), 1 if that is not
  // in the set, or 0 if asked(i) is false.
  template <typename FileOf, typename Asked>
  void ExpectRow(const char* lookup, const uint64_t* row, size_t n, size_t hash, FileOf file_of,
                 Asked asked) {
    for (size_t i = 0; i < FilterSet::WordsFor(n) * 64; ++i) {
      const size_t file = i < n ? file_of(i) : 0;
      const bool expected =
          i < n && asked(i) && (file >= files_.size() || files_[file].answers[hash]);
      WINNOW_FUZZ_CHECK((row[i / 64] >> (i % 64) & 1) == (expected ? 1u : 0u),
                        "%s: file %zu of %zu, hash %016llx", lookup, i, n,
                        static_cast<unsigned long long>(keys_[hash].value));
    }
    counts.answers += n;
    for (size_t i = 0; i < n; ++i) counts.absent += row[i / 64] >> (i % 64) & 1 ? 0 : 1;
  }
  void ExpectCanary(size_t n) const { WINNOW_FUZZ_CHECK(words_[n] == kCanary, "a word too many"); }

  static size_t Itself(size_t i) { return i; }
  static bool All(size_t /*i*/) { return true; }

  void CheckSet(const FilterSet& set) {
    WINNOW_FUZZ_CHECK(set.size() == files_.size(), "%zu files", set.size());
    size_t unusable = 0;
    for (size_t i = 0; i < files_.size(); ++i) {
      WINNOW_FUZZ_CHECK(set.id(i) == files_[i].id && set.fault(i) == files_[i].fault, "file %zu",
                        i);
      unusable += files_[i].fault != Fault::kNone ? 1 : 0;
      if (i < 8) set.filter(i).info();
    }
    WINNOW_FUZZ_CHECK(set.Unusable().size() == unusable, "%zu", unusable);
    NoteTrait(uint64_t{1} << 59 | set.num_words() << 8 | (unusable != 0 ? 1 : 0));
    NoteKinds();
    CheckOneByOne(set);
    CheckBatches(set);
  }

  void CheckOneByOne(const FilterSet& set) {
    const size_t n = set.size();
    for (size_t hash = 0; hash < keys_.size(); ++hash) {
      WordSpan row = Words(set.num_words());
      const CandidateList list = set.Candidates(keys_[hash], row);
      ExpectRow("Candidates", row.data(), n, hash, Itself, All);
      ExpectCanary(set.num_words());
      size_t candidates = 0;
      for (const size_t file : list) {
        WINNOW_FUZZ_CHECK(file < n && files_[file].answers[hash], "candidate %zu", file);
        ++candidates;
      }
      WINNOW_FUZZ_CHECK(candidates == list.size(), "%zu candidates", candidates);
      if (hash % 4 != 0) continue;

      const IndexRange range = Range(n);
      row = Words(set.num_words());
      set.Candidates(keys_[hash], range, row);
      ExpectRow("a range", row.data(), n, hash, Itself,
                [&](size_t i) { return i >= range.first && i < range.last; });
      ExpectCanary(set.num_words());

      const std::vector<uint64_t> among = Among(set.num_words());
      row = Words(set.num_words());
      set.CandidatesAmong(keys_[hash], among, row);
      ExpectRow("a bitmap", row.data(), n, hash, Itself,
                [&](size_t i) { return (among[i / 64] >> (i % 64) & 1) != 0; });
      ExpectCanary(set.num_words());

      std::vector<uint32_t> files(random_.Below(n + 70));
      for (uint32_t& file : files) file = static_cast<uint32_t>(random_.Below(n + 2));
      const size_t words = FilterSet::WordsFor(files.size());
      row = Words(words);
      set.CandidatesOf(keys_[hash], files.data(), files.size(), row);
      ExpectRow(
          "a list", row.data(), files.size(), hash, [&](size_t i) { return files[i]; }, All);
      ExpectCanary(words);
    }
  }

  void CheckBatches(const FilterSet& set) {
    const size_t n = set.size();
    const size_t words = set.num_words();
    const size_t keys = 1 + random_.Below(keys_.size());
    const auto expect = [&](const char* lookup, auto asked) {
      for (size_t hash = 0; hash < keys; ++hash) {
        ExpectRow(lookup, words_.data() + hash * words, n, hash, Itself,
                  [&](size_t i) { return asked(hash, i); });
      }
      ExpectCanary(keys * words);
    };
    set.Candidates(keys_.data(), keys, Words(keys * words));
    expect("a batch", [](size_t, size_t) { return true; });
    const IndexRange range = Range(n);
    set.Candidates(keys_.data(), keys, range, Words(keys * words));
    expect("a batch of a range",
           [&](size_t, size_t i) { return i >= range.first && i < range.last; });
    const std::vector<uint64_t> among = Among(keys * words);
    set.CandidatesAmong(keys_.data(), keys, among, Words(keys * words));
    expect("a batch of bitmaps", [&](size_t hash, size_t i) {
      return (among[hash * words + i / 64] >> (i % 64) & 1) != 0;
    });
  }

  IndexRange Range(size_t n) {
    const size_t first = random_.Below(n + 2);
    return {first, random_.Below(8) == 0 ? ~size_t{0} : first + random_.Below(n + 2)};
  }

  std::vector<uint64_t> Among(size_t words) {
    std::vector<uint64_t> among(words);
    for (uint64_t& word : among)
      word = random_.Next() & (random_.Below(2) == 0 ? random_.Next() : ~uint64_t{0});
    return among;
  }

  // Notes as traits which kinds of segments are adjacent.
  void NoteKinds() {
    uint64_t trait = 0;
    for (const std::string& block : blocks_) {
      const BlockParts parts(block);
      trait =
          trait * 8 + (parts.entries.empty() ? 6 : static_cast<uint64_t>(parts.entries[0].type));
      NoteTrait(uint64_t{1} << 58 | (trait & 0x1ff));
    }
  }

  const std::vector<std::string>& blocks_;
  RandomHashes random_;
  std::vector<KeyHash> keys_;
  std::vector<Places> guards_;
  std::vector<ExpectedFile> files_;
  std::vector<uint64_t> words_;
};

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > winnow::fuzz::kMaxInputBytes) return 0;
  std::vector<std::string> blocks =
      winnow::fuzz::SplitInput({reinterpret_cast<const char*>(data), size});
  const uint64_t seed = winnow::core::Checksum(data, size);
  winnow::testing::RandomHashes random(seed);
  for (std::string& block : blocks) {
    if (random.Below(4) != 0) block = winnow::fuzz::Repaired(block);
  }
  winnow::fuzz::SetCheck(blocks, seed).Run();
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using winnow::fuzz::ChangedBlock;
  winnow::testing::RandomHashes random(seed);
  std::vector<std::string> blocks =
      winnow::fuzz::SplitInput({reinterpret_cast<const char*>(data), size});
  const size_t at = blocks.empty() ? 0 : random.Below(blocks.size());
  constexpr size_t kMaxBlockBytes = 4096;
  switch (blocks.empty() ? 0 : random.Below(6)) {
    case 0:
      blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(at),
                    ChangedBlock("", kMaxBlockBytes, &random));
      break;
    case 1:
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 2:
      blocks.push_back(blocks[at]);
      break;
    case 3:
      std::swap(blocks[at], blocks[random.Below(blocks.size())]);
      break;
    default:
      blocks[at] = ChangedBlock(blocks[at], kMaxBlockBytes, &random);
  }
  std::string input = winnow::fuzz::JoinBlocks(blocks);
  if (input.size() > max_size) input.resize(max_size);
  std::memcpy(data, input.data(), input.size());
  return input.size();
}
