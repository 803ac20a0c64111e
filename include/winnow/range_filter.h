// Building a range filter of a file's keys, and asking it whether one of them may be in a range.

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

// Kind of a range filter, by what it is made of. The numbers are those of the serialized form.
enum class RangeFilterKind : uint8_t {
  kNone = 0,       // no range filter: every range may contain a key
  kPositions = 1,  // keys of one length, as numbers
  kTrees = 2,      // keys of any length, as binary trees of their bits
  kRetrieval = 3,  // the same numbers in fewer bits, given back by a Ribbon. Since 1.2
};

// "none", "positions", "trees", "retrieval"; "unknown" for any other number. The string is static.
WINNOW_EXPORT std::string_view ToString(RangeFilterKind kind) noexcept;

// Options of a range filter that is to be built. It grows (winnow/version.h).
struct RangeFilterOptions {
  // w. Positions: a range of L positions in which there is no key passes with a
  // probability of at most L / 2^w, wherever it lies, and the filter takes about w + 0.2 bits a
  // key by retrieval, which is for 6 to 16, else w + 2.2. Trees: about w bits of each key are kept,
  // and the filter takes w to w + 12 bits a key. RangeFilterBuilder says what a position is, and
  // which ranges pass. 1 to 32; of positions fractions count.
  double range_bits = 15;

  // kRetrieval or kPositions, for ranges that begin close behind keys: keys of several lengths get
  // no filter. kRetrieval is kPositions where that takes no more bits; Winnow 1.1 reads kPositions
  // alone, and passes all ranges of a retrieval. kTrees, for ranges of keys with a prefix. kNone:
  // kTrees or kRetrieval by the keys, as RangeFilterBuilder says. Since 1.2.
  RangeFilterKind kind = RangeFilterKind::kNone;
};

// Properties of a range filter. For bytes with a fault only size_bytes says something. It grows
// (winnow/version.h).
struct RangeFilterInfo {
  RangeFilterKind kind = RangeFilterKind::kNone;
  uint64_t num_keys = 0;
  uint64_t size_bytes = 0;
  double bits_per_key = 0;  // size_bytes * 8 / num_keys
  double range_bits = 0;    // as it was asked for
  uint64_t key_length = 0;  // of each key, in bytes; 0: several lengths
  // 1: the keys lie so densely that no range passes wrongly, at no more bits a key than asked for.
  uint64_t is_exact = 0;
  int version = 0;  // of the range filter's form
};

// Collects the keys of a file, in their order, and makes one range filter of them, then is ready
// for the next.
//
// Positions, for keys of one length that differ in at most kMostCountedBytes bytes, and in at most
// two of the words of 8 bytes that they are, counted from their end, unless another kind was asked
// for; for keys of one length, of up to 256 bytes, if it was. Bytes that are the same in all keys
// are left out. The others are counted like the digits of a number, each by the values that were
// seen at its place: so decimal text, and numbers of any width, become whole numbers without gaps.
// That number is a key's position. A scan of L decimal numbers asks for L positions, a range of all
// keys with a prefix for as many as there are behind it, which is mostly too many for any "no". A
// position has 64 bits, of at most 16 bytes of the key; of those before only a hash is stored, and
// a range that holds more than two such beginnings of keys always passes.
//
// By retrieval, positions are blocks and low bits: a bumped Ribbon, of Dillinger,
// Hübschle-Schneider, Sanders and Walzer, SEA 2022, gives back the low bits of a block's key and a
// fingerprint of the block. A range asks for each block that it touches, so it passes wrongly where
// a fingerprint does, and hardly ever in a block that has a key. Keys of blocks with several are
// stored besides, so that keys in groups take more bits: where these are more than those of
// kPositions, that is taken. There positions are hashed in blocks whose order is kept, and the
// hashes are stored sorted: the idea of Grafite, by Costa, Ferragina and Vinciguerra, SIGMOD 2024.
//
// Trees, for other keys: small binary trees of their bits, as of Morrison (1968). Of each key they
// keep the bits that part it from its neighbours and w - 6 more; of bits that neighbours have in
// common only w - 1, the last third of which are a hash of the next three bytes. A range passes
// wrongly where these bits do not tell it from a key: mostly close behind a key, or where it begins
// with a part of a name and goes on otherwise. Elsewhere few do: a folder that is not there, names
// between others.
//
// There is no range filter, and Finish gives none, where a key has more than kMaxKeyBytes; where
// one is less than the one before, byte by byte; where the only key has no bytes; for 2^31 keys and
// more; where trees would take more than 2 w + 24 bits a key; where positions were asked for and
// keys have several lengths, or more than 256 bytes; and where memory is lacking. So nothing
// throws. A file's point filter needs none of this.
//
// While it collects keys for positions it has 8 bytes for each, 16 where keys differ in two words,
// 24 in more, and not much more while it finishes. For trees it has the filter twice, and while it
// turns positions into trees, these bytes besides. The bytes of the filter depend only on the
// options and the keys. Not safe for use by several threads at once.
class WINNOW_EXPORT RangeFilterBuilder {
 public:
  static constexpr size_t kMaxKeyBytes = 4096;
  // The bytes of a number of 64 bits. Keys that differ in more are mostly put together from
  // parts, and scans ask for all keys with some of them.
  static constexpr unsigned kMostCountedBytes = 8;

