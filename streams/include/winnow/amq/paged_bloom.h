// One large Bloom filter in many small pages, each stored, cached and loaded alone: for a cache of
// "isn't there" in front of a store.

#ifndef WINNOW_AMQ_PAGED_BLOOM_H_
#define WINNOW_AMQ_PAGED_BLOOM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "winnow/amq/page_store.h"
#include "winnow/amq/plan.h"
#include "winnow/hash.h"
#include "winnow/version.h"

namespace winnow::amq {

struct PagedPlan {
  // Distinct keys, 0 to kMostKeys.
  uint64_t capacity = 1'000'000;

  // The share of absent keys for which the filter says "may contain" with `capacity` keys: the mean
  // over pages, kLowestRate to kHighestRate.
  double rate = 0.01;

  // Bytes of the bits of a page, 64 to 2^20, a multiple of 8. The page takes 72 more.
  uint32_t page_bytes = 1024;
};

// Empty if all values are in their range, and there are no more than 2^32 pages of them; else a
// sentence that names the value and the range.
WINNOW_EXPORT std::string CheckPagedPlan(const PagedPlan& plan);

struct PagedShape {
  uint64_t pages = 1;   // 1 to 2^32
  unsigned probes = 1;  // bits that a key sets in its page, 1 to 64
  uint32_t page_bytes = 1024;
};

// Standard Bloom filters of one size. A key's page comes from hash bits that the page's filter does
// not use, so that pages hold keys like throws of dice: some more than others. The rate is the mean
// over the pages of fill ratio^probes, and a key in the fullest page has a higher one than that.
//
// Pages are in a PageStore, which must outlive the filter, beside a record named "plan" that says
// how many there are and how full. Only loaded pages are asked: a key of a page that isn't loaded,
// because nobody asked for it, the store lost it, or it is damaged, may be contained.
//
// Lookups are safe from any number of threads while none calls a function that isn't const. One
// process at a time may change the pages of a store. A filter that was moved from can only be
// destroyed or assigned to.
class WINNOW_EXPORT PagedBloom {
 public:
  // The fewest pages whose mean rate with `capacity` keys is at most the plan's, but for four
  // standard deviations of what chance does. A page of 1 KiB has 854 keys at 1 %; it gets 833 on
  // average of 80,000 keys, and 852 of very many. Values out of range count as the nearest; a plan
  // that wants more than 2^32 pages gets these.
  static PagedShape ShapeFor(const PagedPlan& plan) noexcept;

  // Makes the pages of these keys in memory, and then puts them into the store in the place of all
  // that is there: also a rebuild into more pages. A crash or a failure at any point leaves either
  // the old pages or the new ones. All pages are loaded then. Nothing if a value of the plan is out
  // of its range, the keys pass the plan's rate, or the store fails: *reason says which.
  static std::optional<PagedBloom> Build(PageStore* store, const PagedPlan& plan,
                                         const KeyHash* hashes, size_t n, std::string* reason);

  // The pages that are in the store, none loaded yet. Nothing if there are none, or the record is
  // damaged or foreign: *reason says so.
  static std::optional<PagedBloom> Open(PageStore* store, std::string* reason);

  PagedBloom(PagedBloom&&) noexcept;
  PagedBloom& operator=(PagedBloom&&) noexcept;
  ~PagedBloom();

  const PagedPlan& plan() const noexcept { return plan_; }
  const PagedShape& shape() const noexcept { return shape_; }

  // ---- Asking

  // Where a key is, 0 to shape().pages - 1.
  uint64_t PageOf(KeyHash hash) const noexcept;

  // Brings a page from the store; nothing happens if it is loaded. False, and a sentence, if the
  // store does not have it, or not whole.
  bool Load(uint64_t page, std::string* reason);
  // False, and a sentence about the first, if one or more could not be loaded; the others are, but
  // where the first 65,536 of more could not: no more are looked for then.
  bool LoadAll(std::string* reason);
  // Frees the memory of a page that holds nothing but what is in the store; else nothing happens.
  void Unload(uint64_t page) noexcept;
  bool IsLoaded(uint64_t page) const noexcept { return PageAt(page) != nullptr; }
  uint64_t num_loaded() const noexcept { return loaded_; }

  // False only if the key's page is loaded and no key with this hash was added. Neither allocates
  // nor fails.
  bool MayContain(KeyHash hash) const noexcept;

  // ---- Adding

  enum class Added {
    kNew,
    kOld,     // the filter would have said "may contain" before, with the page loaded
    kFailed,  // the key is not in the filter, and *reason says why
  };

