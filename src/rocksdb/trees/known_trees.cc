#include "src/rocksdb/trees/known_trees.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/core/level_plan.h"
#include "src/core/sizing.h"

namespace winnow::plugin {
namespace {

bool HasNoFiles(const TreeRecord& record) {
  return record.family.totals().files == 0 && record.family.knows_all();
}

}  // namespace

KnownTrees::Entry* KnownTrees::Find(const void* logger, const std::string& family) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.logger == logger && entry.family == family;
  });
  if (found == entries_.end()) return nullptr;
  std::rotate(entries_.begin(), found, found + 1);
  return &entries_.front();
}

KnownTrees::Entry* KnownTrees::FindIn(FileName database, const std::string& family) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.database == database && entry.family == family;
  });
  return found == entries_.end() ? nullptr : &*found;
}

// Returns the tree of a database that was closed and is open again with this logger, or a tree from
// another process; null if there is none.
KnownTrees::Entry* KnownTrees::Adopt(const void* logger, const std::string& family,
                                     FileName database) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    const bool is_of_another =
        database.is_known() && entry.database.is_known() && entry.database != database;
    return entry.family == family && !is_of_another &&
           (entry.logger == nullptr || entry.record->family.is_reopened());
  });
  if (found == entries_.end()) {
    // A list is more complete than notes.
    const Listened* const listened = FindListened(logger);
    return listened != nullptr && listened->is_listed ? nullptr : AdoptFound(logger, family);
  }
  if (found->logger == nullptr && found->id == 0) found->id = UnknownTreeId(family);
  found->logger = logger;
  return Find(logger, family);
}

KnownTrees::Listened* KnownTrees::FindListened(const void* logger) {
  const auto found =
      std::find_if(listened_.begin(), listened_.end(),
                   [&](const Listened& database) { return database.logger == logger; });
  return found == listened_.end() ? nullptr : &*found;
}

void KnownTrees::SetLevels(Entry* entry) {
  const family::Family::Levels levels = entry->record->family.levels();
  entry->tree.base = levels.base;
  entry->tree.depth = levels.depth;
}

void KnownTrees::SetSources(Entry* entry, bool has_one_reader) const {
  entry->record->family.SetOrdered(options_.is_bytewise);
  entry->record->family.SetReadersTell(options_.readers_tell && has_one_reader);
}

// Makes a tree. Call Bound afterwards, once the tree has the files that a listener reported.
KnownTrees::Entry* KnownTrees::Make(const void* logger, const std::string& family) {
  entries_.insert(entries_.begin(), {logger, family, {}, std::make_shared<TreeRecord>()});
  Entry& entry = entries_.front();
  entry.record->name->Set(family);
  ++made_;
  if (Listened* const database = FindListened(logger)) {
    entry.database = database->database;
    const auto unclaimed =
        std::find_if(database->unclaimed.begin(), database->unclaimed.end(),
                     [&](const ToldFamily& told) { return told.family == family; });
    std::vector<ListedFile> files;
    if (unclaimed != database->unclaimed.end()) {
      Weigh(policy_, &*unclaimed);
      files = std::move(unclaimed->files);
      database->unclaimed.erase(unclaimed);
    }
    // When the database was listed, the tree had no other files.
    if (database->is_listed) {
      entry.record->family.TakeList(database->database.database, files);
      SetLevels(&entry);
      for (const auto& [of_family, job, inputs] : database->jobs) {
        if (of_family == family) entry.record->family.Begin(job, inputs);
      }
    }
  }
  return &entry;
}

// Returns the first tree to evict: trees of closed databases come first, then trees without files,
// which lose nothing if they come again.
std::vector<KnownTrees::Entry>::iterator KnownTrees::LeastNeeded() {
  const auto find = [&](const auto& is_right) {
    return std::find_if(entries_.rbegin(), entries_.rend() - 1, is_right);
  };
  auto found = find([](const Entry& entry) { return entry.is_closed; });
  if (found == entries_.rend() - 1) {
    found = find([](const Entry& entry) { return HasNoFiles(*entry.record); });
  }
  return found == entries_.rend() - 1 ? entries_.end() - 1 : found.base() - 1;
}

