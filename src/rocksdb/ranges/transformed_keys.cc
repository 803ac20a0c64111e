#include "src/rocksdb/ranges/transformed_keys.h"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <new>
#include <random>

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::Slice;

namespace {

// Returns a random number to count from.
uint64_t FirstNumber() noexcept {
  try {
    std::random_device random;
    return uint64_t{random()} << 32 | random();
  } catch (...) {
    return reinterpret_cast<uintptr_t>(&FirstNumber);
  }
}

struct Note {
  const char* data;
  size_t size;
  uintptr_t frame;
};

// Ring buffer of a thread's notes. Never freed: a later thread takes the ring of one that ended,
// and continues its numbers.
struct NoteRing {
  Note notes[kNotes] = {};
  uint64_t next = 0;            // number of the next note
  const char* begin = nullptr;  // first of the addresses
  NoteRing* older = nullptr;    // ring that was made before this one
  // State of DifferentNumber; not atomic, for speed, as iterators of all threads use it.
  uint64_t different = FirstNumber();
  std::atomic<bool> is_taken{true};
  // Counters written by the ring's current thread; a later thread continues them.
  std::atomic<uint64_t> asked{0};
  std::atomic<uint64_t> denied{0};

  // Sets *number to the latest note that this address may stand for; the note may be gone. Returns
  // false if the address is not of this ring, or had no note yet.
  bool NumberAt(const char* address, uint64_t* number) const noexcept {
    const size_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(begin);
    if (offset >= kAddresses || next == 0) return false;
    *number = next - 1 - (next - 1 - offset) % kAddresses;
    return *number < next;
  }
  bool Has(uint64_t number) const noexcept { return number < next && next - number <= kNotes; }
  const Note& At(uint64_t number) const noexcept { return notes[number % kNotes]; }
};

// Number of bytes that a comparator may read after the last address.
constexpr size_t kReadable = 64;

// Address of keys that could not be recorded.
constexpr char kNotNoted[kReadable] = {};

// Linked list of all rings, newest first.
std::atomic<NoteRing*> rings{nullptr};

// The thread's ring is the value of a pthread key, not thread_local: static TLS is scarce in
// libraries that are loaded by dlopen(). A pthread key also has a destructor.
void GiveBack(void* ring) noexcept {
  static_cast<NoteRing*>(ring)->is_taken.store(false, std::memory_order_release);
}

struct RingOfThread {
  pthread_key_t key{};
  const bool works;

