#include "winnow/amq/scalable_bloom.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>
#include <utility>

#include "src/formulas/bytes.h"
#include "streams/amq/block_pattern.h"
#include "streams/amq/block_sizing.h"
#include "streams/amq/plan.h"
#include "streams/amq/serialized.h"

namespace winnow::amq {
namespace {

constexpr double kMinGrowth = 1.5;
constexpr double kMaxGrowth = 8;
constexpr double kMinTightening = 0.5;
constexpr double kMaxTightening = 0.95;
constexpr double kMaxFill = 0.5;
// Factor of the target rate within which a filter counts as full: checking all blocks for the last
// keys takes more time than these keys are worth.
constexpr double kNearRate = 1.001;
constexpr uint64_t kFewBlocks = 64;

// Serialized sizes: growth and tightening, and the fill before each filter.
constexpr size_t kGrowthBytes = 16;
constexpr size_t kLookFillBytes = 8;

bool IsWithin(double value, double least, double most) noexcept {
  return value >= least && value <= most;  // false for NaN
}

double Nearest(double value, double least, double most) noexcept {
  return value >= least ? std::min(value, most) : least;
}

ScalableOptions NearestValid(const ScalableOptions& options) noexcept {
  ScalableOptions valid;
  valid.rate = Nearest(options.rate, kLowestRate, kHighestRate);
  valid.first_capacity = std::clamp<uint64_t>(options.first_capacity, 1, kMostKeys);
  valid.growth = Nearest(options.growth, kMinGrowth, kMaxGrowth);
  valid.tightening = Nearest(options.tightening, kMinTightening, kMaxTightening);
  return valid;
}

uint64_t KeysOfFilter(const ScalableOptions& options, size_t index) noexcept {
  const double keys = static_cast<double>(options.first_capacity) *
                      std::pow(options.growth, static_cast<double>(index));
  return static_cast<uint64_t>(std::min(keys, static_cast<double>(kMostKeys)));
}

double ShareOfFilter(const ScalableOptions& options, size_t index) noexcept {
  return options.rate * (1 - options.tightening) *
         std::pow(options.tightening, static_cast<double>(index));
}

// Returns the index-th filter's share minus the rate of equal hashes, but at least half of the
// share: no filter keeps the rate beyond that.
double RateOfFilter(const ScalableOptions& options, size_t index) noexcept {
  const double share = ShareOfFilter(options, index);
  return std::max(share - EqualHashRate(KeysOfFilter(options, index)), share / 2);
}

// Returns an empty string if the index-th filter is as large as these options make it, or hardly
// smaller, else an error message. The next filter is sized by the options and not by this filter:
// without this check, a few bytes could request any amount of memory.
std::string FaultOfShape(const ScalableOptions& options, size_t index, const BlockedShape& shape) {
  constexpr auto kKind = Serialized::kScalableBloom;
  constexpr uint64_t kMaxBits = uint64_t{kMaxBlocksPerKey} * kBlockWords;
  const uint64_t bits = uint64_t{shape.blocks_per_key} * shape.bits_per_block;
  const double least_bits = std::ceil(-std::log2(ShareOfFilter(options, index)));
  if (bits < kMaxBits && static_cast<double>(bits) < least_bits) {
    return OutOfRange(kKind, "bits that a key sets, by the rate of its filter,", bits,
                      static_cast<uint64_t>(std::min(least_bits, 1.0 * kMaxBits)), kMaxBits);
  }
  const uint64_t least = (KeysOfFilter(options, index) * bits + kBlockBits - 1) / kBlockBits;
  if (shape.num_blocks < least) {
    return OutOfRange(kKind, "blocks of a filter, by the keys of the first one,", shape.num_blocks,
                      least, UINT64_MAX / (kBlockBits / 8));
  }
  return "";
}

// Returns the rate that follows from the filter's set bits.
double OwnRateOf(const BlockedBloom& filter) noexcept {
  return filter.expected_fpr() - EqualHashRate(filter.num_added());
}

}  // namespace

std::string CheckOptions(const ScalableOptions& options) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  const auto check = [&text](const char* name, double value, double least, double most) {
    if (text.tellp() == 0 && !IsWithin(value, least, most)) {
      text << name << " is " << value << ", but must be from " << least << " to " << most;
    }
  };
  check("rate", options.rate, kLowestRate, kHighestRate);
  if (text.tellp() == 0 && (options.first_capacity < 1 || options.first_capacity > kMostKeys)) {
    text << "first_capacity is " << options.first_capacity << ", but must be from 1 to "
         << kMostKeys;
  }
  check("growth", options.growth, kMinGrowth, kMaxGrowth);
  check("tightening", options.tightening, kMinTightening, kMaxTightening);
  return text.str();
}

