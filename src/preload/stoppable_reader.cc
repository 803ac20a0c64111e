#include "src/preload/stoppable_reader.h"

#include <algorithm>
#include <new>
#include <utility>

#include "third_party/rocksdb_abi/filter_bits.h"

namespace winnow::preload {
namespace {

using ROCKSDB_NAMESPACE::FilterBitsReader;
using ROCKSDB_NAMESPACE::Slice;

class StoppableReader final : public FilterBitsReader {
 public:
  StoppableReader(std::unique_ptr<FilterBitsReader> reader,
                  std::shared_ptr<const std::atomic<bool>> stopped)
      : reader_(std::move(reader)), stopped_(std::move(stopped)) {}

  bool MayMatch(const Slice& key) override {
    return stopped_->load(std::memory_order_acquire) || reader_->MayMatch(key);
  }

  void MayMatch(int num_keys, Slice** keys, bool* may_match) override {
    if (stopped_->load(std::memory_order_acquire)) {
      std::fill_n(may_match, num_keys, true);
    } else {
      reader_->MayMatch(num_keys, keys, may_match);
    }
  }

 private:
  const std::unique_ptr<FilterBitsReader> reader_;
  const std::shared_ptr<const std::atomic<bool>> stopped_;
};

}  // namespace

FilterBitsReader* NewStoppableReader(FilterBitsReader* reader,
                                     std::shared_ptr<const std::atomic<bool>> stopped) noexcept {
  std::unique_ptr<FilterBitsReader> owned(reader);
  return owned == nullptr ? nullptr
                          : new (std::nothrow)
                                StoppableReader(std::move(owned), std::move(stopped));
}

}  // namespace winnow::preload