// Evicts trees beyond the limits. The first tree stays, however large it is.
void KnownTrees::Bound() {
  size_t all = 0;
  for (const Entry& entry : entries_) all += entry.record->family.memory();
  for (const FoundTree& tree : found_) all += tree.record->family.memory();
  while (!found_.empty() && (all > kMaxMemory || found_.size() > kMaxFoundTrees)) {
    all -= std::min(all, found_.front().record->family.memory());
    found_.erase(found_.begin());
  }
  while (entries_.size() > kMaxTrees || (all > kMaxMemory && entries_.size() > 1)) {
    const auto last = LeastNeeded();
    all -= std::min(all, last->record->family.memory());
    Listened* const database = FindListened(last->logger);
    if (database != nullptr && !last->is_closed && !HasNoFiles(*last->record)) {
      database->is_complete = false;
    }
    entries_.erase(last);
  }
}

KnownTree KnownTrees::Learn(const void* logger, const std::string& family, const BuildFacts& facts,
                            bool has_one_reader, FileName database) {
  const std::lock_guard<std::mutex> lock(mutex_);
  KnownTree known;
  if (logger != nullptr) {
    ++asked_;
    Entry* entry = Find(logger, family);
    if (entry == nullptr) entry = Adopt(logger, family, database);
    if (entry == nullptr) {
      entry = Make(logger, family);
      Bound();
    } else if (asked_ % 32 == 0) {
      Bound();
    }
    entry->has_builders = true;
    if (!entry->policy) entry->policy = policy_;
    entry->is_closed = false;
    // Files may have moved since; a list would tell.
    if (facts.compaction_style == ROCKSDB_NAMESPACE::kCompactionStyleLevel &&
        !entry->database.is_known()) {
      entry->tree = WithLevel(WithLevel(entry->tree, entry->found.base), entry->found.depth);
    }
    known = entry->tree = WithFile(entry->tree, facts);
    if (entry->id == 0) SetId(entry);
    known.id = entry->id;
    SetSources(entry, has_one_reader);
  }
  return WithOptions(known);
}

std::shared_ptr<TreeRecord> KnownTrees::RecordOf(const void* logger, const std::string& family) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Entry* const entry = logger == nullptr ? nullptr : Find(logger, family);
  return entry == nullptr ? nullptr : entry->record;
}

std::shared_ptr<TreeRecord> KnownTrees::RecordIn(FileName database, const std::string& family) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Entry* const entry = FindIn(database, family);
  return entry == nullptr ? nullptr : entry->record;
}

// Returns the trees of open databases. The lock is held.
std::vector<std::shared_ptr<TreeRecord>> KnownTrees::OpenTrees() const {
  std::vector<std::shared_ptr<TreeRecord>> records;
  for (const Entry& entry : entries_) {
    if (!entry.is_closed) records.push_back(entry.record);
  }
  return records;
}

KnownTotals KnownTrees::Totals(const TreeRecord* but) const {
  std::vector<std::shared_ptr<TreeRecord>> records;
  KnownTotals totals;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    records = OpenTrees();
    totals.knows_all_files =
        !listened_.empty() && std::all_of(listened_.begin(), listened_.end(),
                                          [](const Listened& known) { return known.is_complete; });
    if (elsewhere_) totals = *elsewhere_;
  }
  for (const std::shared_ptr<TreeRecord>& record : records) {
    totals.knows_all_files = totals.knows_all_files && record->family.knows_all();
    if (record.get() == but) continue;
    const family::Family::Totals sums = record->family.totals();
    totals.families += sums.files > 0 ? 1 : 0;
    totals.files += sums;
  }
  return totals;
}

