#include "winnow/amq/paged_bloom.h"

#include <algorithm>
#include <locale>
#include <sstream>
#include <utility>

#include "src/formulas/bytes.h"
#include "streams/amq/double_hashing.h"
#include "streams/amq/mix.h"
#include "streams/amq/paged_sizing.h"
#include "streams/amq/plan.h"
#include "streams/amq/serialized.h"

namespace winnow::amq {
namespace {

// Index of the hash bits that select the page; DoubleHashing takes the first two.
constexpr uint64_t kPageHashBits = 2;

// Offsets of the fields behind the record's header.
constexpr size_t kCapacityAt = 72;
constexpr size_t kPageBytesAt = 80;
constexpr size_t kOnesAt = 88;
constexpr size_t kRatesAt = 96;
constexpr size_t kWorstPageAt = 104;
constexpr size_t kWorstOnesAt = 112;
constexpr size_t kOtherGenerationAt = 120;
constexpr size_t kOtherPagesAt = 128;
constexpr size_t kRecordBytes = 136;

// Limit below the maximum of the type, so that a next generation always exists.
constexpr uint64_t kMaxGenerations = uint64_t{1} << 62;

std::string NameOfPage(uint64_t generation, uint64_t page) {
  return std::to_string(generation) + "-" + std::to_string(page);
}

// Error message for a record that claims fewer set bits than the pages have. No crash leaves such a
// record: it was restored from a copy. Continuing from it would lead to contradictions or
// understate the rate.
std::string OlderRecord(uint64_t claimed, const std::string& where, uint64_t found) {
  return "the record \"plan\" is older than the pages: expected at most " +
         std::to_string(claimed) + " set bits in " + where + ", found " + std::to_string(found) +
         "; bring back the record that belongs to the pages, or build the filter anew";
}

unsigned char* Bytes(std::string* bytes) { return reinterpret_cast<unsigned char*>(bytes->data()); }

}  // namespace

struct PagedBloom::Page {
  std::vector<uint64_t> words;
  uint64_t ones = 0;
  uint64_t added = 0;
  bool changed = false;
};

PagedBloom::PagedBloom(PageStore* store, const PagedPlan& plan, const PagedShape& shape)
    : store_(store),
      plan_(plan),
      shape_(shape),
      groups_((shape.pages + kPagesOfGroup - 1) / kPagesOfGroup) {}

PagedBloom::PagedBloom(PagedBloom&&) noexcept = default;
PagedBloom& PagedBloom::operator=(PagedBloom&&) noexcept = default;
PagedBloom::~PagedBloom() = default;

// ---- Asking

uint64_t PagedBloom::PageOf(KeyHash hash) const noexcept {
  return Reduce(HashBits(hash.value, kPageHashBits), shape_.pages);
}

bool PagedBloom::MayContain(KeyHash hash) const noexcept {
  const Page* page = PageAt(PageOf(hash));
  if (page == nullptr) return true;
  DoubleHashing positions(hash.value);
  const uint64_t bits = page->words.size() * 64;
  for (unsigned i = 0; i < shape_.probes; ++i) {
    const uint64_t position = positions.Next(bits);
    if ((page->words[position / 64] >> position % 64 & 1) == 0) return false;
  }
  return true;
}

std::string PagedBloom::PageName(uint64_t page) const { return NameOfPage(generation_, page); }

bool PagedBloom::Load(uint64_t page, std::string* reason) {
  if (IsLoaded(page)) return true;
  std::string bytes;
  switch (store_->Load(PageName(page), &bytes, reason)) {
    case PageStore::Found::kYes:
      return ReadPage(page, bytes, reason);
    case PageStore::Found::kFailed:
      return false;
    case PageStore::Found::kNo:
      break;
  }
  *reason = "page " + PageName(page) + " is missing; build the filter anew";
  return false;
}

bool PagedBloom::LoadAll(std::string* reason) {
  bool all = true;
  std::string another;
  for (uint64_t page = 0; page < shape_.pages; ++page) {
    all &= Load(page, all ? reason : &another);
    if (page + 1 == kPagesOfGroup && loaded_ == 0) break;
  }
  return all;
}

void PagedBloom::Put(uint64_t page, std::unique_ptr<Page> content) {
  auto& group = groups_[page / kPagesOfGroup];
  if (group.empty()) {
    group.resize(std::min(kPagesOfGroup, shape_.pages - page / kPagesOfGroup * kPagesOfGroup));
  }
  group[page % kPagesOfGroup] = std::move(content);
  ++loaded_;
}

void PagedBloom::Unload(uint64_t page) noexcept {
  if (!IsLoaded(page) || PageAt(page)->changed) return;
  groups_[page / kPagesOfGroup][page % kPagesOfGroup].reset();
  --loaded_;
}

// ---- Adding

double PagedBloom::RateOfPage(uint64_t ones) const noexcept {
  // The power is computed by multiplication: the last bits of std::pow differ between machines.
  const double fill = static_cast<double>(ones) / (8.0 * shape_.page_bytes);
  double rate = 1;
  for (unsigned i = 0; i < shape_.probes; ++i) rate *= fill;
  return rate;
}

// After a crash within Save(), the record may count bits twice, at most up to the number of all
// bits.
void PagedBloom::Count(uint64_t page, uint64_t before, uint64_t after) noexcept {
  ones_ = std::min(ones_ + after - before, shape_.pages * shape_.page_bytes * 8);
  rates_ =
      std::min(rates_ + RateOfPage(after) - RateOfPage(before), static_cast<double>(shape_.pages));
  if (after > worst_ones_) {
    worst_ones_ = after;
    worst_page_ = page;
  }
}

PagedBloom::Added PagedBloom::Add(KeyHash hash, std::string* reason) {
  const uint64_t number = PageOf(hash);
  if (!Load(number, reason)) return Added::kFailed;
  if (const uint64_t found = PageAt(number)->ones; found > worst_ones_) {
    *reason = OlderRecord(worst_ones_, "page " + PageName(number), found);
    Unload(number);
    return Added::kFailed;
  }
  if (MayContain(hash)) return Added::kOld;
  Page& page = *PageAt(number);
  const uint64_t bits = page.words.size() * 64;
  // Sets the bits first, so that equal positions of a key count once, and clears them if the page
  // gets too full.
  uint64_t ones = page.ones;
  uint64_t set[kMaxPageProbes];
  unsigned count = 0;
  DoubleHashing positions(hash.value);
  for (unsigned i = 0; i < shape_.probes; ++i) {
    const uint64_t position = positions.Next(bits);
    uint64_t& word = page.words[position / 64];
    if ((word >> position % 64 & 1) != 0) continue;
    word |= uint64_t{1} << position % 64;
    set[count++] = position;
    ++ones;
  }
  const double rate =
      (rates_ + RateOfPage(ones) - RateOfPage(page.ones)) / static_cast<double>(shape_.pages) +
      EqualHashRate(added_ + 1);
  if (rate > plan_.rate) {
    while (count > 0) {
      const uint64_t position = set[--count];
      page.words[position / 64] &= ~(uint64_t{1} << position % 64);
    }
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << "the filter is full: with one more key its rate would be " << rate << ", planned were "
         << plan_.rate << " for " << plan_.capacity << " keys; build it anew for more keys";
    *reason = text.str();
    return Added::kFailed;
  }
  Count(number, page.ones, ones);
  page.ones = ones;
  ++page.added;
  ++added_;
  unsaved_ += !page.changed;
  page.changed = true;
  record_changed_ = true;
  return Added::kNew;
}

bool PagedBloom::Save(std::string* reason) {
  if (!record_changed_) return true;
  if (!IsAsNewAsLoaded(reason)) return false;
  if (!StoreRecord(reason) || !store_->Flush(reason)) return false;
  for (uint64_t page = 0; page < shape_.pages && unsaved_ > 0; ++page) {
    if (!IsLoaded(page) || !PageAt(page)->changed) continue;
    if (!store_->Store(PageName(page), SerializePage(page), reason)) return false;
    PageAt(page)->changed = false;
    --unsaved_;
  }
  record_changed_ = false;
  return store_->Flush(reason);
}

bool PagedBloom::IsAsNewAsLoaded(std::string* reason) const {
  uint64_t ones = 0;
  uint64_t most = 0;
  for (const auto& group : groups_) {
    for (const auto& page : group) {
      if (page == nullptr) continue;
      ones += page->ones;
      most = std::max(most, page->ones);
    }
  }
  if (most <= worst_ones_ && ones <= ones_) return true;
  *reason = most > worst_ones_ ? OlderRecord(worst_ones_, "a page", most)
                               : OlderRecord(ones_, "all pages", ones);
  return false;
}

bool PagedBloom::Recount(std::string* reason) {
  if (!LoadAll(reason) || !IsAsNewAsLoaded(reason)) return false;
  CountAll();
  return true;
}

void PagedBloom::CountAll() noexcept {
  added_ = 0;
  ones_ = 0;
  rates_ = 0;
  worst_page_ = 0;
  worst_ones_ = 0;
  for (uint64_t page = 0; page < shape_.pages; ++page) {
    Count(page, 0, PageAt(page)->ones);
    added_ += PageAt(page)->added;
  }
  record_changed_ = true;
}

// ---- Building

std::optional<PagedBloom> PagedBloom::Build(PageStore* store, const PagedPlan& plan,
                                            const KeyHash* hashes, size_t n, std::string* reason) {
  *reason = CheckPagedPlan(plan);
  if (!reason->empty()) return std::nullopt;
  std::string record;
  std::optional<PagedBloom> old;
  switch (store->Load(RecordName(), &record, reason)) {
    case PageStore::Found::kFailed:
      return std::nullopt;
    case PageStore::Found::kYes:
      old = ReadRecord(store, record, reason);
      if (!old) return std::nullopt;
      break;
    case PageStore::Found::kNo: {
      PagedShape none = ShapeFor(plan);
      none.pages = 0;
      old = PagedBloom(store, plan, none);
      old->generation_ = 0;
    }
  }

  PagedBloom made(store, plan, ShapeFor(plan));
  for (uint64_t number = 0; number < made.shape_.pages; ++number) {
    auto page = std::make_unique<Page>();
    page->words.resize(plan.page_bytes / 8);
    made.Put(number, std::move(page));
  }
  const uint64_t bits = uint64_t{plan.page_bytes} * 8;
  for (size_t i = 0; i < n; ++i) {
    Page& page = *made.PageAt(made.PageOf(hashes[i]));
    DoubleHashing positions(hashes[i].value);
    const uint64_t before = page.ones;
    for (unsigned j = 0; j < made.shape_.probes; ++j) {
      const uint64_t position = positions.Next(bits);
      uint64_t& word = page.words[position / 64];
      page.ones += ~word >> position % 64 & 1;
      word |= uint64_t{1} << position % 64;
    }
    page.added += page.ones != before;
  }
  made.CountAll();
  made.record_changed_ = false;
  const double rate = made.expected_fpr();
  if (rate > plan.rate) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    // added_ is not used here: it omits keys whose bits were all set already in a page that is too
    // full.
    text << "the " << n << " keys given would have a rate of " << rate << ", planned were "
         << plan.rate << " for " << plan.capacity << " keys; plan for more keys";
    *reason = text.str();
    return std::nullopt;
  }

