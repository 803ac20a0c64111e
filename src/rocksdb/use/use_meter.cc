#include "src/rocksdb/use/use_meter.h"

#include <algorithm>
#include <new>
#include <utility>

namespace winnow::plugin {
namespace {

// List of all meters. Never destroyed: policies may live longer than static objects.
struct AllUseMeters {
  std::mutex mutex;
  std::vector<UseMeter*> meters;
};
AllUseMeters& UseMeters() {
  static AllUseMeters& all = *new AllUseMeters;
  return all;
}

}  // namespace

UseMeter::UseMeter() {
  AllUseMeters& all = UseMeters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.meters.push_back(this);
}

UseMeter::~UseMeter() {
  AllUseMeters& all = UseMeters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.meters.erase(std::find(all.meters.begin(), all.meters.end(), this));
}

NamedUse::~NamedUse() {
  for (const auto& [of, cell] : cells_) cell->GiveBack();
}

UseCell* NamedUse::Keep(int level, std::shared_ptr<family::FamilyName> family) noexcept {
  if (level < 0 || level > kMaxLevel) level = -1;
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (cells_.size() >= sum_at_) SumUpEnded();
    const auto [found, is_new] = cells_.try_emplace({std::move(family), level}, nullptr);
    if (is_new) found->second = new (std::nothrow) UseCell;
    if (found->second != nullptr) {
      found->second->Keep();
      return found->second;
    }
    cells_.erase(found);
    return nullptr;
  } catch (...) {
    return nullptr;
  }
}

// Deletes cells of trees that are forgotten, as of databases that were closed.
void NamedUse::SumUpEnded() {
  for (auto one = cells_.begin(); one != cells_.end();) {
    const auto& [family, level] = one->first;
    if (family == nullptr || family.use_count() > 1 || one->second->has_filters()) {
      ++one;
      continue;
    }
    ended_[{family->Get(), level}] += one->second->Read();
    one->second->GiveBack();
    one = cells_.erase(one);
  }
  sum_at_ = std::max<size_t>(64, 2 * cells_.size());
}

bool NamedUse::has_filters() const noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(cells_.begin(), cells_.end(),
                     [](const auto& one) { return one.second->has_filters(); });
}

NamedUse::Sums NamedUse::Read(bool by_family) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  Sums sums;
  for (const auto& [of, ended] : ended_) {
    sums[{by_family ? of.first : std::string(), of.second}] += ended;
  }
  for (const auto& [of, cell] : cells_) {
    const auto& [family, level] = of;
    const bool is_known = by_family && family != nullptr;
    sums[{is_known ? family->Get() : std::string(), level}] += cell->Read();
  }
  return sums;
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
  std::set<std::string> families;
  bool is_idle = with_idle && is_in_database_;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    named = named_;
    row.databases = folders_;
    families = families_;
  }
  row.seconds = std::chrono::duration<double>(Clock::now() - made_).count();
  for (const std::shared_ptr<NamedUse>& one : named) {
    row.policy = one->policy();
    for (const auto& [of, sums] : one->Read(!with_idle)) {
      if (!with_idle && sums.filters == 0 && sums.asks == 0 && sums.ranges_asked == 0) continue;
      row.level = of.second;
      row.sums = sums;
      row.families = of.first.empty() ? families : std::set<std::string>{of.first};
      rows->push_back(row);
      is_idle = false;
    }
  }
  if (!is_idle) return;
  row.level = -1;
  row.families = families;
  row.sums = {};
  rows->push_back(std::move(row));
}

std::vector<UseRow> UseMeter::ReadAll(const void* log) {
  std::vector<UseRow> rows;
  AllUseMeters& all = UseMeters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const UseMeter* meter : all.meters) {
    if (log == nullptr || meter->IsOf(log)) meter->Read(false, &rows);
  }
  return rows;
}

std::vector<UseRow> UseMeter::ReadWithIdle() {
  std::vector<UseRow> rows;
  AllUseMeters& all = UseMeters();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (const UseMeter* meter : all.meters) meter->Read(true, &rows);
  return rows;
}

}  // namespace winnow::plugin