// Returns the files of the trees of open databases but this one.
std::vector<family::Weighed> KnownTrees::AllBut(const TreeRecord* record) {
  std::vector<std::shared_ptr<TreeRecord>> records;
  std::vector<family::Weighed> all;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    records = OpenTrees();
    if (elsewhere_) all.push_back({0, elsewhere_->files.keys});
  }
  for (const std::shared_ptr<TreeRecord>& other : records) {
    if (other.get() != record) other->family.AppendAll(&all);
  }
  return all;
}

KnownTrees::Shared KnownTrees::ShareOf(TreeRecord* record, const family::NewFile& file, double bits,
                                       double most) {
  std::vector<family::Weighed> all = AllBut(record);
  Shared shared;
  shared.log2_reach = record->family.AppendWith(file, &all);
  shared.log2_lambda = family::Log2LambdaFor(all, bits, most);
  // A worker knows less of other trees than the process that told it. It knows what its job
  // changes.
  if (const std::optional<double> told = record->family.told_offset()) {
    shared.log2_lambda -= *told + family::Log2LambdaFor(AllBut(nullptr), bits, most);
  }
  return shared;
}

double KnownTrees::Log2LambdaNow(const TreeRecord* record, double bits, double most) {
  const std::optional<double> told =
      record == nullptr ? std::nullopt : record->family.told_offset();
  return told ? -*told : family::Log2LambdaFor(AllBut(nullptr), bits, most);
}

void KnownTrees::SetPolicy(const PolicyOptions& policy, const void* logger,
                           const std::string& family) {
  const std::lock_guard<std::mutex> lock(mutex_);
  policy_ = policy;
  policy_.level_plan = PlanInForce(policy.level_plan);
  Entry* const entry = logger == nullptr ? nullptr : Find(logger, family);
  if (entry != nullptr) entry->policy = policy_;
  const bool needs_files =
      GoesByTrees(policy_) || std::any_of(entries_.begin(), entries_.end(), [](const Entry& one) {
        return one.policy && !one.is_closed && GoesByTrees(*one.policy);
      });
  needs_files_.store(needs_files, std::memory_order_relaxed);
}

// Returns the options by which a family builds; `entry` may be null.
const PolicyOptions& KnownTrees::PolicyOf(const Entry* entry) const {
  return entry != nullptr && entry->policy ? *entry->policy : policy_;
}

KnownTree KnownTrees::WithOptions(KnownTree known) const {
  known.size_ratio = options_.size_ratio;
  known.has_dynamic_levels = options_.has_dynamic_levels;
  known.is_bytewise = options_.is_bytewise;
  known.last_level_has_filters = !options_.has_last_level_without_filters.value_or(false);
  return known;
}

bool KnownTrees::AllHaveFilters(const void* logger, const std::string& family) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !GoesByTrees(PolicyOf(Find(logger, family))) &&
         options_.has_last_level_without_filters == false;
}

void KnownTrees::BeginList(const void* logger, FileName database) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(listened_.begin(), listened_.end(), [&](const Listened& known) {
    return known.logger == logger && known.database == database;
  });
  if (found == listened_.end()) listened_.push_back({logger, database, false, false, {}, {}});
  // Files that were recovered while the database was opened may have begun another record. The list
  // has these files, too.
  std::map<std::string, Entry> former;
  for (const Entry& entry : entries_) {
    const bool is_former = entry.database == database && entry.logger != logger;
    if (is_former) former.emplace(entry.family, entry);  // the latest one, which comes first
  }
  const auto is_replaced = [&](const Entry& entry) {
    return entry.logger == logger ? former.count(entry.family) > 0 : entry.database == database;
  };
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), is_replaced), entries_.end());
  for (auto& [family, entry] : former) {
    entry.logger = logger;
    entry.is_closed = false;
    entries_.insert(entries_.begin(), std::move(entry));
  }
  for (Entry& entry : entries_) {
    if (entry.logger != logger) continue;
    if (!entry.database.is_known()) entry.database = database;
    entry.record->family.BeginList();
  }
}

