// A Redis Cluster for a test: masters and replicas on free ports of the loopback interface.

#ifndef WINNOW_STREAMS_TESTS_SUPPORT_STARTED_CLUSTER_H_
#define WINNOW_STREAMS_TESTS_SUPPORT_STARTED_CLUSTER_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "streams/tests/support/started_redis.h"
#include "tests/support/becomes.h"

namespace winnow::testing {

// Nodes have numbers: the first ones begin as masters, with equal ranges of slots in order, and the
// others are assigned to them as replicas in turn. Waiting functions throw std::runtime_error, with
// each node's state, after two minutes.
class StartedCluster {
 public:
  static constexpr int kNumSlots = 16'384;

  // Options with which a dead master is replaced after about two seconds instead of half a minute;
  // on a busy machine, live masters may be replaced too.
  static std::vector<std::string> FailsOverSoon() { return {"--cluster-node-timeout", "1000"}; }

  // Starts the cluster and returns when all nodes agree. All servers get the options. With
  // --requirepass, nodes and Ask() use that password; with --tls-cluster, nodes communicate by TLS.
  explicit StartedCluster(int masters = 3, int replicas_each = 1,
                          std::vector<std::string> options = {}) {
    const auto password = std::find(options.begin(), options.end(), "--requirepass");
    if (password != options.end()) {
      const std::string words = *(password + 1);
      environment_ = {"REDISCLI_AUTH=" + words};
      options.insert(options.end(), {"--masterauth", words});
    }
    has_tls_ = std::find(options.begin(), options.end(), "--tls-cluster") != options.end();
    // The test's own options take precedence.
    std::vector<std::string> all = {"--cluster-enabled", "yes", "--cluster-node-timeout", "15000",
                                    // A paused master's replica is as good as any other.
                                    "--cluster-replica-validity-factor", "0",
                                    "--cluster-allow-replica-migration", "no",
                                    "--repl-diskless-sync-delay", "0"};
    all.insert(all.end(), options.begin(), options.end());
    for (int i = 0; i < masters * (1 + replicas_each); ++i) {
      nodes_.push_back(std::make_unique<Node>(all));
      nodes_.back()->id = Ask(i, {"cluster", "myid"});
    }
    Form(masters);
  }

  int size() const { return static_cast<int>(nodes_.size()); }
  const StartedRedis& node(int i) const { return nodes_[static_cast<size_t>(i)]->server; }
  std::string address(int i) const { return node(i).address(); }
  // Returns the addresses of all nodes, separated by commas.
  std::string addresses() const {
    std::string all;
    for (int i = 0; i < size(); ++i) all += (i == 0 ? "" : ",") + address(i);
    return all;
  }
  const std::string& id(int i) const { return nodes_[static_cast<size_t>(i)]->id; }

  // Returns the output of redis-cli without its last newline; redirects are not followed.
  std::string Ask(int i, const std::vector<std::string>& command) const {
    return node(i).Ask(command, environment_);
  }

  // Returns the masters with slots, as the running nodes see them, in the order of their slots.
  std::vector<int> Masters() const {
    std::vector<std::pair<int, int>> by_slot;
    for (int i = 0; i < size(); ++i) {
      if (!Runs(i)) continue;
      const Said own = Own(Views(i));
      if (own.is_master && !own.slots.empty()) by_slot.emplace_back(own.slots[0].first, i);
    }
    std::sort(by_slot.begin(), by_slot.end());
    std::vector<int> masters;
    for (const auto& [slot, i] : by_slot) masters.push_back(i);
    return masters;
  }
  // Returns the slot's master. Throws std::runtime_error if there is none.
  int MasterOf(int slot) const {
    for (int i = 0; i < size(); ++i) {
      if (!Runs(i)) continue;
      const Said own = Own(Views(i));
      if (own.is_master && own.Has(slot)) return i;
    }
    Fails("no node is master of slot " + std::to_string(slot));
  }
  // Returns the first running replica of this node, or -1.
  int ReplicaOf(int master) const {
    for (int i = 0; i < size(); ++i) {
      if (Runs(i) && Own(Views(i)).master_id == id(master)) return i;
    }
    return -1;
  }

