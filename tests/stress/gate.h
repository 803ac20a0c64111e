// Reader-writer lock that prefers writers.

#ifndef WINNOW_TESTS_STRESS_GATE_H_
#define WINNOW_TESTS_STRESS_GATE_H_

#include <condition_variable>
#include <mutex>

namespace winnow::stress {

// A waiting writer goes before readers that come later; with std::shared_mutex it could starve.
class Gate {
 public:
  class Shared {
   public:
    explicit Shared(Gate* gate) : gate_(gate) {
      std::unique_lock<std::mutex> lock(gate_->mutex_);
      gate_->changed_.wait(lock, [this] { return !gate_->is_wanted_; });
      ++gate_->inside_;
    }
    ~Shared() {
      const std::lock_guard<std::mutex> lock(gate_->mutex_);
      if (--gate_->inside_ == 0) gate_->changed_.notify_all();
    }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

   private:
    Gate* const gate_;
  };

  class Alone {
   public:
    explicit Alone(Gate* gate) : gate_(gate) {
      std::unique_lock<std::mutex> lock(gate_->mutex_);
      gate_->changed_.wait(lock, [this] { return !gate_->is_wanted_; });
      gate_->is_wanted_ = true;
      gate_->changed_.wait(lock, [this] { return gate_->inside_ == 0; });
    }
    ~Alone() {
      const std::lock_guard<std::mutex> lock(gate_->mutex_);
      gate_->is_wanted_ = false;
      gate_->changed_.notify_all();
    }
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;

   private:
    Gate* const gate_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool is_wanted_ = false;
};

}  // namespace winnow::stress

#endif  // WINNOW_TESTS_STRESS_GATE_H_
