// `winnow dedup`: each line once, as a stream in fixed memory.

#include <absl/flags/flag.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>
#include <absl/time/time.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "src/dedup/kept_lines.h"
#include "src/dedup/line_sink.h"
#include "src/dedup/line_source.h"
#include "src/dedup/redis_lines.h"
#include "src/dedup/seen_lines.h"
#include "tools/winnow/byte_count.h"
#include "tools/winnow/print.h"
#include "tools/winnow/progress_line.h"
#include "tools/winnow/verbs.h"
#include "winnow/amq/plan.h"
#include "winnow/hash.h"

ABSL_FLAG(double, dedup_capacity, 1e7, "distinct lines that memory is taken for, as 1e8");
ABSL_FLAG(double, dedup_rate, 1e-9,
          "the chance that a new line is dropped when there were as many as --capacity; before "
          "that it is lower");
ABSL_FLAG(bool, dedup_seen, false, "print the lines that were seen before instead");
ABSL_FLAG(bool, dedup_count, false, "print how many lines there are to print instead of them");
ABSL_FLAG(bool, dedup_grow, false, "take more memory past --capacity, so that --rate is kept");
ABSL_FLAG(double, dedup_window, 0,
          "forget lines: each is remembered for the next N lines, and for 2 N at most");
ABSL_FLAG(absl::Duration, dedup_every, absl::ZeroDuration(),
          "forget lines: each is remembered for this time, as 10m, and twice that at most; "
          "--capacity is then of lines in that time");

ABSL_FLAG(bool, dedup_plain, false,
          "take the bytes of compressed input for lines as they are; for a text that begins like "
          "such");

ABSL_FLAG(std::string, dedup_state, "",
          "a file that keeps what was seen: later runs with the same --capacity and --rate go on "
          "from it");

ABSL_FLAG(std::string, dedup_redis, "",
          "servers, HOST:PORT[,HOST:PORT...], of Redis or Valkey that keep what was seen, for all "
          "machines that give the same --name and plan");
ABSL_FLAG(std::string, dedup_name, "winnow-dedup",
          "the stream in --redis: what its keys there begin with");
ABSL_FLAG(int, dedup_inflight, 4096,
          "lines that are sent to --redis before an answer is waited for, 1 to 65536");
ABSL_FLAG(std::string, dedup_password_file, "",
          "a file with the password for --redis; else it is WINNOW_REDIS_PASSWORD of the "
          "environment, if that is set");