  // Options out of their range count as the nearest valid ones, NaN as the default.
  WINNOW_HIDDEN explicit RangeFilterBuilder(const RangeFilterOptions& options) noexcept
      : RangeFilterBuilder(&options, sizeof options) {}
  ~RangeFilterBuilder();
  // A builder that was moved from is empty and keeps its options, ready for the next filter.
  RangeFilterBuilder(RangeFilterBuilder&&) noexcept;
  RangeFilterBuilder& operator=(RangeFilterBuilder&&) noexcept;

  // Adds a key that is greater than the one before, bytewise. One that equals it is dropped: the
  // versions of a key follow each other in a sorted file.
  void Add(std::string_view key) noexcept;

  // There will be no range filter of these keys, nor of those that are added to them.
  void Abandon() noexcept;

  // The keys kept since the last Finish; 0 once it is known that they get no range filter.
  uint64_t num_keys() const noexcept;

  // The kind that these keys have so far; kNone without keys. Since 1.2.
  RangeFilterKind kind() const noexcept;

  // The most bytes that Finish gives for n keys like those added so far; dense ones take less.
  // Takes constant time.
  size_t EstimateSize(uint64_t n) const noexcept;

  // The range filter of the keys kept: bytes for RangeFilterView. Of size 0, and without memory, if
  // there is none. The builder is empty again afterwards and keeps its options.
  FilterBlock Finish() noexcept;

  // Forgets the keys, and that they can't have a range filter. The options stay.
  void Clear() noexcept;

 private:
  struct State;
  RangeFilterBuilder(const RangeFilterOptions* options, size_t size) noexcept;
  WINNOW_HIDDEN State& state() noexcept;
  WINNOW_HIDDEN const State& state() const noexcept;

  alignas(8) unsigned char state_[512];  // a State, and room for the options of later versions
};

// A view of a range filter's bytes, which the caller keeps alive and unchanged. Validated once,
// when it is made; cheap to copy. Bytes may lie at any address. A question never throws, never
// allocates and reads nothing outside the bytes, whatever these are. Safe from any number of
// threads.
//
// Damaged bytes: as of a FilterView, all that makes a question safe is checked always, and the
// arrays, nearly all of the bytes, only by Verified.
class WINNOW_EXPORT RangeFilterView {
 public:
  // Contains everything: what is not known is never "no".
  RangeFilterView() noexcept = default;

  // Bytes that it can't use may contain everything, and fault() says why. No bytes are kTooShort.
  explicit RangeFilterView(std::string_view bytes) noexcept;

  // The same, with the checksum of all bytes computed as well: damaged ones are kPayload and may
  // contain everything.
  static RangeFilterView Verified(std::string_view bytes) noexcept;

  Fault fault() const noexcept { return fault_; }

  // Returns whether a key is in [begin, end), which are bytes of any length: false only if none was
  // added. True, too, where `end` is greater than the last key, which does not say what follows it
  // in another file; and where begin is not less than end.
  bool MayContain(std::string_view begin, std::string_view end) const noexcept;

  WINNOW_HIDDEN RangeFilterInfo info() const noexcept {
    RangeFilterInfo info;
    FillInfo(&info, sizeof info);
    return info;
  }

  // Recomputes the checksum over all bytes. False for bytes with a fault.
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

// The range filter that a filter block of ours carries as a note; empty if it has none, or has a
// fault. It lies in the block's bytes.
WINNOW_EXPORT std::string_view RangeFilterOf(std::string_view filter_block) noexcept;

// The same filter block with a range filter as a note, and checksums made anew. Its answers for
// keys stay, also for readers that know nothing of range filters. A copy of the block as it is
// where it is damaged or not ours, has a range filter or no room for one more entry, and where the
// range filter is empty or has 2^32 bytes and more. Throws std::bad_alloc.
WINNOW_EXPORT FilterBlock WithRangeFilter(std::string_view filter_block,
                                          std::string_view range_filter);

}  // namespace winnow

#endif  // WINNOW_RANGE_FILTER_H_
