#include "src/core/tree_note.h"

#include <algorithm>
#include <cmath>

#include "src/core/format.h"
#include "src/core/notes.h"
#include "src/formulas/bytes.h"

namespace winnow::core {
namespace {

using formulas::LoadLittle;
using formulas::StoreLittle;

constexpr uint8_t kTreeNoteVersion = 1;

// Offsets of the fields.
constexpr size_t kTreeAt = 2;
constexpr size_t kLambdaAt = 10;
constexpr size_t kReachAt = 12;
constexpr size_t kCommonAt = 14;
constexpr size_t kFirstAt = 15;
constexpr size_t kKeysAt = 16;
constexpr size_t kNoteChecksumBytes = 2;
constexpr size_t kBesideKeys = kKeysAt + kNoteChecksumBytes;

// Minimum number of bytes of a truncated key behind the common prefix of both keys.
constexpr size_t kLeastOfKey = 4;

constexpr double kSteps = 256;  // steps per unit of a logarithm

uint64_t PackLog2(double log2) noexcept {
  return static_cast<uint16_t>(
      static_cast<int16_t>(std::lround(std::clamp(log2, -127.0, 127.0) * kSteps)));
}

double UnpackLog2(const unsigned char* bytes) noexcept {
  return static_cast<int16_t>(LoadLittle(bytes, 2)) / kSteps;
}

size_t CommonSize(std::string_view a, std::string_view b) noexcept {
  const auto end = a.begin() + static_cast<ptrdiff_t>(std::min(a.size(), b.size()));
  return static_cast<size_t>(std::mismatch(a.begin(), end, b.begin()).first - a.begin());
}

uint16_t ChecksumOf(std::string_view bytes) noexcept {
  return static_cast<uint16_t>(
      Checksum(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace

std::string EncodeTreeNote(const TreeNote& note, size_t filter_bytes) {
  const size_t most = filter_bytes / kFiltersOfTreeNote;
  const size_t beside = kBesideKeys + kEntryBytes;
  const size_t common = CommonSize(note.first, note.last);
  if (most < beside + common) return {};
  size_t left = std::min(most - beside, kMaxTreeNoteKeys);
  if (left < common) return {};
  left -= common;
  const size_t of_first = note.first.size() - common;
  const size_t of_last = note.last.size() - common;
  // Half of the room each, or more if the other key is short.
  const size_t first = std::min(of_first, std::max(left / 2, left - std::min(of_last, left)));
  const size_t last = std::min(of_last, left - first);
  const auto is_enough = [](size_t kept, size_t all) { return kept == all || kept >= kLeastOfKey; };
  if (!is_enough(first, of_first) || !is_enough(last, of_last)) return {};

  std::string bytes(kKeysAt, '\0');
  auto* const at = reinterpret_cast<unsigned char*>(bytes.data());
  at[0] = kTreeNoteVersion;
  at[1] = static_cast<unsigned char>(note.reason);
  StoreLittle(at + kTreeAt, note.tree, 8);
  StoreLittle(at + kLambdaAt, PackLog2(note.log2_lambda), 2);
  StoreLittle(at + kReachAt, PackLog2(note.log2_reach), 2);
  at[kCommonAt] = static_cast<unsigned char>(common);
  at[kFirstAt] = static_cast<unsigned char>(first);
  bytes.append(note.first, 0, common + first);
  bytes.append(note.last, common, last);
  const uint16_t checksum = ChecksumOf(bytes);
  bytes.push_back(static_cast<char>(checksum & 0xff));
  bytes.push_back(static_cast<char>(checksum >> 8));
  return bytes;
}

std::optional<TreeNote> DecodeTreeNote(std::string_view bytes) {
  if (bytes.size() < kBesideKeys || bytes.size() > kBesideKeys + kMaxTreeNoteKeys) {
    return std::nullopt;
  }
  const auto* const at = reinterpret_cast<const unsigned char*>(bytes.data());
  const std::string_view keys = bytes.substr(kKeysAt, bytes.size() - kBesideKeys);
  const size_t common = at[kCommonAt];
  const size_t first = at[kFirstAt];
  if (at[0] != kTreeNoteVersion || common + first > keys.size() ||
      LoadLittle(at + kKeysAt + keys.size(), 2) !=
          ChecksumOf(bytes.substr(0, bytes.size() - kNoteChecksumBytes))) {
    return std::nullopt;
  }
  TreeNote note;
  note.tree = LoadLittle(at + kTreeAt, 8);
  note.reason = static_cast<RateReason>(at[1]);
  note.log2_lambda = UnpackLog2(at + kLambdaAt);
  note.log2_reach = UnpackLog2(at + kReachAt);
  note.first = keys.substr(0, common + first);
  note.last.assign(keys.substr(0, common)).append(keys.substr(common + first));
  return note;
}

std::optional<TreeNote> TreeNoteOf(std::string_view filter_block) {
  const std::string_view note = NoteOf(filter_block, kTreeNote);
  return note.empty() ? std::nullopt : DecodeTreeNote(note);
}

}  // namespace winnow::core
