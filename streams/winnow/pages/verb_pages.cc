// `winnow pages`: builds, updates and queries a paged filter, for example for a negative cache.

#include <absl/flags/flag.h>
#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>
#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/string_view.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/cli/flags.h"
#include "src/cli/progress.h"
#include "streams/redis/patience.h"
#include "streams/redis/redis_access.h"
#include "streams/winnow/pages/page_place.h"
#include "streams/winnow/pages/pages_json.h"
#include "tools/winnow/cli/keys.h"
#include "tools/winnow/cli/print.h"
#include "tools/winnow/cli/verbs.h"
#include "winnow/amq/page_store.h"
#include "winnow/amq/paged_bloom.h"
#include "winnow/amq/plan.h"
#include "winnow/hash.h"

WINNOW_TAKES(pages, kJsonFlag);
WINNOW_TAKES(pages, kHexFlag);
WINNOW_TAKES(pages, kKeysFlag);
WINNOW_FLAG(pages, std::optional<uint64_t>, capacity, std::nullopt,
            WholeValue("N", 0, static_cast<double>(amq::kMostKeys)),
            "number of distinct keys to build the pages for, as 1000000 or 1e6; by default the "
            "number of given keys, and then hardly any can be added later");
WINNOW_FLAG(pages, double, rate, 0.01, NumberValue("SHARE", amq::kLowestRate, amq::kHighestRate),
            "false-positive rate of pages that have as many keys as they were built for");
WINNOW_FLAG(
    pages, std::string, page_size, "1KiB", BytesValue("BYTES", 64, 1 << 20),
    "bytes of the bits of a page, a multiple of 8; 72 more bytes are stored with each page");
WINNOW_FLAG(pages, std::string, redis, "", TextValue("SERVER[,...]"),
            "keep the pages in this Redis or Valkey server, or in the cluster of these servers, "
            "instead of a folder: HOST:PORT, or redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE], "
            "or rediss://... for TLS. Others on this machine see a password in it (ps), but not "
            "one in REDISCLI_AUTH in the environment");
WINNOW_FLAG(pages, std::string, name, "pages", TextValue("NAME"),
            "prefix of the pages' keys on the server, before a colon: letters, digits, ., - and _; "
            "in a cluster in braces, as {NAME}, so that all pages are on one server");

