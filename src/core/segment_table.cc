#include "src/core/segment_table.h"

#include <algorithm>

#include "src/core/bloom.h"
#include "src/core/ribbon.h"

namespace winnow::core {
namespace {

unsigned TakeLowestBit(uint64_t* bits) noexcept {
  const auto lowest = static_cast<unsigned>(__builtin_ctzll(*bits));
  *bits &= *bits - 1;
  return lowest;
}

void SetBit(uint64_t* row, size_t index) noexcept {
  row[index / 64] |= uint64_t{1} << (index % 64);
}

// Ors a word into the row; its lowest bit belongs to `index`.
void SetBitsFrom(uint64_t* row, size_t index, uint64_t bits) noexcept {
  const unsigned shift = index % 64;
  row[index / 64] |= bits << shift;
  if (const uint64_t rest = shift != 0 ? bits >> (64 - shift) : 0; rest != 0) {
    row[index / 64 + 1] |= rest;
  }
}

// Storage for up to kMax Ribbon places.
template <size_t kMax>
struct RibbonPlaceArrays {
  simd::RibbonPlaces From(size_t first) noexcept {
    return {layers + first, words + first,   thresholds + first,
            start + first,  columns + first, shape + first};
  }

  const simd::RibbonLayer* layers[kMax];
  const unsigned char* words[kMax];
  const unsigned char* thresholds[kMax];
  uint32_t start[kMax];
  uint32_t columns[kMax];
  uint32_t shape[kMax];
};

bool IsAligned(const Segment& segment) noexcept {
  return reinterpret_cast<uintptr_t>(segment.blocks) % simd::kBloomBlockBytes == 0;
}

}  // namespace

// ---- Building

void SegmentTable::Layers::Add(const simd::RibbonLayer& layer) {
  layers.push_back(layer);
  words.push_back(layer.words);
  thresholds.push_back(layer.thresholds);
  starts.push_back(layer.starts);
  split.push_back(layer.split);
  shape.push_back(layer.shard_shift | uint32_t{layer.columns} << simd::kShapeColumns |
                  uint32_t{layer.fingerprint_shift} << simd::kShapeFingerprint);
}

simd::RibbonSegments SegmentTable::Layers::From(size_t seat) const noexcept {
  return {layers.data() + seat, words.data() + seat, thresholds.data() + seat,
          starts.data() + seat, split.data() + seat, shape.data() + seat};
}

SegmentTable::SegmentTable(const std::vector<const Segment*>& segments)
    : size_(segments.size()),
      num_words_((segments.size() + 63) / 64),
      kernels_(simd::ActiveKernels()),
      seats_(segments.size()),
      always_(num_words_) {
  if (size_ <= kFew) {
    few_.reserve(size_);
    for (const Segment* const segment : segments) few_.push_back({segment->view});
    ask_ = size_ == 1 ? AskOnly : AskFew;
  }
  std::vector<uint32_t> ribbons;
  std::vector<uint32_t> blooms[simd::kBloomMaxProbes + 1];
  std::vector<uint32_t> others;
  for (uint32_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = *segments[i];
    switch (segment.kind) {
      case SegmentKind::kAlways:
        seats_[i] = kAlwaysSeat;
        SetBit(always_.data(), i);
        break;
      case SegmentKind::kNever:
        seats_[i] = kNeverSeat;
        break;
      case SegmentKind::kBloom:
        blooms[segment.probes].push_back(i);
        break;
      case SegmentKind::kRibbon:
        ribbons.push_back(i);
        break;
      case SegmentKind::kOther:
        others.push_back(i);
        break;
    }
  }
  AddRun(segments, ribbons);
  for (const std::vector<uint32_t>& members : blooms) AddRun(segments, members);
  AddRun(segments, others);
  if (size_ == 1 || runs_.size() != 1 || runs_.front().kind != SegmentKind::kBloom ||
      runs_.front().last != size()) {
    return;
  }
  ask_ = AskBlooms;
  one_ahead_ = AheadFor(runs_.front(), size());
  one_words_ = runs_.front().words;
  one_segments_ = {first_.words.data(), first_.starts.data()};
}

void SegmentTable::AddRun(const std::vector<const Segment*>& segments,
                          const std::vector<uint32_t>& members) {
  if (members.empty()) return;
  const Segment& model = *segments[members.front()];
  Run run{};
  run.kind = model.kind;
  run.words = model.kind == SegmentKind::kBloom ? BloomWordSets(model.probes) : nullptr;
  run.is_consecutive = members.back() - members.front() == members.size() - 1;
  run.is_aligned = true;
  run.first = static_cast<uint32_t>(indices_.size());
  for (const uint32_t index : members) {
    const Segment& segment = *segments[index];
    seats_[index] = static_cast<uint32_t>(indices_.size());
    indices_.push_back(index);
    views_.push_back(&segment.view);
    bytes_ += segment.size_bytes;
    run.is_aligned = run.is_aligned && IsAligned(segment);
    if (run.kind == SegmentKind::kRibbon) {
      first_.Add(segment.first);
      second_.Add(segment.second);
    } else if (run.kind == SegmentKind::kBloom) {
      first_.words.push_back(segment.blocks);
      first_.starts.push_back(segment.num_blocks);
    }
  }
  run.last = static_cast<uint32_t>(indices_.size());
  runs_.push_back(run);
}

// ---- Lookups

simd::Ahead SegmentTable::AheadFor(const Run& run, uint64_t probes) const noexcept {
  return {bytes_ >= kPrefetchFromBytes && probes >= kPrefetchFromProbes, !run.is_aligned,
          probes >= kPrefetchFarFromProbes};
}

// Probes in flight: located and prefetched, but not yet tested.
class SegmentTable::Flight {
 public:
  // `probes` is the approximate number of probes that will be added.
  Flight(const SegmentTable& table, uint64_t probes) noexcept : table_(table), probes_(probes) {}

