// Driver of fuzz targets for compilers without libFuzzer. Supports the libFuzzer flags that
// tools/fuzz.sh uses:
//
//   TARGET [-max_total_time=SECONDS] [-runs=N] [-seed=N] [-artifact_prefix=PREFIX] [FOLDER…]
//   TARGET FILE…                                runs only these inputs
//
// Without a limit, only the inputs in the folders are run. With a time limit, inputs that have a
// new trait are written to the first folder. Other flags of libFuzzer are ignored.
//
// An input that crashes is written to PREFIXcrash-HASH; the exit status is that of the signal or
// the sanitizer. A run of at least a thousand mutated inputs, hardly any of which was a usable
// block, exits with 3: the target or its mutator is broken.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unordered_set>
#include <vector>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/traits.h"
#include "tests/support/random_hashes.h"

// Runtime of a sanitizer, if one is linked.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using winnow::fuzz::counts;
using winnow::fuzz::kMaxInputBytes;
using winnow::fuzz::traits;
using winnow::testing::RandomHashes;

RandomHashes byte_random(1);

// ---- The current input, and its crash file

struct Running {
  const uint8_t* data = nullptr;
  size_t size = 0;
  char path[1024] = "";
};
Running running;

// Writes the current input to its crash file. Async-signal-safe.
void LeaveInput() {
  if (running.data == nullptr) return;
  const int file = open(running.path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) return;
  size_t written = 0;
  while (written < running.size) {
    const ssize_t n = write(file, running.data + written, running.size - written);
    if (n <= 0) break;
    written += static_cast<size_t>(n);
  }
  close(file);
  running.data = nullptr;
  const char said[] = "the input was left as ";
  if (write(2, said, sizeof said - 1) < 0 ||
      write(2, running.path, std::strlen(running.path)) < 0 || write(2, "\n", 1) < 0) {
    return;
  }
}

void OnSignal(int number) {
  LeaveInput();
  signal(number, SIG_DFL);
  raise(number);
}

void CatchEnds() {
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(LeaveInput);
  // A sanitizer that handles SIGSEGV reports the signal and calls the callback.
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    struct sigaction now = {};
    sigaction(number, nullptr, &now);
    if (now.sa_handler == SIG_DFL) signal(number, OnSignal);
  }
}

// ---- Inputs

std::string NameOf(const std::string& input) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : input) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  char name[20];
  std::snprintf(name, sizeof name, "%016" PRIx64, hash);
  return name;
}

class Fuzzer {
 public:
  Fuzzer(std::string artifact_prefix, uint64_t seed)
      : random_(seed), artifact_prefix_(std::move(artifact_prefix)) {
    byte_random = RandomHashes(seed + 1);
    traits.reserve(256);
  }

  uint64_t runs() const { return runs_; }
  size_t kept() const { return inputs_.size(); }

  // Runs an input. Returns true if it has a new trait.
  bool Run(const std::string& input) {
    // The buffer has the exact size of the input, for the address sanitizer.
    const std::vector<uint8_t> bytes(input.begin(), input.end());
    std::snprintf(running.path, sizeof running.path, "%scrash-%s", artifact_prefix_.c_str(),
                  NameOf(input).c_str());
    running.size = bytes.size();
    running.data = bytes.data();
    traits.clear();
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    running.data = nullptr;
    ++runs_;
    bool is_new = false;
    for (const uint64_t trait : traits) is_new = known_.insert(trait).second || is_new;
    return is_new;
  }

  void Add(const std::string& input) {
    if (input.size() > kMaxInputBytes) return;
    Run(input);
    inputs_.push_back(input);
  }

