// `winnow dedup`: prints each line of a stream once, in fixed memory.

#include <absl/flags/flag.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/string_view.h>
#include <absl/time/time.h>
#include <stdlib.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/cli/flags.h"
#include "src/cli/progress.h"
#include "src/text/numbers.h"
#include "streams/dedup/file_identity.h"
#include "streams/dedup/kept_lines.h"
#include "streams/dedup/line_source.h"
#include "streams/dedup/line_stream.h"
#include "streams/dedup/redis_lines.h"
#include "streams/dedup/seen_lines.h"
#include "streams/dedup/state/state_layout.h"
#include "streams/dedup/stream_admin.h"
#include "streams/redis/redis_access.h"
#include "streams/winnow/dedup/streams.h"
#include "tools/winnow/cli/verbs.h"
#include "winnow/amq/plan.h"

WINNOW_FLAG(dedup, double, capacity, 1e7, WholeValue("N", 1, static_cast<double>(amq::kMostKeys)),
            "number of distinct lines to take memory for, as 1e8");
WINNOW_FLAG(
    dedup, double, rate, 1e-9, NumberValue("P", amq::kLowestRate, amq::kHighestRate),
    "probability that a new line is dropped after --capacity lines; before that it is lower");
WINNOW_SWITCH(dedup, seen, "print the lines that were seen before instead");
WINNOW_SWITCH(dedup, count, "print the number of lines instead of the lines");
WINNOW_SWITCH(dedup, grow, "take more memory beyond --capacity, and so keep --rate");
WINNOW_FLAG(dedup, double, window, 0, WholeValue("N", 0, static_cast<double>(amq::kMostKeys)),
            "forget a line N to 2 N lines after it came last; a line that keeps coming is printed "
            "once. 0: never");
WINNOW_FLAG(dedup, absl::Duration, every, absl::ZeroDuration(), TimeValue("TIME"),
            "forget a line when this time, as 10m, or at most twice this time has gone by since it "
            "came last; --capacity is then the number of lines in that time. 0: never");
WINNOW_FLAG(dedup, std::string, state, "", TextValue("FILE"),
            "file that keeps what was seen. The first run makes it, with its --capacity and "
            "--rate; later runs continue from it, and refuse other values");
WINNOW_SWITCH(dedup, plain, "decompress nothing, for text that begins like compressed input");
WINNOW_FLAG(
    dedup, std::string, redis, "", TextValue("SERVER[,...]"),
    "servers of Redis or Valkey, with commas between them, that keep what was seen for all "
    "machines with the same --name and plan; of a cluster, some of its servers are enough. Each is "
    "HOST:PORT, or redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE], or rediss://... for TLS. "
    "Others on this machine see a password in it (ps), but not one in --password_file");
WINNOW_FLAG(dedup, std::string, name, "winnow-dedup", TextValue("NAME"),
            "name of the stream in --redis, with which its keys begin");
WINNOW_SWITCH(dedup, join, "continue a stream in --redis, and end with an error if there is none");
WINNOW_FLAG(dedup, int, inflight, 4096, WholeValue("N", 1, dedup::kMaxUnkept),
            "number of lines in flight to --redis before their answers are awaited, 1 to 65536");
WINNOW_FLAG(dedup, int, replay, winnow::dedup::kDefaultReplay, WholeValue("SECONDS", 0, 3600),
            "after a fail-over, send the lines again that a cluster acknowledged in so many last "
            "seconds; give more than its node timeout; 0: none");
WINNOW_FLAG(dedup, std::string, password_file, "", TextValue("FILE"),
            "file with the password for --redis; without it, WINNOW_REDIS_PASSWORD or "
            "REDISCLI_AUTH of the environment is used, if set");
WINNOW_SWITCH(dedup, list, "read no lines: list the streams in --redis with their plans");
WINNOW_FLAG(dedup, std::string, check, "", TextValue("NAME"),
            "read no lines: check that all keys of this stream exist, on each server of --redis, "
            "and count its bits");
WINNOW_FLAG(dedup, std::string, remove, "", TextValue("NAME"),
            "read no lines: remove this stream from --redis, for all its clients");
WINNOW_TAKES(dedup, kJsonFlag);