  // Adds seats of one run. Bits of the row are by index.
  void AddSeats(const Run& run, uint32_t first, uint32_t last, uint64_t hash,
                uint64_t* row) noexcept {
    for (; first < last; first += simd::kMaxPlaces) {
      const uint32_t n = std::min(last - first, simd::kMaxPlaces);
      MakeRoom(n);
      Piece& piece = pieces_[num_pieces_++];
      piece.seats = nullptr;
      piece.bits = &table_.indices_[first];
      piece.first_seat = first;
      Locate(run, n, hash, row, piece);
    }
  }

  // Adds at most simd::kMaxPlaces seats of any runs, and their bits of the row.
  void AddChosen(const uint32_t* seats, const uint32_t* bits, uint32_t n, uint64_t hash,
                 uint64_t* row) noexcept {
    for (const Run& run : table_.runs_) {
      MakeRoom(n);
      uint32_t* const out_seats = listed_seats_ + listed_;
      uint32_t* const out_bits = listed_bits_ + listed_;
      uint32_t count = 0;
      for (uint32_t i = 0; i < n; ++i) {
        out_seats[count] = seats[i] - run.first;
        out_bits[count] = bits[i];
        count += seats[i] - run.first < run.last - run.first ? 1 : 0;
      }
      if (count == 0) continue;
      Piece& piece = pieces_[num_pieces_++];
      piece.seats = out_seats;
      piece.bits = out_bits;
      piece.first_seat = run.first;
      listed_ += count;
      Locate(run, count, hash, row, piece);
    }
  }

  // Tests all probes in flight and sets the rows' bits.
  void Land() noexcept {
    for (uint32_t i = 0; i < num_pieces_; ++i) LandPiece(pieces_[i]);
    num_pieces_ = 0;
    blooms_ = 0;
    ribbons_ = 0;
    listed_ = 0;
  }

 private:
  static constexpr uint32_t kMaxPieces = 64;
  static constexpr uint32_t kMaxBlooms = 256;
  static constexpr uint32_t kMaxRibbons = 128;
  static constexpr uint32_t kMaxListed = 256;

  // One hash in some seats of one run.
  struct Piece {
    const Run* run;
    const uint32_t* seats;  // relative to first_seat; null: consecutive seats
    const uint32_t* bits;   // bits of the row, ascending
    uint32_t first_seat;
    uint32_t n;
    uint32_t first_place;
    uint64_t hash;
    uint64_t* row;

    uint32_t SeatOf(uint32_t i) const noexcept {
      return first_seat + (seats != nullptr ? seats[i] : i);
    }
  };

  // Makes room for one more piece.
  void MakeRoom(uint32_t n) noexcept {
    if (num_pieces_ == kMaxPieces || kMaxBlooms - blooms_ < n || kMaxRibbons - ribbons_ < n ||
        kMaxListed - listed_ < n) {
      Land();
    }
  }

  // Locates and prefetches the probes of a piece, whose seats are already set. The piece is written
  // in place, field by field: copying it would stall on store forwarding, as larger reads follow
  // smaller writes.
  void Locate(const Run& run, uint32_t n, uint64_t hash, uint64_t* row, Piece& piece) noexcept {
    piece.run = &run;
    piece.n = n;
    piece.hash = hash;
    piece.row = row;
    const simd::Ahead ahead = table_.AheadFor(run, probes_);
    if (run.kind == SegmentKind::kBloom) {
      const simd::BloomSegments segments{table_.first_.words.data() + piece.first_seat,
                                         table_.first_.starts.data() + piece.first_seat};
      piece.first_place = blooms_;
      blooms_ += n;
      table_.kernels_.bloom_locate(segments, piece.seats, n, hash, ahead,
                                   bloom_places_ + piece.first_place);
    } else if (run.kind == SegmentKind::kRibbon) {
      piece.first_place = ribbons_;
      ribbons_ += n;
      table_.kernels_.ribbon_locate(table_.first_.From(piece.first_seat), piece.seats, n, hash,
                                    ahead, ribbon_places_.From(piece.first_place));
    }
  }

