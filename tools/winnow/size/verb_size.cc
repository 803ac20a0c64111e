// `winnow size`: what filters of every kind would take, and which one to take.

#include <absl/flags/flag.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_format.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "tools/winnow/cli/byte_count.h"
#include "tools/winnow/cli/flags.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "tools/winnow/size/size_report.h"
#include "tools/winnow/size/size_text.h"

ABSL_FLAG(std::optional<uint64_t>, size_keys, std::nullopt,
          "keys that the filter holds: 1000000, 1e9");
ABSL_FLAG(std::string, rate, "", "false-positive rate: 0.01, 1e-9");
ABSL_FLAG(std::string, memory, "", "bytes that there are: 1200000, 512MiB, 4GB");
ABSL_FLAG(std::string, page, "", "bytes of a page, with --rate, --keys or both: 1024, 4KiB");
ABSL_FLAG(bool, grows, false, "keys are added after the filter is made");
ABSL_FLAG(bool, deletes, false, "keys are removed from it");
ABSL_FLAG(bool, threads, false, "several threads add keys at once");

namespace winnow::tools {
namespace {

// Of a flag that is empty or a number of its range.
std::optional<uint64_t> Whole(const std::string& flag) {
  const std::optional<double> number = ParseByteCount(flag);
  return number ? std::optional(static_cast<uint64_t>(*number)) : std::nullopt;
}

inspect::SizeWish WishOfFlags() {
  inspect::SizeWish wish;
  wish.keys = absl::GetFlag(FLAGS_size_keys);
  wish.bytes = Whole(absl::GetFlag(FLAGS_memory));
  wish.page_bytes = Whole(absl::GetFlag(FLAGS_page));
  double rate = 0;
  if (absl::SimpleAtod(absl::GetFlag(FLAGS_rate), &rate)) wish.rate = rate;
  wish.grows = absl::GetFlag(FLAGS_grows);
  wish.deletes = absl::GetFlag(FLAGS_deletes);
  wish.threads = absl::GetFlag(FLAGS_threads);
  return wish;
}

int RunSize(const Verb& verb, const std::vector<std::string>& arguments) {
  if (!arguments.empty()) return WrongUsage(verb, "there are only flags");
  const inspect::SizeWish wish = WishOfFlags();
  if (!wish.keys && !wish.page_bytes) return WrongUsage(verb, "for how many keys?");
  if (const std::string wrong = inspect::WhatIsWrong(wish); !wrong.empty()) {
    return WrongUsage(verb, wrong);
  }
  const inspect::SizeReport report = inspect::ReportSizes(wish);
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

Verb SizeVerb() {
  return {"size",
          "--keys=N (--rate=R|--memory=BYTES) [--grows] [--deletes] [--threads] [--json] | "
          "--page=BYTES (--rate=R|--keys=N) [--json]",
          "Says what filters of every kind would take, and which one to take",
          "With keys and a rate: memory, bits a key, the bits k that a key sets or of its\n"
          "fingerprint, and the rate of each kind, the smallest first; pages and shards of\n"
          "512 MiB; the filter_policy of the rate. With keys and memory: the lowest rate of\n"
          "each kind in it. With a page: the keys that have the rate, by k, or the rate of\n"
          "the keys, and which k to take. Rates have n / 2^64 among them, for keys of equal\n"
          "hashes. Where keys are added or removed later, no filter_policy is named.\n"
          "What can't be had is said in a sentence; exit code 1.\n",
          {"json", "keys", "rate", "memory", "page", "grows", "deletes", "threads"},
          RunSize,
          {{"winnow size --keys=1e6 --rate=0.01", "what a million keys take at 1 %"},
           {"winnow size --keys=1e9 --memory=2GiB --grows", "the lowest rate in so much memory"},
           {"winnow size --page=4KiB --rate=1e-3 --json", "what fits into a page"}}};
}

}  // namespace winnow::tools
