#include "tests/fuzz/forged_block.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tests/fuzz/fuzz_target.h"

namespace winnow::fuzz {
namespace {

using core::LayerEntry;
using core::LayerType;
using testing::RandomHashes;

// Offsets in the tail (FORMAT.md).
constexpr size_t kNumHashes = 8;
constexpr size_t kKind = 13;
constexpr size_t kHashId = 14;
constexpr size_t kColumns = 18;
constexpr size_t kEntries = 20;
constexpr size_t kVersion = 22;
constexpr size_t kMagicAndMarker = 23;
constexpr size_t kTailChecksum = 28;
constexpr char kMagicAndMarkerBytes[] = "Wnow\xa9";

void PutNumber(uint32_t number, std::string* bytes, size_t at, size_t size) {
  for (size_t i = 0; i < size; ++i) (*bytes)[at + i] = static_cast<char>(number >> (8 * i));
}

uint32_t ChecksumOf(const std::string& bytes) {
  return core::Checksum(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

uint16_t ColumnsOf(const std::string& tail) {
  return static_cast<uint16_t>(static_cast<unsigned char>(tail[kColumns]) |
                               static_cast<unsigned char>(tail[kColumns + 1]) << 8);
}

// Returns small numbers, numbers around powers of two, and often the minimum that is invalid.
uint32_t LikelyNumber(RandomHashes* random) {
  switch (random->Below(5)) {
    case 0:
      return 0;
    case 1:
      return static_cast<uint32_t>((uint64_t{1} << random->Below(33)) + random->Below(3) - 1);
    case 2:
      return static_cast<uint32_t>(random->Next());
    default:
      return static_cast<uint32_t>(random->Below(40));
  }
}

constexpr LayerType kTypes[] = {LayerType::kNone, LayerType::kBumped, LayerType::kSmall,
                                LayerType::kList, LayerType::kBloom,  LayerType::kNote};

LayerEntry LikelyEntry(RandomHashes* random) {
  LayerEntry entry{kTypes[random->Below(std::size(kTypes))], 0,
                   static_cast<uint32_t>(1 + random->Below(random->Below(8) == 0 ? 300 : 9))};
  switch (entry.type) {
    case LayerType::kNone:
      entry.count = 0;
      break;
    case LayerType::kBumped:
      entry.parameter = static_cast<uint8_t>(random->Below(random->Below(4) == 0 ? 26 : 4));
      break;
    case LayerType::kSmall:
      break;
    case LayerType::kList:
      entry.parameter = static_cast<uint8_t>(7 + random->Below(25));
      break;
    case LayerType::kBloom:
      entry.parameter = static_cast<uint8_t>(1 + random->Below(14));
      break;
    case LayerType::kNote:
      entry.parameter = static_cast<uint8_t>(random->Below(32));
      break;
  }
  return entry;
}

void ChangeEntry(RandomHashes* random, LayerEntry* entry) {
  switch (random->Below(5)) {
    case 0:
      entry->type = static_cast<LayerType>(random->Below(8));
      break;
    case 1:
      entry->parameter = static_cast<uint8_t>(random->Below(32));
      break;
    case 2:
      entry->count = LikelyNumber(random);
      break;
    case 3:
      entry->count += static_cast<uint32_t>(random->Below(5)) - 2;
      break;
    default:
      *entry = LikelyEntry(random);
  }
}

void ChangeEntries(RandomHashes* random, std::vector<LayerEntry>* entries) {
  const size_t at = entries->empty() ? 0 : random->Below(entries->size());
  switch (entries->empty() ? 0 : random->Below(6)) {
    case 0:
      entries->insert(entries->begin() + static_cast<std::ptrdiff_t>(at), LikelyEntry(random));
      break;
    case 1:
      entries->erase(entries->begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 2:
      std::swap((*entries)[at], (*entries)[random->Below(entries->size())]);
      break;
    default:
      ChangeEntry(random, &(*entries)[at]);
  }
}

// Changes all or a part of the payload, or fills it with random bytes.
void ChangePayload(RandomHashes* random, std::string* payload) {
  if (payload->empty()) return;
  const size_t first = random->Below(3) == 0 ? 0 : random->Below(payload->size());
  const size_t n = random->Below(3) == 0
                       ? payload->size() - first
                       : 1 + random->Below(std::min<size_t>(payload->size() - first, 200));
  const auto begin = payload->begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = begin + static_cast<std::ptrdiff_t>(n);
  switch (random->Below(5)) {
    case 0:
      std::fill(begin, end, '\0');
      break;
    case 1:
      std::fill(begin, end, '\xff');
      break;
    case 2:
      std::fill(begin, end, static_cast<char>(random->Next()));
      break;
    case 3:
      std::generate(begin, end, [&] { return static_cast<char>(random->Next()); });
      break;
    default: {
      payload->resize(payload->size() + 8);
      const size_t size = LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(&(*payload)[0]),
                                           payload->size() - 8, payload->size());
      payload->resize(size);
    }
  }
}

// Returns the kind whose filters begin with such an entry, or one of several.
FilterKind LikelyKind(const std::vector<LayerEntry>& entries, RandomHashes* random) {
  if (entries.empty()) return FilterKind::kEmpty;
  switch (entries[0].type) {
    case LayerType::kNote:
      return FilterKind::kEmpty;
    case LayerType::kBloom:
      return random->Below(4) != 0 ? FilterKind::kBloom : FilterKind::kRibbon;
    case LayerType::kNone:
    case LayerType::kBumped:
    case LayerType::kSmall:
    case LayerType::kList:
      break;
  }
  return FilterKind::kRibbon;
}

// Makes the tail consistent with the entries, and resizes the payload, unless it would be too
// large.
void Fit(size_t max_payload, RandomHashes* random, BlockParts* parts) {
  std::vector<LayerEntry>& entries = parts->entries;
  const FilterKind kind = LikelyKind(entries, random);
  const bool is_empty = kind == FilterKind::kEmpty;
  // A sequence of bumped layers, one layer of another type, and notes.
  size_t end = 0;
  while (end < entries.size() && !is_empty && entries[end].type == LayerType::kBumped) ++end;
  if (end == entries.size() && !is_empty) entries.push_back({LayerType::kNone, 0, 0});
  for (size_t i = is_empty ? 0 : end + 1; i < entries.size(); ++i) {
    entries[i].type = LayerType::kNote;
    entries[i].count %= 1000;
  }
  parts->tail[kKind] = static_cast<char>(kind);
  PutNumber(is_empty ? 0 : 1 + static_cast<uint32_t>(random->Below(1000)), &parts->tail, kNumHashes,
            4);
  parts->tail[kNumHashes + 4] = 0;
  if (kind != FilterKind::kRibbon) {
    PutNumber(0, &parts->tail, kColumns, 2);
  } else if (core::UnpackColumns(ColumnsOf(parts->tail)).most() > 16) {
    PutNumber(static_cast<uint32_t>(random->Below(15 * 4096)), &parts->tail, kColumns, 2);
  }
  const uint64_t bytes = parts->PayloadBytes();
  if (bytes > max_payload) return;
  const char filling = random->Below(2) == 0 ? '\0' : static_cast<char>(random->Next());
  parts->payload.resize(bytes, filling);
}

}  // namespace

BlockParts::BlockParts(std::string_view bytes) {
  const size_t tail_bytes = std::min(bytes.size(), core::kTailBytes);
  tail = bytes.substr(bytes.size() - tail_bytes);
  tail.resize(core::kTailBytes);
  bytes.remove_suffix(tail_bytes);
  size_t n = static_cast<unsigned char>(tail[kEntries]);
  n = std::min(n, bytes.size() / core::kEntryBytes);
  const std::string_view directory = bytes.substr(bytes.size() - n * core::kEntryBytes);
  for (unsigned i = 0; i < n; ++i) {
    entries.push_back(
        core::ReadLayerEntry(reinterpret_cast<const unsigned char*>(directory.data()), i));
  }
  payload = bytes.substr(0, bytes.size() - directory.size());
}

uint64_t BlockParts::PayloadBytes() const {
  const core::Columns columns = core::UnpackColumns(ColumnsOf(tail));
  uint64_t bytes = 0;
  for (const LayerEntry& entry : entries) {
    if (core::CheckLayer(entry)) bytes += core::LayerBytes(entry, columns);
  }
  return bytes;
}

std::string BlockParts::Assemble() const {
  std::string end;
  for (const LayerEntry& entry : entries) {
    end.push_back(
        static_cast<char>(static_cast<unsigned>(entry.type) | unsigned{entry.parameter} << 3));
    end.append(4, '\0');
    PutNumber(entry.count, &end, end.size() - 4, 4);
  }
  const size_t at = end.size();
  end += tail;
  PutNumber(ChecksumOf(payload), &end, at, 4);
  PutNumber(core::kHashSeed, &end, at + 4, 4);
  end[at + kHashId] = static_cast<char>(core::kHashXxh3);
  end[at + kEntries] = static_cast<char>(entries.size());
  end[at + kVersion] = static_cast<char>(core::kFormatVersion);
  std::copy_n(kMagicAndMarkerBytes, kTailChecksum - kMagicAndMarker,
              end.begin() + static_cast<std::ptrdiff_t>(at + kMagicAndMarker));
  PutNumber(ChecksumOf(end.substr(0, at + kTailChecksum)), &end, at + kTailChecksum, 4);
  return payload + end;
}

std::string Repaired(std::string_view bytes) { return BlockParts(bytes).Assemble(); }

std::string ChangedBlock(std::string_view bytes, size_t max_size, RandomHashes* random) {
  BlockParts parts(bytes);
  // More entries than a directory may have are tried too, but don't accumulate.
  if (parts.entries.size() > core::kMaxEntries + 2) parts.entries.resize(core::kMaxEntries);
  for (uint64_t i = 1 + random->Below(3); i > 0; --i) {
    switch (random->Below(8)) {
      case 0:
      case 1:
        ChangeEntries(random, &parts.entries);
        break;
      case 2:
        PutNumber(static_cast<uint32_t>(random->Next()), &parts.tail, kColumns, 2);
        break;
      case 3:
        // Near whole columns: no fraction, or the maximum fraction.
        PutNumber(static_cast<uint32_t>(random->Below(17) * 4096 + random->Below(3) - 1),
                  &parts.tail, kColumns, 2);
        break;
      case 4:
        parts.tail[random->Below(core::kTailBytes)] = static_cast<char>(random->Next());
        break;
      default:
        ChangePayload(random, &parts.payload);
    }
  }
  const size_t most_payload =
      max_size - std::min(max_size, core::kTailBytes + core::kEntryBytes * parts.entries.size() +
                                        core::kEntryBytes);
  if (random->Below(8) != 0) Fit(most_payload, random, &parts);
  if (parts.payload.size() > most_payload) parts.payload.resize(most_payload);
  std::string block = parts.Assemble();
  // Damages or truncates some blocks.
  if (random->Below(16) == 0 && !block.empty()) {
    const size_t at = random->Below(block.size());
    if (random->Below(2) == 0) {
      block[at] = static_cast<char>(random->Next());
    } else {
      block.resize(at);
    }
  }
  if (block.size() > max_size) block.resize(max_size);
  return block;
}

size_t ChangeBlock(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  RandomHashes random(seed);
  const std::string changed =
      ChangedBlock({reinterpret_cast<const char*>(data), size}, max_size, &random);
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}

std::vector<KeyHash> HashesToAsk(uint64_t seed, size_t n) {
  constexpr uint64_t kExtremes[] = {0,
                                    ~uint64_t{0},
                                    1,
                                    uint64_t{1} << 32,
                                    ~uint64_t{0} << 32,
                                    ~uint64_t{0} >> 32,
                                    uint64_t{1} << 63};
  std::vector<KeyHash> hashes = RandomHashes(seed).Take(n);
  for (size_t i = 0; i < std::min(n, std::size(kExtremes)); ++i) hashes[i].value = kExtremes[i];
  return hashes;
}

}  // namespace winnow::fuzz
