// A server that speaks the Redis protocol with scripted answers.

#ifndef WINNOW_STREAMS_TESTS_REDIS_FAKE_SERVER_H_
#define WINNOW_STREAMS_TESTS_REDIS_FAKE_SERVER_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace winnow::testing {

// Listens on a free port of the loopback interface, in its own thread. Answers CLUSTER SLOTS
// itself, as a cluster node; a function of the test answers everything else.
class FakeServer {
 public:
  using Words = std::vector<std::string>;
  // Returns the bytes of an answer, possibly a partial one or none. If it throws Cut, the
  // connection is closed after its bytes are sent.
  using Answer = std::function<std::string(const Words&)>;
  struct Cut {
    std::string bytes;
  };

  explicit FakeServer(Answer answer) : answer_(std::move(answer)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    // Fixed size: Linux would otherwise enlarge the buffer up to everything that a test sends while
    // the server is slow to read.
    const int buffer = 1 << 17;
    setsockopt(listener_, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
        listen(listener_, 16) != 0 || pipe(stop_) != 0) {
      throw std::runtime_error("there is no free port");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~FakeServer() {
    close(stop_[1]);
    thread_.join();
    close(stop_[0]);
    close(listener_);
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  int port() const { return port_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  struct Range {
    int first;
    int last;
    const FakeServer* master;
  };
  // Sets the answer to CLUSTER SLOTS.
  void SetSlots(const std::vector<Range>& ranges) {
    std::string text = "*" + std::to_string(ranges.size()) + "\r\n";
    for (const Range& range : ranges) {
      const std::string port = std::to_string(range.master->port());
      text += "*3\r\n:" + std::to_string(range.first) + "\r\n:" + std::to_string(range.last) +
              "\r\n*3\r\n$9\r\n127.0.0.1\r\n:" + port + "\r\n$" + std::to_string(port.size()) +
              "\r\n" + port + "\r\n";
    }
    SetAnswerToSlots(text);
  }
  void SetAnswerToSlots(const std::string& text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    slots_ = text;
  }
  // Sets the config epochs of the masters, whose ids are their ports.
  void SetEpochs(const std::vector<std::pair<const FakeServer*, int>>& epochs) {
    std::string text;
    for (const auto& [server, epoch] : epochs) {
      const std::string id = std::to_string(server->port());
      text += id + " 127.0.0.1:" + id + "@1 master - 0 0 " + std::to_string(epoch) +
              " connected 0-16383\n";
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    nodes_ = "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
  }
  // Sets the answer function and clears the list of received commands.
  void SetAnswer(Answer answer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    answer_ = std::move(answer);
    received_.clear();
  }
  // Closes the existing connections.
  void CutAll() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& connection : connections_) shutdown(connection->socket, SHUT_RDWR);
  }

  // Returns all commands except CLUSTER, each with its words separated by spaces.
  std::vector<std::string> Received() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return received_;
  }

 private:
  struct Connection {
    ~Connection() { close(socket); }
    int socket = -1;
    std::string bytes;
  };

  void Serve() {
    for (;;) {
      std::vector<pollfd> polled = {{stop_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
      for (const auto& connection : connections_) polled.push_back({connection->socket, POLLIN, 0});
      if (poll(polled.data(), polled.size(), -1) < 0) continue;
      if (polled[0].revents != 0) break;
      const std::lock_guard<std::mutex> lock(mutex_);
      for (size_t i = polled.size(); i-- > 2;) {
        if (polled[i].revents != 0 && !Hear(connections_[i - 2].get())) {
          connections_.erase(connections_.begin() + static_cast<ptrdiff_t>(i - 2));
        }
      }
      if (polled[1].revents != 0) {
        connections_.push_back(std::make_unique<Connection>());
        connections_.back()->socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      }
    }
    connections_.clear();
  }

  // Reads from a connection; returns false at its end.
  bool Hear(Connection* connection) {
    char bytes[1 << 16];
    const ssize_t size = recv(connection->socket, bytes, sizeof(bytes), 0);
    if (size <= 0) return false;
    connection->bytes.append(bytes, static_cast<size_t>(size));
    for (Words words; !(words = TakeCommand(&connection->bytes)).empty();) {
      try {
        Say(*connection, AnswerTo(words));
      } catch (const Cut& cut) {
        Say(*connection, cut.bytes);
        return false;
      }
    }
    return true;
  }

  std::string AnswerTo(const Words& words) {
    if (words[0] == "CLUSTER") {
      return words[1] == "SLOTS" ? slots_ : words[1] == "NODES" ? nodes_ : "-NOPERM\r\n";
    }
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    received_.push_back(line);
    return answer_(words);
  }

  static void Say(const Connection& connection, const std::string& bytes) {
    for (size_t sent = 0; sent < bytes.size();) {
      const ssize_t size =
          send(connection.socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (size <= 0) return;
      sent += static_cast<size_t>(size);
    }
  }

  // Removes and returns the first command if it is complete, else returns no words.
  static Words TakeCommand(std::string* bytes) {
    size_t at = 0;
    const auto number = [&](char mark) {
      const size_t end = bytes->find("\r\n", at);
      if (end == std::string::npos || (*bytes)[at] != mark) return -1L;
      const long value = atol(bytes->c_str() + at + 1);
      at = end + 2;
      return value;
    };
    Words words;
    const long count = number('*');
    for (long i = 0; i < count; ++i) {
      const long size = number('$');
      if (size < 0 || bytes->size() < at + static_cast<size_t>(size) + 2) return {};
      words.push_back(bytes->substr(at, static_cast<size_t>(size)));
      at += static_cast<size_t>(size) + 2;
    }
    bytes->erase(0, at);
    return words;
  }

  int listener_ = -1;
  int stop_[2] = {-1, -1};
  int port_ = 0;
  mutable std::mutex mutex_;
  Answer answer_;
  std::string slots_ = "-CLUSTERDOWN its slots are not said\r\n";
  std::string nodes_ = "-NOPERM\r\n";
  std::vector<std::string> received_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::thread thread_;
};

// Returns the answer to a line of 16 bits whose key is complete.
inline std::string BitsWere(int bits) {
  std::string answer = "*17\r\n";
  for (int i = 0; i < 16; ++i) answer += ":" + std::to_string(bits) + "\r\n";
  return answer + ":1\r\n";
}

// Returns an answer function of a server with one stream: of_line answers the lines of `winnow
// dedup`, by default as new ones. `mode` is "standalone" or "cluster".
inline FakeServer::Answer WithAStream(
    std::string mode,
    FakeServer::Answer of_line = [](const FakeServer::Words&) { return BitsWere(0); }) {
  return [mode, of_line, plan = std::string()](const FakeServer::Words& words) mutable {
    const auto bulk = [](const std::string& text) {
      return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
    };
    const std::string& word = words[0];
    if (word == "BITFIELD") return of_line(words);
    if (word == "HELLO") return "*2\r\n" + bulk("mode") + bulk(mode);
    if (word == "SET") plan = words[2];
    if (word == "GET") return plan.empty() ? std::string("$-1\r\n") : bulk(plan);
    const bool is_one = word == "GETBIT" || word == "SETBIT" || word == "WAIT";
    const bool is_none = word == "EXISTS" || word == "BITCOUNT";
    return std::string(is_one ? ":1\r\n" : is_none ? ":0\r\n" : "+OK\r\n");
  };
}

}  // namespace winnow::testing

#endif  // WINNOW_STREAMS_TESTS_REDIS_FAKE_SERVER_H_