ScalableBloom::ScalableBloom(const ScalableOptions& options) : options_(NearestValid(options)) {
  BeginFilter();
}

// Everything that can throw precedes the first change of state.
void ScalableBloom::BeginFilter() {
  const size_t index = filters_.size();
  const double rate = RateOfFilter(options_, index);
  const BlockedShape shape = ShapeByFill(KeysOfFilter(options_, index), rate);
  look_fills_.reserve(index + 1);
  filters_.emplace_back(shape, uint64_t{0});
  look_fills_.push_back(FirstLookFill(shape, rate));
}

// Returns whether the newest filter has room for this key. Changes only the fill at which to check
// again.
bool ScalableBloom::HasRoomFor(KeyHash hash) {
  const BlockedBloom& filter = filters_.back();
  const double fill = filter.fill_ratio();
  if (fill > kMaxFill) return false;
  const double most = RateOfFilter(options_, filters_.size() - 1);
  const BlockedShape shape = filter.shape();
  if (shape.num_blocks <= kFewBlocks) {
    // One key can change the rate considerably if there are few blocks: it is tried on a copy.
    BlockedBloom with_it = filter;
    with_it.Add(hash);
    return OwnRateOf(with_it) <= most;
  }
  // Further keys set bits about as evenly as earlier ones if there are many blocks. The rate rises
  // in proportion to the share of set bits, once for each bit of a key.
  const double bits_a_key = shape.blocks_per_key * shape.bits_per_block;
  const double a_key = bits_a_key / (static_cast<double>(shape.num_blocks) * kBlockBits);
  const double room = std::log(most / std::max(OwnRateOf(filter), kLowestRate * kLowestRate));
  if (room < std::max(std::log(kNearRate), bits_a_key * std::log1p(a_key / fill))) return false;
  // The next check is after three quarters of the remaining room, so that checks are few and none
  // is late.
  const double on_the_way = fill * std::exp(0.75 * room / bits_a_key);
  look_fills_.back() = RoundedFill(std::max(fill, std::min(kMaxFill, on_the_way) - a_key));
  return true;
}

bool ScalableBloom::Add(KeyHash hash) {
  if (MayContain(hash)) return false;
  if (filters_.back().fill_ratio() > look_fills_.back() && !HasRoomFor(hash)) BeginFilter();
  filters_.back().Add(hash);
  ++added_;
  return true;
}

bool ScalableBloom::MayContain(KeyHash hash) const noexcept {
  return std::any_of(filters_.rbegin(), filters_.rend(),
                     [hash](const BlockedBloom& filter) { return filter.MayContain(hash); });
}

void ScalableBloom::Clear() noexcept {
  filters_.erase(filters_.begin() + 1, filters_.end());
  look_fills_.resize(1);
  filters_.front().Clear();
  look_fills_.front() = FirstLookFill(filters_.front().shape(), RateOfFilter(options_, 0));
  added_ = 0;
}

size_t ScalableBloom::size_bytes() const noexcept {
  size_t bytes = 0;
  for (const BlockedBloom& filter : filters_) bytes += filter.size_bytes();
  return bytes;
}

double ScalableBloom::fill_ratio() const noexcept {
  double ones = 0;
  for (const BlockedBloom& filter : filters_) {
    ones += filter.fill_ratio() * static_cast<double>(filter.size_bytes());
  }
  return ones / static_cast<double>(size_bytes());
}

double ScalableBloom::expected_fpr() const noexcept {
  double none = 0;  // log of the probability of no false positive, which is nearly 1
  for (const BlockedBloom& filter : filters_) none += std::log1p(-filter.expected_fpr());
  return 0 - std::expm1(none);  // 0 and not -0 for a filter without keys
}

size_t ScalableBloom::serialized_size() const noexcept {
  size_t size = kHeaderBytes + kGrowthBytes;
  for (const BlockedBloom& filter : filters_) size += kLookFillBytes + filter.serialized_size();
  return size;
}

std::string ScalableBloom::Serialize() const {
  std::string bytes(serialized_size(), 0);
  Serialize(bytes.data());
  return bytes;
}

