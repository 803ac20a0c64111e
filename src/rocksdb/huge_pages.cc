#include "src/rocksdb/huge_pages.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#include "src/rocksdb/version_guard.h"
#include "third_party/rocksdb_abi/type_information.h"
#include "winnow/rocksdb_huge_pages.h"

namespace winnow::plugin {
namespace {

constexpr size_t RoundUp(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

// Returns the word in brackets of a file such as "always [madvise] never", or an empty string if
// there is none.
std::string Chosen(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    if (word.size() > 2 && word.front() == '[') return word.substr(1, word.size() - 2);
  }
  return {};
}

size_t MachineMemory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(page) : 0;
}

// List of all heaps, newest first. It may be used before and after main(). Lock order: this mutex
// before the mutex of any heap.
std::mutex all_heaps_mutex;
HugePageHeap* newest_heap = nullptr;
static_assert(std::is_trivially_destructible_v<std::mutex>);

// Registers the fork handlers when the library is loaded, not with the first heap. fork() calls
// prepare handlers in reverse order of registration. So the locks of the program's cache are taken
// first, then these, and malloc's last, as memory is allocated while one of these is held.
[[maybe_unused]] const int heaps_at_fork =
    ::pthread_atfork(HugePageHeap::LockAll, HugePageHeap::UnlockAll, HugePageHeap::UnlockAll);

}  // namespace

void HugePageHeap::LockAll() noexcept {
  all_heaps_mutex.lock();
  for (HugePageHeap* heap = newest_heap; heap != nullptr; heap = heap->older_) heap->mutex_.lock();
}

void HugePageHeap::UnlockAll() noexcept {
  for (HugePageHeap* heap = newest_heap; heap != nullptr; heap = heap->older_) {
    heap->mutex_.unlock();
  }
  all_heaps_mutex.unlock();
}

HugePageHeap::HugePageHeap(size_t most_bytes) noexcept {
  {
    const std::lock_guard<std::mutex> lock(all_heaps_mutex);
    older_ = std::exchange(newest_heap, this);
    if (older_ != nullptr) older_->newer_ = this;
  }
  if (most_bytes < kPage || most_bytes > SIZE_MAX / 2) return;
  most_ = most_bytes / kPage * kPage;
  mapped_size_ = most_ + kPage;
  // Reserved without access: a system without overcommit counts writable memory as used.
  void* const mapped =
      ::mmap(nullptr, mapped_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    most_ = 0;
    return;
  }
  mapped_ = mapped;
  begin_ = static_cast<char*>(mapped) + (-reinterpret_cast<uintptr_t>(mapped) & (kPage - 1));
}

HugePageHeap::~HugePageHeap() {
  {
    const std::lock_guard<std::mutex> lock(all_heaps_mutex);
    (newer_ != nullptr ? newer_->older_ : newest_heap) = older_;
    if (older_ != nullptr) older_->newer_ = newer_;
  }
  if (mapped_ != nullptr) ::munmap(mapped_, mapped_size_);
}

bool HugePageHeap::Owns(const void* block) const noexcept {
  return reinterpret_cast<uintptr_t>(block) - reinterpret_cast<uintptr_t>(begin_) < most_;
}

size_t HugePageHeap::PlaceOf(const void* block) const noexcept {
  return static_cast<size_t>(static_cast<const char*>(block) - begin_);
}

HugePageHeap::FreeExtents::node_type HugePageHeap::NewNode() {
  FreeExtents one;
  one.emplace();
  return one.extract(one.begin());
}

void* HugePageHeap::Allocate(size_t size) noexcept {
  if (size == 0 || size > most_) return nullptr;
  const size_t rounded = RoundUp(size, kGrain);
  const std::lock_guard<std::mutex> lock(mutex_);
  try {
    auto found = free_.lower_bound({rounded, 0});
    if (found == free_.end()) {
      if (!Grow(rounded)) return nullptr;
      found = free_.lower_bound({rounded, 0});
    }
    const size_t place = found->second;
    const auto extent = extents_.find(place);
    const size_t rest = extent->second.size - rounded;
    auto behind = extents_.end();
    if (rest != 0) {
      behind = extents_.emplace_hint(std::next(extent), place + rounded, Extent{rest, NewNode()});
    }
    // Nothing throws from here on.
    extent->second.kept = free_.extract(found);
    extent->second.size = rounded;
    if (rest != 0) MakeFree(behind);
    TakePages(place, rounded);
    return begin_ + place;
  } catch (const std::exception&) {
    return nullptr;
  }
}

void HugePageHeap::Free(void* block) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto extent = extents_.find(PlaceOf(block));
  LeavePages(extent->first, extent->second.size);
  MakeFree(extent);
}

// Adds pages at the end: as many as a block of this size needs besides the free extent there.
// Returns false if the range is full or out of memory.
bool HugePageHeap::Grow(size_t size) {
  const bool ends_free = !extents_.empty() && std::prev(extents_.end())->second.is_free();
  const size_t missing = size - (ends_free ? std::prev(extents_.end())->second.size : 0);
  const size_t more = RoundUp(missing, kPage);
  if (more > most_ - end_) return false;
  pages_.resize((end_ + more) / kPage);
  const auto added = extents_.emplace_hint(extents_.end(), end_, Extent{more, NewNode()});
  char* const begin = begin_ + end_;
  if (::mprotect(begin, more, PROT_READ | PROT_WRITE) != 0) {
    extents_.erase(added);
    return false;
  }
#ifdef MADV_HUGEPAGE
  ::madvise(begin, more, MADV_HUGEPAGE);
#endif
  end_ += more;
  MakeFree(added);
  return true;
}