  void LandPiece(const Piece& piece) noexcept {
    const simd::Kernels& kernels = table_.kernels_;
    uint64_t answers = 0;
    if (piece.run->kind == SegmentKind::kBloom) {
      answers = kernels.bloom_test(bloom_places_ + piece.first_place, piece.n, piece.run->words,
                                   piece.hash);
    } else if (piece.run->kind == SegmentKind::kRibbon) {
      uint64_t bumped = 0;
      answers =
          kernels.ribbon_test(ribbon_places_.From(piece.first_place), piece.n, piece.hash, &bumped);
      if (bumped != 0) answers |= AskSecondLayers(piece, bumped);
    } else {
      for (uint32_t i = 0; i < piece.n; ++i) answers |= AskView(piece, i);
    }
    if (piece.run->is_consecutive && piece.seats == nullptr) {
      SetBitsFrom(piece.row, piece.bits[0], answers);
    } else {
      while (answers != 0) SetBit(piece.row, piece.bits[TakeLowestBit(&answers)]);
    }
  }

  // Returns the answer of one filter's view, in its bit.
  uint64_t AskView(const Piece& piece, uint32_t i) const noexcept {
    return uint64_t{table_.views_[piece.SeatOf(i)]->MayContain({piece.hash})} << i;
  }

  // Returns the answers of the filters whose first layer bumps the hash.
  __attribute__((noinline)) uint64_t AskSecondLayers(const Piece& piece,
                                                     uint64_t bumped) const noexcept {
    uint64_t answers = 0;
    uint32_t seats[simd::kMaxPlaces];
    uint32_t asked[simd::kMaxPlaces];
    uint32_t n = 0;
    while (bumped != 0) {
      const uint32_t i = TakeLowestBit(&bumped);
      const uint32_t seat = piece.SeatOf(i);
      if (table_.second_.words[seat] == nullptr) {
        answers |= AskView(piece, i);
        continue;
      }
      seats[n] = seat;
      asked[n++] = i;
    }
    if (n == 0) return answers;
    const uint64_t hash = NextLayerHash(piece.hash);
    RibbonPlaceArrays<simd::kMaxPlaces> arrays;
    const simd::RibbonPlaces places = arrays.From(0);
    table_.kernels_.ribbon_locate(table_.second_.From(0), seats, n, hash, simd::Ahead{}, places);
    uint64_t matches = table_.kernels_.ribbon_test(places, n, hash, &bumped);
    while (matches != 0) answers |= uint64_t{1} << asked[TakeLowestBit(&matches)];
    while (bumped != 0) answers |= AskView(piece, asked[TakeLowestBit(&bumped)]);
    return answers;
  }

