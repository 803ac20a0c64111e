#include "tests/stress/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "tests/support/files.h"

namespace winnow::stress {
namespace {

constexpr char kModel = 'M';
constexpr char kBegin = 'B';
constexpr char kHappened = 'Y';
constexpr char kDidNot = 'N';

void PutNumber(std::string* out, uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) out->push_back(static_cast<char>(number >> shift));
}

void PutText(std::string* out, const std::string& text) {
  PutNumber(out, text.size());
  out->append(text);
}

// Returns a record: its kind, the size of the rest, and the rest.
std::string Record(char kind, const std::string& rest) {
  std::string record(1, kind);
  PutText(&record, rest);
  return record;
}

std::string ModelRecord(const PartModel& model) {
  std::string rest;
  PutNumber(&rest, model.serial);
  for (const FamilyModel& family : model.families) {
    PutNumber(&rest, family.size());
    for (const auto& [key, value] : family) {
      PutText(&rest, key);
      PutText(&rest, value);
    }
  }
  return Record(kModel, rest);
}

class Parser {
 public:
  explicit Parser(std::string_view bytes) : rest_(bytes) {}

  bool AtEnd() const { return rest_.empty(); }

  char Kind() {
    const std::string_view kind = Take(1);
    return kind.empty() ? '\0' : kind[0];
  }

  uint64_t Number() {
    uint64_t number = 0;
    const std::string_view bytes = Take(8);
    for (size_t i = 0; i < bytes.size(); ++i) {
      number |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return number;
  }

  std::string_view Text() { return Take(Number()); }

  // Returns whether all reads so far were within the record.
  bool ok() const { return ok_; }

 private:
  std::string_view Take(uint64_t n) {
    ok_ = ok_ && n <= rest_.size();
    if (!ok_) return {};
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }

  std::string_view rest_;
  bool ok_ = true;
};

PartModel ParseModel(Parser parser) {
  PartModel model;
  model.serial = parser.Number();
  for (FamilyModel& family : model.families) {
    for (uint64_t n = parser.Number(); n > 0 && parser.ok(); --n) {
      const std::string key(parser.Text());
      family.emplace_hint(family.end(), key, parser.Text());
    }
  }
  return model;
}

Writes ParseWrites(Parser* parser) {
  Writes writes;
  for (uint64_t n = parser->Number(); n > 0 && parser->ok(); --n) {
    Write write{};
    write.change = static_cast<Change>(parser->Kind());
    write.family = static_cast<uint8_t>(parser->Kind());
    write.key = parser->Text();
    write.value = parser->Text();
    writes.push_back(std::move(write));
  }
  return writes;
}

}  // namespace

Journal::Journal(const std::string& path, const PartModel& model) : path_(path) {
  // The rename is atomic: after a kill, the path has the old file or the new one.
  const std::string next = path + ".next";
  testing::WriteFile(next, ModelRecord(model));
  std::filesystem::rename(next, path);
  file_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) throw std::runtime_error("can't write " + path + ": " + std::strerror(errno));
}

Journal::~Journal() { close(file_); }

void Journal::Begin(const Writes& writes, uint64_t serial) {
  std::string rest;
  PutNumber(&rest, serial);
  PutNumber(&rest, writes.size());
  for (const Write& write : writes) {
    rest.push_back(static_cast<char>(write.change));
    rest.push_back(static_cast<char>(write.family));
    PutText(&rest, write.key);
    PutText(&rest, write.value);
  }
  Append(Record(kBegin, rest));
}

void Journal::End(bool happened) { Append(Record(happened ? kHappened : kDidNot, "")); }

void Journal::Append(const std::string& record) {
  // A single write(), so that a kill finds it done or not begun. If it is cut short nevertheless,
  // the reader finds the record incomplete.
  const ssize_t written = write(file_, record.data(), record.size());
  if (written != static_cast<ssize_t>(record.size())) {
    throw std::runtime_error("can't write " + path_ + ": " + std::strerror(errno));
  }
}

Recovered ReadJournal(const std::string& path) {
  Recovered recovered;
  if (!std::filesystem::exists(path)) return recovered;
  const std::string bytes = testing::ReadFile(path);
  Parser parser(bytes);
  bool is_first = true;
  while (!parser.AtEnd()) {
    const char kind = parser.Kind();
    Parser record(parser.Text());
    if (!parser.ok()) break;  // incomplete, so the write was not requested yet
    if (is_first != (kind == kModel)) throw std::runtime_error(path + " is no journal");
    is_first = false;
    if (kind == kModel) {
      recovered.model = ParseModel(record);
    } else if (kind == kBegin) {
      recovered.model.serial = record.Number();
      recovered.in_doubt = ParseWrites(&record);
    } else {
      if (kind == kHappened) Apply(recovered.in_doubt, &recovered.model);
      recovered.in_doubt.clear();
    }
  }
  if (is_first) throw std::runtime_error(path + " has no model");
  return recovered;
}

}  // namespace winnow::stress