  // The record names the new pages before they are written, and the old ones until they are
  // removed, so that a build after a crash can remove leftover pages.
  made.generation_ = std::max(old->generation_, old->other_generation_) + 1;
  if (!old->RemoveOthers(reason)) return std::nullopt;
  old->other_generation_ = made.generation_;
  old->other_pages_ = made.shape_.pages;
  if (!old->StoreRecord(reason)) return std::nullopt;
  for (uint64_t page = 0; page < made.shape_.pages; ++page) {
    if (!store->Store(made.PageName(page), made.SerializePage(page), reason)) return std::nullopt;
  }
  if (!store->Flush(reason)) return std::nullopt;
  made.other_generation_ = old->generation_;
  made.other_pages_ = old->shape_.pages;
  if (!made.StoreRecord(reason)) return std::nullopt;
  // The new pages are valid from here on. Old pages that cannot be removed now are removed by the
  // next rebuild.
  std::string left;
  if (store->Flush(&left)) made.RemoveOthers(&left);
  return made;
}

// Counts the pages of the other generation that have to be removed. The record's number is not
// trusted: it may be 2^32 with no page present. Pages are written from the first to the last and
// removed from the last to the first, so that the existing pages are the first ones. Earlier
// versions removed from the first one on: therefore the first kPagesOfGroup pages are always
// checked, and beyond them the powers of 2.
bool PagedBloom::CountOthers(uint64_t* pages, std::string* reason) const {
  uint64_t end = std::min(other_pages_, kPagesOfGroup);
  for (uint64_t page = end; page < other_pages_; page *= 2) {
    std::string bytes;
    switch (store_->Load(NameOfPage(other_generation_, page), &bytes, reason)) {
      case PageStore::Found::kFailed:
        return false;
      case PageStore::Found::kYes:
        end = std::min(other_pages_, 2 * page);
        break;
      case PageStore::Found::kNo:
        break;
    }
  }
  *pages = end;
  return true;
}

