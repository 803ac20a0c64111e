// Storage of a PagedBloom's pages: in memory, in a folder, or in a user-defined class.

#ifndef WINNOW_AMQ_PAGE_STORE_H_
#define WINNOW_AMQ_PAGE_STORE_H_

#include <string>
#include <string_view>
#include <unordered_map>

#include "winnow/version.h"

namespace winnow::amq {

// Interface of a store of bytes by name. Names have letters, digits and '-', at most 60 characters.
// A failing function sets *reason to a message that names the place; exceptions are passed through.
class WINNOW_EXPORT PageStore {
 public:
  enum class Found { kYes, kNo, kFailed };

  PageStore() = default;
  PageStore(const PageStore&) = delete;
  PageStore& operator=(const PageStore&) = delete;
  virtual ~PageStore();

  // Gets the bytes that were last stored under the name. kFailed means that the bytes may exist but
  // could not be read.
  virtual Found Load(const std::string& name, std::string* bytes, std::string* reason) = 0;

  // Stores atomically: after a failure or crash, the name has its old or its new bytes.
  virtual bool Store(const std::string& name, std::string_view bytes, std::string* reason) = 0;

  // Returns true also if nothing has this name.
  virtual bool Remove(const std::string& name, std::string* reason) = 0;

  // Makes earlier Store() and Remove() calls durable against a crash of the machine, as far as the
  // store can guarantee that. The default does nothing.
  virtual bool Flush(std::string* reason);
};

class WINNOW_EXPORT MemoryPageStore : public PageStore {
 public:
  ~MemoryPageStore() override;

  Found Load(const std::string& name, std::string* bytes, std::string* reason) override;
  bool Store(const std::string& name, std::string_view bytes, std::string* reason) override;
  bool Remove(const std::string& name, std::string* reason) override;

  // All bytes, by name.
  const std::unordered_map<std::string, std::string>& all() const noexcept { return all_; }

 private:
  std::unordered_map<std::string, std::string> all_;
};

// Store with one file per name in an existing folder. Bytes are written to NAME.new, which is then
// renamed: a crash leaves the old file, and possibly a file that ends in .new, which the next
// Store() of the name replaces and Remove() removes. One writer at a time; any number of readers.
class WINNOW_EXPORT FolderPageStore : public PageStore {
 public:
  explicit FolderPageStore(std::string folder);
  ~FolderPageStore() override;

  Found Load(const std::string& name, std::string* bytes, std::string* reason) override;
  bool Store(const std::string& name, std::string_view bytes, std::string* reason) override;
  bool Remove(const std::string& name, std::string* reason) override;
  // Syncs the file system of the folder (syncfs).
  bool Flush(std::string* reason) override;

 private:
  std::string folder_;
};

}  // namespace winnow::amq

#endif  // WINNOW_AMQ_PAGE_STORE_H_