  // Kills a node, as in a power failure, without waiting for the cluster's reaction.
  void Kill(int i) {
    at(i).server.Stop();
    at(i).state = State::kDead;
  }
  // Kills a master, and waits until its replica is promoted and all nodes agree.
  void KillMaster(int i) {
    if (!Own(Views(i)).is_master) Fails("node " + std::to_string(i) + " is no master");
    Kill(i);
    WaitUntilWhole();
  }
  // Restarts a killed node, which is then empty, and waits until the cluster is complete. Usually
  // it becomes a replica with all data.
  void Restart(int i) {
    at(i).server.Restart();
    at(i).state = State::kRuns;
    WaitUntilWhole();
  }

  // Suspends a node: its connections stay open without answers. Another node replaces a master
  // meanwhile.
  void StopNode(int i) {
    at(i).server.Pause();
    at(i).state = State::kPaused;
  }
  void ContinueNode(int i) {
    at(i).server.Continue();
    at(i).state = State::kRuns;
  }

  template <typename Condition>
  void WaitUntil(const std::string& what, const Condition& holds) const {
    if (!Becomes(holds, std::chrono::milliseconds(25))) Fails("two minutes passed before " + what);
  }

  // Waits until all running nodes agree that the cluster is ok and about the owner of each slot, no
  // slot belongs to a node that does not run, and replicas are connected to their masters.
  void WaitUntilWhole() const {
    WaitUntil("the cluster is whole", [&] { return IsWhole(); });
  }
  // Waits until replicas have what their masters have now.
  void WaitUntilReplicated() const {
    std::vector<std::pair<int, uint64_t>> expected;
    for (const int master : Masters()) {
      const uint64_t offset = Number(Ask(master, {"info", "replication"}), "master_repl_offset:");
      const int replica = ReplicaOf(master);
      if (replica >= 0) expected.emplace_back(replica, offset);
    }
    WaitUntil("replicas have what masters have", [&] {
      return std::all_of(expected.begin(), expected.end(), [&](const auto& one) {
        return Number(Ask(one.first, {"info", "replication"}), "slave_repl_offset:") >= one.second;
      });
    });
  }

  // Moves a slot with its keys, in the steps of redis-cli. Between the steps, the old master
  // answers ASK for keys that it no longer has.
  void MoveSlot(int slot, int to) {
    BeginMove(slot, to);
    MoveKeys(slot, to);
    EndMove(slot, to);
  }
  void BeginMove(int slot, int to) {
    const std::string name = std::to_string(slot);
    const int from = MasterOf(slot);
    Expect(to, {"cluster", "setslot", name, "importing", id(from)});
    Expect(from, {"cluster", "setslot", name, "migrating", id(to)});
  }
  // Moves keys and returns their number.
  int MoveKeys(int slot, int to, int at_most = 1'000'000) {
    const int from = MasterOf(slot);
    const std::string keys =
        Ask(from, {"cluster", "getkeysinslot", std::to_string(slot), std::to_string(at_most)});
    std::istringstream lines(keys);
    int moved = 0;
    for (std::string key; std::getline(lines, key) && !key.empty(); ++moved) {
      std::vector<std::string> migrate = {"migrate", "127.0.0.1", NodePort(to), key, "0", "60000"};
      if (!environment_.empty()) {
        migrate.insert(migrate.end(), {"auth", environment_[0].substr(sizeof("REDISCLI_AUTH"))});
      }
      const std::string answer = Ask(from, migrate);
      if (answer != "OK" && answer != "NOKEY") Fails("a key does not move: " + answer);
    }
    return moved;
  }
  // Ends the migration and waits until all nodes agree.
  void EndMove(int slot, int to) {
    const int from = MasterOf(slot);
    for (const int i : {to, from}) {
      Expect(i, {"cluster", "setslot", std::to_string(slot), "node", id(to)});
    }
    WaitUntilWhole();
  }

 private:
  enum class State { kRuns, kPaused, kDead };
  struct Node {
    explicit Node(const std::vector<std::string>& options) : server(options) {}
    StartedRedis server;
    std::string id;
    State state = State::kRuns;
  };
  // One node's view of a node.
  struct Said {
    bool Has(int slot) const {
      return std::any_of(slots.begin(), slots.end(), [&](const std::pair<int, int>& range) {
        return range.first <= slot && slot <= range.second;
      });
    }
    bool IsSameAs(const Said& other) const {
      return is_master == other.is_master && master_id == other.master_id && slots == other.slots;
    }

    std::string id;
    bool is_itself = false;
    bool is_master = false;
    bool is_well = false;
    std::string master_id;                   // master of a replica; else "-"
    std::vector<std::pair<int, int>> slots;  // inclusive ranges
  };

  // Returns the port for connections of other nodes.
  std::string NodePort(int i) const {
    return std::to_string(has_tls_ ? node(i).tls_port() : node(i).port());
  }