bool PagedBloom::RemoveOthers(std::string* reason) {
  if (other_pages_ == 0) return true;
  uint64_t page = 0;
  if (!CountOthers(&page, reason)) return false;
  while (page-- > 0) {
    if (!store_->Remove(NameOfPage(other_generation_, page), reason)) return false;
  }
  other_generation_ = 0;
  other_pages_ = 0;
  return StoreRecord(reason);
}

std::optional<PagedBloom> PagedBloom::Open(PageStore* store, std::string* reason) {
  std::string record;
  switch (store->Load(RecordName(), &record, reason)) {
    case PageStore::Found::kFailed:
      return std::nullopt;
    case PageStore::Found::kNo:
      *reason = "there are no pages of a filter: nothing is named \"plan\"; build them first";
      return std::nullopt;
    case PageStore::Found::kYes:
      break;
  }
  std::optional<PagedBloom> opened = ReadRecord(store, record, reason);
  if (opened && opened->shape_.pages == 0) {
    *reason = "there are no pages of a filter: the build that began did not end; build them again";
    return std::nullopt;
  }
  return opened;
}

// ---- Bytes

std::string PagedBloom::SerializePage(uint64_t number) const {
  const Page& page = *PageAt(number);
  std::string bytes(kHeaderBytes + shape_.page_bytes, 0);
  StoreWords(page.words.data(), page.words.size(), Bytes(&bytes) + kHeaderBytes);
  Header header;
  header.kind = Serialized::kBloomPage;
  header.a = static_cast<uint8_t>(shape_.probes);
  header.payload = shape_.page_bytes;
  header.count = shape_.pages;
  header.keys = page.added;
  header.x = number;
  header.y = generation_;
  WriteHeader(header, Bytes(&bytes));
  return bytes;
}

