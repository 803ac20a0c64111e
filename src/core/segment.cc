#include "src/core/segment.h"

#include "src/core/format.h"
#include "src/core/ribbon.h"

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
  const LayerEntry entry = ReadLayerEntry(parsed.directory, 0);
  if (entry.type == LayerType::kBloom) {
    // A Ribbon filter of hashes made to defeat it may begin with a Bloom layer too.
    segment.kind = SegmentKind::kBloom;
    segment.probes = entry.parameter;
    segment.num_blocks = entry.count;
    segment.blocks = parsed.payload;
  } else if (entry.type == LayerType::kBumped) {
    segment.kind = SegmentKind::kRibbon;
    const Columns columns = UnpackColumns(parsed.tail.columns);
    segment.first = LayerForKernels(entry.parameter, entry.count, columns, parsed.payload);
    // A bumped layer is never the last one.
    const LayerEntry second = ReadLayerEntry(parsed.directory, 1);
    if (second.type == LayerType::kBumped) {
      segment.second = LayerForKernels(second.parameter, second.count, columns,
                                       parsed.payload + LayerBytes(entry, columns));
    }
  } else {
    segment.kind = SegmentKind::kOther;
  }
  return segment;
}

}  // namespace winnow::core
