#include "src/core/segment.h"

#include "src/core/format.h"
#include "src/core/layer_walk.h"

namespace winnow::core {

Segment TakeApart(std::string_view block, const FilterView& view) noexcept {
  Segment segment;
  segment.view = view;
  segment.size_bytes = block.size();
  if (view.fault() != Fault::kNone) return segment;
  ParsedBlock parsed;
  Parse(block, &parsed);
  if (parsed.tail.kind == FilterKind::kEmpty) {
    segment.kind = SegmentKind::kNever;
    return segment;
  }
  LayerWalk walk(parsed.payload, block.size());
  if (walk.entry().type == LayerType::kBloom) {
    // A Ribbon filter of adversarial hashes may also begin with a Bloom layer.
    segment.kind = SegmentKind::kBloom;
    segment.probes = walk.entry().parameter;
    segment.num_blocks = walk.entry().count;
    segment.blocks = walk.bytes();
  } else if (walk.entry().type == LayerType::kBumped) {
    segment.kind = SegmentKind::kRibbon;
    segment.first = walk.Bumped();
    // A bumped layer is never the last one.
    walk.Next();
    if (walk.entry().type == LayerType::kBumped) segment.second = walk.Bumped();
  } else {
    segment.kind = SegmentKind::kOther;
  }
  return segment;
}

}  // namespace winnow::core