bool PagedBloom::ReadPage(uint64_t number, std::string_view bytes, std::string* reason) {
  constexpr auto kKind = Serialized::kBloomPage;
  const auto refuse = [&](const std::string& fault) {
    *reason = "page " + PageName(number) + ": " + fault;
    return false;
  };
  Header header;
  const std::string fault = ReadHeader(bytes, kKind, &header);
  if (!fault.empty()) return refuse(fault);
  if (header.payload != shape_.page_bytes) {
    return refuse(Contradiction(kKind, "the page's bytes", header.payload, shape_.page_bytes));
  }
  if (header.a != shape_.probes) {
    return refuse(Contradiction(kKind, "bits per key", header.a, shape_.probes));
  }
  if (header.b != 0) return refuse(Contradiction(kKind, "an unused number", header.b, 0));
  if (header.count != shape_.pages) {
    return refuse(Contradiction(kKind, "the number of pages", header.count, shape_.pages));
  }
  if (header.x != number) return refuse(Contradiction(kKind, "the page", header.x, number));
  if (header.y != generation_) {
    return refuse(Contradiction(kKind, "the generation", header.y, generation_));
  }
  auto page = std::make_unique<Page>();
  page->words.resize(shape_.page_bytes / 8);
  LoadWords(reinterpret_cast<const unsigned char*>(bytes.data()) + kHeaderBytes, page->words.size(),
            page->words.data());
  for (const uint64_t word : page->words) {
    page->ones += static_cast<unsigned>(__builtin_popcountll(word));
  }
  const uint64_t least = (page->ones + shape_.probes - 1) / shape_.probes;
  if (header.keys < least || header.keys > page->ones) {
    return refuse(OutOfRange(kKind, "the number of keys, by the bits that are set,", header.keys,
                             least, page->ones));
  }
  page->added = header.keys;
  Put(number, std::move(page));
  return true;
}