  // Loads the key's page where that isn't, and adds it there. A key that would bring the rate above
  // the plan's, with n / 2^64 for equal hashes, is refused; so is one whose page can't be loaded,
  // or has more set bits than the record has for any: it is older than the pages, as a copy of it
  // that was brought back alone. Pages reach the store by Save.
  Added Add(KeyHash hash, std::string* reason);

  // Stores the pages that changed. What has to be said about all pages is stored before: after a
  // failure or a crash the record claims more bits than there are, never fewer. False, and a
  // sentence, if the store failed, Save may then be called again, or the record is found to be
  // older than the pages: nothing is stored then.
  bool Save(std::string* reason);
  // Pages that changed and are not stored yet.
  uint64_t num_unsaved() const noexcept { return unsaved_; }

  // Loads all pages and makes the record say what is in them, which is less than it says after a
  // crash within Save. To be followed by Save. False, and a sentence, if a page can't be loaded, or
  // the record is older than the pages.
  bool Recount(std::string* reason);

  // ---- What there is, without loading pages

  // Bytes of the bits of all pages.
  uint64_t size_bytes() const noexcept { return shape_.pages * shape_.page_bytes; }

  // How many additions changed the filter.
  uint64_t num_added() const noexcept { return added_; }

  // The share of all bits that are set, 0 to 1, and of those of the fullest page.
  double fill_ratio() const noexcept;
  double worst_fill_ratio() const noexcept;
  uint64_t worst_page() const noexcept { return worst_page_; }

  // The share of absent keys that the filter would say "may contain" to with all pages loaded, as
  // it is now, with n / 2^64 for equal hashes; and of those that fall in the fullest page.
  // Without the share of near keys, which counts at low rates (winnow/amq/standard_bloom.h).
  double expected_fpr() const noexcept;
  double worst_fpr() const noexcept;
  double planned_fpr() const noexcept { return plan_.rate; }

  // The fill ratio of a loaded page.
  double page_fill_ratio(uint64_t page) const noexcept;

  // The names in the store: of the record, and of a page of this filter.
  static const char* RecordName() noexcept { return "plan"; }
  std::string PageName(uint64_t page) const;

 private:
  struct Page;
  static constexpr uint64_t kPagesOfGroup = 65'536;

  WINNOW_HIDDEN PagedBloom(PageStore* store, const PagedPlan& plan, const PagedShape& shape);
  Page* PageAt(uint64_t page) const noexcept {
    const auto& group = groups_[page / kPagesOfGroup];
    return group.empty() ? nullptr : group[page % kPagesOfGroup].get();
  }
  WINNOW_HIDDEN void Put(uint64_t page, std::unique_ptr<Page> content);
  WINNOW_HIDDEN double RateOfPage(uint64_t ones) const noexcept;
  WINNOW_HIDDEN void Count(uint64_t page, uint64_t before, uint64_t after) noexcept;
  WINNOW_HIDDEN void CountAll() noexcept;
  WINNOW_HIDDEN bool IsAsNewAsLoaded(std::string* reason) const;
  WINNOW_HIDDEN std::string SerializePage(uint64_t page) const;
  WINNOW_HIDDEN bool ReadPage(uint64_t page, std::string_view bytes, std::string* reason);
  WINNOW_HIDDEN std::string SerializeRecord() const;
  WINNOW_HIDDEN static std::optional<PagedBloom> ReadRecord(PageStore* store,
                                                            std::string_view bytes,
                                                            std::string* reason);
  WINNOW_HIDDEN bool StoreRecord(std::string* reason);
  WINNOW_HIDDEN bool RemoveOthers(std::string* reason);
  WINNOW_HIDDEN bool CountOthers(uint64_t* pages, std::string* reason) const;

  PageStore* store_ = nullptr;
  PagedPlan plan_;
  PagedShape shape_;
  uint64_t generation_ = 1;
  // Pages of another generation that may be in the store: those before or after a rebuild.
  uint64_t other_generation_ = 0;
  uint64_t other_pages_ = 0;

  // By number, in groups that are empty until one of their pages is loaded: the record may say that
  // there are more pages than memory has pointers.
  std::vector<std::vector<std::unique_ptr<Page>>> groups_;
  uint64_t loaded_ = 0;
  uint64_t unsaved_ = 0;
  bool record_changed_ = false;

  // Over all pages.
  uint64_t added_ = 0;
  uint64_t ones_ = 0;
  double rates_ = 0;  // the sum
  uint64_t worst_page_ = 0;
  uint64_t worst_ones_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_PAGED_BLOOM_H_
