#include "tests/stress/supervisor.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "tests/stress/started_process.h"
#include "tests/support/random_hashes.h"

namespace winnow::stress {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A database and the process that uses it now.
struct Slot {
  std::string folder;
  uint64_t database = 0;  // decides the database's traits
  unsigned lives = 0;     // number of lives so far
  std::unique_ptr<Counts> counts;
  pid_t process = 0;  // 0: not running
  std::string kernel;
  std::optional<Clock::time_point> kill_at;
  bool is_killed = false;
};

std::vector<std::string> Command(const StressPlan& plan, const Slot& slot, uint64_t seed) {
  const LifePlan& life = plan.life;
  return {life.program,
          "--live-in",
          slot.folder,
          std::to_string(seed),
          slot.database % 2 == 0 ? "merges" : "snapshots",
          std::to_string(life.threads),
          std::to_string(life.keys),
          std::to_string(life.operations),
          std::to_string(life.sessions),
          std::to_string(life.seconds),
          life.plans ? "plans" : "any_policies",
          std::to_string(static_cast<int>(life.fault))};
}

// Returns the environment that selects a kernel; if empty, the process chooses.
std::vector<std::pair<std::string, std::string>> Environment(const std::string& kernel) {
  if (kernel.empty()) return {};
  return {{"WINNOW_KERNEL", kernel}};
}

class Supervisor {
 public:
  explicit Supervisor(const StressPlan& plan) : plan_(plan), random_(plan.life.seed) {}

  StressResult Run() {
    const auto begin = Clock::now();
    const auto seconds = [begin] {
      return std::chrono::duration<double>(Clock::now() - begin).count();
    };
    std::vector<Slot> slots(plan_.processes);
    for (size_t i = 0; i < slots.size(); ++i) {
      slots[i].folder = plan_.folder + "/process" + std::to_string(i);
      slots[i].database = i;
    }
    double told = 0;
    while (true) {
      bool goes_on = false;
      for (Slot& slot : slots) {
        const bool is_over = result_.status != 0 ||
                             (plan_.lives > 0 ? begun_ >= plan_.lives : seconds() >= plan_.seconds);
        if (slot.process == 0 && !is_over) Begin(&slot);
        if (slot.process != 0) Look(&slot);
        goes_on = goes_on || slot.process != 0 || !is_over;
      }
      if (!goes_on) break;
      if (plan_.progress && seconds() >= told + 10) {
        told = seconds();
        const KernelSums total = result_.Total();
        std::fprintf(stderr,
                     "winnow_stress: %.0f s: %llu lives, %llu kills, %llu answers compared, %llu "
                     "lookups in Winnow filters\n",
                     told, static_cast<unsigned long long>(total.lives),
                     static_cast<unsigned long long>(total.kills), At(total, Count::kAnswers),
                     At(total, Count::kLookups));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    result_.seconds = seconds();
    return std::move(result_);
  }

 private:
  static unsigned long long At(const KernelSums& sums, Count count) {
    return sums.counts[static_cast<size_t>(count)];
  }

  void Begin(Slot* slot) {
    if (slot->lives % plan_.lives_of_database == 0) {
      slot->counts.reset();
      fs::remove_all(slot->folder);
      fs::create_directories(slot->folder);
      slot->counts = std::make_unique<Counts>(slot->folder + "/counts");
      slot->database += slot->lives == 0 ? 0 : plan_.processes;
    }
    slot->counts->Clear();
    if (slot->is_killed && slot->lives % plan_.lives_of_database != 0) {
      slot->counts->Add(Count::kRecoveries);
    }
    slot->kernel = plan_.kernels.empty() ? "" : plan_.kernels[begun_ % plan_.kernels.size()];
    slot->is_killed = false;
    slot->kill_at.reset();
    if (plan_.kill && random_.Below(4) != 0) {
      const double share = static_cast<double>(1 + random_.Below(1000)) / 1000;
      slot->kill_at = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(share * plan_.life.seconds));
    }
    slot->process = StartProcess(Command(plan_, *slot, random_.Next()), slot->folder,
                                 Environment(slot->kernel));
    ++slot->lives;
    ++begun_;
  }

  // Kills the process if due, and adds its counts if it has ended.
  void Look(Slot* slot) {
    if (slot->kill_at && !slot->is_killed && Clock::now() >= *slot->kill_at) {
      slot->is_killed = true;
      kill(slot->process, SIGKILL);
    }
    int status = 0;
    if (waitpid(slot->process, &status, WNOHANG) != slot->process) return;
    slot->process = 0;
    KernelSums& sums = result_.kernels[slot->kernel];
    ++sums.lives;
    const Sums counts = slot->counts->Take();
    for (size_t i = 0; i < kCounts; ++i) sums.counts[i] += counts[i];
    const bool was_killed = slot->is_killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (was_killed) {
      ++sums.kills;
    } else if (status != 0) {
      Report(*slot, status);
    }
  }

  void Report(const Slot& slot, int status) {
    const bool is_verdict = WIFEXITED(status) && WEXITSTATUS(status) < kAbnormalEnd;
    if (result_.status == 0) result_.status = is_verdict ? WEXITSTATUS(status) : kAbnormalEnd;
    std::printf("winnow_stress: the process in %s %s\n", slot.folder.c_str(),
                HowItEnded(status).c_str());
    std::printf("its kernel was \"%s\"; its folder is left as it is. What it said:\n",
                slot.kernel.c_str());
    std::fflush(stdout);
    const int file = open((slot.folder + "/output.txt").c_str(), O_RDONLY);
    char buffer[4096];
    for (ssize_t n; file >= 0 && (n = read(file, buffer, sizeof buffer)) > 0;) {
      if (write(STDOUT_FILENO, buffer, static_cast<size_t>(n)) != n) break;
    }
    if (file >= 0) close(file);
  }

  const StressPlan& plan_;
  testing::RandomHashes random_;
  uint64_t begun_ = 0;
  StressResult result_;
};

}  // namespace

KernelSums StressResult::Total() const {
  KernelSums total;
  for (const auto& [kernel, sums] : kernels) {
    total.lives += sums.lives;
    total.kills += sums.kills;
    for (size_t i = 0; i < kCounts; ++i) total.counts[i] += sums.counts[i];
  }
  return total;
}

int RunLifeOf(int argc, char** argv) {
  if (argc != 12) return 2;
  const std::vector<std::string> words(argv + 2, argv + argc);
  LifePlan plan;
  plan.program = fs::read_symlink("/proc/self/exe").string();
  plan.folder = words[0];
  plan.seed = std::stoull(words[1]);
  plan.with_merges = words[2] == "merges";
  plan.threads = static_cast<unsigned>(std::stoul(words[3]));
  plan.keys = std::stoull(words[4]);
  plan.operations = std::stoull(words[5]);
  plan.sessions = std::stoull(words[6]);
  plan.seconds = std::stod(words[7]);
  plan.plans = words[8] == "plans";
  plan.fault = static_cast<Fault>(std::stoi(words[9]));
  Counts counts(plan.folder + "/counts");
  return RunLife(plan, &counts);
}

StressResult RunStress(const StressPlan& plan) { return Supervisor(plan).Run(); }

}  // namespace winnow::stress
