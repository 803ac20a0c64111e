// Location of the pages of `winnow pages`: a folder or a server.

#ifndef WINNOW_STREAMS_WINNOW_PAGES_PAGE_PLACE_H_
#define WINNOW_STREAMS_WINNOW_PAGES_PAGE_PLACE_H_

#include <memory>
#include <string>
#include <vector>

#include "streams/redis/patience.h"
#include "streams/redis/redis_access.h"
#include "winnow/amq/page_store.h"

namespace winnow::tools {

class PagePlace {
 public:
  PagePlace() = default;
  PagePlace(const PagePlace&) = delete;
  PagePlace& operator=(const PagePlace&) = delete;
  virtual ~PagePlace();

  virtual amq::PageStore* store() = 0;

  // Returns why pages cannot be built here because of other content, or an empty string.
  virtual std::string Objection() const { return std::string(); }

  // Locks the place until destruction, so that no other process changes the pages. With to_build,
  // the place may be created; it is removed at the end unless Keep() is called. Returns false and
  // sets *reason on failure.
  virtual bool Lock(bool to_build, std::string* reason) = 0;
  virtual void Keep() {}
};

std::unique_ptr<PagePlace> PagesInFolder(const std::string& folder);

// Returns the pages of this name on a Redis or Valkey server, or in a cluster. Returns null and
// sets *reason if the server cannot be reached, or this program was built without hiredis.
std::unique_ptr<PagePlace> PagesInRedis(const std::vector<redis::RedisAccess>& servers,
                                        const std::string& name, const redis::Waits& waits,
                                        std::string* reason);

}  // namespace winnow::tools

#endif  // WINNOW_STREAMS_WINNOW_PAGES_PAGE_PLACE_H_
