#include "tests/distributed/job_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "src/workers/wire.h"
#include "tests/support/files.h"

namespace winnow::distributed {
namespace {

namespace fs = std::filesystem;

std::string Place(const std::string& folder, const char* state, const std::string& id) {
  return folder + "/" + state + "/" + id;
}

// Renames a file. Returns false if there is no such file.
bool Move(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw std::runtime_error("can't rename " + from + ": " + std::strerror(errno));
}

template <typename Value>
void WriteWhole(const std::string& folder, const char* state, const std::string& id,
                const Value& value) {
  inspect::WireWriter writer;
  writer(value);
  const std::string next = Place(folder, "next", id);
  testing::WriteFile(next, writer.Take());
  Move(next, Place(folder, state, id));
}

template <typename Value>
Value ParseWhole(const std::string& bytes, const std::string& path) {
  Value value;
  inspect::WireReader reader(bytes);
  reader(value);
  if (!reader.whole()) throw std::runtime_error(path + " is cut off");
  return value;
}

// Reads an open file. Opening it again by name would release the process's lock when that
// descriptor is closed.
std::string ReadOpen(int file) {
  std::string bytes;
  char buffer[1 << 16];
  for (ssize_t n; (n = read(file, buffer, sizeof buffer)) > 0;) {
    bytes.append(buffer, static_cast<size_t>(n));
  }
  return bytes;
}

struct flock WholeFile() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

// Returns the process that holds the lock, or 0 if there is none or no such file. Must not be
// called for a lock of this process, which it would not see and would release.
pid_t HolderOf(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return 0;
  struct flock lock = WholeFile();
  const bool is_known = fcntl(file, F_GETLK, &lock) == 0;
  close(file);
  if (!is_known) throw std::runtime_error("can't ask for the lock of " + path);
  return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

// Returns the names sorted, which is the order of job numbers within one opening of a database.
std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

constexpr const char* kStates[] = {"next", "waiting", "taken", "done", "output"};

}  // namespace

TakenJob::TakenJob(std::string folder, std::string id, int file)
    : folder_(std::move(folder)),
      id_(std::move(id)),
      file_(file),
      job_(ParseWhole<Job>(ReadOpen(file), id_)) {}

TakenJob::~TakenJob() { close(file_); }

void TakenJob::Finish(const Result& result) {
  WriteWhole(folder_, "done", id_, result);
  fs::remove(Place(folder_, "taken", id_));
}

JobFolder::JobFolder(std::string path) : path_(std::move(path)) {
  for (const char* state : kStates) fs::create_directories(path_ + "/" + state);
}

void JobFolder::Put(const std::string& id, const Job& job) {
  WriteWhole(path_, "waiting", id, job);
}

// Checks the states in the order in which a job passes them, so that a job that moves meanwhile is
// found in a later one.
JobFolder::State JobFolder::StateOf(const std::string& id) const {
  const auto is_done = [&] { return fs::exists(Place(path_, "done", id)); };
  if (is_done()) return State::kDone;
  if (fs::exists(Place(path_, "waiting", id))) return State::kWaiting;
  if (HolderOf(Place(path_, "taken", id)) != 0) return State::kTaken;
  return is_done() ? State::kDone : State::kLost;
}

bool JobFolder::Withdraw(const std::string& id) {
  return Move(Place(path_, "waiting", id), Place(path_, "next", id));
}

Result JobFolder::ResultOf(const std::string& id) const {
  const std::string path = Place(path_, "done", id);
  return ParseWhole<Result>(testing::ReadFile(path), path);
}

void JobFolder::Forget(const std::string& id) {
  std::error_code gone;
  for (const char* state : kStates) fs::remove_all(Place(path_, state, id), gone);
}

void JobFolder::ForgetAll() {
  for (const char* state : kStates) {
    for (const std::string& id : NamesIn(path_ + "/" + state)) {
      if (HolderOf(Place(path_, "taken", id)) == 0) Forget(id);
    }
  }
}

std::unique_ptr<TakenJob> JobFolder::Take() {
  for (const std::string& id : NamesIn(path_ + "/waiting")) {
    const std::string waiting = Place(path_, "waiting", id);
    const int file = open(waiting.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) continue;
    // Locks the file before it is renamed, so that a job in taken/ is locked unless its worker has
    // died.
    struct flock lock = WholeFile();
    if (fcntl(file, F_SETLK, &lock) == 0 && Move(waiting, Place(path_, "taken", id))) {
      return std::make_unique<TakenJob>(path_, id, file);
    }
    close(file);
  }
  return nullptr;
}

std::vector<pid_t> JobFolder::Holders() const {
  std::vector<pid_t> holders;
  for (const std::string& id : NamesIn(path_ + "/taken")) {
    const pid_t holder = HolderOf(Place(path_, "taken", id));
    if (holder != 0) holders.push_back(holder);
  }
  return holders;
}

std::string JobFolder::OutputOf(const std::string& id) const { return Place(path_, "output", id); }

}  // namespace winnow::distributed
