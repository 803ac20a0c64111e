#include "streams/dedup/state/state_bytes.h"

#include "src/formulas/bytes.h"
#include "src/formulas/xxh3.h"
#include "streams/amq/block_pattern.h"
#include "streams/amq/blocked_parts.h"
#include "winnow/amq/plan.h"

namespace winnow::dedup {
namespace {

constexpr uint64_t kEntryMark = 0x0a656e696c6d4157u;  // "WAmline\n"
constexpr uint64_t kMaxBlocks = uint64_t{1} << 54;    // blocks of 2^60 bytes
constexpr uint64_t kMaxJournal = uint64_t{1} << 60;

std::string FaultOf(const StateRecord& record) {
  constexpr auto kKind = amq::Serialized::kLinesRecord;
  const amq::BlockedShape& shape = record.shape;
  const StateLayout& layout = record.layout;
  if (record.capacity < 1 || record.capacity > amq::kMostKeys) {
    return amq::OutOfRange(kKind, "the capacity", record.capacity, 1, amq::kMostKeys);
  }
  if (!(record.rate >= amq::kLowestRate && record.rate <= amq::kHighestRate)) {
    return amq::OutOfRange(kKind, "the rate", record.rate, amq::kLowestRate, amq::kHighestRate);
  }
  if (shape.blocks_per_key < 1 || shape.blocks_per_key > amq::kMaxBlocksPerKey) {
    return amq::OutOfRange(kKind, "blocks a key", uint64_t{shape.blocks_per_key}, 1,
                           amq::kMaxBlocksPerKey);
  }
  if (shape.bits_per_block < 1 || shape.bits_per_block > amq::kBlockWords) {
    return amq::OutOfRange(kKind, "bits a block", uint64_t{shape.bits_per_block}, 1,
                           amq::kBlockWords);
  }
  if (shape.num_blocks < 1 || shape.num_blocks > kMaxBlocks) {
    return amq::OutOfRange(kKind, "blocks", shape.num_blocks, 1, kMaxBlocks);
  }
  if (!record.rewriting && record.keys != 0) {
    return amq::Contradiction(kKind, "the number of keys", record.keys, 0);
  }
  if (record.keys > amq::kMostKeys) {
    return amq::OutOfRange(kKind, "the number of keys", record.keys, 0, amq::kMostKeys);
  }
  const StateLayout least =
      LayoutFor(amq::kHeaderBytes + amq::BlockedBloomParts::kBytesPerBlock * shape.num_blocks);
  if (layout.filter != least.filter) {
    return amq::Contradiction(kKind, "bytes of the filter", layout.filter, least.filter);
  }
  if (layout.journal < least.journal || layout.journal > kMaxJournal ||
      layout.journal % kStatePage != 0) {
    return amq::OutOfRange(kKind, "bytes of the journal, a multiple of 4096,", layout.journal,
                           least.journal, kMaxJournal);
  }
  return "";
}

}  // namespace

std::string BytesOf(const StateRecord& record) {
  std::string bytes(kRecordBytes, 0);
  auto* const to = reinterpret_cast<unsigned char*>(bytes.data());
  formulas::StoreLittle64(to + amq::kHeaderBytes, record.layout.filter);
  formulas::StoreLittle64(to + amq::kHeaderBytes + 8, record.layout.journal);
  amq::Header header;
  header.kind = amq::Serialized::kLinesRecord;
  header.a = record.rewriting;
  header.b = static_cast<uint8_t>(record.shape.blocks_per_key << 4 | record.shape.bits_per_block);
  header.payload = kRecordBytes - amq::kHeaderBytes;
  header.count = record.shape.num_blocks;
  header.keys = record.keys;
  header.x = record.capacity;
  header.y = amq::BitsOfDouble(record.rate);
  amq::WriteHeader(header, to);
  return bytes;
}

std::string ReadRecord(std::string_view bytes, StateRecord* record) {
  amq::Header header;
  std::string fault = amq::ReadHeader(bytes, amq::Serialized::kLinesRecord, &header);
  if (fault.empty() && bytes.size() != kRecordBytes) {
    fault = amq::Contradiction(amq::Serialized::kLinesRecord, "bytes", bytes.size(), kRecordBytes);
  }
  if (!fault.empty()) return fault;
  const auto* const payload =
      reinterpret_cast<const unsigned char*>(bytes.data()) + amq::kHeaderBytes;
  record->capacity = header.x;
  record->rate = amq::DoubleOfBits(header.y);
  record->shape = {header.count, unsigned{header.b} >> 4, unsigned{header.b} & 15};
  record->rewriting = header.a != 0;
  record->keys = header.keys;
  record->layout = {formulas::LoadLittle64(payload), formulas::LoadLittle64(payload + 8)};
  return header.a > 1
             ? amq::OutOfRange(amq::Serialized::kLinesRecord, "a", uint64_t{header.a}, 0, 1)
             : FaultOf(*record);
}

void WriteEntry(const uint64_t* hashes, uint64_t n, unsigned char* entry) noexcept {
  const uint64_t bytes = EntryBytes(n);
  formulas::StoreLittle64(entry, kEntryMark);
  formulas::StoreLittle64(entry + 8, n);
  amq::StoreWords(hashes, n, entry + kEntryStart);
  formulas::StoreLittle64(entry + bytes - 8, XXH3_64bits(entry + 8, bytes - 16));
}

bool HasMark(const unsigned char* start) noexcept { return formulas::LoadLittle64(start) != 0; }

uint64_t EntryCount(const unsigned char* start) noexcept {
  if (formulas::LoadLittle64(start) != kEntryMark) return ~uint64_t{0};
  return formulas::LoadLittle64(start + 8);
}

bool EntryIntact(const unsigned char* entry, uint64_t count) noexcept {
  const uint64_t bytes = EntryBytes(count);
  return formulas::LoadLittle64(entry + bytes - 8) == XXH3_64bits(entry + 8, bytes - 16);
}

uint64_t EntryHash(const unsigned char* entry, uint64_t place) noexcept {
  return formulas::LoadLittle64(entry + kEntryStart + 8 * place);
}

}  // namespace winnow::dedup
