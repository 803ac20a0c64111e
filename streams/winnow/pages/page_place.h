// Where `winnow pages` keeps pages: a folder, or a server.

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

  // Why pages can't be built here, where there is something else; else empty.
  virtual std::string Objection() const { return std::string(); }

  // Until the place is gone, no other process changes the pages. To build them, the place may be
  // made: it is gone again at the end unless Keep was called. False, and a sentence, if it can't be
  // had.
  virtual bool Lock(bool to_build, std::string* reason) = 0;
  virtual void Keep() {}
};

std::unique_ptr<PagePlace> PagesInFolder(const std::string& folder);

// On a Redis or Valkey server, or in a cluster of these, those of this name. Null, and a sentence,
// if it can't be reached, or this program was built without hiredis.
std::unique_ptr<PagePlace> PagesInRedis(const std::vector<redis::RedisAccess>& servers,
                                        const std::string& name, const redis::Waits& waits,
                                        std::string* reason);

}  // namespace winnow::tools

#endif  // WINNOW_STREAMS_WINNOW_PAGES_PAGE_PLACE_H_
