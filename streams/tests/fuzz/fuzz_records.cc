// Fuzz target of serialized filters and states: filters, a PagedBloom's record and pages, a state
// of seen lines. The bytes, unchanged and with corrected checksums, must be refused, or read as a
// filter that serializes to the same bytes, contains keys added to it, and has a valid rate.
//
// An input consists of byte strings, each preceded by its length in two bytes. The first one
// determines their meaning: one filter; a record followed by pages of its generation, from the
// first one on; or the record, the filter and the beginning of the journal of a state.

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/formulas/bytes.h"
#include "src/formulas/xxh3.h"
#include "streams/amq/serialized.h"
#include "streams/dedup/state/state_bytes.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/guarded_bytes.h"
#include "tests/support/random_hashes.h"
#include "winnow/amq/blocked_bloom.h"
#include "winnow/amq/counting_bloom.h"
#include "winnow/amq/cuckoo_filter.h"
#include "winnow/amq/page_store.h"
#include "winnow/amq/paged_bloom.h"
#include "winnow/amq/scalable_bloom.h"
#ifdef WINNOW_FUZZ_STATES
#include <sys/mman.h>
#include <unistd.h>

#include "streams/dedup/kept_lines.h"
#endif

namespace winnow::fuzz {
namespace {

using amq::kHeaderBytes;
using amq::Serialized;
using Parts = std::vector<std::string>;

constexpr size_t kKindAt = 5;
constexpr size_t kPayloadAt = 16;
constexpr size_t kMaxGrowth = 100;  // a one-block filter may begin several filters in 20 additions
// Offset of the first filter, which 8 bytes precede.
constexpr size_t kInScalable = kHeaderBytes + 16;
constexpr uint64_t kMaxStateBytes = 4 << 20;

// ---- Parts, and checksums that are right

Parts PartsOf(std::string_view bytes) {
  Parts parts;
  while (bytes.size() >= 2) {
    const size_t size = static_cast<unsigned char>(bytes[0]) |
                        static_cast<size_t>(static_cast<unsigned char>(bytes[1])) << 8;
    parts.emplace_back(bytes.substr(2, size));
    bytes.remove_prefix(2 + parts.back().size());
  }
  return parts;
}

std::string Joined(const Parts& parts) {
  std::string bytes;
  for (const std::string& part : parts) {
    bytes += static_cast<char>(part.size());
    bytes += static_cast<char>(part.size() >> 8);
    bytes += part;
  }
  return bytes;
}

Serialized KindOf(std::string_view part) {
  return static_cast<Serialized>(part.size() > kKindAt ? part[kKindAt] : 0);
}

// Corrects the fields of a header that do not depend on the kind, and the checksums.
void Repair(unsigned char* bytes, size_t size) {
  if (size < kHeaderBytes) return;
  amq::Header header;
  header.kind = static_cast<Serialized>(bytes[kKindAt]);
  header.a = bytes[6];
  header.b = bytes[7];
  header.payload = size - kHeaderBytes;
  uint64_t* const numbers[] = {&header.count, &header.keys, &header.x, &header.y};
  for (size_t i = 0; i < 4; ++i) *numbers[i] = formulas::LoadLittle64(bytes + 24 + 8 * i);
  amq::WriteHeader(header, bytes);
}

std::string Repaired(std::string part) {
  auto* const bytes = reinterpret_cast<unsigned char*>(part.data());
  if (KindOf(part) == Serialized::kScalableBloom) {
    for (size_t at = kInScalable + 8; at + kHeaderBytes <= part.size();) {
      const uint64_t payload = formulas::LoadLittle64(bytes + at + kPayloadAt);
      if (payload > part.size() - at - kHeaderBytes) break;
      Repair(bytes + at, kHeaderBytes + payload);
      at += kHeaderBytes + payload + 8;
    }
  }
  Repair(bytes, part.size());
  return part;
}

// Returns the bytes as a valid journal entry, if they are long enough.
std::string RepairedEntry(std::string entry) {
  auto* const bytes = reinterpret_cast<unsigned char*>(entry.data());
  if (entry.size() < dedup::EntryBytes(1)) return entry;
  const uint64_t n = (entry.size() - dedup::kEntryFrame) / 8;
  std::vector<uint64_t> hashes(n);
  amq::LoadWords(bytes + dedup::kEntryStart, n, hashes.data());
  dedup::WriteEntry(hashes.data(), n, bytes);
  return entry;
}

// ---- Filters

std::vector<KeyHash> HashesOf(std::string_view bytes) {
  return testing::RandomHashes(XXH3_64bits(bytes.data(), bytes.size())).Take(40);
}

template <typename Filter>
bool Added(Filter* filter, KeyHash hash) {
  return filter->Add(hash), true;
}
bool Added(amq::CuckooFilter* filter, KeyHash hash) { return filter->Insert(hash); }

void CountAnswer(bool may_contain) {
  ++counts.answers;
  counts.absent += !may_contain;
}

template <typename Filter>
void TestFilter(const std::string& part) {
  static GuardedBytes guarded(kMaxInputBytes);
  std::string reason;
  std::optional<Filter> filter = Filter::Deserialize(guarded.AtEnd(part), &reason);
  ++counts.blocks;
  WINNOW_FUZZ_CHECK(filter.has_value() == reason.empty(), "%s", reason.c_str());
  if (!filter) return;
  ++counts.usable;
  NoteTrait(static_cast<uint64_t>(KindOf(part)) << 8 | static_cast<unsigned char>(part[6]));
  WINNOW_FUZZ_CHECK(filter->Serialize() == part, "written otherwise");
  const double rate = filter->expected_fpr();
  WINNOW_FUZZ_CHECK(rate >= 0 && rate <= 1, "%g", rate);
  const std::vector<KeyHash> hashes = HashesOf(part);
  for (const KeyHash hash : hashes) CountAnswer(filter->MayContain(hash));
  for (size_t i = 0; i < hashes.size() / 2; ++i) {
    const bool added = Added(&*filter, hashes[i]);
    WINNOW_FUZZ_CHECK(!added || filter->MayContain(hashes[i]), "denied");
  }
  const std::string more = filter->Serialize();
  WINNOW_FUZZ_CHECK(Filter::Deserialize(more, &reason).has_value(), "%s", reason.c_str());
  // The filter grows in proportion to its serialized size only.
  WINNOW_FUZZ_CHECK(more.size() <= kMaxGrowth * part.size(), "%zu bytes grew to %zu", part.size(),
                    more.size());
}

// ---- Pages

void TestPages(const Parts& parts) {
  amq::MemoryPageStore store;
  std::string reason;
  const std::string& record = parts.front();
  const uint64_t generation =
      record.size() < kHeaderBytes
          ? 0
          : formulas::LoadLittle64(reinterpret_cast<const unsigned char*>(record.data()) + 48);
  store.Store(amq::PagedBloom::RecordName(), record, &reason);
  for (size_t i = 1; i < parts.size(); ++i) {
    store.Store(std::to_string(generation) + "-" + std::to_string(i - 1), parts[i], &reason);
  }
  reason.clear();
  const std::vector<KeyHash> hashes = HashesOf(record);
  std::optional<amq::PagedBloom> filter = amq::PagedBloom::Open(&store, &reason);
  ++counts.blocks;
  if (filter) {
    ++counts.usable;
    const uint64_t there = std::min<uint64_t>(parts.size(), filter->shape().pages);
    for (uint64_t page = 0; page < there; ++page) {
      NoteTrait(uint64_t{1} << 32 | filter->Load(page, &reason));
    }
    for (const KeyHash hash : hashes) {
      CountAnswer(filter->MayContain(hash));
      const auto added = filter->Add(hash, &reason);
      WINNOW_FUZZ_CHECK(added == amq::PagedBloom::Added::kFailed || filter->MayContain(hash),
                        "denied");
    }
    WINNOW_FUZZ_CHECK(filter->Save(&reason), "%s", reason.c_str());
    const double rate = filter->expected_fpr();
    WINNOW_FUZZ_CHECK(rate >= 0 && rate <= 1, "%g", rate);
    WINNOW_FUZZ_CHECK(amq::PagedBloom::Open(&store, &reason).has_value(), "%s", reason.c_str());
  }
  // Pages beyond those of the record are not read by a filter.
  const bool knows_all = filter && parts.size() - 1 <= filter->shape().pages;
  const bool is_record = filter || reason.find("begun did not end") != std::string::npos;
  const auto built =
      amq::PagedBloom::Build(&store, {50, 0.01, 64}, hashes.data(), hashes.size(), &reason);
  WINNOW_FUZZ_CHECK(built.has_value() || !is_record, "%s", reason.c_str());
  if (!built) return;
  WINNOW_FUZZ_CHECK(!knows_all || store.all().size() == built->shape().pages + 1, "%zu pages left",
                    store.all().size());
  for (const KeyHash hash : hashes) WINNOW_FUZZ_CHECK(built->MayContain(hash), "denied");
}

// ---- States

#ifdef WINNOW_FUZZ_STATES
// Returns how many lines a run with this state calls new.
absl::StatusOr<size_t> NewLines(const std::string& path, const dedup::StateRecord& record,
                                const std::vector<KeyHash>& hashes) {
  dedup::KeptPlan plan = {record.capacity, record.rate};
  auto kept = dedup::OpenKept(path, &plan);
  if (!kept.ok()) return kept.status();
  const std::unique_ptr<bool[]> is_new(new bool[hashes.size()]);
  absl::Status status;
  for (size_t at = 0; at < hashes.size() && status.ok();) {
    const size_t n = std::min((*kept)->brought_at_once(), hashes.size() - at);
    (*kept)->Bring(&hashes[at], n);
    status = (*kept)->Add(&hashes[at], n, &is_new[at]);
    at += n;
  }
  if (status.ok()) status = (*kept)->Finish();
  if (!status.ok()) return status;
  size_t fresh = 0;
  for (size_t i = 0; i < hashes.size(); ++i) {
    fresh += is_new[i];
    CountAnswer(!is_new[i]);
  }
  return fresh;
}

void TestStateFile(const Parts& parts, const dedup::StateRecord& record) {
  if (record.layout.file() > kMaxStateBytes || record.rate < 1e-12) return;
  const int file = memfd_create("state", MFD_CLOEXEC);
  WINNOW_FUZZ_CHECK(file >= 0 && ftruncate(file, static_cast<off_t>(record.layout.file())) == 0,
                    "no file");
  const uint64_t places[] = {0, record.layout.filter_at(), record.layout.journal_at()};
  for (size_t i = 0; i < std::min<size_t>(parts.size(), 3); ++i) {
    const std::string& part = parts[i];
    WINNOW_FUZZ_CHECK(pwrite(file, part.data(), part.size(), static_cast<off_t>(places[i])) ==
                          static_cast<ssize_t>(part.size()),
                      "no room");
  }
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const std::vector<KeyHash> hashes = HashesOf(parts.front());
  const auto first = NewLines(path, record, hashes);
  if (first.ok()) {
    const auto again = NewLines(path, record, hashes);
    WINNOW_FUZZ_CHECK(again.ok() && *again == 0, "lines are forgotten");
  }
  NoteTrait(uint64_t{1} << 33 | first.ok());
  close(file);
}
#else
void TestStateFile(const Parts&, const dedup::StateRecord&) {}
#endif

void TestState(const Parts& parts) {
  dedup::StateRecord record;
  ++counts.blocks;
  if (!dedup::ReadRecord(parts.front(), &record).empty()) return;
  ++counts.usable;
  WINNOW_FUZZ_CHECK(dedup::BytesOf(record) == parts.front(), "written otherwise");
  TestStateFile(parts, record);
}

void Test(const Parts& parts) {
  if (parts.empty()) return;
  switch (KindOf(parts.front())) {
    case Serialized::kBlockedBloom:
      return TestFilter<amq::BlockedBloom>(parts.front());
    case Serialized::kScalableBloom:
      return TestFilter<amq::ScalableBloom>(parts.front());
    case Serialized::kCountingBloom:
      return TestFilter<amq::CountingBloom>(parts.front());
    case Serialized::kCuckooFilter:
      return TestFilter<amq::CuckooFilter>(parts.front());
    case Serialized::kBloomPage:
    case Serialized::kPagesRecord:
      return TestPages(parts);
    case Serialized::kLinesRecord:
      return TestState(parts);
  }
}

// Changes a number in a header or payload: to a limit of its type, or to a nearby value.
void ChangeNumber(std::string* part, testing::RandomHashes* random) {
  if (part->size() < 8) return;
  const bool in_header = random->Below(3) != 0 && part->size() >= kHeaderBytes;
  const size_t at = in_header ? 24 + 8 * random->Below(4) : random->Below(part->size() / 8) * 8;
  auto* const bytes = reinterpret_cast<unsigned char*>(part->data()) + at;
  const uint64_t before = formulas::LoadLittle64(bytes);
  const uint64_t likely[] = {0,
                             1,
                             before + 1,
                             before - 1,
                             before * 2,
                             random->Next(),
                             uint64_t{1} << random->Below(64),
                             ~uint64_t{0} >> random->Below(64)};
  formulas::StoreLittle64(bytes, likely[random->Below(8)]);
}

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace winnow::fuzz;
  if (size > kMaxInputBytes) return 0;
  Parts parts = PartsOf({reinterpret_cast<const char*>(data), size});
  // Most have wrong checksums and do not count as inputs that must be readable.
  const Counts before = counts;
  Test(parts);
  counts = before;
  for (std::string& part : parts) {
    const bool is_entry = &part - parts.data() == 2 && KindOf(parts[0]) == Serialized::kLinesRecord;
    part = is_entry ? RepairedEntry(part) : Repaired(part);
  }
  Test(parts);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace winnow::fuzz;
  winnow::testing::RandomHashes random(seed);
  Parts parts = PartsOf({reinterpret_cast<const char*>(data), size});
  if (parts.empty()) return LLVMFuzzerMutate(data, size, max_size);
  std::string& part = parts[random.Below(2) == 0 ? 0 : random.Below(parts.size())];
  switch (random.Below(8)) {
    case 0:
    case 1:
      part.resize(part.size() + 16);
      part.resize(
          LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(part.data()), part.size() - 16, part.size()));
      break;
    case 2:  // a or b
      if (part.size() >= kHeaderBytes) part[6 + random.Below(2)] = static_cast<char>(random.Next());
      break;
    case 3:
      parts.push_back(parts[random.Below(parts.size())]);
      break;
    default:
      ChangeNumber(&part, &random);
  }
  std::string bytes = Joined(parts);
  bytes.resize(std::min(bytes.size(), max_size));
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
