// Sizes of filters of every kind: for keys and a rate, for keys and memory, or in a page.

#ifndef WINNOW_TOOLS_WINNOW_SIZE_SIZE_REPORT_H_
#define WINNOW_TOOLS_WINNOW_SIZE_SIZE_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/winnow/cli/verbs.h"

namespace winnow::inspect {

// Limits of a wish.
inline constexpr uint64_t kMostSizedKeys = uint64_t{1} << 40;
inline constexpr double kLowestSizedRate = 1e-15;
inline constexpr double kHighestSizedRate = 0.5;

struct SizeWish {
  // Either two of keys, rate and bytes; or page_bytes with keys, rate or both.
  std::optional<uint64_t> keys;
  std::optional<double> rate;
  std::optional<uint64_t> bytes;
  std::optional<uint64_t> page_bytes;
  // Required abilities; not allowed with page_bytes.
  bool grows = false;    // keys can be added after construction
  bool deletes = false;  // keys can be removed
  bool threads = false;  // several threads can add keys at once
  // Bits per key of range filters besides the filters of files. Requires keys and rate; excludes
  // the four members above.
  std::optional<double> range_bits;
};

struct SizedKind {
  std::string kind;
  uint64_t bytes = 0;
  double bits_per_key = 0;
  double rate = 0;    // false-positive rate with all keys, n / 2^64 for hash collisions included
  unsigned bits = 0;  // k, or bits of a fingerprint; 0 for Winnow's kinds
  bool grows = false;
  bool deletes = false;
  bool threads = false;
  bool scattered = false;  // the bits of a key may be in different cache lines
  bool fits_wish = false;  // has the wished abilities, rate and memory
};

// Functions of the kinds that are not for SST files, and of pages, which streams provides.
struct KindTable {
  // Kinds for a rate, or for an amount of memory; fits_wish is not set.
  std::vector<SizedKind> (*for_rate)(uint64_t keys, double rate);
  std::vector<SizedKind> (*within)(uint64_t keys, uint64_t bytes);
  // Returns the number of 1 KiB pages for keys at this rate; 0 if pages can't have the rate.
  uint64_t (*pages)(uint64_t keys, double rate);
  // Functions of a page of `bits` bits with k bits per key: the rate with `keys` keys, and the
  // maximum number of keys at a rate.
  double (*page_rate)(double keys, double bits, unsigned k);
  uint64_t (*page_keys)(double bits, unsigned k, double rate);
  // Returns a sentence if a page can't have `bytes` bytes, else an empty string.
  std::string (*page_objection)(uint64_t bytes);
};

// Capacity and rate of a page with k bits per key.
struct PageRow {
  unsigned k = 0;
  uint64_t keys = 0;              // maximum at the wished rate
  std::optional<double> at_rate;  // rate with the wished number of keys
};

struct SizeReport {
  SizeWish wish;
  std::string impossible;  // a sentence if the wish can't be fulfilled; then no other member is set
  std::vector<SizedKind> kinds;  // the best first: fewest bytes, or lowest rate
  std::string advice;            // sentences that recommend a kind, or the k of a page, and why
  std::string filter_policy;     // options string for RocksDB that fulfills the wish; may be empty
  // Sentence that says why filter_policy is empty; empty if it is set or no rate was wished.
  std::string no_filter_policy;
  // Bytes of range filters for keys of one length, not included in `kinds`.
  uint64_t range_bytes = 0;
  uint64_t pages = 0;   // number of 1 KiB pages for keys at this rate, if pages fulfill the wish
  uint64_t shards = 0;  // number of 512 MiB shards of the standard filter, if it fulfills the wish
  std::vector<PageRow> page;
};

// Returns a rate with four significant digits: "0.009571", "1e-09".
std::string RateText(double rate);

// Returns a sentence if the wish is invalid, else an empty string. If `further` is null, wishes for
// anything but filters of files are invalid.
std::string WhatIsWrong(const SizeWish& wish, const KindTable* further);

// Reports the sizes; SizeReport::impossible is set for an invalid wish.
SizeReport ReportSizes(const SizeWish& wish, const KindTable* further);

// Returns a document of schema winnow.size/1.
std::string SizeJson(const SizeReport& report);

}  // namespace winnow::inspect

namespace winnow::tools {

// Returns the text for a wish that can be fulfilled.
std::string SizeText(const inspect::SizeReport& report);

// Returns the verb with further kinds, or only with kinds of files if `further` is null.
Verb SizeVerb(const inspect::KindTable* further);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_SIZE_SIZE_REPORT_H_
