#include "src/workers/worker_pool.h"

#include <absl/strings/str_cat.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "src/workers/child_processes.h"

namespace winnow::inspect {
namespace {

// Messages on a socket: to a worker, the index of a piece; from a worker, frames.
constexpr char kReport = 'r';
constexpr char kAnswer = 'a';
struct FrameHead {
  char type = kReport;
  uint64_t bytes = 0;
};

bool SendAll(int socket, const void* bytes, size_t size) {
  const char* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t sent = send(socket, next, size, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) {
      return false;
    }
    next += std::max<ssize_t>(sent, 0);
    size -= static_cast<size_t>(std::max<ssize_t>(sent, 0));
  }
  return true;
}

// Returns false at the end of the stream.
bool ReceiveAll(int socket, void* bytes, size_t size) {
  char* next = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = recv(socket, next, size, 0);
    if (got == 0 || (got < 0 && errno != EINTR)) {
      return false;
    }
    next += std::max<ssize_t>(got, 0);
    size -= static_cast<size_t>(std::max<ssize_t>(got, 0));
  }
  return true;
}

bool SendFrame(int socket, char type, std::string_view text) {
  FrameHead head;
  head.type = type;
  head.bytes = text.size();
  return SendAll(socket, &head, sizeof(head)) && SendAll(socket, text.data(), text.size());
}

struct Worker {
  pid_t process = -1;
  int socket = -1;
  std::optional<size_t> piece;                      // current piece
  std::string heard;                                // received part of a frame
  std::chrono::steady_clock::time_point last_sign;  // time of the last report or the start of this
                                                    // piece
};

class Pool {
 public:
  Pool(size_t pieces, const PooledWork& work) : pieces_(pieces), work_(work) {}

  ~Pool() {
    for (Worker& worker : workers_) {
      End(&worker, /*by_force=*/false);
    }
  }

  void Run() {
    const auto wanted = std::min(pieces_, static_cast<size_t>(std::max(work_.workers, 1)));
    workers_.resize(wanted);
    for (Worker& worker : workers_) {
      GiveNext(&worker);
    }
    while (std::any_of(workers_.begin(), workers_.end(),
                       [](const Worker& worker) { return worker.piece.has_value(); })) {
      Listen();
    }
  }

 private:
  // Gives the worker the next piece, and starts a process if there is none; pieces for which this
  // fails are answered.
  void GiveNext(Worker* worker) {
    worker->piece.reset();
    while (next_ < pieces_ && !worker->piece) {
      const size_t piece = next_++;
      std::string problem = worker->process < 0 ? Start(worker) : std::string();
      const uint64_t number = piece;
      if (problem.empty() && !SendAll(worker->socket, &number, sizeof(number))) {
        problem = End(worker, /*by_force=*/true);
      }
      if (problem.empty()) {
        worker->piece = piece;
        worker->last_sign = work_.now();
      } else {
        work_.on_answer(piece, ChildAnswer{std::nullopt, problem});
      }
    }
  }