std::string PagedBloom::SerializeRecord() const {
  std::string bytes(kRecordBytes, 0);
  unsigned char* to = Bytes(&bytes);
  formulas::StoreLittle64(to + kCapacityAt, plan_.capacity);
  formulas::StoreLittle64(to + kPageBytesAt, shape_.page_bytes);
  formulas::StoreLittle64(to + kOnesAt, ones_);
  formulas::StoreLittle64(to + kRatesAt, BitsOfDouble(rates_));
  formulas::StoreLittle64(to + kWorstPageAt, worst_page_);
  formulas::StoreLittle64(to + kWorstOnesAt, worst_ones_);
  formulas::StoreLittle64(to + kOtherGenerationAt, other_generation_);
  formulas::StoreLittle64(to + kOtherPagesAt, other_pages_);
  Header header;
  header.kind = Serialized::kPagesRecord;
  header.a = static_cast<uint8_t>(shape_.probes);
  header.payload = kRecordBytes - kHeaderBytes;
  header.count = shape_.pages;
  header.keys = added_;
  header.x = BitsOfDouble(plan_.rate);
  header.y = generation_;
  WriteHeader(header, to);
  return bytes;
}

bool PagedBloom::StoreRecord(std::string* reason) {
  return store_->Store(RecordName(), SerializeRecord(), reason);
}

