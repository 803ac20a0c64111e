// Paged Bloom filter: one large filter in many small pages, each stored, cached and loaded
// separately, for example as a negative cache in front of a store.

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
  // Number of distinct keys, 0 to kMostKeys.
  uint64_t capacity = 1'000'000;

  // False-positive rate with `capacity` keys, the mean over pages: kLowestRate to kHighestRate.
  double rate = 0.01;

  // Size of a page's bits in bytes, 64 to 2^20, a multiple of 8. A stored page takes 72 bytes more.
  uint32_t page_bytes = 1024;
};

// Returns an empty string if all values are in range and at most 2^32 pages are needed, else an
// error message that names the value and the range.
WINNOW_EXPORT std::string CheckPagedPlan(const PagedPlan& plan);

struct PagedShape {
  uint64_t pages = 1;   // 1 to 2^32
  unsigned probes = 1;  // bits that a key sets in its page, 1 to 64
  uint32_t page_bytes = 1024;
};

// Standard Bloom filters of one size. A key's page is selected by hash bits that the page's filter
// does not use, so that pages have randomly varying numbers of keys. The rate is the mean over the
// pages of fill ratio^probes; a key in the fullest page has a higher rate.
//
// Pages are in a PageStore, which must outlive the filter, beside a record named "plan" with their
// number and fill. Only loaded pages are checked: MayContain() returns true for a key of a page
// that is not loaded, because it was not requested, the store lost it, or it is damaged.
//
// Lookups are thread-safe while no thread calls a non-const function. Only one process at a time
// may change the pages of a store. A moved-from filter can only be destroyed or assigned to.
class WINNOW_EXPORT PagedBloom {
 public:
  // Returns the smallest number of pages whose mean rate with `capacity` keys is at most the
  // plan's, with a margin of four standard deviations. A page of 1 KiB holds 854 keys at 1 %; it
  // gets 833 on average of 80,000 keys, and 852 of very many. A value out of range is replaced by
  // the nearest valid one; at most 2^32 pages are returned.
  static PagedShape ShapeFor(const PagedPlan& plan) noexcept;

  // Builds the pages of these keys in memory, and then replaces all pages of the store by them,
  // also with another number of pages. A crash or failure at any point leaves either the old or the
  // new pages valid. All pages are loaded afterwards. Returns nullopt if a value of the plan is out
  // of range, the keys exceed the plan's rate, or the store fails; *reason has the cause.
  static std::optional<PagedBloom> Build(PageStore* store, const PagedPlan& plan,
                                         const KeyHash* hashes, size_t n, std::string* reason);

  // Opens the filter in the store, without loading pages. Returns nullopt and sets *reason if there
  // is none, or if the record is damaged or of another kind.
  static std::optional<PagedBloom> Open(PageStore* store, std::string* reason);

  PagedBloom(PagedBloom&&) noexcept;
  PagedBloom& operator=(PagedBloom&&) noexcept;
  ~PagedBloom();

  const PagedPlan& plan() const noexcept { return plan_; }
  const PagedShape& shape() const noexcept { return shape_; }

  // ---- Asking

  // Returns the page of a key, 0 to shape().pages - 1.
  uint64_t PageOf(KeyHash hash) const noexcept;

  // Loads a page from the store, unless it is loaded. Returns false and sets *reason if the store
  // does not have it, or if it is damaged.
  bool Load(uint64_t page, std::string* reason);
  // Loads all pages. Returns false and sets *reason, for the first failure, if some could not be
  // loaded; the others are loaded, except that it gives up if the first 65,536 pages all fail.
  bool LoadAll(std::string* reason);
  // Frees the memory of a page without unsaved changes; does nothing for other pages.
  void Unload(uint64_t page) noexcept;
  bool IsLoaded(uint64_t page) const noexcept { return PageAt(page) != nullptr; }
  uint64_t num_loaded() const noexcept { return loaded_; }

  // Returns false only if the key's page is loaded and no key with this hash was added. Never
  // allocates or fails.
  bool MayContain(KeyHash hash) const noexcept;

  // ---- Adding

  enum class Added {
    kNew,
    kOld,     // the filter already contained it or a false positive, with the page loaded
    kFailed,  // the key is not in the filter; *reason has the cause
  };

  // Adds a key, after loading its page if necessary. Refuses a key that would raise the rate,
  // including n / 2^64 for equal hashes, above the plan's. Also refuses a key whose page cannot be
  // loaded, or has more set bits than the record allows for any page: the record is then older than
  // the pages, for example restored alone from a copy. Save() stores changed pages.
  Added Add(KeyHash hash, std::string* reason);

  // Stores the changed pages. The record is stored first: after a failure or crash, it claims more
  // set bits than there are, never fewer. Returns false and sets *reason if the store failed, after
  // which Save() may be called again, or if the record is older than the pages, in which case
  // nothing is stored.
  bool Save(std::string* reason);
  // Number of changed pages that are not stored yet.
  uint64_t num_unsaved() const noexcept { return unsaved_; }

  // Loads all pages and corrects the record's counts, which may be too high after a crash during
  // Save(). Call Save() afterwards. Returns false and sets *reason if a page cannot be loaded, or
  // if the record is older than the pages.
  bool Recount(std::string* reason);

  // ---- What there is, without loading pages

  // Size of the bits of all pages in bytes.
  uint64_t size_bytes() const noexcept { return shape_.pages * shape_.page_bytes; }

  // Number of additions that changed the filter.
  uint64_t num_added() const noexcept { return added_; }

  // Share of set bits, 0 to 1, of all pages and of the fullest page.
  double fill_ratio() const noexcept;
  double worst_fill_ratio() const noexcept;
  uint64_t worst_page() const noexcept { return worst_page_; }

  // Expected false-positive rate of the current content with all pages loaded, including n / 2^64
  // for equal hashes; and that of absent keys in the fullest page. Does not include the effect of
  // similar keys, which matters at low rates (winnow/amq/standard_bloom.h).
  double expected_fpr() const noexcept;
  double worst_fpr() const noexcept;
  double planned_fpr() const noexcept { return plan_.rate; }

  // Returns the fill ratio of a loaded page.
  double page_fill_ratio(uint64_t page) const noexcept;

  // Names in the store: of the record, and of a page of this filter.
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
  // Pages of another generation that may be in the store, from before or after a rebuild.
  uint64_t other_generation_ = 0;
  uint64_t other_pages_ = 0;

  // Pages by number, in groups that are empty until one of their pages is loaded: the record may
  // claim more pages than pointers fit in memory.
  std::vector<std::vector<std::unique_ptr<Page>>> groups_;
  uint64_t loaded_ = 0;
  uint64_t unsaved_ = 0;
  bool record_changed_ = false;

  // Totals of all pages.
  uint64_t added_ = 0;
  uint64_t ones_ = 0;
  double rates_ = 0;  // sum of the pages' rates
  uint64_t worst_page_ = 0;
  uint64_t worst_ones_ = 0;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_PAGED_BLOOM_H_
