// Where the pages of a PagedBloom are kept: in memory, in a folder, or where a class of the user's
// keeps them.

#ifndef WINNOW_AMQ_PAGE_STORE_H_
#define WINNOW_AMQ_PAGE_STORE_H_

#include <string>
#include <string_view>
#include <unordered_map>

#include "winnow/version.h"

namespace winnow::amq {

// Bytes by name. Names are letters, digits and '-', at most 60 of them. Whatever fails sets *reason
// to a sentence that names the place; what is thrown passes through.
class WINNOW_EXPORT PageStore {
 public:
  enum class Found { kYes, kNo, kFailed };

  PageStore() = default;
  PageStore(const PageStore&) = delete;
  PageStore& operator=(const PageStore&) = delete;
  virtual ~PageStore();

  // The bytes that were last stored under the name. kFailed is for what may be there.
  virtual Found Load(const std::string& name, std::string* bytes, std::string* reason) = 0;

  // All or nothing: after a failure or a crash the name has its old bytes, or its new ones, whole.
  virtual bool Store(const std::string& name, std::string_view bytes, std::string* reason) = 0;

  // True also if there is nothing of this name.
  virtual bool Remove(const std::string& name, std::string* reason) = 0;

  // Makes what was stored and removed until now outlive a crash of the machine, as far as the place
  // can promise that. The default does nothing.
  virtual bool Flush(std::string* reason);
};

class WINNOW_EXPORT MemoryPageStore : public PageStore {
 public:
  ~MemoryPageStore() override;

  Found Load(const std::string& name, std::string* bytes, std::string* reason) override;
  bool Store(const std::string& name, std::string_view bytes, std::string* reason) override;
  bool Remove(const std::string& name, std::string* reason) override;

  // By name.
  const std::unordered_map<std::string, std::string>& all() const noexcept { return all_; }

 private:
  std::unordered_map<std::string, std::string> all_;
};

// A file for each name, in a folder that exists. Bytes are written to NAME.new, which then takes
// the name's place: a crash leaves the old file, and perhaps one that ends in .new, which the next
// Store of the name replaces and Remove removes. One writer at a time; any number of readers.
class WINNOW_EXPORT FolderPageStore : public PageStore {
 public:
  explicit FolderPageStore(std::string folder);
  ~FolderPageStore() override;

  Found Load(const std::string& name, std::string* bytes, std::string* reason) override;
  bool Store(const std::string& name, std::string_view bytes, std::string* reason) override;
  bool Remove(const std::string& name, std::string* reason) override;
  // Writes the file system that the folder is in to its device (syncfs).
  bool Flush(std::string* reason) override;

 private:
  std::string folder_;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_PAGE_STORE_H_
