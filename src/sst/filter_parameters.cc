#include "src/sst/filter_parameters.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <bitset>
#include <cstddef>

#include "src/core/format.h"
#include "src/core/layer_walk.h"
#include "src/core/ribbon.h"

namespace winnow::inspect {
namespace {

using core::LayerType;

double ShareOfBitsSet(std::string_view bytes) {
  uint64_t set = 0;
  for (const char byte : bytes) {
    set += std::bitset<8>(static_cast<unsigned char>(byte)).count();
  }
  return bytes.empty() ? 0 : static_cast<double>(set) / (8 * static_cast<double>(bytes.size()));
}

const char* NameOf(LayerType type) {
  switch (type) {
    case LayerType::kNone:
      return "none";
    case LayerType::kBumped:
      return "bumped";
    case LayerType::kSmall:
      return "small";
    case LayerType::kList:
      return "list";
    case LayerType::kBloom:
      return "bloom";
    case LayerType::kNote:
      return "note";
  }
  return "unknown";
}

std::string HashOf(const core::Tail& tail) {
  return absl::StrCat(
      tail.hash_id == core::kHashXxh3 ? std::string("XXH3") : absl::StrCat("hash ", tail.hash_id),
      ", seed ", tail.seed);
}

void PutRibbon(std::string_view block, uint64_t num_hashes, FilterParameters* parameters) {
  uint64_t slots = 0;
  uint64_t blocks = 0;
  core::LayerWalk walk(reinterpret_cast<const unsigned char*>(block.data()), block.size());
  for (; !walk.AtEnd(); walk.Next()) {
    const core::LayerEntry& entry = walk.entry();
    parameters->layers.emplace_back(NameOf(entry.type));
    if (entry.type == LayerType::kBumped) {
      const core::BumpedLayout layout = core::LayOut(entry.parameter, entry.count, walk.columns());
      blocks += layout.blocks;
      slots += 64 * layout.blocks;
      if (walk.number() == 0) {
        parameters->bumped_share =
            core::BumpedShare(walk.bytes() + layout.words_bytes, layout.starts);
      }
    } else if (entry.type == LayerType::kSmall) {
      blocks += entry.count;
      slots += uint64_t{64} * entry.count;
    } else if (entry.type == LayerType::kList) {
      slots += entry.count;
    }
  }
  parameters->blocks = blocks;
  parameters->slots = slots;
  if (slots > 0) {
    parameters->fill_ratio = static_cast<double>(num_hashes) / static_cast<double>(slots);
  }
}

}  // namespace

FilterParameters ParametersOfWinnow(std::string_view block) {
  FilterParameters parameters;
  core::ParsedBlock parsed;
  if (core::Parse(block, &parsed) != Fault::kNone) {
    return parameters;
  }
  parameters.format = "winnow";
  parameters.version = parsed.tail.version;
  parameters.hash = HashOf(parsed.tail);
  switch (parsed.tail.kind) {
    case FilterKind::kEmpty:
      break;
    case FilterKind::kBloom: {
      const core::LayerEntry entry = core::ReadLayerEntry(parsed.directory, 0);
      parameters.probes = entry.parameter;
      parameters.blocks = entry.count;
      parameters.block_bits = 512;
      const auto* begin = reinterpret_cast<const unsigned char*>(block.data());
      parameters.fill_ratio = ShareOfBitsSet(
          block.substr(static_cast<size_t>(parsed.payload - begin), core::LayerBytes(entry, {})));
      break;
    }
    case FilterKind::kRibbon:
      parameters.columns = FilterView(block).info().columns;
      PutRibbon(block, parsed.tail.num_hashes, &parameters);
      break;
  }
  return parameters;
}

FilterParameters ParametersOfBuiltin(std::string_view block, const BuiltinFilter& filter,
                                     uint64_t keys) {
  using Kind = BuiltinFilter::Kind;
  constexpr uint64_t kRibbonBlockSlots = 128;
  FilterParameters parameters;
  switch (filter.kind) {
    case Kind::kEmpty:
    case Kind::kAlwaysTrue:
    case Kind::kReserved:
      break;
    case Kind::kLegacyBloom:
    case Kind::kBloom:
      parameters.format = filter.kind == Kind::kBloom ? "FastLocalBloom" : "LegacyBloom";
      parameters.hash = filter.kind == Kind::kBloom ? "XXH3, seed 0" : "32-bit, seed 0xbc9f1d34";
      parameters.probes = filter.probes;
      parameters.blocks = filter.blocks;
      parameters.block_bits = filter.block_bits;
      parameters.fill_ratio = ShareOfBitsSet(block.substr(0, filter.payload_bytes));
      break;
    case Kind::kRibbon:
      parameters.format = "Standard128Ribbon";
      // The byte after the marker is the seed with which construction succeeded.
      parameters.hash =
          absl::StrCat("XXH3, seed ", static_cast<unsigned char>(block[block.size() - 4]));
      parameters.columns = filter.columns - 1 + filter.upper_share;
      parameters.blocks = filter.blocks;
      parameters.slots = filter.blocks * kRibbonBlockSlots;
      if (keys > 0) {
        parameters.fill_ratio = static_cast<double>(keys) / static_cast<double>(*parameters.slots);
      }
      break;
  }
  return parameters;
}

std::string ToText(const FilterParameters& parameters) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", part);
  };
  if (parameters.probes) {
    add(absl::StrCat(*parameters.probes, *parameters.probes == 1 ? " probe" : " probes"));
  }
  if (parameters.columns) {
    add(absl::StrFormat("%.3g columns", *parameters.columns));
  }
  if (!parameters.layers.empty()) {
    add(absl::StrCat(parameters.layers.size(),
                     parameters.layers.size() == 1 ? " layer" : " layers"));
  }
  if (parameters.blocks) {
    add(absl::StrCat(*parameters.blocks, *parameters.blocks == 1 ? " block" : " blocks"));
  }
  if (parameters.bumped_share) {
    add(absl::StrFormat("%.1f %% bumped", 100 * *parameters.bumped_share));
  }
  if (parameters.fill_ratio) {
    add(absl::StrFormat("%.3f full", *parameters.fill_ratio));
  }
  if (!parameters.format.empty()) {
    add(parameters.version ? absl::StrCat(parameters.format, " format ", *parameters.version)
                           : parameters.format);
    add(parameters.hash);
  }
  return text;
}

}  // namespace winnow::inspect