void ScalableBloom::Serialize(char* bytes) const noexcept {
  auto* const begin = reinterpret_cast<unsigned char*>(bytes);
  unsigned char* to = begin + kHeaderBytes;
  formulas::StoreLittle64(to, BitsOfDouble(options_.growth));
  formulas::StoreLittle64(to + 8, BitsOfDouble(options_.tightening));
  to += kGrowthBytes;
  for (size_t i = 0; i < filters_.size(); ++i) {
    formulas::StoreLittle64(to, BitsOfDouble(look_fills_[i]));
    to += kLookFillBytes;
    filters_[i].Serialize(reinterpret_cast<char*>(to));
    to += filters_[i].serialized_size();
  }
  Header header;
  header.kind = Serialized::kScalableBloom;
  header.payload = static_cast<uint64_t>(to - begin) - kHeaderBytes;
  header.count = filters_.size();
  header.keys = added_;
  header.x = BitsOfDouble(options_.rate);
  header.y = options_.first_capacity;
  WriteHeader(header, begin);
}

std::optional<ScalableBloom> ScalableBloom::Deserialize(std::string_view bytes,
                                                        std::string* reason) {
  constexpr auto kKind = Serialized::kScalableBloom;
  Header header;
  *reason = ReadHeader(bytes, kKind, &header);
  if (!reason->empty()) return std::nullopt;
  const auto number = [&bytes](size_t at) {
    return formulas::LoadLittle64(reinterpret_cast<const unsigned char*>(bytes.data()) + at);
  };
  if (header.payload < kGrowthBytes) {
    *reason =
        OutOfRange(kKind, "bytes behind the header", header.payload, kGrowthBytes, UINT64_MAX);
    return std::nullopt;
  }
  ScalableBloom scalable;
  ScalableOptions& options = scalable.options_;
  options.rate = DoubleOfBits(header.x);
  options.first_capacity = header.y;
  options.growth = DoubleOfBits(number(kHeaderBytes));
  options.tightening = DoubleOfBits(number(kHeaderBytes + 8));
  if (const std::string fault = CheckOptions(options); !fault.empty()) {
    *reason = "these bytes are no ScalableBloom: " + fault + "; build the filter anew";
  } else if (header.count < 1) {
    *reason = OutOfRange(kKind, "filters", header.count, 1, UINT64_MAX);
  } else if (header.a != 0 || header.b != 0) {
    *reason =
        Contradiction(kKind, "the numbers that this kind does not use", header.a | header.b, 0);
  }
  if (!reason->empty()) return std::nullopt;

  size_t at = kHeaderBytes + kGrowthBytes;
  while (at < bytes.size()) {
    const uint64_t left = bytes.size() - at;
    const uint64_t least = kLookFillBytes + kHeaderBytes;
    // The payload size by the filter's own header, or too few bytes, which BlockedBloom rejects.
    const uint64_t payload =
        left < least ? 0 : PayloadSize(bytes.substr(at + kLookFillBytes, kHeaderBytes));
    if (left < least || payload > left - least) {
      *reason = OutOfRange(kKind, "bytes of one more filter", left, least + payload, UINT64_MAX);
      return std::nullopt;
    }
    const double look_fill = DoubleOfBits(number(at));
    if (!IsWithin(look_fill, 0, kMaxFill)) {
      *reason = OutOfRange(kKind, "the fill ratio at which a filter is looked at", look_fill, 0.0,
                           kMaxFill);
      return std::nullopt;
    }
    auto filter = BlockedBloom::Deserialize(
        bytes.substr(at + kLookFillBytes, kHeaderBytes + payload), reason);
    if (!filter) {
      *reason = "these bytes are no ScalableBloom, by those of its filter " +
                std::to_string(scalable.filters_.size()) + ": " + *reason;
      return std::nullopt;
    }
    *reason = FaultOfShape(options, scalable.filters_.size(), filter->shape());
    if (!reason->empty()) return std::nullopt;
    scalable.filters_.push_back(*std::move(filter));
    scalable.look_fills_.push_back(look_fill);
    scalable.added_ += scalable.filters_.back().num_added();
    at += least + payload;
  }
  if (scalable.filters_.size() != header.count) {
    *reason = Contradiction(kKind, "the number of filters", header.count, scalable.filters_.size());
  } else if (scalable.added_ != header.keys) {
    *reason = Contradiction(kKind, "the number of keys", header.keys, scalable.added_);
  }
  if (!reason->empty()) return std::nullopt;
  return scalable;
}

}  // namespace winnow::amq