  // Starts a process. Returns an empty string, or the reason why it failed.
  std::string Start(Worker* worker) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      return absl::StrCat("no socket could be made: ", strerror(errno));
    }
    worker->process = ForkChild();
    if (worker->process == 0) {
      close(ends[0]);
      // Closes inherited sockets of other workers, which would not notice the end of the parent
      // otherwise.
      for (const Worker& other : workers_) {
        if (other.socket >= 0) {
          close(other.socket);
        }
      }
      BeWorker(ends[1]);
    }
    const int fork_error = errno;
    close(ends[1]);
    if (worker->process < 0) {
      close(ends[0]);
      return absl::StrCat("no process could be made: ", strerror(fork_error));
    }
    worker->socket = ends[0];
    return std::string();
  }

  [[noreturn]] void BeWorker(int socket) const {
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGABRT, SIG_DFL);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
      dup2(nowhere, STDERR_FILENO);
    }
    const WorkerReport report = [socket](std::string_view text) {
      SendFrame(socket, kReport, text);
    };
    uint64_t piece = 0;
    bool served = true;
    while (served && ReceiveAll(socket, &piece, sizeof(piece))) {
      served = SendFrame(socket, kAnswer, work_.work(piece, report));
    }
    _exit(0);  // skips destructors of objects that the parent owns as well
  }

  void Listen() {
    std::vector<pollfd> sockets;
    std::vector<Worker*> busy;
    for (Worker& worker : workers_) {
      if (worker.piece) {
        sockets.push_back({worker.socket, POLLIN, 0});
        busy.push_back(&worker);
      }
    }
    constexpr int kSecond = 1000;
    poll(sockets.data(), sockets.size(), kSecond);
    for (size_t i = 0; i < busy.size(); ++i) {
      if (sockets[i].revents != 0) {
        Hear(busy[i]);
      } else if (work_.now() - busy[i]->last_sign > work_.longest_silence) {
        End(busy[i], /*by_force=*/true);
        Lose(busy[i], absl::StrCat("it did nothing for ", work_.longest_silence.count(), " s"));
      }
    }
  }

  // Receives frames. A worker may end or hang in the middle of a frame.
  void Hear(Worker* worker) {
    char buffer[1 << 16];
    const ssize_t got = recv(worker->socket, buffer, sizeof(buffer), 0);
    if (got == 0 || (got < 0 && errno != EINTR)) {
      Lose(worker, End(worker, /*by_force=*/false));
      return;
    }
    worker->heard.append(buffer, static_cast<size_t>(std::max<ssize_t>(got, 0)));
    FrameHead head;
    while (worker->heard.size() >= sizeof(head)) {
      memcpy(&head, worker->heard.data(), sizeof(head));
      if (worker->heard.size() - sizeof(head) < head.bytes) {
        return;
      }
      std::string text = worker->heard.substr(sizeof(head), head.bytes);
      worker->heard.erase(0, sizeof(head) + head.bytes);
      worker->last_sign = work_.now();
      if (head.type == kAnswer) {
        work_.on_answer(*worker->piece, ChildAnswer{std::move(text), std::string()});
        GiveNext(worker);
      } else if (work_.on_report) {
        work_.on_report(*worker->piece, text);
      }
    }
  }

  void Lose(Worker* worker, const std::string& problem) {
    work_.on_answer(*worker->piece, ChildAnswer{std::nullopt, problem});
    GiveNext(worker);
  }

  // Ends a worker. Returns how it ended, as a clause.
  std::string End(Worker* worker, bool by_force) {
    if (worker->process < 0) {
      return std::string();
    }
    close(worker->socket);
    if (by_force) {
      kill(worker->process, SIGKILL);
    }
    const int status = WaitForChild(worker->process);
    worker->process = -1;
    worker->socket = -1;
    worker->heard.clear();
    return WIFSIGNALED(status) ? absl::StrCat("it ended by signal ", WTERMSIG(status), " (",
                                              strsignal(WTERMSIG(status)), ")")
                               : absl::StrCat("it ended with exit code ", WEXITSTATUS(status));
  }

  const size_t pieces_;
  const PooledWork& work_;
  size_t next_ = 0;
  std::vector<Worker> workers_;
};

}  // namespace

void RunInWorkers(size_t pieces, const PooledWork& work) { Pool(pieces, work).Run(); }

ChildAnswer AskChild(const std::function<std::string()>& work, std::chrono::seconds limit) {
  ChildAnswer answer;
  PooledWork pooled;
  pooled.work = [&work](size_t, const WorkerReport&) { return work(); };
  pooled.on_answer = [&answer](size_t, const ChildAnswer& given) { answer = given; };
  pooled.longest_silence = limit;
  RunInWorkers(1, pooled);
  return answer;
}

}  // namespace winnow::inspect
