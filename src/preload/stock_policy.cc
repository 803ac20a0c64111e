#include "src/preload/stock_policy.h"

#include <algorithm>

#include "src/rocksdb/parse_number.h"

namespace winnow::preload {
namespace {

// Removes the text up to the next colon from the front of *rest, and returns it.
std::string_view NextField(std::string_view* rest) {
  const size_t colon = std::min(rest->find(':'), rest->size());
  const std::string_view field = rest->substr(0, colon);
  rest->remove_prefix(std::min(colon + 1, rest->size()));
  return field;
}

}  // namespace

std::optional<StockPolicy> ParseStockPolicyId(std::string_view id) {
  const std::string_view name = NextField(&id);
  StockPolicy stock;
  if (!plugin::ParseNumber(NextField(&id), &stock.bits_per_key) || !(stock.bits_per_key >= 0)) {
    return std::nullopt;
  }
  if (name == "bloomfilter") {
    return stock;
  }
  int level = 0;
  if (name != "ribbonfilter" || !plugin::ParseNumber(id, &level)) {
    return std::nullopt;
  }
  stock.bloom_before_level = level;
  return stock;
}

std::optional<PolicyOptions> Replacement(const StockPolicy& stock, const PolicyRequest& request) {
  // RocksDB rounds bits_per_key below one to 1 or 0.
  if (stock.bits_per_key == 0) {
    return std::nullopt;
  }
  PolicyOptions options = request.options;
  if (!request.has_bits) {
    options.bits_per_key = kBitsPerKeyOption.Nearest(stock.bits_per_key);
  }
  if (stock.bloom_before_level) {
    // Below the level of a flush, -1, all values are equivalent.
    options.bloom_before_level = kBloomBeforeLevelOption.Nearest(*stock.bloom_before_level);
  }
  return options;
}

}  // namespace winnow::preload
