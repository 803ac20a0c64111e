// Range filters: building one from a file's keys, and testing whether a range may have a key.

#ifndef WINNOW_RANGE_FILTER_H_
#define WINNOW_RANGE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "winnow/builder.h"
#include "winnow/fault.h"
#include "winnow/version.h"

namespace winnow {

// Kinds of range filters. The numbers are those of the serialized form, which has two more for
// trees: 4 and 5.
enum class RangeFilterKind : uint8_t {
  kNone = 0,       // no range filter: every range may contain a key
  kPositions = 1,  // keys of one length, as numbers
  kTrees = 2,      // keys of any length, as binary tries of their bits
  kRetrieval = 3,  // like kPositions in fewer bits, stored in a Ribbon. Since 1.2
};

// Returns "none", "positions", "trees", "retrieval", or "unknown" for any other number. The string
// is static.
WINNOW_EXPORT std::string_view ToString(RangeFilterKind kind) noexcept;

// Options of a range filter that is to be built. Later versions may add members (winnow/version.h).
struct RangeFilterOptions {
  // w, the accuracy; 1 to 32. Positions: an empty range of L positions passes with a probability of
  // at most L / 2^w, wherever it lies, and the filter takes about w + 0.2 bits per key by
  // retrieval, which is used for 6 to 16, else w + 2.2; fractions are allowed. Trees: about w bits
  // of each key are kept, and the filter takes w to w + 15 bits per key, up to w + 23 for folders
  // with long names. RangeFilterBuilder defines positions and says which ranges pass.
  double range_bits = 15;

  // Kind to build. kRetrieval and kPositions are for ranges that begin close behind keys; keys of
  // several lengths then get no filter. kRetrieval falls back to kPositions if that takes no more
  // bits; Winnow 1.1 reads only kPositions and passes all ranges of a kRetrieval filter. kTrees is
  // for ranges of keys with a common prefix. kNone chooses kTrees or kRetrieval by the keys, as
  // RangeFilterBuilder says. Since 1.2.
  RangeFilterKind kind = RangeFilterKind::kNone;
};

// Properties of a range filter. If the bytes have a fault, only size_bytes is meaningful. Later
// versions may add members (winnow/version.h).
struct RangeFilterInfo {
  RangeFilterKind kind = RangeFilterKind::kNone;
  uint64_t num_keys = 0;
  uint64_t size_bytes = 0;
  double bits_per_key = 0;  // size_bytes * 8 / num_keys
  double range_bits = 0;    // RangeFilterOptions::range_bits
  uint64_t key_length = 0;  // length of every key in bytes; 0: several lengths
  // 1 if the keys are so dense that no range passes wrongly, within the bits per key asked for.
  uint64_t is_exact = 0;
  int version = 0;  // version of the range filter format
};

// Collects the keys of a file, in ascending order, and builds one range filter from them; then it
// is ready for the next file.
//
// Positions are for keys of one length. By default they are chosen for keys that differ in at most
// kMostCountedBytes bytes, in at most two 8-byte words counted from the end of the key, and that
// seem to be one number: the bytes that differ are adjacent, and none behind the first has few of
// the values that others have; or the keys are so dense that positions are exact. On request they
// are for all keys of one length of up to 256 bytes. Bytes that are equal in all keys are left
// out. The others are the digits of a mixed-radix number, each with the values seen in its place as
// its radix, so that decimal text and numbers of any width become integers without gaps. This
// number is the key's position. A scan of L decimal numbers asks for L positions; a range of all
// keys with a prefix asks for all positions behind the prefix, mostly too many for a negative
// answer. A position has 64 bits, from at most 16 bytes of the key; bytes before these are stored
// only as a hash, and a range that spans more than two different such prefixes always passes.
//
// Retrieval splits positions into blocks and low bits. A bumped Ribbon (Dillinger,
// Hübschle-Schneider, Sanders, Walzer, SEA 2022) returns the low bits of a block's key and a
// fingerprint of the block. A range tests each block that it touches, so it passes wrongly at the
// fingerprint's false-positive rate, and hardly ever in a block that has a key. Blocks with several
// keys store these separately, so clustered keys take more bits; kPositions is used if that is
// smaller. kPositions hashes positions in order-preserving blocks and stores the sorted hashes, as
// Grafite does (Costa, Ferragina, Vinciguerra, SIGMOD 2024).
//
// Trees are for all other keys: small PATRICIA tries (Morrison, 1968) of their bits. Of each key, a
// trie keeps the bits that distinguish the key from its neighbors and w - 6 more; of bits that
// neighbors have in common, the first (w - 5) / 2 and the low 1 to 4 bits of each of the next 32
// bytes, of fewer if that takes more than 2 w + 6 bits per key. Of text, it keeps low bits of bytes
// behind the last branch, too. From w = 11 on, where at least one key in 1,024 begins the next one,
// as folders do, it keeps a key's length in place of 5 of these bits. A range passes wrongly if all
// this does not distinguish it from a key: mostly between a key and the next numbers or names. Few
// other ranges pass, such as those of a missing folder, of a part of a name with another last
// letter, or, with lengths, of all keys that begin with a key. This form is new in 2.0: 1.x passes
// all ranges of it. Range filters that 1.x built are read as before.
//
// Finish returns no range filter if a key has more than kMaxKeyBytes; if a key is less than its
// predecessor bytewise; if the only key is empty; for 2^31 keys or more; if trees would take more
// than 2 w + 24 bits per key; if positions were asked for and keys have several lengths or more
// than 256 bytes; and if out of memory. No function throws. A file's point filter is independent of
// its range filter.
//
// Memory: for positions, 8 bytes per key, 16 if keys differ in two words, 24 if in more, and little
// more during Finish. For trees, twice the filter's size, plus the bytes for positions during a
// conversion from positions to trees. The bytes of the filter depend only on the options and the
// keys. Not thread-safe.
class WINNOW_EXPORT RangeFilterBuilder {
 public:
  static constexpr size_t kMaxKeyBytes = 4096;
  // Size of a 64-bit number. Keys that differ in more bytes are mostly composed of parts, and scans
  // then ask for all keys with some of these.
  static constexpr unsigned kMostCountedBytes = 8;