  // Mutates an input, runs it, and keeps it if it has a new trait; then also writes it to `folder`,
  // unless that is empty.
  void RunChanged(const std::string& folder) {
    if (inputs_.empty()) inputs_.emplace_back();
    std::string input = inputs_[random_.Below(inputs_.size())];
    for (uint64_t i = 1 + random_.Below(4); i > 0; --i) {
      const size_t size = input.size();
      input.resize(kMaxInputBytes);
      input.resize(LLVMFuzzerCustomMutator(reinterpret_cast<uint8_t*>(&input[0]), size,
                                           kMaxInputBytes, static_cast<unsigned>(random_.Next())));
    }
    if (!Run(input)) return;
    if (!folder.empty()) std::ofstream(folder + "/" + NameOf(input), std::ios::binary) << input;
    inputs_.push_back(std::move(input));
  }

 private:
  RandomHashes random_;
  std::string artifact_prefix_;
  std::vector<std::string> inputs_;
  std::unordered_set<uint64_t> known_;
  uint64_t runs_ = 0;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "can't read %s\n", path.c_str());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Returns the files of a folder, sorted by name, so that runs with a seed are reproducible.
std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

struct Flags {
  uint64_t seconds = 0;
  uint64_t runs = 0;
  uint64_t seed = 1;
  std::string artifact_prefix = "./";
  std::vector<std::string> paths;
};

Flags ParseFlags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (argument.empty() || argument[0] != '-') {
      flags.paths.push_back(argument);
    } else if (name == "-max_total_time") {
      flags.seconds = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "-runs") {
      flags.runs = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "-seed") {
      flags.seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "-artifact_prefix") {
      flags.artifact_prefix = value;
    }
  }
  return flags;
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size) {
  for (uint64_t i = 1 + byte_random.Below(4); i > 0; --i) {
    const size_t at = size == 0 ? 0 : byte_random.Below(size);
    switch (byte_random.Below(5)) {
      case 0:  // flip a bit
        if (size != 0) data[at] = static_cast<uint8_t>(data[at] ^ 1u << byte_random.Below(8));
        break;
      case 1:  // replace a byte
        if (size != 0) data[at] = static_cast<uint8_t>(byte_random.Next());
        break;
      case 2:  // insert a byte
        if (size == max_size) break;
        std::memmove(data + at + 1, data + at, size - at);
        data[at] = static_cast<uint8_t>(byte_random.Next());
        ++size;
        break;
      case 3:  // remove a byte
        if (size == 0) break;
        std::memmove(data + at, data + at + 1, size - at - 1);
        --size;
        break;
      default: {  // copy bytes from another place
        if (size == 0) break;
        const size_t from = byte_random.Below(size);
        const size_t most = std::min<size_t>(size - std::max(at, from), 64);
        std::memmove(data + at, data + from, 1 + byte_random.Below(most));
      }
    }
  }
  return size;
}

int main(int argc, char** argv) {
  const Flags flags = ParseFlags(argc, argv);
  CatchEnds();
  Fuzzer fuzzer(flags.artifact_prefix, flags.seed);
  std::string new_inputs;
  for (const std::string& path : flags.paths) {
    if (!std::filesystem::is_directory(path)) {
      fuzzer.Add(ReadFile(path));
      continue;
    }
    if (new_inputs.empty() && flags.seconds != 0) new_inputs = path;
    for (const std::string& file : FilesIn(path)) fuzzer.Add(ReadFile(file));
  }
  const uint64_t given = fuzzer.runs();
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(flags.seconds);
  const uint64_t changed = flags.runs;
  while (fuzzer.runs() - given < changed || (flags.seconds != 0 && Clock::now() < end)) {
    fuzzer.RunChanged(new_inputs);
  }
  std::printf("%" PRIu64 " inputs, %zu kept; %" PRIu64 " blocks, %" PRIu64
              " of them usable; %" PRIu64 " answers compared, %" PRIu64 " of them \"absent\"\n",
              fuzzer.runs(), fuzzer.kept(), counts.blocks, counts.usable, counts.answers,
              counts.absent);
  const bool is_shallow = fuzzer.runs() - given >= 1000 && (counts.usable < counts.blocks / 4 ||
                                                            counts.absent < counts.answers / 20);
  if (is_shallow) std::fprintf(stderr, "hardly any input was a block that can be used\n");
  return std::fflush(stdout) != 0 ? 2 : is_shallow ? 3 : 0;
}