namespace winnow::tools {
namespace {

// Lines, but for a batch, whose output may be kept back from one write to the next.
constexpr uint64_t kMostUnwritten = dedup::kMostUnkept - dedup::kBatch;

struct DedupPlan {
  uint64_t capacity = 0;
  double rate = 0;
  bool grow = false;
  uint64_t window = 0;  // 0: none
  absl::Duration every;
  std::string state;  // empty: none
  std::optional<dedup::RedisPlan> in_redis;
  bool has_generations() const { return window > 0 || every > absl::ZeroDuration(); }
};

bool IsCount(double number) { return number >= 1 && number == std::floor(number); }

// Empty if the flags make a plan.
std::string PlanOfFlags(DedupPlan* plan) {
  const double capacity = absl::GetFlag(FLAGS_dedup_capacity);
  if (!IsCount(capacity) || capacity > static_cast<double>(amq::kMostKeys)) {
    return absl::StrCat("--capacity is a number of lines, 1 to ", amq::kMostKeys);
  }
  plan->capacity = static_cast<uint64_t>(capacity);
  plan->rate = absl::GetFlag(FLAGS_dedup_rate);
  if (!(plan->rate >= amq::kLowestRate && plan->rate <= amq::kHighestRate)) {
    return absl::StrCat("--rate is a chance from ", amq::kLowestRate, " to ", amq::kHighestRate);
  }
  plan->grow = absl::GetFlag(FLAGS_dedup_grow);
  const double window = absl::GetFlag(FLAGS_dedup_window);
  if (window != 0 && (!IsCount(window) || window > static_cast<double>(amq::kMostKeys))) {
    return absl::StrCat("--window is a number of lines, 1 to ", amq::kMostKeys);
  }
  plan->window = static_cast<uint64_t>(window);
  plan->every = absl::GetFlag(FLAGS_dedup_every);
  if (plan->every < absl::ZeroDuration()) return "--every is a time, as 10m";
  if (plan->grow + (plan->window > 0) + (plan->every > absl::ZeroDuration()) > 1) {
    return "--grow, --window and --every are for different streams: at most one of them";
  }
  plan->state = absl::GetFlag(FLAGS_dedup_state);
  if (!plan->state.empty() && (plan->grow || plan->has_generations())) {
    return "--state keeps a filter of fixed size: not with --grow, --window or --every";
  }
  if (!absl::GetFlag(FLAGS_dedup_redis).empty()) {
    if (plan->grow || plan->has_generations() || !plan->state.empty()) {
      return "--redis keeps a filter of fixed size: not with --grow, --window, --every or --state";
    }
    const int inflight = absl::GetFlag(FLAGS_dedup_inflight);
    if (inflight < 1 || static_cast<uint64_t>(inflight) > dedup::kMostUnkept) {
      return absl::StrCat("--inflight is a number of lines, 1 to ", dedup::kMostUnkept);
    }
    if (absl::GetFlag(FLAGS_dedup_name).empty()) return "--name can't be empty";
    plan->in_redis.emplace();
    plan->in_redis->servers = absl::StrSplit(absl::GetFlag(FLAGS_dedup_redis), ',');
    plan->in_redis->name = absl::GetFlag(FLAGS_dedup_name);
    plan->in_redis->inflight = static_cast<size_t>(inflight);
    plan->in_redis->capacity = plan->capacity;
    plan->in_redis->rate = plan->rate;
  }
  // No more lines than the window's can be in a generation.
  if (plan->window > 0) plan->capacity = plan->window;
  return "";
}

// The first line of the file that a flag gives, or what the environment has.
absl::StatusOr<std::string> Password() {
  const std::string path = absl::GetFlag(FLAGS_dedup_password_file);
  if (path.empty()) {
    const char* const said = getenv("WINNOW_REDIS_PASSWORD");
    return std::string(said == nullptr ? "" : said);
  }
  constexpr bool kPlain = true;
  dedup::LineSource file(path, kPlain);
  std::vector<std::string_view> lines;
  absl::Status status = file.Open();
  if (status.ok())
    status = file.Next(
        1, [](bool) { return absl::OkStatus(); }, &lines);
  if (!status.ok()) return status;
  if (lines.empty()) return absl::InvalidArgumentError(path + " has no password");
  return std::string(lines.front());
}

absl::StatusOr<std::unique_ptr<dedup::SeenLines>> MakeSeenLines(const DedupPlan& plan) {
  if (plan.in_redis) {
    dedup::RedisPlan shared = *plan.in_redis;
    auto password = Password();
    if (!password.ok()) return password.status();
    shared.password = *std::move(password);
    return dedup::OpenRedis(shared);
  }
  if (!plan.state.empty()) return dedup::OpenKept(plan.state, plan.capacity, plan.rate);
  if (plan.grow) return dedup::MakeGrowing(plan.capacity, plan.rate);
  if (plan.has_generations()) return dedup::MakeGenerations(plan.capacity, plan.rate);
  return dedup::MakeFixed(plan.capacity, plan.rate);
}

// What was read and what of it was new.
struct Totals {
  uint64_t lines = 0;
  uint64_t fresh = 0;
};

class Dedup {
 public:
  Dedup(const DedupPlan& plan, std::unique_ptr<dedup::SeenLines> seen)
      : plan_(plan),
        seen_(std::move(seen)),
        sink_(STDOUT_FILENO),
        prints_seen_(absl::GetFlag(FLAGS_dedup_seen)),
        prints_lines_(!absl::GetFlag(FLAGS_dedup_count)),
        shows_progress_(isatty(STDOUT_FILENO) == 0),
        brings_(seen_->brought_at_once() > 0),
        batch_size_(brings_ ? seen_->brought_at_once() : seen_->most_at_once()),
        is_new_(new bool[batch_size_]),
        check_at_(plan.capacity + 1) {
    for (Batch& batch : batches_) batch.hashes.reset(new KeyHash[batch_size_]);
    struct stat out = {};
    if (fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode)) output_ = out;
  }

