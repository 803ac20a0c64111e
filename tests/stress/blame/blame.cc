#include "tests/stress/blame/blame.h"

#include <exception>
#include <filesystem>
#include <optional>
#include <vector>

#include "tests/stress/blame/file_filters.h"
#include "tests/stress/blame/watch.h"

namespace winnow::stress {
namespace {

namespace fs = std::filesystem;

bool IsAboutPrefixes(const Difference& difference) {
  return difference.question == Question::kPrefixSeek ||
         difference.question == Question::kPrefixSeekForPrev;
}

// Returns the prefix that filters were checked for; empty if it was the whole key.
std::string PrefixAsked(const Difference& difference, const Extractor& extractor) {
  return IsAboutPrefixes(difference) ? extractor.PrefixOf(difference.target) : "";
}

std::string Describe(const Finding& finding) {
  const Difference& difference = finding.difference;
  std::string text = "difference: " + difference.operation + ", family " +
                     std::to_string(difference.family) + ", key " + ToHex(difference.key) + " (" +
                     difference.key.substr(0, 7) + "...)";
  if (IsAboutPrefixes(difference)) text += ", from " + ToHex(difference.target);
  if (difference.snapshot != nullptr) text += ", at a snapshot";
  text += "\n  the model has " + Answer{difference.expected, ""}.ToString();
  text += "\n  RocksDB said " + Answer{difference.found, difference.status}.ToString();
  text += "\n  asked again " + finding.again.ToString();
  text += "\n  by an iterator that asks no filter " + finding.without_filters.ToString() + "\n";
  return text;
}

// Copies the database. SST files, which RocksDB never modifies, are hard-linked.
void Copy(const Database& database, const std::string& to) {
  database.db().PauseBackgroundWork().PermitUncheckedError();
  database.db().DisableFileDeletions().PermitUncheckedError();
  database.db().FlushWAL(false).PermitUncheckedError();
  fs::create_directories(to);
  for (const fs::directory_entry& entry : fs::directory_iterator(database.path())) {
    const fs::path target = fs::path(to) / entry.path().filename();
    std::error_code error;
    if (entry.path().extension() == ".sst") fs::create_hard_link(entry.path(), target, error);
    if (entry.path().extension() != ".sst" || error) {
      fs::copy_file(entry.path(), target, fs::copy_options::overwrite_existing, error);
    }
  }
}

// A difference under investigation, and the databases to repeat the lookup in.
class Investigation {
 public:
  Investigation(const Finding& finding, const Settings& settings, const std::string& copy,
                std::string* report)
      : difference_(finding.difference),
        finding_(finding),
        settings_(settings),
        copy_(copy),
        extractor_(settings.families[difference_.family].extractor),
        report_(report) {}

  bool IsRocksDBs() const {
    // A copy has no snapshots, so the answer of the iterator without filters decides.
    if (difference_.snapshot != nullptr) return !finding_.without_filters.IsRight(difference_);
    const ReadOnlyDatabase database(copy_, settings_, nullptr);
    const Answer answer =
        AskAgain(difference_, extractor_, &database.db(), database.family(difference_.family));
    Say("opened without filters, it says " + answer.ToString());
    return !answer.IsRight(difference_);
  }

  // Returns the verdict for the filter that the repeated lookup uses, found by Watch, or for any of
  // the files' filters.
  std::optional<Verdict> FilterAtFault() const {
    const ReadOnlyDatabase database(copy_, settings_,
                                    NewWatchedPolicy(MakePolicy("winnow:10"), Fault::kNone));
    Watch::BeginRecording();
    const Answer answer =
        AskAgain(difference_, extractor_, &database.db(), database.family(difference_.family));
    const std::vector<Asked> asked = Watch::EndRecording();
    Say("opened with its filters, it says " + answer.ToString());
    const std::vector<FileAndKey> files =
        FilesWithKey(database, difference_.family, difference_.key,
                     PrefixAsked(difference_, extractor_), settings_);
    for (const FileAndKey& file : files) Say(ToString(file));
    for (const FileAndKey& file : files) {
      if (!file.holds_key) continue;
      for (size_t i = 0; i < file.blocks.size(); ++i) {
        for (const Asked& one : asked) {
          if (one.by_bytes || one.block != file.blocks[i]) continue;
          SayWhoHas(file, i, one.key);
          return Denies(file, one.is_winnow,
                        file.blocks.size() > 1 ? ", partition " + std::to_string(i + 1) + " of " +
                                                     std::to_string(file.blocks.size())
                                               : "");
        }
      }
      if (file.is_denied) return Denies(file, file.kind.find("winnow") == 0, "");
    }
    return std::nullopt;
  }

