// Trees that are identified by the notes of filters that were read.

#include <algorithm>
#include <random>
#include <utility>

#include "src/rocksdb/trees/known_trees.h"
#include "winnow/hash.h"

namespace winnow::plugin {
namespace {

// An id has 48 random bits, and a hash of the family's name in 16 bits. An id without random bits
// stands for an unknown tree.
uint16_t FamilyOf(uint64_t id) noexcept { return static_cast<uint16_t>(id); }
uint16_t HashOfFamily(const std::string& family) noexcept {
  return static_cast<uint16_t>(HashKey(family).value);
}

bool IsUnknownTree(uint64_t id) noexcept { return id >> 16 == 0; }

bool HasId(const std::vector<uint64_t>& ids, uint64_t id) noexcept {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

uint64_t DrawTreeId(const std::string& family) noexcept {
  try {
    std::random_device random;
    const uint64_t drawn = uint64_t{random()} << 32 | random();
    return TreeIdOf(drawn, family);
  } catch (...) {
    return 0;
  }
}

uint64_t TreeIdOf(uint64_t number, const std::string& family) noexcept {
  return number << 16 | HashOfFamily(family);
}

uint64_t UnknownTreeId(const std::string& family) noexcept { return HashOfFamily(family); }

// Returns the only tree that has no logger yet and may be of this family, for this logger; null if
// none or several.
KnownTrees::Entry* KnownTrees::AdoptFound(const void* logger, const std::string& family) {
  // Notes tell the levels, also where readers do not tell which files live.
  const auto is_of_family = [this, hash = HashOfFamily(family)](const FoundTree& tree) {
    return FamilyOf(tree.ids.front()) == hash &&
           (!options_.readers_tell || tree.record->family.totals().files > 0);
  };
  const auto found = std::find_if(found_.begin(), found_.end(), is_of_family);
  if (found == found_.end() || std::any_of(found + 1, found_.end(), is_of_family)) return nullptr;
  found->record->name->Set(family);
  Entry entry{logger, family, {}, std::move(found->record)};
  entry.ids = std::move(found->ids);
  entry.found = found->found;
  found_.erase(found);
  entries_.insert(entries_.begin(), std::move(entry));
  ++made_;
  return &entries_.front();
}

// Returns the only tree of this family if no other database may be open, else null. Each open
// database first validates the options of its families, and that many trees have a logger.
KnownTrees::Entry* KnownTrees::OnlyOne(uint64_t id) {
  Entry* only = nullptr;
  for (Entry& entry : entries_) {
    if (entry.logger == nullptr || HashOfFamily(entry.family) != FamilyOf(id)) continue;
    if (only != nullptr) return nullptr;
    only = &entry;
  }
  return validated_ <= made_ ? only : nullptr;
}

// Returns the record of the tree with this id. Filters that are read while a database is opened, or
// before it has written, belong to one tree per family.
std::shared_ptr<TreeRecord> KnownTrees::NoteFound(uint64_t id, int level) {
  const bool is_known = !IsUnknownTree(id);
  const auto note = [&](auto* tree) {
    if (is_known && !HasId(tree->ids, id) && tree->ids.size() < kMaxIds) tree->ids.push_back(id);
    tree->found = WithLevel(tree->found, level);
    return tree->record;
  };
  if (is_known) {
    for (Entry& entry : entries_) {
      if (HasId(entry.ids, id)) return note(&entry);
    }
    for (FoundTree& tree : found_) {
      if (HasId(tree.ids, id)) return note(&tree);
    }
  }
  if (Entry* const only = OnlyOne(id)) return note(only);
  for (FoundTree& tree : found_) {
    if (tree.validated == validated_ && FamilyOf(tree.ids.front()) == FamilyOf(id)) {
      return note(&tree);
    }
  }
  found_.push_back({{id}, {}, std::make_shared<TreeRecord>(), validated_});
  found_.back().record->family.SetReadersTell(options_.readers_tell);
  return note(&found_.back());
}

KnownTrees::Recorded KnownTrees::AddFound(uint64_t tree, const ListedFile& file) {
  Recorded recorded;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    recorded.record = NoteFound(tree, file.level);
    if (++founds_ % 32 == 0) Bound();
  }
  recorded.file = recorded.record->family.Found(file);
  return recorded;
}

// Chooses the minimum of the ids that were read, so that sooner or later all files have the same
// id.
void KnownTrees::SetId(Entry* entry) {
  for (const uint64_t id : entry->ids) {
    if (!IsUnknownTree(id) && (entry->id == 0 || id < entry->id)) entry->id = id;
  }
  if (entry->id != 0) return;
  entry->id = DrawTreeId(entry->family);
  if (entry->id != 0) entry->ids.push_back(entry->id);
}

}  // namespace winnow::plugin
