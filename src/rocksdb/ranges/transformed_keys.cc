#include "src/rocksdb/ranges/transformed_keys.h"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <mutex>
#include <new>
#include <random>

namespace winnow::plugin {

using ROCKSDB_NAMESPACE::Slice;

namespace {

struct Note {
  const char* data;
  size_t size;
  uintptr_t frame;
};

// Never freed: a thread that ends leaves its ring to a later one, which goes on from its number.
struct NoteRing {
  Note notes[kNotes] = {};
  uint64_t next = 0;            // the number of the next note
  const char* begin = nullptr;  // of the addresses
  NoteRing* older = nullptr;    // the one that was made before
  std::atomic<bool> is_taken{true};

  // The number of the note at this address, which may be gone: the latest one that it can be. False
  // if the address is not of this ring, or no note was at it yet.
  bool NumberAt(const char* address, uint64_t* number) const noexcept {
    const size_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(begin);
    if (offset >= kAddresses || next == 0) return false;
    *number = next - 1 - (next - 1 - offset) % kAddresses;
    return *number < next;
  }
  bool Has(uint64_t number) const noexcept { return number < next && next - number <= kNotes; }
  const Note& At(uint64_t number) const noexcept { return notes[number % kNotes]; }
};

// What a comparator may read behind the last address.
constexpr size_t kReadable = 64;

// The address of keys that could not be noted.
constexpr char kLost[kReadable] = {};

// Behind it all rings, the latest first.
std::atomic<NoteRing*> rings{nullptr};

// Only the thread's own ring. A pointer, as room for a thread's variables is scarce in libraries
// that are loaded late.
thread_local NoteRing* this_thread_ring = nullptr;
thread_local bool has_ended = false;

void GiveBack(void* ring) noexcept {
  this_thread_ring = nullptr;
  has_ended = true;
  static_cast<NoteRing*>(ring)->is_taken.store(false, std::memory_order_release);
}

// As in shared_hash.cc: a thread_local object's destructor would be registered with an allocation,
// which ends the program where it fails.
struct EndOfThread {
  pthread_key_t key{};
  const bool works;

  EndOfThread() noexcept : works(pthread_key_create(&key, GiveBack) == 0) {}
};

NoteRing* TakeFreeRing() noexcept {
  for (NoteRing* ring = rings.load(std::memory_order_acquire); ring != nullptr;
       ring = ring->older) {
    bool is_taken = false;
    if (ring->is_taken.compare_exchange_strong(is_taken, true, std::memory_order_acquire)) {
      ring->next += kNotes;  // the keys of the thread before are gone
      return ring;
    }
  }
  return nullptr;
}

NoteRing* MakeRing() noexcept {
  // Pages that are only read have no memory of their own.
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

// Null where memory is short, and in destructors of a thread that has ended.
__attribute__((noinline)) NoteRing* TakeRing() noexcept {
  static const EndOfThread end_of_thread;
  if (!end_of_thread.works || has_ended) return nullptr;
  NoteRing* ring = TakeFreeRing();
  if (ring == nullptr) ring = MakeRing();
  if (ring == nullptr) return nullptr;
  if (pthread_setspecific(end_of_thread.key, ring) != 0) {
    ring->is_taken.store(false, std::memory_order_release);
    return nullptr;
  }
  return this_thread_ring = ring;
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
  NoteRing* ring = this_thread_ring;
  if (__builtin_expect(ring == nullptr, 0)) {
    ring = TakeRing();
    if (ring == nullptr) return kLost;
  }
  const uint64_t number = ring->next++;
  ring->notes[number % kNotes] = {key.data(), key.size(), reinterpret_cast<uintptr_t>(frame)};
  return ring->begin + number % kAddresses;
}

TransformedKey FindTransformedKey(const char* address) noexcept {
  using Origin = TransformedKey::Origin;
  if (const NoteRing* const ring = this_thread_ring) {
    uint64_t number = 0;
    if (ring->NumberAt(address, &number)) {
      if (!ring->Has(number)) return {Origin::kLost, {}};
      return {Origin::kFound, Slice(ring->At(number).data, ring->At(number).size)};
    }
  }
  return {address == kLost || IsOfSomeRing(address) ? Origin::kLost : Origin::kElsewhere, {}};
}

bool FindSeekBounds(const char* address, Slice* begin, Slice* end) noexcept {
  const NoteRing* const ring = this_thread_ring;
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

uint64_t DifferentNumber() noexcept {
  // Numbers of one thread differ, those of threads and processes by where they begin. Not atomic:
  // iterators of all threads ask for them.
  thread_local uint64_t next = 0;
  if (next == 0) {
    try {
      std::random_device random;
      next = uint64_t{random()} << 32 | random();
    } catch (...) {
      next = reinterpret_cast<uintptr_t>(&next);
    }
  }
  next += 0x9e3779b97f4a7c15;
  // splitmix64 (Steele, Lea, Flood, OOPSLA 2014): so that numbers of near beginnings have nothing
  // in common.
  uint64_t mixed = next;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

}  // namespace winnow::plugin