  std::optional<Verdict> SharedHashAtFault(const std::string& program) const {
    std::optional<bool> alone;
    if (difference_.question != Question::kStatus) {
      alone = IsRightInOtherProcess(program, copy_, difference_, extractor_);
    }
    Say(std::string("the same lookup alone in a process ") + (!alone   ? "can't be had"
                                                              : *alone ? "is right"
                                                                       : "is wrong"));
    const auto wrong = Watch::FirstWrongAnswer();
    if (wrong) {
      Say("a reader was asked for " + ToHex(wrong->key) + " and said " +
          (wrong->said ? "yes" : "no") + ", the bytes of its filter say the opposite");
    }
    if (!wrong) return std::nullopt;
    Say("only after other lookups: a filter was asked with the hash of another key");
    return Verdict::kSharedHash;
  }

 private:
  // Another partition may contain the key if RocksDB used the wrong one.
  void SayWhoHas(const FileAndKey& file, size_t asked, const std::string& filter_key) const {
    std::string others;
    for (size_t i = 0; i < file.blocks.size(); ++i) {
      if (i != asked && !BlockDenies(file.blocks[i], filter_key)) {
        others += (others.empty() ? "" : ", ") + std::to_string(i + 1);
      }
    }
    if (!others.empty())
      Say("it was asked for " + ToHex(filter_key) + ", to which partitions " + others + " of " +
          file.name + " say \"may contain\"");
  }

  Verdict Denies(const FileAndKey& file, bool is_winnow, const std::string& where) const {
    Say(std::string(is_winnow ? "a Winnow filter" : "a built-in filter") + " of file " + file.name +
        where + " denies a key that the file holds");
    return is_winnow ? Verdict::kWinnowFilter : Verdict::kBuiltinFilter;
  }
  void Say(const std::string& line) const { *report_ += "  " + line + "\n"; }

  const Difference& difference_;
  const Finding& finding_;
  const Settings& settings_;
  const std::string copy_;
  const Extractor extractor_;
  std::string* const report_;
};

}  // namespace

Finding LookCloser(const Difference& difference, const Database& database) {
  Finding finding;
  finding.difference = difference;
  if (difference.question == Question::kStatus) return finding;
  auto* const family = database.family(difference.family);
  finding.again =
      AskAgain(difference, database.extractor(difference.family), &database.db(), family);
  finding.without_filters = AskWithoutFilters(difference, &database.db(), family);
  return finding;
}

Blame FindBlame(const Finding& finding, const Database& database, const std::string& evidence,
                const std::string& program) {
  Blame blame;
  blame.report = Describe(finding) + "  with " + database.settings().ToString() + "\n";
  const auto say = [&blame](const std::string& line) { blame.report += "  " + line + "\n"; };
  try {
    Copy(database, evidence);
    say("the database as it was then: " + evidence);
    // A reader's wrong answer is a fault even if the result was right.
    if (finding.difference.question == Question::kStatus && !Watch::HasWrongAnswer()) {
      say("unexplained: ours until shown otherwise");
      return blame;
    }
    const Investigation investigation(finding, database.settings(), evidence, &blame.report);
    if (Watch::HasWrongAnswer()) {
      blame.verdict = *investigation.SharedHashAtFault(program);
      return blame;
    }
    if (investigation.IsRocksDBs()) {
      say("RocksDB gives the same answer without filters");
      blame.verdict = Verdict::kRocksDB;
      return blame;
    }
    if (const auto verdict = investigation.FilterAtFault()) {
      blame.verdict = *verdict;
      return blame;
    }
    if (const auto verdict = investigation.SharedHashAtFault(program)) {
      blame.verdict = *verdict;
      return blame;
    }
  } catch (const DifferenceFound& other) {
    say("the copy could not be asked: " + other.difference.operation + ": " +
        other.difference.status);
  } catch (const std::exception& error) {
    say(std::string("could not go on asking: ") + error.what());
  }
  say("unexplained: ours until shown otherwise");
  return blame;
}

}  // namespace winnow::stress
