#include "src/preload/stock_policy.h"

#include <algorithm>
#include <charconv>

namespace winnow::preload {
namespace {

template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) {
    return std::nullopt;
  }
  return number;
}

// The text up to the next colon, which is taken from the front of *rest.
std::string_view NextField(std::string_view* rest) {
  const size_t colon = std::min(rest->find(':'), rest->size());
  const std::string_view field = rest->substr(0, colon);
  rest->remove_prefix(std::min(colon + 1, rest->size()));
  return field;
}

}  // namespace

std::optional<StockPolicy> ParseStockPolicyId(std::string_view id) {
  const std::string_view name = NextField(&id);
  const std::optional<double> bits = ParseNumber<double>(NextField(&id));
  if (!bits || !(*bits >= 0)) {
    return std::nullopt;
  }
  StockPolicy stock;
  stock.bits_per_key = *bits;
  if (name == "bloomfilter") {
    return stock;
  }
  stock.bloom_before_level = ParseNumber<int>(id);
  if (name != "ribbonfilter" || !stock.bloom_before_level) {
    return std::nullopt;
  }
  return stock;
}

std::optional<PolicyOptions> Replacement(const StockPolicy& stock, const PolicyRequest& request) {
  // RocksDB makes whole bits of less than one, or none.
  if (stock.bits_per_key == 0) {
    return std::nullopt;
  }
  PolicyOptions options = request.options;
  if (!request.has_bits) {
    options.bits_per_key = std::clamp(stock.bits_per_key, 1.0, 32.0);
  }
  if (stock.bloom_before_level) {
    // A flush is the lowest level that there is, -1: below it, all numbers mean the same.
    options.bloom_before_level = std::max(*stock.bloom_before_level, -1);
  }
  return options;
}

}  // namespace winnow::preload