  // An error ends the run if ended() says so, else only this file.
  absl::Status Read(const std::string& path) {
    dedup::LineSource source(path, absl::GetFlag(FLAGS_dedup_plain));
    if (absl::Status status = source.Open(); !status.ok()) return status;
    struct stat about = {};
    if (output_ && fstat(source.file(), &about) == 0 && about.st_dev == output_->st_dev &&
        about.st_ino == output_->st_ino) {
      return absl::InvalidArgumentError(absl::StrCat(path, " is the output as well"));
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
      if (status = HandOver(&batch); !status.ok()) return status;
    }
  }

  // All output that is kept back.
  absl::Status Write() {
    since_written_ = 0;
    if (!sink_.Flush() && sink_.error() == EPIPE) {  // with SIGPIPE ignored
      signal(SIGPIPE, SIG_DFL);
      raise(SIGPIPE);
    }
    const absl::Status kept =
        sink_.error() == 0
            ? seen_->Keep()
            : absl::UnavailableError(absl::StrCat("the output could not be written in full: ",
                                                  strerror(sink_.error())));
    if (!kept.ok()) {
      ended_ = true;
      exit_code_ = kCouldNotRead;
    }
    return kept;
  }

  // The end of all.
  absl::Status Finish() {
    absl::Status status = Write();
    return status.ok() ? seen_->Finish() : status;
  }

  bool ended() const { return ended_; }
  int exit_code() const { return exit_code_; }
  void ClearProgress() { progress_.Clear(); }
  uint64_t num_printed() const {
    return prints_seen_ ? totals_.lines - totals_.fresh : totals_.fresh;
  }

  std::string TotalsLine() const {
    return absl::StrFormat(
        "%d lines, %d new, %d seen before; the chance that a new line is dropped is now %.3g "
        "(%.3g planned at %d new lines), in %s%s",
        totals_.lines, totals_.fresh, totals_.lines - totals_.fresh, seen_->RateNow(), plan_.rate,
        plan_.capacity, ByteCount(static_cast<double>(seen_->size_bytes())),
        plan_.in_redis ? absl::StrCat(" with k = ", dedup::ShapeForRedis(*plan_.in_redis).probes,
                                      "; ", seen_->num_uncertain(), " uncertain")
                       : "");
  }

 private:
  // Of lines on their way from the source to the sink. What they are to be compared with is brought
  // while those before them are dealt with.
  struct Batch {
    std::vector<std::string_view> lines;
    std::unique_ptr<KeyHash[]> hashes;
  };
  static constexpr size_t kBatches = dedup::kMostBatches;

  size_t BatchSize() const {
    return plan_.window > 0 ? std::min<uint64_t>(batch_size_, plan_.window - in_window_)
                            : batch_size_;
  }

  absl::Status HandOver(Batch* batch) {
    const size_t n = batch->lines.size();
    for (size_t i = 0; i < n; ++i) batch->hashes[i] = HashKey(batch->lines[i]);
    if (brings_) seen_->Bring(batch->hashes.get(), n);
    ++handed_;
    const bool goes_on = brings_ && handed_ - taken_ < kBatches;
    absl::Status status = goes_on ? absl::OkStatus() : TakeOne();
    if (plan_.window > 0 && (in_window_ += n) == plan_.window) {
      if (status.ok()) status = TakeAll();
      seen_->Rotate();
      in_window_ = 0;
    }
    return status;
  }

