#include "src/rocksdb/use/use_meter.h"

#include <algorithm>
#include <new>
#include <utility>

namespace winnow::plugin {
namespace {

// List of all meters. Never destroyed: policies may live longer than static objects.
struct AllUseMeters {
  std::mutex mutex;
  UseMeter* first = nullptr;
};
AllUseMeters& UseMeters() {
  static AllUseMeters& all = *new AllUseMeters;
  return all;
}

}  // namespace

UseMeter::UseMeter() {
  AllUseMeters& all = UseMeters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  next_ = all.first;
  if (next_ != nullptr) next_->previous_ = this;
  all.first = this;
}

UseMeter::~UseMeter() {
  AllUseMeters& all = UseMeters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  (previous_ != nullptr ? previous_->next_ : all.first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

NamedUse::~NamedUse() {
  for (const std::atomic<UseCell*>& cell : cells_) {
    if (UseCell* const made = cell.load(std::memory_order_acquire)) made->GiveBack();
  }
}

UseCell* NamedUse::Keep(int level) noexcept {
  const auto index = static_cast<size_t>(level) + 1;
  std::atomic<UseCell*>& place = cells_[index < kLevels ? index : 0];
  UseCell* cell = place.load(std::memory_order_acquire);
  if (cell == nullptr) {
    auto* const made = new (std::nothrow) UseCell(index < kLevels ? level : -1);
    if (made == nullptr) return nullptr;
    if (place.compare_exchange_strong(cell, made, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
      cell = made;
    } else {
      made->GiveBack();
    }
  }
  cell->Keep();
  return cell;
}

bool NamedUse::has_filters() const noexcept {
  bool has_one = false;
  Visit([&has_one](const UseCell& cell) { has_one = has_one || cell.has_filters(); });
  return has_one;
}

std::shared_ptr<NamedUse> UseMeter::Named(const std::string& policy) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(named_.begin(), named_.end(),
                                  [&](const auto& one) { return one->policy() == policy; });
  if (found != named_.end()) {
    std::rotate(found, found + 1, named_.end());
    return named_.back();
  }
  named_.push_back(std::make_shared<NamedUse>(policy));
  if (named_.size() > kMostNames) {
    const auto made = named_.end() - 1;
    const auto ended = std::find_if(named_.begin(), made, [](const auto& one) {
      return one.use_count() == 1 && !one->has_filters();
    });
    if (ended != made) named_.erase(ended);
  }
  return named_.back();
}

bool UseMeter::has_filters() const noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(named_.begin(), named_.end(),
                     [](const auto& one) { return one->has_filters(); });
}

void UseMeter::NoteFamily(const void* log, const std::string& family) noexcept {
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    families_.insert(family);
    if (log != nullptr) logs_.insert(log);
  } catch (...) {
  }
}

void UseMeter::Opened(const void* database, const std::string& folder, const void* log) noexcept {
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!folder.empty()) folders_.insert(folder);
    if (log == nullptr) return;
    databases_[database] = log;
    logs_.insert(log);
  } catch (...) {
  }
}

void UseMeter::Closed(const void* database) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = databases_.find(database);
  if (found == databases_.end()) return;
  logs_.erase(found->second);
  databases_.erase(found);
}

bool UseMeter::IsOf(const void* log) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return logs_.count(log) > 0;
}

void UseMeter::Read(bool with_idle, std::vector<UseRow>* rows) const {
  UseRow row;
  std::vector<std::shared_ptr<NamedUse>> named;
  bool is_idle = with_idle && is_in_database_;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    named = named_;
    row.databases = folders_;
    row.families = families_;
  }
  row.seconds = std::chrono::duration<double>(Clock::now() - made_).count();
  for (const std::shared_ptr<NamedUse>& one : named) {
    row.policy = one->policy();
    one->Visit([&](const UseCell& cell) {
      row.level = cell.level();
      row.sums = cell.Read();
      if (with_idle || row.sums.filters > 0 || row.sums.asks > 0 || row.sums.ranges_asked > 0) {
        rows->push_back(row);
        is_idle = false;
      }
    });
  }
  if (!is_idle) return;
  row.level = -1;
  row.sums = {};
  rows->push_back(std::move(row));
}

std::vector<UseRow> UseMeter::ReadAll(const void* log) {
  std::vector<UseRow> rows;
  AllUseMeters& all = UseMeters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const UseMeter* meter = all.first; meter != nullptr; meter = meter->next_) {
    if (log == nullptr || meter->IsOf(log)) meter->Read(false, &rows);
  }
  return rows;
}

std::vector<UseRow> UseMeter::ReadWithIdle() {
  std::vector<UseRow> rows;
  AllUseMeters& all = UseMeters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const UseMeter* meter = all.first; meter != nullptr; meter = meter->next_) {
    meter->Read(true, &rows);
  }
  return rows;
}

}  // namespace winnow::plugin