// Makes a block free, and merges it with its free neighbors.
void HugePageHeap::MakeFree(Extents::iterator extent) noexcept {
  const auto after = std::next(extent);
  if (after != extents_.end() && after->second.is_free()) {
    free_.erase({after->second.size, after->first});
    extent->second.size += after->second.size;
    extents_.erase(after);
  }
  if (extent != extents_.begin()) {
    const auto before = std::prev(extent);
    if (before->second.is_free()) {
      before->second.kept = free_.extract({before->second.size, before->first});
      before->second.size += extent->second.size;
      extents_.erase(extent);
      extent = before;
    }
  }
  extent->second.kept.value() = {extent->second.size, extent->first};
  free_.insert(std::move(extent->second.kept));
}

void HugePageHeap::TakePages(size_t place, size_t size) noexcept {
  usage_.allocated += size;
  for (size_t i = place / kPage; i * kPage < place + size; ++i) {
    Page& page = pages_[i];
    if (!page.is_resident) {
      page.is_resident = true;
      usage_.resident += kPage;
    } else if (page.used == 0) {
      --idle_pages_;
    }
    page.used +=
        static_cast<uint32_t>(std::min(place + size, (i + 1) * kPage) - std::max(place, i * kPage));
  }
}

void HugePageHeap::LeavePages(size_t place, size_t size) noexcept {
  usage_.allocated -= size;
  for (size_t i = place / kPage; i * kPage < place + size; ++i) {
    Page& page = pages_[i];
    page.used -=
        static_cast<uint32_t>(std::min(place + size, (i + 1) * kPage) - std::max(place, i * kPage));
    if (page.used != 0) continue;
    // Releases the page under the lock: as soon as the lock is released, a block may be allocated
    // there.
    if (idle_pages_ >= kMaxIdlePages && ::madvise(begin_ + i * kPage, kPage, MADV_DONTNEED) == 0) {
      page.is_resident = false;
      usage_.resident -= kPage;
    } else {
      ++idle_pages_;
    }
  }
}

size_t HugePageHeap::SizeOf(const void* block) const noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return extents_.find(PlaceOf(block))->second.size;
}

HugePageHeap::Usage HugePageHeap::CurrentUsage() const noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return usage_;
}

std::string WhyNoHugePages(const std::string& folder) {
  const std::string enabled = Chosen(folder + "/enabled");
  if (enabled.empty()) return "this system has no transparent_hugepage/enabled";
  size_t size = 0;
  std::ifstream(folder + "/hpage_pmd_size") >> size;
  if (size != HugePageHeap::kPage) {
    return "this system's huge pages have " + std::to_string(size) + " bytes";
  }
  // Newer kernels have a setting for each page size, which takes precedence.
  const std::string of_size = Chosen(folder + "/hugepages-2048kB/enabled");
  if (of_size == "never") return "transparent_hugepage/hugepages-2048kB/enabled is never";
  if (enabled == "never" && (of_size.empty() || of_size == "inherit")) {
    return "transparent_hugepage/enabled is never";
  }
  // A limited address space would lack the addresses that are reserved here.
  rlimit addresses{};
  if (::getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY) {
    return "this process has a limit of addresses (ulimit -v)";
  }
#ifdef PR_GET_THP_DISABLE
  if (::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1) return "this process has them disabled";
#endif
  return {};
}

HugePageAllocator::HugePageAllocator(size_t most_bytes, const std::string& problem)
    : heap_(problem.empty() ? most_bytes : 0), name_("winnow.HugePages") {
  const std::string why =
      problem.empty() && !heap_.HasRange() ? "no addresses could be reserved" : problem;
  if (!why.empty()) name_ += ", which has none: " + why;
}

void* HugePageAllocator::Allocate(size_t size) {
  if (size >= kMinBytes) {
    if (void* const block = heap_.Allocate(size)) return block;
  }
  if (void* const block = std::malloc(std::max<size_t>(size, 1))) return block;
  throw std::bad_alloc();
}

void HugePageAllocator::Deallocate(void* block) {
  if (heap_.Owns(block)) {
    heap_.Free(block);
  } else {
    std::free(block);
  }
}

size_t HugePageAllocator::UsableSize(void* block, size_t /*allocation_size*/) const {
  return heap_.Owns(block) ? heap_.SizeOf(block) : ::malloc_usable_size(block);
}

}  // namespace winnow::plugin

namespace winnow {

std::shared_ptr<ROCKSDB_NAMESPACE::MemoryAllocator> NewHugePageAllocator() {
  if (!plugin::VersionProblem().empty()) return nullptr;
  try {
    return std::make_shared<plugin::HugePageAllocator>(
        2 * plugin::MachineMemory(), plugin::WhyNoHugePages("/sys/kernel/mm/transparent_hugepage"));
  } catch (...) {
    return nullptr;
  }
}

}  // namespace winnow
