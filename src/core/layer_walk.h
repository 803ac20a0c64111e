// Iterator over the layers of a validated block, from the first to the last.

#ifndef WINNOW_SRC_CORE_LAYER_WALK_H_
#define WINNOW_SRC_CORE_LAYER_WALK_H_

#include <cstddef>
#include <cstdint>

#include "src/core/bloom.h"
#include "src/core/format.h"
#include "src/core/ribbon.h"
#include "src/simd/kernels.h"

namespace winnow::core {

class LayerWalk {
 public:
  LayerWalk(const unsigned char* block, size_t size) noexcept
      : directory_(FindDirectory(block, size)), bytes_(block) {
    Read();
  }

  // True behind the last layer. The functions below may be called only if this is false.
  bool AtEnd() const noexcept { return entry_.type == LayerType::kNote; }
  void Next() noexcept {
    bytes_ += LayerBytes(entry_, directory_.columns);
    ++number_;
    Read();
  }

  unsigned number() const noexcept { return number_; }  // index of the layer, from 0 on
  const LayerEntry& entry() const noexcept { return entry_; }
  const unsigned char* bytes() const noexcept { return bytes_; }
  Columns columns() const noexcept { return directory_.columns; }

  // Return a layer of type kBloom or kBumped in the form that kernels take.
  simd::BloomLayer Bloom() const noexcept {
    simd::BloomLayer layer;
    layer.blocks = bytes_;
    layer.num_blocks = entry_.count;
    layer.words = BloomWordSets(entry_.parameter);
    return layer;
  }
  simd::RibbonLayer Bumped() const noexcept {
    return LayerForKernels(entry_.parameter, entry_.count, directory_.columns, bytes_);
  }

 private:
  void Read() noexcept {
    entry_ = number_ < directory_.num_entries ? ReadLayerEntry(directory_.entries, number_)
                                              : LayerEntry{LayerType::kNote, 0, 0};
  }

  const Directory directory_;
  const unsigned char* bytes_;
  LayerEntry entry_;
  unsigned number_ = 0;
};

}  // namespace winnow::core

#endif  // WINNOW_SRC_CORE_LAYER_WALK_H_