// Sets the bits of listed files, and the bytes of those that were not measured.
void KnownTrees::Weigh(const PolicyOptions& policy, ToldFamily* told) const {
  int depth = 0;
  for (const ListedFile& file : told->files) depth = std::max(depth, file.level);
  const bool needs_none_on_last =
      policy.level_plan != LevelPlan::kUniform && policy.absent_share == 0;
  const bool leaves_out_last =
      needs_none_on_last || options_.has_last_level_without_filters.value_or(false);
  if (leaves_out_last && depth > 0) {
    const auto is_left_out = [depth](const ListedFile& file) {
      return file.level == depth && file.is_measured && file.bytes == 0;
    };
    told->files.erase(std::remove_if(told->files.begin(), told->files.end(), is_left_out),
                      told->files.end());
  }
  const FilterOptions uniform = core::ForBuilding(FactsToOptions(policy, BuildFacts()));
  const double uniform_bits = core::RateBits(policy.bits_per_key);
  for (ListedFile& file : told->files) {
    const auto uniform_bytes =
        static_cast<double>(core::EstimateBytes(static_cast<uint64_t>(file.keys), uniform));
    if (!file.is_measured) file.bytes = uniform_bytes;
    const bool tells_bits = file.is_measured && file.tells_bits && uniform_bytes > 0;
    file.bits = tells_bits ? uniform_bits * file.bytes / uniform_bytes : uniform_bits;
  }
}

void KnownTrees::TakeLists(const void* logger, ToldDatabase told) {
  struct Tree {
    std::string family;
    std::shared_ptr<TreeRecord> record;
    std::vector<ListedFile> files;
  };
  std::vector<Tree> trees;
  ToldFamilies unclaimed;
  size_t num_unclaimed = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (ToldFamily& family : told.families) {
      Entry* entry = Find(logger, family.family);
      if (!family.is_ours && (entry == nullptr || !entry->has_builders)) {
        num_unclaimed += family.files.size();
        unclaimed.push_back(std::move(family));
        continue;
      }
      Weigh(PolicyOf(entry), &family);
      if (entry == nullptr) entry = AdoptFound(logger, family.family);
      if (entry == nullptr) entry = Make(logger, family.family);
      entry->is_closed = false;
      entry->database = told.name;
      entry->record->family.SetOrdered(options_.is_bytewise);
      trees.push_back({family.family, entry->record, std::move(family.files)});
    }
    // The other trees have no files, or another policy.
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const bool is_told = std::any_of(trees.begin(), trees.end(), [&](const Tree& tree) {
        return tree.family == entry->family;
      });
      if (entry->logger != logger || is_told) {
        ++entry;
      } else if (!entry->has_builders && entry->database == told.name) {
        entry = entries_.erase(entry);
      } else {
        if (!entry->database.is_known()) entry->database = told.name;
        trees.push_back({entry->family, entry->record, {}});
        ++entry;
      }
    }
  }
  for (const Tree& tree : trees) tree.record->family.TakeList(told.name.database, tree.files);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Tree& tree : trees) {
    Entry* const entry = Find(logger, tree.family);
    if (entry == nullptr || entry->record != tree.record) continue;
    SetLevels(entry);
  }
  for (Listened& database : listened_) {
    if (database.logger != logger || database.database != told.name) continue;
    database.is_listed = num_unclaimed <= kMaxUnclaimed;
    database.is_complete = told.is_complete;
    database.unclaimed = database.is_listed ? std::move(unclaimed) : ToldFamilies();
  }
  Bound();
}

void KnownTrees::SetDatabase(const TreeRecord* record, FileName database) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.record.get() == record) entry.database = database;
  }
}

void KnownTrees::Ended(FileName file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Entry& entry : entries_) {
    entry.record->family.Ended(file);
  }
}

void KnownTrees::Begin(FileName database, const std::string& family, int job,
                       const std::vector<FileName>& inputs) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Entry* const entry = FindIn(database, family))
    return entry->record->family.Begin(job, inputs);
  for (Listened& known : listened_) {
    if (known.database == database) known.jobs.emplace_back(family, job, inputs);
  }
}

