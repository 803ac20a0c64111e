// A Redis server for a test, on a free port of the loopback interface.

#ifndef WINNOW_STREAMS_TESTS_SUPPORT_STARTED_REDIS_H_
#define WINNOW_STREAMS_TESTS_SUPPORT_STARTED_REDIS_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "streams/tests/support/redis_program.h"
#include "tests/support/becomes.h"
#include "tests/support/child_process.h"
#include "tests/support/files.h"

namespace winnow::testing {

// Runs without persistence unless the options enable it, and with TLS on a second port if they name
// a certificate. Stopped by the destructor; killed when the thread that started it ends, even by a
// signal.
class StartedRedis {
 public:
  // Throws std::runtime_error if the server does not start.
  explicit StartedRedis(std::vector<std::string> options = {}) : options_(std::move(options)) {
    // Another process may take the port first.
    for (int attempt = 0; attempt < 5; ++attempt) {
      port_ = FreePort();
      tls_port_ = HasTls() ? FreePort() : 0;
      if (Starts({})) return;
      Stop();
    }
    DoesNotStart();
  }
  ~StartedRedis() { Stop(); }
  StartedRedis(const StartedRedis&) = delete;
  StartedRedis& operator=(const StartedRedis&) = delete;

  int port() const { return port_; }
  int tls_port() const { return tls_port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  // Returns the output of redis-cli without its last newline.
  std::string Ask(const std::vector<std::string>& command,
                  const std::vector<std::string>& environment = {}) const {
    std::vector<std::string> words = {RedisCliProgram(), "-p", std::to_string(port_)};
    words.insert(words.end(), command.begin(), command.end());
    std::string output = RunProgram(words, environment).output;
    while (!output.empty() && output.back() == '\n') output.pop_back();
    return output;
  }

  // Restarts after Stop(), on the same port; `more` are options for this run only.
  void Restart(const std::vector<std::string>& more = {}) {
    if (!Starts(more)) DoesNotStart();
  }

  // Suspends the server, as an overload or a network failure would: connections stay open without
  // answers.
  void Pause() const { kill(process_, SIGSTOP); }
  void Continue() const { kill(process_, SIGCONT); }

  // Kills the server, as in a power failure.
  void Stop() {
    if (process_ == 0) return;
    kill(process_, SIGKILL);
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
  }

  // Returns a free port such that the port 10,000 above it, used in cluster mode, is also free.
  // Both are below the ephemeral range of Linux, whose clients would take them while the server is
  // stopped.
  static int FreePort() {
    std::random_device random;
    for (int attempt = 0; attempt < 100; ++attempt) {
      const int port = 10'000 + static_cast<int>(random() % 12'000);
      if (IsFree(port) && IsFree(port + 10'000)) return port;
    }
    throw std::runtime_error("there is no free port");
  }

 private:
  [[noreturn]] void DoesNotStart() const {
    throw std::runtime_error(RedisServerProgram() +
                             " does not start: " + ReadFile(folder_ / "log"));
  }

  bool HasTls() const {
    return std::find(options_.begin(), options_.end(), "--tls-cert-file") != options_.end();
  }

  static bool IsFree(int port) {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // Ignores connections of an earlier server in TIME_WAIT.
    const int reuse = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    const bool is_free =
        bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    close(listener);
    return is_free;
  }

  bool Starts(const std::vector<std::string>& more) {
    // A Sentinel requires a configuration file; other servers accept one.
    WriteFile(folder_ / "conf", "");
    std::vector<std::string> words = {"setpriv",  // a killed test leaves no server
                                      "--pdeathsig",
                                      "KILL",
                                      RedisServerProgram(),
                                      folder_ / "conf",
                                      "--port",
                                      std::to_string(port_),
                                      "--bind",
                                      "127.0.0.1",
                                      "--dir",
                                      folder_.path(),
                                      "--logfile",
                                      folder_ / "log",
                                      "--save",
                                      "",
                                      "--appendonly",
                                      "no"};
    if (HasTls()) words.insert(words.end(), {"--tls-port", std::to_string(tls_port_)});
    words.insert(words.end(), options_.begin(), options_.end());
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    if (posix_spawnp(&process_, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) {
      process_ = 0;
    }
    return Answers();
  }

  // Returns whether the server answers, also by asking for a password or by saying that it loads
  // its data.
  bool Answers() {
    bool answers = false;
    const auto answers_or_ends = [&] {
      if (process_ == 0) return true;
      const std::string answer = Ask({"ping"});
      answers = answer == "PONG" || answer.find("NOAUTH") != std::string::npos ||
                answer.find("LOADING") != std::string::npos;
      if (answers) return true;
      int status = 0;
      if (waitpid(process_, &status, WNOHANG) != 0) process_ = 0;
      return process_ == 0;
    };
    return Becomes(answers_or_ends, std::chrono::milliseconds(25)) && answers;
  }

  const TemporaryFolder folder_;
  const std::vector<std::string> options_;
  int port_ = 0;
  int tls_port_ = 0;
  pid_t process_ = 0;
};

}  // namespace winnow::testing

#endif  // WINNOW_STREAMS_TESTS_SUPPORT_STARTED_REDIS_H_