namespace winnow::tools {
namespace {

using amq::PagedBloom;
using inspect::PagesReport;

constexpr size_t kMaxFaultLines = 10;

struct Task {
  absl::string_view verb;
  std::string place_name;
  PagePlace* place = nullptr;
  std::vector<std::string> keys;  // keys given on the command line
  std::string list;               // file with further keys; empty: none
};

inspect::PagesState StateOf(const PagedBloom& filter) {
  inspect::PagesState state;
  state.pages = filter.shape().pages;
  state.page_bytes = filter.shape().page_bytes;
  state.probes = filter.shape().probes;
  state.bytes = filter.size_bytes();
  state.capacity = filter.plan().capacity;
  state.planned_rate = filter.planned_fpr();
  state.keys = filter.num_added();
  state.fill = filter.fill_ratio();
  state.rate = filter.expected_fpr();
  state.worst_page = filter.worst_page();
  state.worst_fill = filter.worst_fill_ratio();
  state.worst_rate = filter.worst_fpr();
  return state;
}

// Returns whether a sentence contains the place's path, or a path in it, as a word.
bool NamesPlace(absl::string_view sentence, absl::string_view place) {
  for (size_t at = sentence.find(place); at != absl::string_view::npos;
       at = sentence.find(place, at + 1)) {
    const absl::string_view behind = sentence.substr(at + place.size());
    const bool begins = at == 0 || sentence[at - 1] == ' ';
    if (begins && (behind.empty() || absl::StrContains(" :,;/", behind.substr(0, 1)))) return true;
  }
  return false;
}

// Prints faults to stderr and the rest of the report to stdout; returns `code`.
int Show(const Task& task, const PagesReport& report, int code) {
  for (size_t i = 0; i < std::min(report.faults.size(), kMaxFaultLines); ++i) {
    const std::string& fault = report.faults[i];
    absl::FPrintF(stderr, "winnow %s: %s%s\n", task.verb,
                  NamesPlace(fault, report.place) ? "" : absl::StrCat(report.place, ": "), fault);
  }
  if (report.faults.size() > kMaxFaultLines) {
    absl::FPrintF(stderr, "winnow %s: %s: and so on, %d faults in all\n", task.verb, report.place,
                  report.faults.size());
  }
  const std::string text =
      absl::GetFlag(FLAGS_json) ? inspect::PagesJson(report) : PagesText(report);
  return Print(task.verb, text) ? code : kCouldNotRead;
}

int Fail(const Task& task, PagesReport report, std::string fault, int code) {
  report.faults.push_back(std::move(fault));
  return Show(task, report, code);
}

// Visits all given keys. Returns an error message about a list of keys, or an empty string.
std::string VisitKeys(const Task& task, PagesReport* report,
                      absl::FunctionRef<void(std::string_view)> visit) {
  cli::ProgressLine line;
  const auto count = [&](std::string_view key) {
    visit(key);
    if (++report->keys_read % 65'536 == 0) {
      line.Show(absl::StrCat(report->keys_read, " keys"));
    }
  };
  for (const std::string& key : task.keys) {
    count(key);
  }
  std::vector<std::string> warnings;
  const std::string problem = task.list.empty() ? "" : VisitListedKeys(task.list, count, &warnings);
  SayWarnings(task.verb, warnings);
  return problem;
}

PagesReport ReportOf(const Task& task, absl::string_view action) {
  PagesReport report;
  report.action = std::string(action);
  report.place = task.place_name;
  return report;
}

// ---- build

// Returns the plan of the flags, with 0 keys if they are not given. Sets *problem if a value is
// invalid.
amq::PagedPlan PlanOfFlags(std::string* problem) {
  amq::PagedPlan plan;
  plan.capacity = absl::GetFlag(FLAGS_pages_capacity).value_or(0);
  plan.rate = absl::GetFlag(FLAGS_pages_rate);
  plan.page_bytes =
      static_cast<uint32_t>(cli::ParseByteCount(absl::GetFlag(FLAGS_pages_page_size)).value_or(0));
  *problem = absl::StrReplaceAll(amq::CheckPagedPlan(plan), {{"page_bytes is", "--page_size is"}});
  return plan;
}

// Builds the pages in memory only; returns whether the keys exceed the plan.
bool PassesPlan(const amq::PagedPlan& plan, const std::vector<KeyHash>& hashes) {
  amq::MemoryPageStore store;
  std::string reason;
  return !PagedBloom::Build(&store, plan, hashes.data(), hashes.size(), &reason);
}

int Build(const Task& task, amq::PagedPlan plan) {
  PagesReport report = ReportOf(task, "build");
  std::string fault = task.place->Objection();
  if (!fault.empty() || !task.place->Lock(/*to_build=*/true, &fault)) {
    return Fail(task, report, fault, kCouldNotRead);
  }
  std::vector<KeyHash> hashes;
  fault =
      VisitKeys(task, &report, [&hashes](std::string_view key) { hashes.push_back(HashKey(key)); });
  if (!fault.empty()) {
    return Fail(task, report, fault, kCouldNotRead);
  }
  if (!absl::GetFlag(FLAGS_pages_capacity)) {
    const auto less = [](KeyHash a, KeyHash b) { return a.value < b.value; };
    const auto equal = [](KeyHash a, KeyHash b) { return a.value == b.value; };
    std::sort(hashes.begin(), hashes.end(), less);
    hashes.erase(std::unique(hashes.begin(), hashes.end(), equal), hashes.end());
    plan.capacity = hashes.size();
  }
  const std::optional<PagedBloom> built =
      PagedBloom::Build(task.place->store(), plan, hashes.data(), hashes.size(), &fault);
  if (!built) {
    return PassesPlan(plan, hashes)
               ? Fail(task, report, absl::StrCat("nothing is changed: ", fault), kFaultFound)
               : Fail(task, report, fault, kCouldNotRead);
  }
  if (!task.place->store()->Flush(&fault)) {
    return Fail(task, report, fault, kCouldNotRead);
  }
  task.place->Keep();
  report.keys_new = built->num_added();
  report.pages_written = built->shape().pages;
  report.filter = StateOf(*built);
  return Show(task, report, kAllGood);
}

// ---- add

// Adds one key. Returns false and sets *fault on failure; *is_full is set only if the key's page
// could be read and the record is not older than the page.
bool AddKey(KeyHash hash, bool* recounted, PagedBloom* filter, PagesReport* report,
            std::string* fault, bool* is_full) {
  PagedBloom::Added added = filter->Add(hash, fault);
  *is_full = added == PagedBloom::Added::kFailed && filter->IsLoaded(filter->PageOf(hash));
  if (added == PagedBloom::Added::kFailed && !*recounted) {
    // The record claims too much after a process that added keys was killed.
    *recounted = true;
    std::string unread;
    if (filter->Recount(&unread)) {
      added = filter->Add(hash, fault);
    }
  }
  report->keys_new += added == PagedBloom::Added::kNew;
  return added != PagedBloom::Added::kFailed;
}

int Add(const Task& task) {
  PagesReport report = ReportOf(task, "add");
  std::string fault;
  amq::PageStore* const store = task.place->store();
  // The filter is opened before the lock is taken, which would create a file in an unrelated
  // folder.
  if (!PagedBloom::Open(store, &fault) || !task.place->Lock(/*to_build=*/false, &fault)) {
    return Fail(task, report, fault, kCouldNotRead);
  }
  std::optional<PagedBloom> filter = PagedBloom::Open(store, &fault);
  if (!filter) {
    return Fail(task, report, fault, kCouldNotRead);
  }
  bool recounted = false;
  bool is_full = false;
  std::string refused;
  const std::string unread = VisitKeys(task, &report, [&](std::string_view key) {
    const KeyHash hash = HashKey(key);
    if (refused.empty() && !AddKey(hash, &recounted, &*filter, &report, &fault, &is_full)) {
      refused = absl::StrCat("the key ", KeyName(key), ", number ", report.keys_read + 1,
                             ", and those behind it are not added: ", fault);
    }
  });
  report.pages_read = filter->num_loaded();
  if (!unread.empty()) {
    return Fail(task, report, absl::StrCat("nothing is changed: ", unread), kCouldNotRead);
  }
  report.pages_written = filter->num_unsaved();
  if (!filter->Save(&fault)) {
    report.pages_written -= filter->num_unsaved();
    return Fail(task, report, fault, kCouldNotRead);
  }
  report.filter = StateOf(*filter);
  if (!refused.empty()) {
    return Fail(task, report, refused, is_full ? kFaultFound : kCouldNotRead);
  }
  return Show(task, report, kAllGood);
}

// ---- ask

void Answer(const std::vector<std::string>& keys, PagedBloom* filter, PagesReport* report) {
  std::set<uint64_t> unread;
  report->answers.clear();
  report->faults.clear();
  for (const std::string& key : keys) {
    const KeyHash hash = HashKey(key);
    const uint64_t page = filter->PageOf(hash);
    std::string fault;
    if (unread.count(page) == 0 && !filter->Load(page, &fault)) {
      unread.insert(page);
      report->faults.push_back(absl::StrCat(fault, "; its keys may be there"));
    }
    report->answers.push_back({key, filter->MayContain(hash), page, filter->IsLoaded(page)});
  }
  report->pages_read = filter->num_loaded();
}

int Ask(const Task& task) {
  PagesReport report = ReportOf(task, "ask");
  amq::PageStore* const store = task.place->store();
  std::string fault;
  std::optional<PagedBloom> filter = PagedBloom::Open(store, &fault);
  if (!filter) {
    return Fail(task, report, fault, kCouldNotRead);
  }
  std::vector<std::string> keys;
  fault = VisitKeys(task, &report, [&keys](std::string_view key) { keys.emplace_back(key); });
  if (!fault.empty()) {
    return Fail(task, report, fault, kCouldNotRead);
  }
  constexpr int kMaxAttempts = 5;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    Answer(keys, &*filter, &report);
    report.filter = StateOf(*filter);
    if (report.faults.empty()) {
      break;
    }
    // Missing pages may have been replaced by a concurrent rebuild.
    std::optional<PagedBloom> now = PagedBloom::Open(store, &fault);
    if (!now || now->PageName(0) == filter->PageName(0)) {
      break;
    }
    filter = std::move(now);
  }
  const bool all = std::all_of(report.answers.begin(), report.answers.end(),
                               [](const inspect::PagesAnswer& key) { return key.may_contain; });
  return Show(task, report, !report.faults.empty() ? kCouldNotRead : all ? kAllGood : kFaultFound);
}

// Returns whether `name` is valid. Braces make it a cluster hash tag.
bool IsName(absl::string_view name) {
  if (absl::StartsWith(name, "{") && absl::EndsWith(name, "}")) {
    name = name.substr(1, name.size() - 2);
  }
  return !name.empty() && name.size() <= 100 &&
         std::all_of(name.begin(), name.end(), [](char character) {
           return absl::ascii_isalnum(static_cast<unsigned char>(character)) ||
                  absl::StrContains(".-_", absl::string_view(&character, 1));
         });
}

// Returns a message about flags that would have no effect, or an empty string.
std::string IdleFlag(const Verb& verb, absl::string_view action) {
  for (const absl::string_view flag : {"capacity", "rate", "page_size"}) {
    if (action != "build" && IsSet(verb, flag)) {
      return absl::StrCat("--", flag, " goes only with build; ", action,
                          " takes the pages as they are");
    }
  }
  return IsSet(verb, "name") && !IsSet(verb, "redis")
             ? "--name is for pages in a server: give --redis=SERVER as well"
             : "";
}

// The password may also come from the variable of redis-cli.
absl::StatusOr<std::vector<redis::RedisAccess>> PageServers() {
  const char* const password = getenv("REDISCLI_AUTH");
  return redis::ParseServers(
      absl::GetFlag(FLAGS_pages_redis),
      {password == nullptr ? "" : password, "REDISCLI_AUTH in the environment"});
}

// Returns the place without users and passwords.
std::string PlaceInRedis(const std::vector<redis::RedisAccess>& servers, const std::string& name) {
  std::string place;
  for (const redis::RedisAccess& server : servers) {
    absl::StrAppend(&place, place.empty() ? "" : ",", server.address);
  }
  return absl::StrCat(place, "/", name);
}

int RunPages(const Verb& verb, const std::vector<std::string>& given) {
  if (given.empty() || (given[0] != "build" && given[0] != "add" && given[0] != "ask")) {
    return WrongUsage(verb, given.empty()
                                ? "build, add or ask?"
                                : absl::StrCat("'", given[0], "' is none of build, add and ask"));
  }
  const bool in_redis = !absl::GetFlag(FLAGS_pages_redis).empty();
  if (!in_redis && given.size() < 2) {
    return WrongUsage(verb, "the pages of which folder, or of which server (--redis)?");
  }
  const std::string& action = given[0];
  if (const std::string idle = IdleFlag(verb, action); !idle.empty()) {
    return WrongUsage(verb, idle);
  }
  std::string problem;
  const amq::PagedPlan plan = PlanOfFlags(&problem);
  if (!problem.empty()) {
    return WrongUsage(verb, problem);
  }
  const std::string name = absl::GetFlag(FLAGS_pages_name);
  if (!IsName(name)) {
    return WrongUsage(
        verb,
        absl::StrCat("--name can't be '", name,
                     "': it has letters, digits, ., - and _, at most 100, and may be in braces"));
  }
  std::vector<redis::RedisAccess> servers;
  if (in_redis) {
    auto given_servers = PageServers();
    if (!given_servers.ok()) return WrongUsage(verb, given_servers.status().message());
    servers = *std::move(given_servers);
  }
  Task task;
  task.verb = verb.name;
  task.place_name = in_redis ? PlaceInRedis(servers, name) : given[1];
  task.list = absl::GetFlag(FLAGS_keys);
  for (size_t i = in_redis ? 1 : 2; i < given.size(); ++i) {
    task.keys.push_back(KeyOfArgument(given[i], &problem));
    if (!problem.empty()) {
      return WrongUsage(verb, problem);
    }
  }
  if (task.keys.empty() && task.list.empty()) {
    task.list = "-";
  }
  redis::Waits waits;
  waits.say = [](const std::string& what) { absl::FPrintF(stderr, "winnow pages: %s\n", what); };
  const std::unique_ptr<PagePlace> place =
      in_redis ? PagesInRedis(servers, name, waits, &problem) : PagesInFolder(given[1]);
  if (place == nullptr) {
    return Fail(task, ReportOf(task, action), problem, kCouldNotRead);
  }
  task.place = place.get();
  try {
    return action == "build" ? Build(task, plan) : action == "add" ? Add(task) : Ask(task);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  return Fail(task, ReportOf(task, action),
              "there is not enough memory for so many keys or pages; those that were there stay",
              kCouldNotRead);
}

}  // namespace

Verb PagesVerb() {
  return {
      "pages",
      "build|add|ask FOLDER|--redis [KEY...] [--keys] [--hex] [--name] [FLAGS] [--json]",
      "Makes, updates and asks a filter in small pages: a cache of which keys a store lacks",
      "This is for a key-value cache in front of a store that does not have most of the keys.\n"
      "Each key belongs to one page, so an application loads only the pages that it needs.\n"
      "Keys come from the command line and from --keys, or else from standard input; empty\n"
      "lines of a list are ignored.\n"
      "  build  makes the pages of all keys in FOLDER, and replaces those that are there; it\n"
      "         takes 8 bytes of memory per key. If the keys would exceed the rate (exit code 1),\n"
      "         or the run does not finish (2, or the signal's), the old pages stay.\n"
      "  add    adds keys. A key that would exceed the rate is refused, and so are those after\n"
      "         it; the keys before it are stored (exit code 1). Then use build for more keys.\n"
      "  ask    says of each key whether it may be there or is absent, from that key's page\n"
      "         alone. Exit code 0: all may be there; 1: at least one is absent. A key whose\n"
      "         page is missing or damaged may be there; the fault is named (2).\n"
      "--capacity, --rate and --page_size belong to build. The rate is the mean of all pages;\n"
      "that of the fullest page is shown beside it. Only one process at a time can build or\n"
      "add; any number can ask meanwhile. With --redis there is no FOLDER: each page is a key\n"
      "of the server, NAME:1-0 and so on, and NAME:plan says how many there are.\n",
      RunPages,
      {{"winnow pages build PAGES --keys=KEYS --capacity=1000000", "a filter that can grow"},
       {"winnow pages add PAGES KEY", "one more key"},
       {"winnow pages ask PAGES KEY", "whether it may be there, from that key's page alone"},
       {"winnow pages ask PAGES --keys=KEYS --json", "each key of a list"}}};
}

}  // namespace winnow::tools
