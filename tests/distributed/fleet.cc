#include "tests/distributed/fleet.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "tests/distributed/job_folder.h"
#include "tests/distributed/worker.h"
#include "tests/stress/counts.h"
#include "tests/stress/started_process.h"
#include "tests/support/files.h"
#include "tests/support/random_hashes.h"

namespace winnow::distributed {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char kPrimaryWord[] = "--primary-of";
constexpr char kWorkerWord[] = "--worker-of";

struct Process {
  std::string folder;  // receives its output and core
  pid_t id = 0;        // 0: not running
  std::optional<Clock::time_point> kill_at;
  bool is_killed = false;
};

class Fleet {
 public:
  explicit Fleet(const FleetPlan& plan)
      : plan_(plan),
        random_(plan.primary.seed),
        jobs_(JobsIn(plan.primary.folder)),
        counts_(CountsIn(plan.primary.folder)),
        workers_(plan.workers) {
    primary_.folder = NewFolder("primary");
    for (size_t i = 0; i < workers_.size(); ++i) {
      workers_[i].folder = NewFolder("worker" + std::to_string(i));
    }
  }

  ~Fleet() {
    for (Process& worker : workers_) End(&worker);
    End(&primary_);
  }

  FleetResult Run() {
    const auto begin = Clock::now();
    const auto seconds = [begin] {
      return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    double told = 0;
    StartPrimary();
    while (primary_.id != 0) {
      for (Process& worker : workers_) LookAtWorker(&worker);
      ChooseWorkerToKill();
      LookAtPrimary();
      if (IsOver() && !is_told_to_stop_) TellToStop();
      if (plan_.progress && seconds() >= told + 10) {
        told = seconds();
        std::fprintf(
            stderr,
            "distributed_stress: %.0f s: %llu operations, %llu kills of workers, %llu of the "
            "primary\n",
            told, At(stress::Count::kOperations),
            static_cast<unsigned long long>(result_.worker_kills),
            static_cast<unsigned long long>(result_.primary_kills));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    result_.seconds = seconds();
    result_.events = CountEvents(EventsIn(plan_.primary.folder));
    result_.operations = At(stress::Count::kOperations);
    result_.answers = At(stress::Count::kAnswers);
    return std::move(result_);
  }

 private:
  std::string NewFolder(const std::string& name) const {
    const std::string folder = plan_.primary.folder + "/" + name;
    fs::create_directories(folder);
    return folder;
  }

  // Returns the sum over all primaries so far.
  unsigned long long At(stress::Count count) const { return counts_.Get(count); }

  bool IsOver() const {
    return result_.worker_kills >= plan_.worker_kills &&
           result_.primary_kills >= plan_.primary_kills;
  }

  void TellToStop() {
    testing::WriteFile(StopIn(plan_.primary.folder), "");
    is_told_to_stop_ = true;
  }

  static Clock::time_point Soon(uint64_t milliseconds) {
    return Clock::now() + std::chrono::milliseconds(milliseconds);
  }

  void StartPrimary() {
    const PrimaryPlan& plan = plan_.primary;
    const bool has_kills = plan_.worker_kills + plan_.primary_kills > 0;
    primary_.is_killed = false;
    primary_.kill_at.reset();
    if (result_.primary_kills < plan_.primary_kills) {
      primary_.kill_at = Soon(1 + random_.Below(plan_.primary_life));
    }
    primary_.id = stress::StartProcess(
        {plan.program, kPrimaryWord, plan.folder, plan.policy, std::to_string(random_.Next()),
         std::to_string(plan.threads), std::to_string(plan.keys), std::to_string(plan.operations),
         std::to_string(has_kills ? 0 : plan.sessions), std::to_string(plan.patience),
         plan.with_another_key ? "with_another_key" : "whole"},
        primary_.folder);
  }

  void LookAtPrimary() {
    KillIfDue(&primary_);
    const std::optional<int> ended = Wait(&primary_);
    if (!ended) return;
    if (primary_.is_killed && WIFSIGNALED(*ended) && WTERMSIG(*ended) == SIGKILL) {
      ++result_.primary_kills;
      StartPrimary();
      return;
    }
    if (*ended == 0) return;
    const bool is_verdict = WIFEXITED(*ended) && WEXITSTATUS(*ended) < kAbnormalEnd;
    result_.status = is_verdict ? WEXITSTATUS(*ended) : kAbnormalEnd;
    std::printf("distributed_stress: the primary %s; its folder is left as it is. It said:\n%s",
                stress::HowItEnded(*ended).c_str(),
                testing::ReadFile(primary_.folder + "/output.txt").c_str());
  }

  // Kills the worker if due, and starts another one if it has ended.
  void LookAtWorker(Process* worker) {
    KillIfDue(worker);
    if (const std::optional<int> ended = Wait(worker)) {
      if (worker->is_killed && WIFSIGNALED(*ended) && WTERMSIG(*ended) == SIGKILL) {
        ++result_.worker_kills;
      } else {
        ++result_.worker_ends[stress::HowItEnded(*ended)];
      }
    }
    if (worker->id != 0) return;
    worker->is_killed = false;
    worker->kill_at.reset();
    worker->id =
        stress::StartProcess({plan_.primary.program, kWorkerWord, JobsIn(plan_.primary.folder),
                              plan_.worker_policy, plan_.worker_plant},
                             worker->folder);
  }

  // Kills one worker at a time, in intervals that let jobs finish. Every second time, the worker
  // has a job.
  void ChooseWorkerToKill() {
    if (result_.worker_kills >= plan_.worker_kills || Clock::now() < next_worker_kill_) return;
    for (const Process& worker : workers_) {
      if (worker.kill_at) return;
    }
    Process* chosen = &workers_[random_.Below(workers_.size())];
    if (is_next_at_work_) {
      const std::vector<pid_t> holders = jobs_.Holders();
      if (holders.empty()) return;
      const pid_t holder = holders[random_.Below(holders.size())];
      for (Process& worker : workers_) {
        if (worker.id == holder) chosen = &worker;
      }
    }
    // A job takes about 10 ms, or about 100 ms with many keys.
    chosen->kill_at = Soon(random_.Below(random_.Below(2) == 0 ? 5 : 100));
    next_worker_kill_ = Soon(random_.Below(600));
    is_next_at_work_ = random_.Below(2) == 0;
  }

  static void KillIfDue(Process* process) {
    if (process->id == 0 || process->is_killed || !process->kill_at) return;
    if (Clock::now() < *process->kill_at) return;
    process->is_killed = true;
    kill(process->id, SIGKILL);
  }

  // Returns the wait status if the process has ended.
  static std::optional<int> Wait(Process* process) {
    int status = 0;
    if (process->id == 0 || waitpid(process->id, &status, WNOHANG) != process->id) return {};
    process->id = 0;
    return status;
  }

  static void End(Process* process) {
    if (process->id == 0) return;
    kill(process->id, SIGKILL);
    waitpid(process->id, nullptr, 0);
  }

  const FleetPlan& plan_;
  testing::RandomHashes random_;
  JobFolder jobs_;
  const stress::Counts counts_;
  Process primary_;
  std::vector<Process> workers_;
  Clock::time_point next_worker_kill_;
  bool is_next_at_work_ = true;
  bool is_told_to_stop_ = false;
  FleetResult result_;
};

}  // namespace

FleetResult RunFleet(const FleetPlan& plan) { return Fleet(plan).Run(); }

int RunPrimaryOf(int argc, char** argv) {
  if (argc != 11) return 2;
  const std::vector<std::string> words(argv + 2, argv + argc);
  PrimaryPlan plan;
  plan.program = fs::read_symlink("/proc/self/exe").string();
  plan.folder = words[0];
  plan.policy = words[1];
  plan.seed = std::stoull(words[2]);
  plan.threads = static_cast<unsigned>(std::stoul(words[3]));
  plan.keys = std::stoull(words[4]);
  plan.operations = std::stoull(words[5]);
  plan.sessions = std::stoull(words[6]);
  plan.patience = static_cast<unsigned>(std::stoul(words[7]));
  plan.with_another_key = words[8] == "with_another_key";
  return RunPrimary(plan);
}

int RunWorkerOf(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto policy = WorkerPolicyNamed(argv[3]);
  if (!policy) return 2;
  return RunWorker(argv[2], *policy, WorkerPlantNamed(argv[4]));
}

}  // namespace winnow::distributed
