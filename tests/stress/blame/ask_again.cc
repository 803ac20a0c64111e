#include "tests/stress/blame/ask_again.h"

#include <rocksdb/iterator.h>
#include <rocksdb/slice.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/stress/database.h"
#include "tests/support/child_process.h"

namespace winnow::stress {
namespace {

using ROCKSDB_NAMESPACE::ColumnFamilyHandle;
using ROCKSDB_NAMESPACE::DB;
using ROCKSDB_NAMESPACE::Iterator;
using ROCKSDB_NAMESPACE::PinnableSlice;
using ROCKSDB_NAMESPACE::ReadOptions;
using ROCKSDB_NAMESPACE::Slice;
using ROCKSDB_NAMESPACE::Status;

Answer ToAnswer(const Status& status, std::string value) {
  Answer answer;
  if (status.ok()) {
    answer.found = std::move(value);
  } else if (!status.IsNotFound()) {
    answer.status = status.ToString();
  }
  return answer;
}

Answer AnswerOf(const Iterator& at, const std::string& key) {
  if (at.Valid() && at.key() == key) return ToAnswer(Status::OK(), at.value().ToString());
  return ToAnswer(at.status().ok() ? Status::NotFound() : at.status(), "");
}

Answer GetAnswer(const std::string& key, const ReadOptions& options, DB* database,
                 ColumnFamilyHandle* family) {
  std::string value;
  const Status status = database->Get(options, family, key, &value);
  return ToAnswer(status, std::move(value));
}

// Returns KeyMayExist's answer. KeyMayExist reads only cached blocks: if it gives no value, a Get
// loads the blocks and it is called again. A copy that was just opened has no cached blocks.
Answer AskWhetherItMayExist(const std::string& key, const ReadOptions& options, DB* database,
                            ColumnFamilyHandle* family) {
  Answer by_get;
  for (const bool is_first : {true, false}) {
    std::string value;
    bool is_found = false;
    if (!database->KeyMayExist(options, family, key, &value, &is_found)) return Answer();
    if (is_found) return ToAnswer(Status::OK(), std::move(value));
    if (is_first) by_get = GetAnswer(key, options, database, family);
  }
  return by_get;
}

}  // namespace

std::string Answer::ToString() const {
  if (!status.empty()) return status;
  return found ? "the value \"" + *found + "\"" : "nothing";
}

Answer AskAgain(const Difference& difference, const Extractor& extractor, DB* database,
                ColumnFamilyHandle* family) {
  const std::string& key = difference.key;
  ReadOptions options;
  const Slice timestamp = difference.timestamp;
  if (!timestamp.empty()) options.timestamp = &timestamp;
  switch (difference.question) {
    case Question::kGet:
      return GetAnswer(key, options, database, family);
    case Question::kMultiGet: {
      // Two keys, since RocksDB treats a batch of one key differently.
      const std::string other = key + "~";
      const Slice slices[] = {key, other};
      PinnableSlice values[2];
      Status statuses[2];
      database->MultiGet(options, family, 2, slices, values, statuses);
      return ToAnswer(statuses[0], values[0].ToString());
    }
    case Question::kKeyMayExist:
      return AskWhetherItMayExist(key, options, database, family);
    case Question::kPrefixSeek:
    case Question::kPrefixSeekForPrev: {
      options.total_order_seek = false;
      const std::unique_ptr<Iterator> at(database->NewIterator(options, family));
      if (difference.question == Question::kPrefixSeekForPrev) {
        at->SeekForPrev(difference.target);
      } else {
        const std::string prefix = extractor.PrefixOf(difference.target);
        at->Seek(difference.target);
        while (at->Valid() && at->key().starts_with(prefix) && at->key().compare(key) < 0) {
          at->Next();
        }
      }
      return AnswerOf(*at, key);
    }
    case Question::kRangeSeek: {
      // The shortest possible range, which excludes all other keys of a filter.
      const std::string end = key + '\0';
      const Slice upper_bound = end;
      options.iterate_upper_bound = &upper_bound;
      const std::unique_ptr<Iterator> at(database->NewIterator(options, family));
      at->Seek(key);
      return AnswerOf(*at, key);
    }
    case Question::kTotalOrder:
    case Question::kStatus:
      break;
  }
  Difference now = difference;
  now.snapshot = nullptr;
  return AskWithoutFilters(now, database, family);
}

Answer AskWithoutFilters(const Difference& difference, DB* database, ColumnFamilyHandle* family) {
  ReadOptions options;
  options.total_order_seek = true;
  options.snapshot = difference.snapshot;
  const Slice timestamp = difference.timestamp;
  if (!timestamp.empty()) options.timestamp = &timestamp;
  const std::unique_ptr<Iterator> at(database->NewIterator(options, family));
  at->Seek(difference.key);
  return AnswerOf(*at, difference.key);
}

std::string ToHex(const std::string& bytes) { return Slice(bytes).ToString(/*hex=*/true); }

std::string FromHex(const std::string& digits) {
  std::string bytes;
  if (!Slice(digits).DecodeHex(&bytes)) std::abort();
  return bytes;
}

std::optional<bool> IsRightInOtherProcess(const std::string& program, const std::string& copy,
                                          const Difference& difference,
                                          const Extractor& extractor) {
  const std::vector<std::string> command = {program,
                                            "--ask",
                                            copy,
                                            std::to_string(difference.family),
                                            std::to_string(static_cast<int>(difference.question)),
                                            std::to_string(static_cast<int>(extractor.kind)),
                                            std::to_string(extractor.length),
                                            "x" + ToHex(difference.key),
                                            "x" + ToHex(difference.target),
                                            "x" + ToHex(difference.timestamp)};
  const testing::ChildResult result = testing::RunProgram(command);
  if (result.status != 0) return std::nullopt;
  const std::string expected =
      difference.expected ? "found " + ToHex(*difference.expected) : "absent";
  return result.output == expected + "\n";
}

int AskInThisProcess(int argc, char** argv) {
  if (argc != 10) return 2;
  const std::vector<std::string> words(argv + 2, argv + argc);
  Extractor extractor;
  extractor.kind = static_cast<Extractor::Kind>(std::stoi(words[3]));
  extractor.length = std::stoul(words[4]);
  Difference difference;
  difference.family = std::stoul(words[1]);
  difference.question = static_cast<Question>(std::stoi(words[2]));
  difference.key = FromHex(words[5].substr(1));
  difference.target = FromHex(words[6].substr(1));
  difference.timestamp = FromHex(words[7].substr(1));
  Random random(1);
  Settings settings = RandomSettings(&random);
  settings.families[difference.family].extractor = extractor;
  settings.families[difference.family].options.prefix_extractor = extractor.Make();
  const ReadOnlyDatabase database(words[0], settings, MakePolicy("winnow:10"));
  const Answer answer =
      AskAgain(difference, extractor, &database.db(), database.family(difference.family));
  if (!answer.status.empty()) return 1;
  std::printf("%s\n", answer.found ? ("found " + ToHex(*answer.found)).c_str() : "absent");
  return 0;
}

}  // namespace winnow::stress