  RingOfThread() noexcept : works(pthread_key_create(&key, GiveBack) == 0) {}
};

// Inlined, as a seek calls this twice per file.
inline __attribute__((always_inline)) const RingOfThread& RingKey() noexcept {
  static const RingOfThread ring_of_thread;
  return ring_of_thread;
}

// Returns null if the thread has no ring yet.
NoteRing* ThisThreadRing() noexcept {
  const RingOfThread& ring = RingKey();
  return ring.works ? static_cast<NoteRing*>(pthread_getspecific(ring.key)) : nullptr;
}

NoteRing* TakeFreeRing() noexcept {
  for (NoteRing* ring = rings.load(std::memory_order_acquire); ring != nullptr;
       ring = ring->older) {
    bool is_taken = false;
    if (ring->is_taken.compare_exchange_strong(is_taken, true, std::memory_order_acquire)) {
      ring->next += kNotes;  // drops the keys of the former thread
      return ring;
    }
  }
  return nullptr;
}

NoteRing* MakeRing() noexcept {
  // Pages that are only read take no memory.
  void* const addresses = mmap(nullptr, kAddresses + kReadable, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (addresses == MAP_FAILED) return nullptr;
  auto* const ring = new (std::nothrow) NoteRing;
  if (ring == nullptr) {
    munmap(addresses, kAddresses + kReadable);
    return nullptr;
  }
  ring->begin = static_cast<const char*>(addresses);
  ring->older = rings.load(std::memory_order_relaxed);
  while (!rings.compare_exchange_weak(ring->older, ring, std::memory_order_release,
                                      std::memory_order_relaxed)) {
  }
  return ring;
}

// Returns null if out of memory.
__attribute__((noinline)) NoteRing* TakeRing() noexcept {
  const RingOfThread& of_thread = RingKey();
  if (!of_thread.works) return nullptr;
  NoteRing* ring = TakeFreeRing();
  if (ring == nullptr) ring = MakeRing();
  if (ring == nullptr) return nullptr;
  if (pthread_setspecific(of_thread.key, ring) != 0) {
    ring->is_taken.store(false, std::memory_order_release);
    return nullptr;
  }
  return ring;
}

void Increment(std::atomic<uint64_t>* count) noexcept {
  count->store(count->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool IsOfSomeRing(const char* address) noexcept {
  for (const NoteRing* ring = rings.load(std::memory_order_acquire); ring != nullptr;
       ring = ring->older) {
    const size_t offset =
        reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(ring->begin);
    if (offset < kAddresses) return true;
  }
  return false;
}

}  // namespace

const char* NoteTransformedKey(const Slice& key, const void* frame) noexcept {
  NoteRing* ring = ThisThreadRing();
  if (__builtin_expect(ring == nullptr, 0)) {
    ring = TakeRing();
    if (ring == nullptr) return kNotNoted;
  }
  const uint64_t number = ring->next++;
  ring->notes[number % kNotes] = {key.data(), key.size(), reinterpret_cast<uintptr_t>(frame)};
  return ring->begin + number % kAddresses;
}

TransformedKey FindTransformedKey(const char* address) noexcept {
  using Origin = TransformedKey::Origin;
  if (const NoteRing* const ring = ThisThreadRing()) {
    uint64_t number = 0;
    if (ring->NumberAt(address, &number)) {
      if (!ring->Has(number)) return {Origin::kForgotten, {}};
      return {Origin::kFound, Slice(ring->At(number).data, ring->At(number).size)};
    }
  }
  return {address == kNotNoted || IsOfSomeRing(address) ? Origin::kForgotten : Origin::kElsewhere,
          {}};
}

bool FindSeekBounds(const char* address, Slice* begin, Slice* end) noexcept {
  const NoteRing* const ring = ThisThreadRing();
  uint64_t number = 0;
  if (ring == nullptr || !ring->NumberAt(address, &number)) return false;
  if (!ring->Has(number) || !ring->Has(number + 1)) return false;
  const Note& sought = ring->At(number);
  const Note& bound = ring->At(number + 1);
  const uintptr_t depth =
      sought.frame > bound.frame ? sought.frame - bound.frame : bound.frame - sought.frame;
  if (depth > kMaxDepth) return false;
  *begin = Slice(sought.data, sought.size);
  *end = Slice(bound.data, bound.size);
  return true;
}

void CountRangeAnswer(bool may_contain) noexcept {
  NoteRing* const ring = ThisThreadRing();
  if (ring == nullptr) return;
  Increment(&ring->asked);
  if (!may_contain) Increment(&ring->denied);
}

RangeCounts CurrentRangeCounts() noexcept {
  RangeCounts sum;
  for (const NoteRing* ring = rings.load(std::memory_order_acquire); ring != nullptr;
       ring = ring->older) {
    sum.denied += ring->denied.load(std::memory_order_relaxed);
    sum.asked += ring->asked.load(std::memory_order_relaxed);
  }
  return sum;
}

uint64_t DifferentNumber() noexcept {
  NoteRing* ring = ThisThreadRing();
  if (ring == nullptr) ring = TakeRing();
  static std::atomic<uint64_t> without_ring{FirstNumber()};
  constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  const uint64_t number = ring != nullptr
                              ? ring->different += kStep
                              : without_ring.fetch_add(kStep, std::memory_order_relaxed);
  // splitmix64 (Steele, Lea, Flood, OOPSLA 2014): makes nearby numbers independent.
  uint64_t mixed = number;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

}  // namespace winnow::plugin
