#include "src/sst/table_tail.h"

#include <absl/status/status.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace winnow::inspect {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr size_t kVersionAt = 41;  // in the footer
constexpr char kProperties[] = "rocksdb.properties";
constexpr char kFull[] = "fullfilter.";
constexpr char kPartitioned[] = "partitionedfilter.";

std::string EncodedPlace(BlockPlace place) {
  return VarintText(place.offset) + VarintText(place.bytes);
}

// How a block has its entries.
enum class Form {
  kPlain,   // each is a restart point
  kPlaces,  // likewise, without sizes of values
  kPacked,  // names share the bytes that they have in common with the one before, as properties
};

std::string BlockOf(const Entries& entries, Form form) {
  std::string block;
  std::string restarts;
  std::string_view before;
  for (const auto& [name, value] : entries) {
    size_t shared = 0;
    if (form == Form::kPacked && !block.empty()) {
      const size_t most = std::min(before.size(), name.size());
      while (shared < most && name[shared] == before[shared]) ++shared;
    } else {
      PutFixed(block.size(), 4, &restarts);
    }
    PutVarint(shared, &block);
    PutVarint(name.size() - shared, &block);
    if (form != Form::kPlaces) PutVarint(value.size(), &block);
    block.append(name, shared).append(value);
    before = name;
  }
  if (restarts.empty()) PutFixed(0, 4, &restarts);
  PutFixed(restarts.size() / 4, 4, &restarts);
  return block + restarts;
}

// Appends blocks behind a file's bytes.
class End {
 public:
  explicit End(const TableTail& tail) : tail_(tail) {}

  // Returns the encoded place.
  std::string Add(std::string_view block) {
    last_ = {tail_.bytes + bytes_.size(), block.size()};
    std::string with_type(block);
    with_type.push_back('\0');  // not compressed
    bytes_ += with_type;
    PutFixed(ChecksumAt(tail_.footer, with_type, last_.offset), 4, &bytes_);
    return EncodedPlace(last_);
  }

  // Adds the footer; the last block is the metaindex.
  std::string WithFooter() && {
    const bool has_context = tail_.footer.version >= kFirstWithContext;
    std::string footer(1, static_cast<char>(tail_.footer.checksum_type));
    if (has_context) {
      footer += kExtendedMagic;
      PutFixed(0, 4, &footer);  // its checksum
      PutFixed(tail_.footer.base_context, 4, &footer);
      PutFixed(last_.bytes, 4, &footer);
    } else {
      footer += EncodedPlace(last_) + EncodedPlace(tail_.footer.index);
    }
    footer.resize(kVersionAt, '\0');
    PutFixed(tail_.footer.version, 4, &footer);
    PutFixed(kBlockBasedMagic, 8, &footer);
    if (has_context) {
      std::string checksum;
      PutFixed(ChecksumAt(tail_.footer, footer, tail_.bytes + bytes_.size()), 4, &checksum);
      footer.replace(kFooterChecksumAt, 4, checksum);
    }
    return std::move(bytes_) + footer;
  }

 private:
  const TableTail& tail_;
  std::string bytes_;
  BlockPlace last_;
};

}  // namespace

bool TableTail::has_partitions() const { return absl::StartsWith(filter, kPartitioned); }

uint64_t TableTail::Number(const std::string& property) const {
  return BlockDecoder(Text(property)).Varint();
}

std::string TableTail::Text(const std::string& property) const {
  const auto found = properties.find(property);
  return found == properties.end() ? std::string() : found->second;
}

uint64_t TableTail::keys() const {
  const uint64_t entries = Number("rocksdb.num.entries");
  return entries - std::min(entries, Number("rocksdb.num.range-deletions"));
}

absl::StatusOr<TableTail> ReadTableTail(const std::string& path) {
  TableBlocks blocks(path);
  if (!blocks.problem().empty()) return absl::DataLossError(blocks.problem());
  TableTail tail;
  tail.bytes = blocks.bytes();
  tail.footer = blocks.footer();
  tail.metaindex = blocks.metaindex();
  if (blocks.Find("filter.")) {
    return absl::DataLossError(
        "it has an obsolete block-based filter: a compaction gives it another one");
  }
  for (const char* const form : {kFull, kPartitioned}) {
    const auto found = tail.metaindex.lower_bound(form);
    if (found != tail.metaindex.end() && absl::StartsWith(found->first, form)) {
      tail.filter = found->first;
    }
  }
  const std::optional<BlockPlace> place = blocks.Find(kProperties);
  const std::optional<std::string> properties = place ? blocks.Read(*place) : std::nullopt;
  const bool is_whole =
      properties && ForEachEntry(*properties, [&](const std::string& name, std::string_view value) {
        tail.properties[name] = std::string(value);
      });
  if (!is_whole) return absl::DataLossError("its properties are missing or damaged");
  return tail;
}

std::string NewEndOf(const TableTail& tail, const FilterToWrite& filter) {
  End end(tail);
  std::map<std::string, std::string> metaindex = tail.metaindex;
  metaindex.erase(tail.filter);
  uint64_t bytes = 0;
  Entries places;
  for (size_t i = 0; i < filter.blocks.size(); ++i) {
    bytes += filter.blocks[i].size();
    places.emplace_back(tail.has_partitions() ? filter.partitions[i].last : "",
                        end.Add(filter.blocks[i]));
  }
  if (tail.has_partitions() && !places.empty()) {
    const bool has_sizes = tail.Number("rocksdb.index.value.is.delta.encoded") == 0;
    const std::string index = BlockOf(places, has_sizes ? Form::kPlain : Form::kPlaces);
    bytes += index.size();
    metaindex[kPartitioned + filter.compatibility] = end.Add(index);
  } else if (!places.empty()) {
    metaindex[kFull + filter.compatibility] = places.front().second;
  }
  std::map<std::string, std::string> properties = tail.properties;
  properties["rocksdb.filter.size"] = VarintText(bytes);
  properties["rocksdb.filter.policy"] = filter.blocks.empty() ? std::string() : filter.policy;
  if (const auto entries = properties.find("rocksdb.num.filter_entries");
      entries != properties.end()) {
    entries->second = VarintText(filter.entries);
  }
  properties["rocksdb.block.based.table.whole.key.filtering"] = filter.whole_keys ? "1" : "0";
  properties["rocksdb.block.based.table.prefix.filtering"] =
      filter.extractor == "nullptr" ? "0" : "1";
  properties["rocksdb.prefix.extractor.name"] = filter.extractor;
  metaindex[kProperties] = end.Add(BlockOf({properties.begin(), properties.end()}, Form::kPacked));
  end.Add(BlockOf({metaindex.begin(), metaindex.end()}, Form::kPlain));
  return std::move(end).WithFooter();
}

}  // namespace winnow::inspect