  // Options out of range are replaced by the nearest valid ones, NaN by the default.
  WINNOW_HIDDEN explicit RangeFilterBuilder(const RangeFilterOptions& options) noexcept
      : RangeFilterBuilder(&options, sizeof options) {}
  ~RangeFilterBuilder();
  // A moved-from builder is empty and keeps its options, ready for the next filter.
  RangeFilterBuilder(RangeFilterBuilder&&) noexcept;
  RangeFilterBuilder& operator=(RangeFilterBuilder&&) noexcept;

  // Adds a key, which must be greater than the previous one, bytewise. A key that equals the
  // previous one is dropped: versions of a key are adjacent in a sorted file.
  void Add(std::string_view key) noexcept;

  // Gives up: the keys added so far, and those added until Finish or Clear, get no range filter.
  void Abandon() noexcept;

  // Number of keys kept since the last Finish; 0 once it is known that they get no range filter.
  uint64_t num_keys() const noexcept;

  // Returns the kind that the keys added so far would get; kNone without keys. Finish makes trees
  // of positions if it finds that keys of the default kind have several fields. Since 1.2.
  RangeFilterKind kind() const noexcept;

  // Returns an upper bound of the size in bytes that Finish would give for n keys like those added
  // so far, but keys with gaps in the values of their bytes may take up to 96 bytes more; dense
  // keys take less. Takes constant time.
  size_t EstimateSize(uint64_t n) const noexcept;

  // Builds the range filter of the keys kept, for RangeFilterView. The block has size 0 and null
  // data if there is none. The builder is then empty and keeps its options.
  FilterBlock Finish() noexcept;

