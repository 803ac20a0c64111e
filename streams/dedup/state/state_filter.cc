#include "streams/dedup/state/state_filter.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "src/formulas/xxh3.h"
#include "streams/amq/blocked_parts.h"
#include "streams/amq/serialized.h"

namespace winnow::dedup {
namespace {

using Parts = amq::BlockedBloomParts;

constexpr auto kKind = amq::Serialized::kBlockedBloom;

constexpr uint64_t kBlocksAtOnce = (uint64_t{256} << 10) / Parts::kBytesPerBlock;

// Incremental XXH3-64.
class Checksum {
 public:
  Checksum() : state_(XXH3_createState()) {
    if (state_ == nullptr) throw std::bad_alloc();
    XXH3_64bits_reset(state_.get());
  }
  void Add(const std::vector<unsigned char>& bytes, uint64_t n) {
    XXH3_64bits_update(state_.get(), bytes.data(), n);
  }
  uint64_t sum() const { return XXH3_64bits_digest(state_.get()); }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

// Reads the filter's blocks; *sum becomes the checksum of their bytes.
absl::Status Fill(const StateFile& file, uint64_t at, amq::BlockedBloom* filter, uint64_t* sum) {
  Checksum checksum;
  const uint64_t blocks = filter->shape().num_blocks;
  std::vector<unsigned char> bytes(std::min(blocks, kBlocksAtOnce) * Parts::kBytesPerBlock);
  for (uint64_t first = 0; first < blocks; first += kBlocksAtOnce) {
    const uint64_t n = std::min(kBlocksAtOnce, blocks - first);
    absl::Status status =
        file.Read(at + first * Parts::kBytesPerBlock, bytes.data(), n * Parts::kBytesPerBlock);
    if (!status.ok()) return status;
    checksum.Add(bytes, n * Parts::kBytesPerBlock);
    Parts::Load(bytes.data(), first, n, filter);
  }
  *sum = checksum.sum();
  return absl::OkStatus();
}

absl::Status Damaged(const StateFile& file, const std::string& reason) {
  return reason.empty() ? absl::OkStatus() : file.Fault(absl::StrCat("is damaged: ", reason));
}

// Returns an empty string if the header is of a filter of this shape, else an error message.
std::string OtherShape(const amq::Header& header, const amq::BlockedShape& shape) {
  if (header.a != shape.blocks_per_key) {
    return amq::Contradiction(kKind, "blocks a key", header.a, shape.blocks_per_key);
  }
  if (header.b != shape.bits_per_block) {
    return amq::Contradiction(kKind, "bits a block", header.b, shape.bits_per_block);
  }
  return "";
}

}  // namespace

absl::Status WriteFilter(const StateFile& file, uint64_t at, const amq::BlockedBloom& filter) {
  Checksum checksum;
  const uint64_t blocks = filter.shape().num_blocks;
  std::vector<unsigned char> bytes(std::min(blocks, kBlocksAtOnce) * Parts::kBytesPerBlock);
  for (uint64_t first = 0; first < blocks; first += kBlocksAtOnce) {
    const uint64_t n = std::min(kBlocksAtOnce, blocks - first);
    Parts::Store(filter, first, n, bytes.data());
    checksum.Add(bytes, n * Parts::kBytesPerBlock);
    absl::Status status = file.Write(at + amq::kHeaderBytes + first * Parts::kBytesPerBlock,
                                     bytes.data(), n * Parts::kBytesPerBlock);
    if (!status.ok()) return status;
  }
  unsigned char header[amq::kHeaderBytes] = {};
  amq::WriteHeader(Parts::HeaderOf(filter), checksum.sum(), header);
  return file.Write(at, header, sizeof header);
}

absl::StatusOr<amq::BlockedBloom> ReadFilter(const StateFile& file, uint64_t at,
                                             const amq::BlockedShape& shape) {
  char bytes[amq::kHeaderBytes];
  absl::Status status = file.Read(at, bytes, sizeof bytes);
  if (!status.ok()) return status;
  const std::string_view header_bytes(bytes, sizeof bytes);
  amq::Header header;
  std::string reason =
      amq::ReadHeader(header_bytes, shape.num_blocks * Parts::kBytesPerBlock, kKind, &header);
  if (reason.empty()) reason = Parts::FaultOf(header);
  if (reason.empty()) reason = OtherShape(header, shape);
  if (status = Damaged(file, reason); !status.ok()) return status;
  amq::BlockedBloom filter(amq::BlockedShape{header.count, header.a, header.b}, header.x);
  uint64_t sum = 0;
  if (status = Fill(file, at + sizeof bytes, &filter, &sum); !status.ok()) return status;
  reason = amq::CheckPayload(header_bytes, sum, kKind);
  if (reason.empty()) reason = Parts::End(header.keys, &filter);
  if (status = Damaged(file, reason); !status.ok()) return status;
  return filter;
}

absl::StatusOr<amq::BlockedBloom> ReadBlocks(const StateFile& file, uint64_t at,
                                             const amq::BlockedShape& shape, uint64_t capacity) {
  char bytes[amq::kHeaderBytes];
  absl::Status status = file.Read(at, bytes, sizeof bytes);
  if (!status.ok()) return status;
  amq::Header header;
  const uint64_t size = shape.num_blocks * Parts::kBytesPerBlock;
  if (amq::ReadHeader({bytes, sizeof bytes}, size, kKind, &header).empty()) {
    if (status = Damaged(file, OtherShape(header, shape)); !status.ok()) return status;
  }
  amq::BlockedBloom filter(shape, capacity);
  uint64_t sum = 0;
  status = Fill(file, at + amq::kHeaderBytes, &filter, &sum);
  if (status.ok()) status = Damaged(file, Parts::End(Parts::LeastKeys(filter), &filter));
  if (!status.ok()) return status;
  return filter;
}

}  // namespace winnow::dedup
