#include "src/rocksdb/ranges/transformed_keys.h"

#include <pthread.h>

#include <algorithm>
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

// Number of bytes that a comparator may read from an address on.
constexpr size_t kReadable = 64;

// The addresses of notes, and behind them that of keys that could not be recorded. They are never
// written, and so take no memory.
char addresses[kAddresses + kReadable];
constexpr const char* kNotNoted = addresses + kAddresses;

bool IsOfSomeNote(const char* address) noexcept {
  return reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(addresses) <=
         kAddresses;
}

// Threads take addresses in runs, so that they rarely write to a common counter.
constexpr size_t kRun = 256;
static_assert(kAddresses % kRun == 0);
std::atomic<size_t> runs_taken{0};

// Returns the first address of the run that was taken longest ago.
const char* TakeRun() noexcept {
  const size_t run = runs_taken.fetch_add(1, std::memory_order_relaxed);
  return addresses + run % (kAddresses / kRun) * kRun;
}

struct Note {
  const char* data;
  size_t size;
  uintptr_t frame;
  const char* address;
};

// Ring buffer of a thread's notes. Never freed: a later thread takes the ring of one that ended.
struct NoteRing {
  Note notes[kNotes] = {};
  uint64_t next = 0;                // number of the next note
  const char* address = kNotNoted;  // of the next note, unless it is the end of the run
  const char* end_of_run = kNotNoted;
  NoteRing* older = nullptr;  // ring that was made before this one
  // State of DifferentNumber; not atomic, for speed, as iterators of all threads use it.
  uint64_t different = FirstNumber();
  std::atomic<bool> is_taken{true};
  // Counters written by the ring's current thread; a later thread continues them.
  std::atomic<uint64_t> asked{0};
  std::atomic<uint64_t> denied{0};

  const char* Add(const Slice& key, const void* frame) noexcept {
    if (__builtin_expect(address == end_of_run, 0)) {
      address = TakeRun();
      end_of_run = address + kRun;
    }
    notes[next++ % kNotes] = {key.data(), key.size(), reinterpret_cast<uintptr_t>(frame), address};
    return address++;
  }

  // Drops the keys of the thread that had this ring.
  void Clear() noexcept { std::fill_n(notes, kNotes, Note()); }

  // Returns the note of this address, or null if the ring has none; `*after` is the note after it,
  // or null.
  const Note* Find(const char* sought, const Note** after) const noexcept {
    *after = nullptr;
    if (!IsOfSomeNote(sought)) return nullptr;
    for (uint64_t i = 1; i <= kNotes; ++i) {
      const Note* const note = &notes[(next - i) % kNotes];
      if (note->address == sought) return note;
      *after = note;
    }
    return nullptr;
  }
};

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
      ring->Clear();
      return ring;
    }
  }
  return nullptr;
}

NoteRing* MakeRing() noexcept {
  auto* const ring = new (std::nothrow) NoteRing;
  if (ring == nullptr) return nullptr;
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

}  // namespace

const char* NoteTransformedKey(const Slice& key, const void* frame) noexcept {
  NoteRing* ring = ThisThreadRing();
  if (__builtin_expect(ring == nullptr, 0)) {
    ring = TakeRing();
    if (ring == nullptr) return kNotNoted;
  }
  return ring->Add(key, frame);
}

TransformedKey FindTransformedKey(const char* address) noexcept {
  using Origin = TransformedKey::Origin;
  if (const NoteRing* const ring = ThisThreadRing()) {
    const Note* after = nullptr;
    if (const Note* const note = ring->Find(address, &after)) {
      return {Origin::kFound, Slice(note->data, note->size)};
    }
  }
  return {IsOfSomeNote(address) ? Origin::kForgotten : Origin::kElsewhere, {}};
}

bool FindSeekBounds(const char* address, Slice* begin, Slice* end) noexcept {
  const NoteRing* const ring = ThisThreadRing();
  if (ring == nullptr) return false;
  const Note* bound = nullptr;
  const Note* const sought = ring->Find(address, &bound);
  if (sought == nullptr || bound == nullptr) return false;
  const uintptr_t depth =
      sought->frame > bound->frame ? sought->frame - bound->frame : bound->frame - sought->frame;
  if (depth > kMaxDepth) return false;
  *begin = Slice(sought->data, sought->size);
  *end = Slice(bound->data, bound->size);
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