  // Drops all keys and any reason for no range filter. Keeps the options.
  void Clear() noexcept;

 private:
  struct State;
  RangeFilterBuilder(const RangeFilterOptions* options, size_t size) noexcept;
  WINNOW_HIDDEN State& state() noexcept;
  WINNOW_HIDDEN const State& state() const noexcept;

  alignas(8) unsigned char state_[512];  // a State, with room for the options of later versions
};

// A view of a range filter's bytes, which the caller keeps alive and unchanged. The bytes are
// validated once, on construction, and may be unaligned. Cheap to copy. Lookups never throw, never
// allocate and never read outside the bytes, even if the bytes are damaged. Thread-safe.
//
// Damaged bytes: as with FilterView, the constructor checks all that makes lookups safe, but not
// the arrays, which are nearly all of the bytes. Verified checks these too.
class WINNOW_EXPORT RangeFilterView {
 public:
  // An empty view, which may contain everything.
  RangeFilterView() noexcept = default;

  // If the bytes are unusable, the view may contain everything and fault() tells the reason. Empty
  // bytes are kTooShort.
  explicit RangeFilterView(std::string_view bytes) noexcept;

  // Returns a view after checking the checksum of all bytes as well. If they are damaged, fault()
  // is kPayload and the view may contain everything.
  static RangeFilterView Verified(std::string_view bytes) noexcept;

  Fault fault() const noexcept { return fault_; }

  // Returns false only if no key in [begin, end) was added. The bounds may have any length. Returns
  // true if `end` is greater than the last key, since the filter does not know what follows in the
  // next file, and if `begin` is not less than `end`.
  bool MayContain(std::string_view begin, std::string_view end) const noexcept;

  // Returns false only if this key was not added: the range filter as a filter of keys. An absent
  // key passes with a probability of at most 2^-range_bits with positions and retrieval, never if
  // they are exact; with trees, if a range that begins with the key passes. A retrieval of integers
  // takes about 1.5 times as long as a Ribbon filter, one of other keys up to three times,
  // positions four times; trees take longer. Since 1.2.
  bool MayHaveKey(std::string_view key) const noexcept;

  // Looks up n keys and assigns all n results. In filters larger than the CPU caches, a batch is
  // faster than single lookups, since cache misses overlap. Since 1.2.
  void MayHaveKey(const std::string_view* keys, size_t n, bool* results) const noexcept;

  WINNOW_HIDDEN RangeFilterInfo info() const noexcept {
    RangeFilterInfo info;
    FillInfo(&info, sizeof info);
    return info;
  }

  // Recomputes the checksum over all bytes. Returns false if the bytes have a fault.
  bool PayloadIntact() const noexcept;

 private:
  struct Kept;
  void FillInfo(RangeFilterInfo* info, size_t size) const noexcept;
  WINNOW_HIDDEN const Kept& kept() const noexcept;

  struct alignas(8) State {
    unsigned char bytes[160];
  };
  State state_ = {};
  Fault fault_ = Fault::kTooShort;
};

static_assert(std::is_trivially_copyable_v<RangeFilterView> &&
              std::is_standard_layout_v<RangeFilterView>);

// Returns the range filter that a filter block carries as a note, as a view of the block's bytes;
// empty if there is none or the block has a fault.
WINNOW_EXPORT std::string_view RangeFilterOf(std::string_view filter_block) noexcept;

// Returns a copy of the filter block with the range filter as a note and new checksums. Its answers
// for keys are unchanged, also for readers that don't know range filters. Returns an unchanged copy
// if the block is damaged, is not Winnow's, has a range filter already or has no room for one more
// directory entry, and if the range filter is empty or has 2^32 bytes or more. Throws
// std::bad_alloc.
WINNOW_EXPORT FilterBlock WithRangeFilter(std::string_view filter_block,
                                          std::string_view range_filter);

}  // namespace winnow

#endif  // WINNOW_RANGE_FILTER_H_