  const SegmentTable& table_;
  const uint64_t probes_;
  uint32_t num_pieces_ = 0;
  uint32_t blooms_ = 0;  // places in use
  uint32_t ribbons_ = 0;
  uint32_t listed_ = 0;
  Piece pieces_[kMaxPieces];
  const unsigned char* bloom_places_[kMaxBlooms + 7];  // kernels round up to 8
  RibbonPlaceArrays<kMaxRibbons + 8> ribbon_places_;
  uint32_t listed_seats_[kMaxListed];
  uint32_t listed_bits_[kMaxListed];
};

// Initializes the row: sets the bits of segments in [first, last) that may contain everything.
void SegmentTable::ClearRow(size_t first, size_t last, uint64_t* row) const noexcept {
  for (size_t word = 0; word < always_.size(); ++word) {
    const size_t begin = std::min(std::max(first, word * 64) - word * 64, size_t{64});
    const size_t end = std::min(std::max(last, word * 64) - word * 64, size_t{64});
    const uint64_t below_end = end == 64 ? ~uint64_t{0} : (uint64_t{1} << end) - 1;
    const uint64_t from_begin = begin == 64 ? 0 : ~uint64_t{0} << begin;
    row[word] = always_[word] & below_end & from_begin;
  }
}

void SegmentTable::AskOnly(const SegmentTable& table, uint64_t hash, uint64_t* row) noexcept {
  *row = table.only()->MayContain(KeyHash{hash}) ? 1 : 0;
}

void SegmentTable::AskBlooms(const SegmentTable& table, uint64_t hash, uint64_t* row) noexcept {
  table.kernels_.bloom_probe_segments(table.one_segments_, table.size_, table.one_words_, hash,
                                      table.one_ahead_, row);
}

void SegmentTable::AskFew(const SegmentTable& table, uint64_t hash, uint64_t* row) noexcept {
  uint64_t answers = 0;
  unsigned i = 0;
  for (const Few& few : table.few_) {
    answers |= uint64_t{few.view.MayContain(KeyHash{hash})} << i++;
  }
  *row = answers;
}

// Returns the answers of the few segments whose bits are set in `among`.
uint64_t SegmentTable::AskFewAmong(uint64_t hash, uint64_t among) const noexcept {
  uint64_t answers = 0;
  among &= (uint64_t{1} << few_.size()) - 1;
  while (among != 0) {
    const unsigned i = TakeLowestBit(&among);
    answers |= uint64_t{few_[i].view.MayContain(KeyHash{hash})} << i;
  }
  return answers;
}

void SegmentTable::AskMany(const SegmentTable& table, uint64_t hash, uint64_t* row) noexcept {
  table.AskRange(&hash, 1, 0, table.size_, row);
}

void SegmentTable::AskRange(const uint64_t* hashes, size_t n, size_t first, size_t last,
                            uint64_t* rows) const noexcept {
  const bool asks_all = last - first == size();
  if (asks_all && (ask_ == AskBlooms ? bytes_ < kBatchFromBytes : IsFasterByFew(n))) {
    for (size_t i = 0; i < n; ++i) AskAll(hashes[i], rows + i * num_words());
    return;
  }
  if (IsFasterByFew(n)) {
    const uint64_t among = (uint64_t{1} << last) - (uint64_t{1} << first);
    for (size_t i = 0; i < n; ++i) rows[i] = AskFewAmong(hashes[i], among);
    return;
  }
  Flight flight(*this, n * (last - first));
  for (size_t i = 0; i < n; ++i) {
    uint64_t* const row = rows + i * num_words();
    ClearRow(first, last, row);
    for (const Run& run : runs_) {
      uint32_t first_seat = run.first;
      uint32_t last_seat = run.last;
      if (!asks_all) {
        const auto begin = indices_.begin();
        first_seat = static_cast<uint32_t>(
            std::lower_bound(begin + run.first, begin + run.last, first) - begin);
        last_seat = static_cast<uint32_t>(
            std::lower_bound(begin + first_seat, begin + run.last, last) - begin);
      }
      flight.AddSeats(run, first_seat, last_seat, hashes[i], row);
    }
  }
  flight.Land();
}

void SegmentTable::AskBitmap(const uint64_t* hashes, size_t n, const uint64_t* among,
                             uint64_t* rows) const noexcept {
  if (IsFasterByFew(n)) {
    for (size_t i = 0; i < n; ++i) rows[i] = AskFewAmong(hashes[i], among[i]);
    return;
  }
  Flight flight(*this, UINT64_MAX);
  uint32_t seats[simd::kMaxPlaces];
  uint32_t bits[simd::kMaxPlaces];
  for (size_t i = 0; i < n; ++i) {
    uint64_t* const row = rows + i * num_words();
    uint32_t chosen = 0;
    for (size_t word = 0; word < num_words(); ++word) {
      uint64_t left = among[i * num_words() + word];
      if (word == size() / 64) left &= (uint64_t{1} << (size() % 64)) - 1;
      row[word] = left & always_[word];
      left &= ~always_[word];
      while (left != 0) {
        const auto index = static_cast<uint32_t>(word * 64 + TakeLowestBit(&left));
        seats[chosen] = seats_[index];
        bits[chosen++] = index;
        if (chosen == simd::kMaxPlaces) {
          flight.AddChosen(seats, bits, chosen, hashes[i], row);
          chosen = 0;
        }
      }
    }
    flight.AddChosen(seats, bits, chosen, hashes[i], row);
  }
  flight.Land();
}

void SegmentTable::AskList(uint64_t hash, const uint32_t* segments, size_t n,
                           uint64_t* row) const noexcept {
  // Chosen segments take more instructions, so that out-of-order execution covers fewer of them.
  Flight flight(*this, n < kPrefetchFromChosen ? n : std::max<uint64_t>(n, kPrefetchFromProbes));
  std::fill_n(row, (n + 63) / 64, 0);
  uint32_t seats[simd::kMaxPlaces];
  uint32_t bits[simd::kMaxPlaces];
  uint32_t chosen = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t seat = segments[i] < size() ? seats_[segments[i]] : kAlwaysSeat;
    if (seat == kAlwaysSeat) SetBit(row, i);
    seats[chosen] = seat;
    bits[chosen] = static_cast<uint32_t>(i);
    chosen += seat < indices_.size() ? 1 : 0;
    if (chosen == simd::kMaxPlaces) {
      flight.AddChosen(seats, bits, chosen, hash, row);
      chosen = 0;
    }
  }
  flight.AddChosen(seats, bits, chosen, hash, row);
  flight.Land();
}

}  // namespace winnow::core