void KnownTrees::End(FileName database, const std::string& family, int job) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (Entry* const entry = FindIn(database, family)) entry->record->family.End(job);
  for (Listened& known : listened_) {
    if (known.database != database) continue;
    known.jobs.remove_if([&](const auto& begun) {
      return std::get<0>(begun) == family && std::get<1>(begun) == job;
    });
  }
}

void KnownTrees::Closed(FileName database) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.database != database) continue;
    entry.is_closed = true;
    entry.record->family.StopBeingTold();
  }
  listened_.erase(std::remove_if(listened_.begin(), listened_.end(),
                                 [&](const Listened& known) { return known.database == database; }),
                  listened_.end());
}

// Returns the tree of a family in a database, or null if nothing is known of it.
KnownTrees::Entry* KnownTrees::FindForWorker(FileName database, const std::string& family) {
  if (Entry* const listed = database.is_known() ? FindIn(database, family) : nullptr) return listed;
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.family == family &&
           (database.is_known() ? !entry.database.is_known() : !entry.is_closed);
  });
  return found == entries_.end() ? nullptr : &*found;
}

KnownTrees::Chosen KnownTrees::Choose(FileName database, const std::string& family) {
  Chosen chosen;
  bool may_be_leveled = true;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Entry* const entry = FindForWorker(database, family);
    chosen.policy = PolicyOf(entry);
    if (entry == nullptr) return chosen;
    if (entry->id == 0) SetId(entry);
    chosen.tree = WithOptions(entry->tree);
    chosen.tree.id = entry->id;
    chosen.record = entry->record;
    may_be_leveled = options_.is_leveled || entry->has_builders;
  }
  if (!may_be_leveled) {
    chosen.facts.compaction_style = ROCKSDB_NAMESPACE::kCompactionStyleUniversal;
  }
  return chosen;
}

WorkersRule KnownTrees::Carry(const Chosen& chosen, const std::string& family,
                              bool has_files) const {
  WorkersRule rule;
  rule.family = family;
  rule.id = chosen.tree.id;
  rule.depth = chosen.tree.depth;
  rule.base = chosen.tree.base;
  rule.others = Totals(has_files ? chosen.record.get() : nullptr);
  if (chosen.record != nullptr) rule.range_kinds = chosen.record->asked_ranges.decided();
  return rule;
}

void KnownTrees::Restore(WorkersRule rule) {
  const auto record = std::make_shared<TreeRecord>();
  record->name->Set(rule.family);
  record->family.Restore(rule.files, rule.offset);
  record->runs = rule.runs;
  record->asked_ranges.SetDecided(rule.range_kinds);
  Entry entry{nullptr, rule.family, {}, record};
  entry.tree.depth = rule.depth;
  entry.tree.base = rule.base;
  entry.id = rule.id;
  const std::lock_guard<std::mutex> lock(mutex_);
  entries_.insert(entries_.begin(), std::move(entry));
  elsewhere_ = rule.others;
  elsewhere_->are_elsewhere = true;
}

void KnownTrees::NoteFamilyOptions(const FamilyOptions& options, const void* logger) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool is_open = logger != nullptr &&
                       std::any_of(entries_.begin(), entries_.end(),
                                   [logger](const Entry& entry) { return entry.logger == logger; });
  if (!is_open) ++validated_;
  if (!has_seen_options_) {
    options_ = options;
    has_seen_options_ = true;
    return;
  }
  options_.is_bytewise = options_.is_bytewise && options.is_bytewise;
  options_.is_leveled = options_.is_leveled && options.is_leveled;
  options_.readers_tell = options_.readers_tell && options.readers_tell;
  if (options_.size_ratio != options.size_ratio) options_.size_ratio = 0;
  if (options_.has_dynamic_levels != options.has_dynamic_levels) {
    options_.has_dynamic_levels.reset();
  }
  if (options_.has_last_level_without_filters != options.has_last_level_without_filters) {
    options_.has_last_level_without_filters.reset();
  }
}

}  // namespace winnow::plugin