  absl::Status TakeAll() {
    while (taken_ < handed_) {
      if (absl::Status status = TakeOne(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status TakeOne() {
    RotateByTime();
    const Batch& batch = batches_[taken_++ % kBatches];
    const std::vector<std::string_view>& lines = batch.lines;
    const size_t n = lines.size();
    const absl::Status added = seen_->Add(batch.hashes.get(), n, is_new_.get());
    for (size_t i = 0; i < n; ++i) {
      totals_.fresh += is_new_[i];
      if (prints_lines_ && is_new_[i] != prints_seen_) sink_.Add(lines[i]);
    }
    totals_.lines += n;
    since_written_ += n;
    if (!added.ok()) {
      ended_ = true;
      exit_code_ = kCouldNotRead;
      const absl::Status written = Write();
      return written.ok() ? added : written;
    }
    // Other machines drop what this one was told that it is new: it is not kept back.
    if (since_written_ >= kMostUnwritten || plan_.in_redis) {
      if (absl::Status status = Write(); !status.ok()) return status;
      ShowProgress();
    }
    return seen_->num_added() >= check_at_ && !plan_.grow ? CheckRate() : absl::OkStatus();
  }

  void RotateByTime() {
    if (plan_.every <= absl::ZeroDuration()) return;
    const auto now = std::chrono::steady_clock::now();
    const auto every = absl::ToChronoNanoseconds(plan_.every);
    // After a longer silence both generations are over.
    for (int i = 0; i < 2 && now - rotated_ >= every; ++i) {
      seen_->Rotate();
      check_at_ = plan_.capacity + 1;
      rotated_ += i == 0 ? every : now - rotated_;
    }
  }

  // Past the capacity.
  absl::Status CheckRate() {
    if (!warned_) {
      warned_ = true;
      progress_.Clear();
      absl::FPrintF(stderr,
                    "winnow dedup: warning: there are more than the %d new lines of --capacity%s: "
                    "the chance that one is dropped comes near --rate=%g\n",
                    plan_.capacity, plan_.has_generations() ? " within the time of --every" : "",
                    plan_.rate);
    }
    check_at_ = seen_->num_added() + std::max<uint64_t>(plan_.capacity / 400, 16);
    const double rate = seen_->RateNow();
    if (rate <= plan_.rate) return absl::OkStatus();
    if (absl::Status status = Write(); !status.ok()) return status;
    ended_ = true;
    exit_code_ = kFaultFound;
    return absl::ResourceExhaustedError(absl::StrFormat(
        "after %d lines, %d of them new, the chance that a new line is dropped is %.3g, past "
        "--rate=%g: no more are read; %s",
        totals_.lines, totals_.fresh, rate, plan_.rate,
        plan_.in_redis            ? "begin a stream of another --name with a higher --capacity"
        : !plan_.state.empty()    ? "begin another --state with a higher --capacity"
        : plan_.has_generations() ? "give a higher --capacity"
                                  : "give a higher --capacity, or --grow"));
  }

  void ShowProgress() {
    if (!shows_progress_) return;
    progress_.Show(absl::StrFormat(
        "%d lines, %d new, %.1f %% of --capacity", totals_.lines, totals_.fresh,
        100.0 * static_cast<double>(seen_->num_added()) / static_cast<double>(plan_.capacity)));
  }

  const DedupPlan plan_;
  const std::unique_ptr<dedup::SeenLines> seen_;
  dedup::LineSink sink_;
  const bool prints_seen_;
  const bool prints_lines_;
  const bool shows_progress_;  // not among the lines themselves
  const bool brings_;
  const size_t batch_size_;
  Batch batches_[kBatches];
  uint64_t handed_ = 0;  // batches
  uint64_t taken_ = 0;
  const std::unique_ptr<bool[]> is_new_;
  std::optional<struct stat> output_;
  ProgressLine progress_;
  Totals totals_;
  uint64_t since_written_ = 0;
  uint64_t in_window_ = 0;
  std::chrono::steady_clock::time_point rotated_ = std::chrono::steady_clock::now();
  uint64_t check_at_;
  bool warned_ = false;
  bool ended_ = false;
  int exit_code_ = kAllGood;
};

void Say(absl::string_view what) { absl::FPrintF(stderr, "winnow dedup: %s\n", what); }

int ReadAll(Dedup* dedup, const std::vector<std::string>& paths) {
  int exit_code = kAllGood;
  for (const std::string& path : paths) {
    const absl::Status status = dedup->Read(path);
    dedup->ClearProgress();
    if (!status.ok()) {
      Say(status.message());
      exit_code = kCouldNotRead;
    }
    if (dedup->ended()) return dedup->exit_code();
  }
  if (const absl::Status status = dedup->Finish(); !status.ok()) {
    Say(status.message());
    return kCouldNotRead;
  }
  return exit_code;
}

int RunDedup(const Verb& verb, const std::vector<std::string>& given) {
  DedupPlan plan;
  if (const std::string problem = PlanOfFlags(&plan); !problem.empty()) {
    return WrongUsage(verb, problem);
  }
  const std::vector<std::string> paths = given.empty() ? std::vector<std::string>{"-"} : given;
  // The connection to a server that was killed is no reason to end; the output's is (Write).
  if (plan.in_redis) signal(SIGPIPE, SIG_IGN);
  std::unique_ptr<dedup::SeenLines> seen;
  try {
    auto made = MakeSeenLines(plan);
    if (!made.ok()) {
      Say(made.status().message());
      return kCouldNotRead;
    }
    seen = *std::move(made);
  } catch (const std::exception&) {  // bad_alloc or length_error
    Say(absl::StrCat("there is no memory for --capacity=", plan.capacity));
    return kCouldNotRead;
  }
  try {
    Dedup dedup(plan, std::move(seen));
    const int exit_code = ReadAll(&dedup, paths);
    const bool printed = !absl::GetFlag(FLAGS_dedup_count) ||
                         Print(verb.name, absl::StrCat(dedup.num_printed(), "\n"));
    Say(dedup.TotalsLine());
    return printed ? exit_code : kCouldNotRead;
  } catch (const std::bad_alloc&) {
    Say("there is no memory for a line of this length, or for the filter to grow");
    return kCouldNotRead;
  }
}

}  // namespace

Verb DedupVerb() {
  return {"dedup",
          "[FILE...] [--capacity=N] [--rate=P] [--seen] [--count] [--grow] [--window=N] "
          "[--every=TIME] [--state=FILE] [--plain] "
          "[--redis=HOST:PORT[,...]] [--name=NAME] [--inflight=N] [--password_file=FILE]",
          "Copies each line that was not seen before: sort -u as a stream in fixed memory",
          "Files, or standard input (also as -), plain or compressed by gzip, LZ4 or zstd, as\n"
          "their first bytes say; --plain takes all for text. Lines keep their order, empty ones\n"
          "too, and may hold any bytes: a carriage return is part of its line. A Bloom filter\n"
          "remembers them: a repeat is never printed, but a new line is dropped with a chance\n"
          "that grows up to --rate as new lines reach --capacity. 10 million of them take 60 MB\n"
          "at 1e-9. Past the capacity there is a warning; past the rate, a little later, the run\n"
          "ends with 1, and all that was read until then is printed. Totals go to standard\n"
          "error.\n"
          "\n"
          "Behind the last member of gzip zeros are passed over, and anything else is said, with\n"
          "exit code 2, and not read, as by gzip itself.\n"
          "\n"
          "With --state a run goes on from where the one before ended. Output is written before\n"
          "the state, by at most 65,536 lines: if the program is killed, that many may be\n"
          "printed again by the next run, which is given the lines not printed so far, and none\n"
          "is lost. A state takes 1.25 times the filter's room on the disk, from the start.\n"
          "\n"
          "With --redis the bits are in servers, in keys that are allocated at once, and each\n"
          "line is one command that sets its bits and says what they were: of several machines\n"
          "with one stream, exactly one prints a line. A line is printed after its bits are set:\n"
          "who is killed loses the lines in flight, --inflight at most. A line whose answer was\n"
          "lost is printed, and counted as uncertain. A server that restarts is waited for.\n",
          {"capacity", "rate", "seen", "count", "grow", "window", "every", "state", "plain",
           "redis", "name", "inflight", "password_file"},
          RunDedup,
          {{"winnow dedup KEYS", "each line of a file once"},
           {"winnow dedup KEYS KEYS --seen", "the lines of which there are more"},
           {"winnow dedup KEYS --count --rate=1e-3 --capacity=1e6",
            "how many different lines, in 2 MB"},
           {"winnow dedup KEYS --window=100000", "repeats only if they are near"},
           {"winnow dedup KEYS --count --state=STATE",
            "how many were in no run before, for the next as well"}}};
}

}  // namespace winnow::tools