namespace winnow::tools {
namespace {

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

// Sets *plan from the flags. Returns an error message, or an empty string.
std::string PlanOfFlags(const Verb& verb, DedupPlan* plan) {
  plan->capacity = static_cast<uint64_t>(absl::GetFlag(FLAGS_dedup_capacity));
  plan->rate = absl::GetFlag(FLAGS_dedup_rate);
  plan->grow = absl::GetFlag(FLAGS_dedup_grow);
  plan->window = static_cast<uint64_t>(absl::GetFlag(FLAGS_dedup_window));
  plan->every = absl::GetFlag(FLAGS_dedup_every);
  if (plan->every < absl::ZeroDuration()) return "--every is a time from 0 on, as 10m";
  if (plan->grow + (plan->window > 0) + (plan->every > absl::ZeroDuration()) > 1) {
    return "--grow, --window and --every are for different streams: at most one of them";
  }
  plan->state = absl::GetFlag(FLAGS_dedup_state);
  if (!plan->state.empty() && (plan->grow || plan->has_generations())) {
    return "--state keeps a filter of fixed size: not with --grow, --window or --every";
  }
  if (absl::GetFlag(FLAGS_dedup_redis).empty()) {
    for (const char* const flag : {"name", "join", "inflight", "password_file", "replay"}) {
      if (IsSet(verb, flag)) {
        return absl::StrCat("--", flag, " does nothing without --redis: give that as well");
      }
    }
  } else {
    if (plan->grow || plan->has_generations() || !plan->state.empty()) {
      return "--redis keeps a filter of fixed size: not with --grow, --window, --every or --state";
    }
    if (absl::GetFlag(FLAGS_dedup_name).empty()) return "--name can't be empty";
    plan->in_redis.emplace();
    plan->in_redis->name = absl::GetFlag(FLAGS_dedup_name);
    plan->in_redis->inflight = static_cast<size_t>(absl::GetFlag(FLAGS_dedup_inflight));
    plan->in_redis->may_begin = !absl::GetFlag(FLAGS_dedup_join);
    plan->in_redis->capacity = plan->capacity;
    plan->in_redis->rate = plan->rate;
    if (IsSet(verb, "replay")) plan->in_redis->replay = absl::GetFlag(FLAGS_dedup_replay);
  }
  // A generation has at most the window's number of lines.
  if (plan->window > 0) plan->capacity = plan->window;
  return "";
}

// Returns the name of the stream to check or remove.
std::string StreamOfFlags(dedup::StreamAction action) {
  return absl::GetFlag(action == dedup::StreamAction::kCheck ? FLAGS_dedup_check
                                                             : FLAGS_dedup_remove);
}

// Sets *action if an action on streams is requested instead of adding lines. Returns an error
// message about the related flags, or an empty string.
std::string ActionOfFlags(const Verb& verb, const std::vector<std::string>& files,
                          std::optional<dedup::StreamAction>* action) {
  const struct {
    const char* name;
    dedup::StreamAction action;
  } rows[] = {
      {"list", dedup::StreamAction::kList},
      {"check", dedup::StreamAction::kCheck},
      {"remove", dedup::StreamAction::kRemove},
  };
  const char* name = nullptr;
  for (const auto& row : rows) {
    if (!IsSet(verb, row.name)) continue;
    if (name != nullptr) return absl::StrCat("--", name, " and --", row.name, ": one at a time");
    name = row.name;
    *action = row.action;
  }
  if (name == nullptr) {
    return absl::GetFlag(FLAGS_json) ? "--json goes only with --list, --check and --remove" : "";
  }
  if (absl::GetFlag(FLAGS_dedup_redis).empty()) {
    return absl::StrCat("--", name, " is of streams in servers: give --redis=SERVER as well");
  }
  if (!files.empty())
    return absl::StrCat("--", name, " reads no lines: leave '", files[0], "' out");
  for (const Flag* const flag : FlagsOf(verb.name)) {
    const bool is_of_action = flag->name == "redis" || flag->name == "password_file" ||
                              flag->name == "json" || flag->name == name;
    if (!is_of_action && IsSet(verb, flag->name)) {
      return absl::StrCat("--", flag->name, " does nothing with --", name, ": leave it out");
    }
  }
  return "";
}

// Returns the first line of a file, with any kind of line ending.
absl::StatusOr<std::string> FirstLine(const std::string& path) {
  constexpr bool kPlain = true;
  dedup::LineSource file(path, kPlain);
  std::vector<std::string_view> lines;
  absl::Status status = file.Open();
  if (status.ok())
    status = file.Next(
        1, [](bool) { return absl::OkStatus(); }, &lines);
  if (!status.ok()) return status;
  if (lines.empty()) return absl::InvalidArgumentError(path + " has no password");
  std::string_view line = lines.front();
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return std::string(line);
}

// Returns the password in the file that a flag names, or else from the environment, where Winnow's
// own variable has precedence over that of redis-cli.
absl::StatusOr<redis::GivenPassword> Password() {
  const std::string path = absl::GetFlag(FLAGS_dedup_password_file);
  if (!path.empty()) {
    auto password = FirstLine(path);
    if (!password.ok()) return password.status();
    return redis::GivenPassword{*std::move(password), "--password_file"};
  }
  for (const char* const variable : {"WINNOW_REDIS_PASSWORD", "REDISCLI_AUTH"}) {
    const char* const said = getenv(variable);
    if (said != nullptr && *said != '\0') {
      return redis::GivenPassword{said, absl::StrCat(variable, " in the environment")};
    }
  }
  return redis::GivenPassword{
      "", "--password_file, or WINNOW_REDIS_PASSWORD or REDISCLI_AUTH in the environment"};
}

absl::StatusOr<std::vector<redis::RedisAccess>> Servers() {
  const auto password = Password();
  if (!password.ok()) return password.status();
  return redis::ParseServers(absl::GetFlag(FLAGS_dedup_redis), *password);
}

// Opens the state; the plan of an existing state is used where flags do not set it.
absl::StatusOr<std::unique_ptr<dedup::SeenLines>> OpenState(const Verb& verb, DedupPlan* plan) {
  dedup::KeptPlan kept = {plan->capacity, plan->rate, !IsSet(verb, "capacity"),
                          !IsSet(verb, "rate")};
  auto seen = dedup::OpenKept(plan->state, &kept);
  plan->capacity = kept.capacity;
  plan->rate = kept.rate;
  return seen;
}

absl::StatusOr<std::unique_ptr<dedup::SeenLines>> MakeSeenLines(const DedupPlan& plan) {
  if (plan.in_redis) return dedup::OpenRedis(*plan.in_redis);
  if (plan.grow) return dedup::MakeGrowing(plan.capacity, plan.rate);
  absl::Status fits = dedup::CheckNewPlan(plan.capacity, plan.rate, plan.has_generations() ? 2 : 1);
  if (!fits.ok()) return fits;
  if (plan.has_generations()) return dedup::MakeGenerations(plan.capacity, plan.rate);
  return dedup::MakeFixed(plan.capacity, plan.rate);
}

void Say(absl::string_view what) { absl::FPrintF(stderr, "winnow dedup: %s\n", what); }

std::function<void(const std::string&)> SayOver(cli::ProgressLine* progress) {
  return [progress](const std::string& what) {
    progress->Clear();
    Say(what);
  };
}

// Returns an error message if the output would overwrite the state or the state is an input, else
// an empty string.
std::string ObjectionToState(const std::string& state, const std::vector<std::string>& paths) {
  const auto kept = dedup::IdentityOf(state);
  if (!kept) return "";
  const auto says = [&](absl::string_view what) {
    return absl::StrCat("the state ", state, " is ", what,
                        " as well: nothing was read or written; give it a file of its own");
  };
  if (kept == dedup::IdentityOf(STDOUT_FILENO)) return says("standard output");
  for (const std::string& path : paths) {
    const bool is_stdin = path == "-";
    if (kept == (is_stdin ? dedup::IdentityOf(STDIN_FILENO) : dedup::IdentityOf(path))) {
      return says(is_stdin ? "standard input" : absl::StrCat("the input ", path));
    }
  }
  return "";
}

dedup::StreamOptions OptionsFor(const DedupPlan& plan) {
  dedup::StreamOptions options;
  options.capacity = plan.capacity;
  options.rate = plan.rate;
  options.window = plan.window;
  options.every = absl::ToChronoNanoseconds(plan.every);
  options.grows = plan.grow;
  options.prints_seen = absl::GetFlag(FLAGS_dedup_seen);
  options.counts = absl::GetFlag(FLAGS_dedup_count);
  options.plain = absl::GetFlag(FLAGS_dedup_plain);
  // New lines are written at once, since other machines drop them from now on.
  options.keeps_nothing_back = plan.in_redis.has_value();
  options.state = plan.state;
  options.past_rate =
      plan.in_redis            ? "begin a stream of another --name with a higher --capacity"
      : !plan.state.empty()    ? "begin another --state with a higher --capacity"
      : plan.has_generations() ? "give a higher --capacity"
      : plan.grow ? "so many have hashes of 64 bits in common that only a higher --rate is kept"
                  : "give a higher --capacity, or --grow";
  return options;
}

std::string TotalsLine(const DedupPlan& plan, const dedup::LineStream& stream) {
  const dedup::Totals& totals = stream.totals();
  const dedup::SeenLines& seen = stream.seen();
  return absl::StrFormat(
      "%d lines, %d new, %d seen before; the chance that a new line is dropped is now %.3g "
      "(%.3g planned at %d new lines), in %s%s",
      totals.lines, totals.fresh, totals.lines - totals.fresh, seen.RateNow(), plan.rate,
      plan.capacity, inspect::ByteSize(static_cast<double>(seen.size_bytes())), seen.Remark());
}

int ReadAll(const std::vector<std::string>& paths, cli::ProgressLine* progress,
            dedup::LineStream* stream) {
  int exit_code = kAllGood;
  const auto take = [&](const absl::Status& status) {
    progress->Clear();
    if (status.ok()) return;
    Say(status.message());
    if (!stream->past_rate()) exit_code = kCouldNotRead;
  };
  for (size_t i = 0; i < paths.size() && !stream->ended(); ++i) take(stream->Read(paths[i]));
  const bool was_past_rate = stream->past_rate();
  if (const absl::Status status = stream->End(); !status.ok()) {
    Say(status.message());
    if (was_past_rate || !stream->past_rate()) return kCouldNotRead;
  }
  return stream->past_rate() && exit_code == kAllGood ? kFaultFound : exit_code;
}

int RunStream(const DedupPlan& plan, const std::vector<std::string>& paths,
              std::unique_ptr<dedup::SeenLines> seen, cli::ProgressLine* progress) {
  dedup::LineStream* shown = nullptr;
  dedup::StreamOptions options = OptionsFor(plan);
  options.warn = SayOver(progress);
  if (isatty(STDOUT_FILENO) == 0) {  // never between the lines themselves
    options.has_written = [&] {
      progress->Show(absl::StrFormat("%d lines, %d new, %.1f %% of --capacity",
                                     shown->totals().lines, shown->totals().fresh,
                                     100.0 * static_cast<double>(shown->seen().num_added()) /
                                         static_cast<double>(plan.capacity)));
    };
  }
  dedup::LineStream stream(std::move(options), std::move(seen), STDOUT_FILENO);
  shown = &stream;
  const int exit_code = ReadAll(paths, progress, &stream);
  if (stream.totals().lines > 0 || !stream.ended() || stream.past_rate())
    Say(TotalsLine(plan, stream));
  if (stream.totals().lines == 0 && !plan.state.empty() && !dedup::IdentityOf(plan.state)) {
    Say(absl::StrCat("no line was read, so the state ", plan.state, " was not made"));
  }
  return exit_code;
}

int RunDedup(const Verb& verb, const std::vector<std::string>& given) {
  cli::ProgressLine progress;
  DedupPlan plan;
  std::optional<dedup::StreamAction> action;
  std::string problem = ActionOfFlags(verb, given, &action);
  if (problem.empty()) problem = PlanOfFlags(verb, &plan);
  if (!problem.empty()) return WrongUsage(verb, problem);
  if (plan.in_redis) {
    auto servers = Servers();
    if (!servers.ok()) {
      Say(servers.status().message());
      return kCouldNotRead;
    }
    plan.in_redis->servers = *std::move(servers);
    plan.in_redis->warn = plan.in_redis->waits.say = SayOver(&progress);
  }
  if (action) {
    plan.in_redis->name = StreamOfFlags(*action);
    return RunStreams(*action, *plan.in_redis, absl::GetFlag(FLAGS_json));
  }
  // Messages would overwrite the state.
  const auto errors = dedup::IdentityOf(STDERR_FILENO);
  if (errors && errors == dedup::IdentityOf(plan.state)) return kCouldNotRead;
  const std::vector<std::string> paths = given.empty() ? std::vector<std::string>{"-"} : given;
  if (const std::string objection = ObjectionToState(plan.state, paths); !objection.empty()) {
    Say(objection);
    return kCouldNotRead;
  }
  try {
    auto seen = plan.state.empty() ? MakeSeenLines(plan) : OpenState(verb, &plan);
    if (seen.ok()) return RunStream(plan, paths, *std::move(seen), &progress);
    Say(seen.status().message());
  } catch (const std::bad_alloc&) {
    Say("there is no memory for a line of this length, or for the filter");
  }
  return kCouldNotRead;
}

}  // namespace

Verb DedupVerb() {
  return {
      "dedup",
      "[FILE...]",
      "Prints each line that was not seen before: sort -u for a stream, in fixed memory",
      "winnow dedup reads files, or standard input (also as -). Input that begins like gzip,\n"
      "LZ4 or zstd is decompressed; with --plain all input is text. Lines keep their order,\n"
      "may be empty and may hold any bytes: a carriage return is part of its line. A Bloom\n"
      "filter remembers the lines. A repeat is never printed. A new line is dropped with a\n"
      "small probability, which grows with the number of new lines and reaches --rate at\n"
      "--capacity of them. 10 million lines take 60 MB at 1e-9, from the first line on. Beyond\n"
      "the capacity there is a warning. Beyond the rate, a little later, the run ends with\n"
      "exit code 1; everything that was read until then is printed. A new line that is dropped\n"
      "is not counted. So at a --rate of 0.1 or more the capacity is reached late, and the\n"
      "probability is higher by then. Totals go to standard error.\n"
      "\n"
      "With --window or --every, old lines are forgotten. A repeat starts a line's time again,\n"
      "so a line that keeps coming is printed once. This needs two filters, and so twice the\n"
      "memory.\n"
      "\n"
      "Zeros behind the last member of gzip are skipped. Other bytes there are not read, as\n"
      "with gzip, and reported; exit code 2.\n"
      "\n"
      "With --state a run continues where the previous run ended. Lines are printed first, and\n"
      "stored in the state at most 65,536 lines later. So if the program is killed, no line is\n"
      "lost, but the next run may print so many lines again; give it the lines that were not\n"
      "printed yet. With --count, lines are stored once their number is printed. A state takes\n"
      "1.25 times the filter's size on disk, or 1 MiB more than the filter if that is more,\n"
      "from the first line on. If the machine itself goes down during a run, continue from a\n"
      "copy of the state: the output may lack lines that the state has.\n"
      "\n"
      "With --redis the bits are on servers, in keys that are allocated at once. For each\n"
      "line, one command sets its bits and returns their old values. So if several machines\n"
      "share a stream, exactly one of them prints a line. A line is printed after its bits are\n"
      "set: a client that is killed loses the lines in flight, at most --inflight, and with\n"
      "--count all that it had counted. If the answer for a line was lost, the line is printed\n"
      "and counted as uncertain. A client waits for a server that restarts. If an error ends\n"
      "the run, the next run of the same input prints the lines that were refused or not sent.\n"
      "\n"
      "In a cluster the keys are spread over all masters. A replica that takes over may lack\n"
      "the last writes that its master acknowledged. So a client keeps the hashes of the lines\n"
      "of the last --replay seconds (8 bytes each, 31 MB for 30 seconds of 130,000 lines per\n"
      "second), and sends them again after a fail-over. What was lost is then set again, and\n"
      "counted. Two kinds of lines can be printed twice without being counted: those that\n"
      "another client sends before that, and those of a client that had ended. No line is\n"
      "missing from the output because of a fail-over.\n"
      "\n"
      "--list, --check and --remove read no lines. Exit code 0: done; 1: --check found that\n"
      "keys of the stream are missing or its rate is exceeded, or there is no such stream; 2:\n"
      "a server could not be asked, or clients make keys again that --remove removes. If a\n"
      "stream is removed, its running clients end with an error at their next line; the next\n"
      "client begins the stream anew.\n",
      RunDedup,
      {{"winnow dedup KEYS", "each line of a file once"},
       {"winnow dedup KEYS KEYS --seen", "the lines that come more than once"},
       {"winnow dedup KEYS --count --rate=1e-3 --capacity=1e6",
        "how many different lines, in 2 MB"},
       {"winnow dedup KEYS --window=100000", "repeats only if they are near"},
       {"winnow dedup KEYS --count --state=STATE",
        "how many lines no earlier run had seen; the state is for the next run"}}};
}

}  // namespace winnow::tools