  Node& at(int i) { return *nodes_[static_cast<size_t>(i)]; }
  bool Runs(int i) const { return nodes_[static_cast<size_t>(i)]->state == State::kRuns; }

  std::vector<Said> Views(int i) const {
    std::vector<Said> views;
    std::istringstream lines(Ask(i, {"cluster", "nodes"}));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      Said said;
      std::string address, flags, sent, received, epoch, link;
      words >> said.id >> address >> flags >> said.master_id >> sent >> received >> epoch >> link;
      const auto has = [&](const char* flag) { return flags.find(flag) != std::string::npos; };
      said.is_itself = has("myself");
      said.is_master = has("master");
      said.is_well = !has("fail") && !has("handshake") && !has("noaddr");
      for (std::string range; words >> range && range[0] != '[';) {
        const size_t dash = range.find('-');
        said.slots.emplace_back(atoi(range.c_str()),
                                atoi(range.c_str() + (dash == std::string::npos ? 0 : dash + 1)));
      }
      views.push_back(said);
    }
    return views;
  }
  static Said Own(const std::vector<Said>& views) {
    for (const Said& said : views) {
      if (said.is_itself) return said;
    }
    return {};
  }

  bool IsWhole() const {
    std::vector<std::vector<Said>> views(nodes_.size());
    int covered = 0;
    for (int i = 0; i < size(); ++i) {
      if (!Runs(i)) continue;
      views[static_cast<size_t>(i)] = Views(i);
      if (Ask(i, {"cluster", "info"}).find("cluster_state:ok") == std::string::npos) return false;
    }
    for (int i = 0; i < size(); ++i) {
      if (!Runs(i)) continue;
      const Said own = Own(views[static_cast<size_t>(i)]);
      for (const auto& [first, last] : own.slots) covered += last - first + 1;
      for (int j = 0; j < size(); ++j) {
        if (Runs(j) && !Believes(views[static_cast<size_t>(j)], own)) return false;
      }
      for (const Said& said : views[static_cast<size_t>(i)]) {
        if (!said.is_well && !said.slots.empty()) return false;
      }
      if (!own.is_master &&
          Ask(i, {"info", "replication"}).find("master_link_status:up") == std::string::npos) {
        return false;
      }
    }
    return covered == kNumSlots;
  }
  static bool Believes(const std::vector<Said>& views, const Said& own) {
    return std::any_of(views.begin(), views.end(), [&](const Said& said) {
      return said.id == own.id && said.is_well && said.IsSameAs(own);
    });
  }

  void Form(int masters) {
    for (int i = 0; i < size(); ++i) {
      // Distinct epochs keep nodes from resolving epoch collisions one after another.
      Expect(i, {"cluster", "set-config-epoch", std::to_string(i + 1)});
      if (i < masters) {
        Expect(i, {"cluster", "addslotsrange", std::to_string(kNumSlots * i / masters),
                   std::to_string(kNumSlots * (i + 1) / masters - 1)});
      }
      for (int j = 0; j < i; ++j) {
        Expect(i, {"cluster", "meet", "127.0.0.1", NodePort(j)});
      }
    }
    for (int i = masters; i < size(); ++i) {
      // The command succeeds once the node knows the master.
      WaitUntil("the nodes have met", [&] {
        return Ask(i, {"cluster", "replicate", id((i - masters) % masters)}) == "OK";
      });
    }
    WaitUntilWhole();
  }

  void Expect(int i, const std::vector<std::string>& command) const {
    const std::string answer = Ask(i, command);
    if (answer != "OK") Fails("node " + std::to_string(i) + " says " + answer);
  }

  static uint64_t Number(const std::string& info, const std::string& name) {
    const size_t at = info.find(name);
    return at == std::string::npos ? 0 : strtoull(info.c_str() + at + name.size(), nullptr, 10);
  }

  [[noreturn]] void Fails(const std::string& why) const {
    std::string all = why;
    for (int i = 0; i < size(); ++i) {
      all += "\nnode " + std::to_string(i) + ", " + address(i) + ":\n" +
             (Runs(i) ? Ask(i, {"cluster", "nodes"}) : "does not run");
    }
    throw std::runtime_error(all);
  }

  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::string> environment_;  // environment of redis-cli
  bool has_tls_ = false;
};

}  // namespace winnow::testing

#endif  // WINNOW_STREAMS_TESTS_SUPPORT_STARTED_CLUSTER_H_