std::optional<PagedBloom> PagedBloom::ReadRecord(PageStore* store, std::string_view bytes,
                                                 std::string* reason) {
  constexpr auto kKind = Serialized::kPagesRecord;
  Header header;
  *reason = ReadHeader(bytes, kKind, &header);
  if (reason->empty() && bytes.size() != kRecordBytes) {
    *reason = Contradiction(kKind, "its size", bytes.size(), kRecordBytes);
  }
  if (!reason->empty()) return std::nullopt;
  const auto number = [&bytes](size_t at) {
    return formulas::LoadLittle64(reinterpret_cast<const unsigned char*>(bytes.data()) + at);
  };
  const uint64_t page_bytes = number(kPageBytesAt);
  const double rate = DoubleOfBits(header.x);
  const double rates = DoubleOfBits(number(kRatesAt));
  const uint64_t pages = header.count;
  const uint64_t bits = page_bytes * 8;
  const uint64_t ones = number(kOnesAt);
  const uint64_t other = number(kOtherGenerationAt);
  const uint64_t fewest_keys = header.a == 0 ? 0 : (ones + header.a - 1) / header.a;
  if (header.a < 1 || header.a > kMaxPageProbes) {
    *reason = OutOfRange(kKind, "bits per key", uint64_t{header.a}, 1, kMaxPageProbes);
  } else if (header.b != 0) {
    *reason = Contradiction(kKind, "an unused number", header.b, 0);
  } else if (pages > kMaxPages) {
    *reason = OutOfRange(kKind, "pages", pages, 0, kMaxPages);
  } else if (header.y > kMaxGenerations || (pages == 0) != (header.y == 0)) {
    *reason = OutOfRange(kKind, "the generation", header.y, pages == 0 ? 0 : 1,
                         pages == 0 ? 0 : kMaxGenerations);
  } else if (!(rate >= kLowestRate && rate <= kHighestRate)) {
    *reason = OutOfRange(kKind, "the planned rate", rate, kLowestRate, kHighestRate);
  } else if (number(kCapacityAt) > kMostKeys) {
    *reason = OutOfRange(kKind, "planned keys", number(kCapacityAt), 0, kMostKeys);
  } else if (page_bytes < kMinPageBytes || page_bytes > kMaxPageBytes || page_bytes % 8 != 0) {
    *reason = OutOfRange(kKind, "bytes of a page, a multiple of 8,", page_bytes, kMinPageBytes,
                         kMaxPageBytes);
  } else if (ones > pages * bits) {
    *reason = OutOfRange(kKind, "set bits", ones, 0, pages * bits);
  } else if (header.keys < fewest_keys ||
             (header.keys > ones && (pages == 0 || ones < pages * bits))) {
    *reason = OutOfRange(kKind, "the number of keys, by the bits that are set,", header.keys,
                         fewest_keys, ones);
  } else if (!(rates >= 0 && rates <= static_cast<double>(pages))) {
    *reason = OutOfRange(kKind, "the sum of rates", rates, 0.0, static_cast<double>(pages));
  } else if (number(kWorstPageAt) >= std::max<uint64_t>(pages, 1)) {
    *reason = OutOfRange(kKind, "the fullest page", number(kWorstPageAt), 0, pages);
  } else if (number(kWorstOnesAt) > std::min(bits, ones)) {
    *reason = OutOfRange(kKind, "set bits of the fullest page", number(kWorstOnesAt), 0,
                         std::min(bits, ones));
  } else if (number(kOtherPagesAt) > kMaxPages) {
    *reason = OutOfRange(kKind, "other pages", number(kOtherPagesAt), 0, kMaxPages);
  } else if (other > kMaxGenerations || (number(kOtherPagesAt) == 0) != (other == 0)) {
    *reason = OutOfRange(kKind, "the other generation", other, number(kOtherPagesAt) == 0 ? 0 : 1,
                         number(kOtherPagesAt) == 0 ? 0 : kMaxGenerations);
  } else if (other != 0 && other == header.y) {
    // The filter's own pages would be removed as those of the other generation.
    *reason = Contradiction(kKind, "the other generation", other, 0);
  }
  if (!reason->empty()) return std::nullopt;

  PagedPlan plan;
  plan.capacity = number(kCapacityAt);
  plan.rate = rate;
  plan.page_bytes = static_cast<uint32_t>(page_bytes);
  PagedBloom read(store, plan, {pages, header.a, plan.page_bytes});
  read.generation_ = header.y;
  read.other_generation_ = number(kOtherGenerationAt);
  read.other_pages_ = number(kOtherPagesAt);
  read.added_ = header.keys;
  read.ones_ = number(kOnesAt);
  read.rates_ = rates;
  read.worst_page_ = number(kWorstPageAt);
  read.worst_ones_ = number(kWorstOnesAt);
  return read;
}

// ---- What there is

double PagedBloom::fill_ratio() const noexcept {
  return static_cast<double>(ones_) / (8.0 * static_cast<double>(size_bytes()));
}

double PagedBloom::worst_fill_ratio() const noexcept {
  return static_cast<double>(worst_ones_) / (8.0 * shape_.page_bytes);
}

double PagedBloom::page_fill_ratio(uint64_t page) const noexcept {
  return static_cast<double>(PageAt(page)->ones) / (8.0 * shape_.page_bytes);
}

double PagedBloom::expected_fpr() const noexcept {
  return std::min(1.0, rates_ / static_cast<double>(shape_.pages) + EqualHashRate(added_));
}

double PagedBloom::worst_fpr() const noexcept {
  return std::min(1.0, RateOfPage(worst_ones_) + EqualHashRate(added_));
}

}  // namespace winnow::amq
