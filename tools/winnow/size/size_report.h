// Sizes of filters of every kind: for keys and a rate, for keys and memory, or in a page.

#ifndef WINNOW_TOOLS_WINNOW_SIZE_SIZE_REPORT_H_
#define WINNOW_TOOLS_WINNOW_SIZE_SIZE_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/winnow/cli/verbs.h"

namespace winnow::inspect {

// Limits of what can be asked for.
inline constexpr uint64_t kMostSizedKeys = uint64_t{1} << 40;
inline constexpr double kLowestSizedRate = 1e-15;
inline constexpr double kHighestSizedRate = 0.5;

struct SizeWish {
  // Two of keys, rate and bytes; or page_bytes, with a rate or keys, or both.
  std::optional<uint64_t> keys;
  std::optional<double> rate;
  std::optional<uint64_t> bytes;
  std::optional<uint64_t> page_bytes;
  // Abilities that the filter needs; none of these with page_bytes.
  bool grows = false;    // keys are added after it was made
  bool deletes = false;  // keys are removed
  bool threads = false;  // several threads add at once
  // Range filters beside the filters of files, with keys and a rate; none of the four above.
  std::optional<double> range_bits;
};

struct SizedKind {
  std::string kind;
  uint64_t bytes = 0;
  double bits_per_key = 0;
  double rate = 0;    // with all keys, n / 2^64 for equal hashes among it
  unsigned bits = 0;  // k, or of a fingerprint; 0 for Winnow's own kinds
  bool grows = false;
  bool deletes = false;
  bool threads = false;
  bool scattered = false;  // each bit that a key sets may be in a cache line of its own
  bool fits_wish = false;  // can do what is wished, at the rate and in the memory that are
};

// Kinds besides those of files, and pages of them: a table of whoever has such.
struct KindTable {
  // Each without fits_wish.
  std::vector<SizedKind> (*for_rate)(uint64_t keys, double rate);
  std::vector<SizedKind> (*within)(uint64_t keys, uint64_t bytes);
  // How many pages of 1 KiB keys at this rate take; 0: pages have no such rate.
  uint64_t (*pages)(uint64_t keys, double rate);
  // For a page of so many bits, k of which a key sets: the rate of so many keys, and the most keys.
  double (*page_rate)(double keys, double bits, unsigned k);
  uint64_t (*page_keys)(double bits, unsigned k, double rate);
  // Why there is no page of so many bytes, a sentence; empty: there is.
  std::string (*page_objection)(uint64_t bytes);
};

// A page: how many keys have the rate with so many bits a key, and the rate of others.
struct PageRow {
  unsigned k = 0;
  uint64_t keys = 0;              // at most, at the rate
  std::optional<double> at_rate;  // of the keys that were asked for
};

struct SizeReport {
  SizeWish wish;
  std::string impossible;        // why the wish can't be had, a sentence; the rest is then empty
  std::vector<SizedKind> kinds;  // the best first: fewest bytes, or lowest rate
  std::string advice;            // which kind, or of a page which k, to take, and why: sentences
  std::string filter_policy;     // for per-file filters of RocksDB as is wished; may be empty
  std::string no_filter_policy;  // why none is so; empty: one is, or no rate was wished
  uint64_t range_bytes = 0;      // that range filters take on top, for keys of one length
  uint64_t pages = 0;            // of 1 KiB that keys at this rate take, if these will do
  uint64_t shards = 0;           // of 512 MiB, of the standard filter, if that will do
  std::vector<PageRow> page;
};

// A rate as reports say it, with four significant digits: "0.009571", "1e-09".
std::string RateText(double rate);

// Returns what is wrong with a wish that no report can be made of, as a sentence; empty: nothing.
// Without further kinds, null, a wish for more than filters of files is wrong.
std::string WhatIsWrong(const SizeWish& wish, const KindTable* further);

// Reports a wrong wish as impossible.
SizeReport ReportSizes(const SizeWish& wish, const KindTable* further);

// Schema winnow.size/1.
std::string SizeJson(const SizeReport& report);

}  // namespace winnow::inspect

namespace winnow::tools {

// Text on a wish that can be had.
std::string SizeText(const inspect::SizeReport& report);

// The verb with these kinds as well; null: with those of files alone.
Verb SizeVerb(const inspect::KindTable* further);

}  // namespace winnow::tools

#endif  // WINNOW_TOOLS_WINNOW_SIZE_SIZE_REPORT_H_
