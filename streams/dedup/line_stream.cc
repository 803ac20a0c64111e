#include "streams/dedup/line_stream.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "streams/dedup/line_source.h"
#include "streams/dedup/state/state_layout.h"

namespace winnow::dedup {
namespace {

// Maximum number of lines, without the current batch, whose output may be buffered between writes.
constexpr uint64_t kMaxUnwritten = kMaxUnkept - kBatch;

}  // namespace

LineStream::LineStream(StreamOptions options, std::unique_ptr<SeenLines> seen, int output)
    : options_(std::move(options)),
      seen_(std::move(seen)),
      sink_(output),
      output_(IdentityOf(output)),
      brings_(seen_->brought_at_once() > 0),
      batch_size_(brings_ ? seen_->brought_at_once() : seen_->most_at_once()),
      is_new_(new bool[batch_size_]),
      rotated_(options_.now()),
      check_at_(options_.grows ? NextCheckOfGrowing(0, 0) : options_.capacity + 1) {
  for (Batch& batch : batches_) batch.hashes.reset(new KeyHash[batch_size_]);
}

absl::Status LineStream::Ended(absl::Status status) {
  ended_ = true;
  return status;
}

absl::Status LineStream::Read(const std::string& path) {
  LineSource source(path, options_.plain);
  if (absl::Status status = source.Open(); !status.ok()) return status;
  const auto input = IdentityOf(source.file());
  if (input && input == output_) {
    return absl::InvalidArgumentError(absl::StrCat(source.name(), " is the output as well"));
  }
  if (input && input == IdentityOf(options_.state)) {
    return absl::InvalidArgumentError(
        absl::StrCat(source.name(), " is the state, which has no lines"));
  }
  const auto before_read = [this](bool waits) {
    absl::Status status = TakeAll();
    return status.ok() && waits ? Write() : status;
  };
  for (;;) {
    Batch& batch = batches_[handed_ % kBatches];
    absl::Status status = source.Next(BatchSize(), before_read, &batch.lines);
    if (!status.ok() || batch.lines.empty()) {
      const absl::Status taken = ended_ ? absl::OkStatus() : TakeAll();
      return status.ok() ? taken : status;
    }
    if (handed_ == 0) status = Begin();
    if (status.ok()) status = HandOver(&batch);
    if (!status.ok()) return status;
  }
}

// Allocates the memory, with the first line.
absl::Status LineStream::Begin() {
  absl::Status status;
  try {
    status = seen_->Begin();
  } catch (const std::exception&) {  // bad_alloc or length_error
    status = absl::ResourceExhaustedError(
        absl::StrCat("there is no memory for --capacity=", options_.capacity));
  }
  if (!status.ok()) return Ended(std::move(status));
  // A kept state may already have too many lines.
  return seen_->num_added() >= check_at_ ? CheckRate() : status;
}

// Returns the batch size: a batch ends where the rate is to be checked, or soon after.
size_t LineStream::BatchSize() const {
  if (brings_) return batch_size_;  // small batches, for prefetching
  const uint64_t added = seen_->num_added();
  const uint64_t until_check = check_at_ > added ? check_at_ - added : 0;
  uint64_t most = std::max(until_check, LinesBetweenChecks(options_.capacity));
  if (options_.window > 0) most = std::min(most, options_.window - in_window_);
  return std::min<uint64_t>(batch_size_, most);
}

absl::Status LineStream::HandOver(Batch* batch) {
  const size_t n = batch->lines.size();
  for (size_t i = 0; i < n; ++i) batch->hashes[i] = HashKey(batch->lines[i]);
  if (brings_) seen_->Bring(batch->hashes.get(), n);
  ++handed_;
  const bool goes_on = brings_ && handed_ - taken_ < kBatches;
  absl::Status status = goes_on ? absl::OkStatus() : TakeOne();
  if (options_.window > 0 && (in_window_ += n) == options_.window) {
    if (status.ok()) status = TakeAll();
    seen_->Rotate();
    in_window_ = 0;
  }
  return status;
}

absl::Status LineStream::TakeAll() {
  while (taken_ < handed_) {
    if (absl::Status status = TakeOne(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status LineStream::TakeOne() {
  RotateByTime();
  const Batch& batch = batches_[taken_++ % kBatches];
  const std::vector<std::string_view>& lines = batch.lines;
  const size_t n = lines.size();
  absl::Status added = seen_->Add(batch.hashes.get(), n, is_new_.get());
  const bool takes_all = added.ok();
  totals_.lines += n;
  since_written_ += n;
  for (size_t i = 0; i < n; ++i) {
    if (!takes_all && seen_->IsLeftOut(i)) {
      --totals_.lines;
      continue;
    }
    totals_.fresh += is_new_[i];
    if (!options_.counts && is_new_[i] != options_.prints_seen) sink_.Add(lines[i]);
  }
  if (!added.ok()) {
    absl::Status written = Write();
    return Ended(written.ok() ? std::move(added) : std::move(written));
  }
  if (since_written_ >= kMaxUnwritten || options_.keeps_nothing_back) {
    if (absl::Status status = Write(); !status.ok()) return status;
    options_.has_written();
  }
  return seen_->num_added() >= check_at_ ? CheckRate() : absl::OkStatus();
}

void LineStream::RotateByTime() {
  if (options_.every.count() <= 0) return;
  const Clock::time_point now = options_.now();
  // After a pause of two periods or more, both generations expire.
  for (int i = 0; i < 2 && now - rotated_ >= options_.every; ++i) {
    seen_->Rotate();
    check_at_ = options_.capacity + 1;
    rotated_ += i == 0 ? options_.every : now - rotated_;
  }
}

// A growing filter keeps its rate as long as hardly any lines have equal 64-bit hashes. Beyond
// that, the rate is checked when half of the remaining margin may be used up.
uint64_t LineStream::NextCheckOfGrowing(uint64_t added, double rate) const {
  if (added == 0) return static_cast<uint64_t>(std::ldexp(options_.rate, 64 - 10)) + 16;
  const double half = std::ldexp(std::max(0.0, options_.rate - rate), 64 - 1);
  const auto lines = static_cast<double>(added);
  return added + static_cast<uint64_t>(std::clamp(half, 16 + lines / 256, 16 + lines / 4));
}

// Checks the rate past the capacity, or of a growing filter.
absl::Status LineStream::CheckRate() {
  if (!warned_ && !options_.grows) {
    warned_ = true;
    const bool forgets = options_.window > 0 || options_.every.count() > 0;
    options_.warn(absl::StrFormat(
        "warning: there are more than the %d new lines of --capacity%s: the chance that one is "
        "dropped comes near --rate=%g",
        options_.capacity, forgets ? " within the time of --every" : "", options_.rate));
  }
  const double rate = seen_->RateNow();
  check_at_ = options_.grows ? NextCheckOfGrowing(seen_->num_added(), rate)
                             : seen_->num_added() + LinesBetweenChecks(options_.capacity);
  if (rate <= options_.rate) return absl::OkStatus();
  if (absl::Status status = Write(); !status.ok()) return status;
  past_rate_ = true;
  return Ended(absl::ResourceExhaustedError(absl::StrFormat(
      "after %d lines, %d of them new, the chance that a new line is dropped is %.3g, past "
      "--rate=%g: no more are read; %s",
      totals_.lines, totals_.fresh, rate, options_.rate, options_.past_rate)));
}

// Writes the buffered output. A count is written only at the end, and nothing is kept before.
absl::Status LineStream::Write() {
  since_written_ = 0;
  return options_.counts ? absl::OkStatus() : WriteAndKeep();
}

absl::Status LineStream::WriteAndKeep() {
  if (!sink_.Flush()) {
    if (sink_.error() == EPIPE) {  // SIGPIPE is ignored
      signal(SIGPIPE, SIG_DFL);
      raise(SIGPIPE);
    }
    std::string text =
        absl::StrCat("the output could not be written in full: ", strerror(sink_.error()));
    // Other clients were already told that these lines were seen.
    if (options_.keeps_nothing_back && !options_.counts && !options_.prints_seen) {
      absl::StrAppend(&text, "; ", sink_.num_unwritten(),
                      " new lines are set in the stream and in no output: the next run does not "
                      "print them");
    }
    return Ended(absl::UnavailableError(text));
  }
  absl::Status kept = seen_->Keep();
  return kept.ok() ? kept : Ended(std::move(kept));
}

absl::Status LineStream::End() {
  // The error was already reported: for the output, or for a stream that could not begin.
  const bool could_begin = !ended_ || past_rate_ || taken_ > 0;
  if (sink_.error() != 0 || !could_begin) return absl::OkStatus();
  if (options_.counts) {
    const uint64_t seen = totals_.lines - totals_.fresh;
    sink_.Add(std::to_string(options_.prints_seen ? seen : totals_.fresh));
  }
  // The disk may fail only at the sync, and the output must reach the disk before the state.
  if (sink_.Flush() && !options_.state.empty()) sink_.Sync();
  absl::Status status = WriteAndKeep();
  if (!status.ok() || (ended_ && !past_rate_)) return status;
  status = seen_->Finish();
  const bool is_past =
      !ended_ && seen_->num_added() > options_.capacity && seen_->RateNow() > options_.rate;
  return status.ok() && is_past ? CheckRate() : status;
}

}  // namespace winnow::dedup
