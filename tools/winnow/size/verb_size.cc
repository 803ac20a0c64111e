// The verb `winnow size`, which computes sizes of filters of every kind and recommends one.

#include <absl/flags/flag.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "src/cli/flags.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/size/size_report.h"

WINNOW_TAKES(size, kJsonFlag);
WINNOW_FLAG(size, std::optional<uint64_t>, keys, std::nullopt,
            WholeValue("N", 1, static_cast<double>(inspect::kMostSizedKeys)),
            "number of keys in the filter: 1000000, 1e9");
WINNOW_FLAG(size, std::string, rate, "",
            NumberValue("R", inspect::kLowestSizedRate, inspect::kHighestSizedRate),
            "false-positive rate: 0.01, 1e-9");
WINNOW_FLAG(size, std::string, memory, "", BytesValue("BYTES", 1, 1e15),
            "memory for the filter: 1200000, 512MiB, 4GB");
WINNOW_FLAG(size, std::string, page, "", BytesValue("BYTES", 64, 1 << 20),
            "bytes of a page, with --rate, --keys or both: 1024, 4KiB");
WINNOW_SWITCH(size, grows, "keys are added after the filter is made");
WINNOW_SWITCH(size, deletes, "keys are removed from the filter");
WINNOW_SWITCH(size, threads, "several threads add keys at the same time");
WINNOW_FLAG(size, std::optional<double>, range_bits, std::nullopt, NumberValue("W", 1, 32),
            "with --rate: range filters beside those of RocksDB's files, as the option range_bits");

namespace winnow::tools {
namespace {

const inspect::KindTable* further_kinds = nullptr;

// Returns the value of a flag; nullopt if it is empty.
std::optional<uint64_t> Whole(const std::string& flag) {
  const std::optional<double> number = cli::ParseByteCount(flag);
  return number ? std::optional(static_cast<uint64_t>(*number)) : std::nullopt;
}

inspect::SizeWish WishOfFlags() {
  inspect::SizeWish wish;
  wish.keys = absl::GetFlag(FLAGS_size_keys);
  wish.bytes = Whole(absl::GetFlag(FLAGS_size_memory));
  wish.page_bytes = Whole(absl::GetFlag(FLAGS_size_page));
  double rate = 0;
  if (absl::SimpleAtod(absl::GetFlag(FLAGS_size_rate), &rate)) wish.rate = rate;
  wish.grows = absl::GetFlag(FLAGS_size_grows);
  wish.deletes = absl::GetFlag(FLAGS_size_deletes);
  wish.threads = absl::GetFlag(FLAGS_size_threads);
  wish.range_bits = absl::GetFlag(FLAGS_size_range_bits);
  return wish;
}

int RunSize(const Verb& verb, const std::vector<std::string>& arguments) {
  if (!arguments.empty()) return WrongUsage(verb, "there are only flags");
  const inspect::SizeWish wish = WishOfFlags();
  if (!wish.keys && !wish.page_bytes) return WrongUsage(verb, "for how many keys?");
  if (const std::string wrong = inspect::WhatIsWrong(wish, further_kinds); !wrong.empty()) {
    return WrongUsage(verb, wrong);
  }
  const inspect::SizeReport report = inspect::ReportSizes(wish, further_kinds);
  const bool is_possible = report.impossible.empty();
  if (absl::GetFlag(FLAGS_json)) {
    if (!Print("size", inspect::SizeJson(report))) return kCouldNotRead;
  } else if (is_possible && !Print("size", SizeText(report))) {
    return kCouldNotRead;
  }
  if (is_possible) return kAllGood;
  absl::FPrintF(stderr, "winnow size: %s\n", report.impossible);
  return kFaultFound;
}

}  // namespace

Verb SizeVerb(const inspect::KindTable* further) {
  further_kinds = further;
  std::vector<Example> examples = {
      {"winnow size --keys=1e6 --rate=0.01", "what a million keys take at 1 %"}};
  if (further != nullptr) {
    examples.push_back(
        {"winnow size --keys=1e9 --memory=2GiB --grows", "the lowest rate in so much memory"});
    examples.push_back({"winnow size --page=4KiB --rate=1e-3 --json", "what fits into a page"});
  }
  return {
      "size",
      "--keys (--rate|--memory) [FLAGS] [--json] | --page (--rate|--keys) [--json]",
      "Says how much memory each kind of filter would take, and which kind to choose",
      "With --keys and --rate: the memory, bits per key, number of probes or fingerprint bits\n"
      "(k) and rate of each kind of filter, the smallest first; also pages, shards of 512 MiB,\n"
      "and the filter_policy of that rate.\n"
      "With --keys and --memory: the lowest rate that each kind reaches in this memory.\n"
      "With --page: for each number of probes (k), how many keys a page has at the rate, or\n"
      "which rate so many keys have; and which k to choose.\n"
      "With --range_bits also the memory that range filters take on top, for keys of one length.\n"
      "Rates include n / 2^64 for keys with equal hashes. No filter_policy is named if keys\n"
      "are added or removed later. If no filter can do what was asked, a sentence says so;\n"
      "exit code 1.\n",
      RunSize,
      examples};
}

// Returns the verb for builds without streams.
Verb SizeVerb() { return SizeVerb(nullptr); }

}  // namespace winnow::tools
