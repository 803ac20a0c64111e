#include "streams/winnow/pages/page_place.h"

#include <absl/strings/str_cat.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "streams/winnow/pages/locked_folder.h"
#include "winnow/amq/paged_bloom.h"
#ifdef WINNOW_HIREDIS
#include "streams/winnow/pages/redis_page_store.h"
#endif

namespace winnow::tools {
namespace {

namespace fs = std::filesystem;

class FolderPlace : public PagePlace {
 public:
  explicit FolderPlace(const std::string& folder) : folder_(folder), store_(folder) {}

  amq::PageStore* store() override { return &store_; }

  std::string Objection() const override {
    const std::string record = amq::PagedBloom::RecordName();
    std::error_code code;
    bool others = false;
    for (const auto& entry : fs::directory_iterator(folder_, code)) {
      const std::string name = entry.path().filename().string();
      if (name == record) {
        return std::string();
      }
      others = others || (name != "lock" && name != absl::StrCat(record, ".new"));
    }
    return others ? "it has files and no pages: a folder of their own is wanted for them" : "";
  }

  bool Lock(bool to_build, std::string* reason) override {
    lock_ = LockedFolder::Lock(folder_, to_build, reason);
    return lock_ != nullptr;
  }

  void Keep() override { lock_->Keep(); }

 private:
  const std::string folder_;
  amq::FolderPageStore store_;
  std::unique_ptr<LockedFolder> lock_;
};

#ifdef WINNOW_HIREDIS
class RedisPlace : public PagePlace {
 public:
  explicit RedisPlace(std::unique_ptr<RedisPageStore> store) : store_(std::move(store)) {}

  amq::PageStore* store() override { return store_.get(); }

  bool Lock(bool /*to_build*/, std::string* reason) override { return store_->Lock(reason); }

 private:
  const std::unique_ptr<RedisPageStore> store_;
};
#endif

}  // namespace

PagePlace::~PagePlace() = default;

std::unique_ptr<PagePlace> PagesInFolder(const std::string& folder) {
  return std::make_unique<FolderPlace>(folder);
}

#ifdef WINNOW_HIREDIS
std::unique_ptr<PagePlace> PagesInRedis(const std::vector<redis::RedisAccess>& servers,
                                        const std::string& name, const redis::Waits& waits,
                                        std::string* reason) {
  std::unique_ptr<RedisPageStore> store = RedisPageStore::Connect(servers, name, reason, waits);
  return store == nullptr ? nullptr : std::make_unique<RedisPlace>(std::move(store));
}
#else
std::unique_ptr<PagePlace> PagesInRedis(const std::vector<redis::RedisAccess>& /*servers*/,
                                        const std::string& /*name*/, const redis::Waits& /*waits*/,
                                        std::string* reason) {
  *reason = "this winnow was built without hiredis: build it again where libhiredis-dev is";
  return nullptr;
}
#endif

}  // namespace winnow::tools
