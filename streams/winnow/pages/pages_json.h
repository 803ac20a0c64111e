// Results of `winnow pages`, as JSON and for people.

#ifndef WINNOW_STREAMS_WINNOW_PAGES_PAGES_JSON_H_
#define WINNOW_STREAMS_WINNOW_PAGES_PAGES_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace winnow::inspect {

// A paged filter, as its record describes it.
struct PagesState {
  uint64_t pages = 0;
  uint64_t page_bytes = 0;
  unsigned probes = 0;
  uint64_t bytes = 0;
  uint64_t capacity = 0;
  double planned_rate = 0;
  uint64_t keys = 0;
  double fill = 0;
  double rate = 0;
  uint64_t worst_page = 0;
  double worst_fill = 0;
  double worst_rate = 0;
};

struct PagesAnswer {
  std::string key;
  bool may_contain = true;
  uint64_t page = 0;
  bool page_read = false;  // else nothing is known of the key
};

struct PagesReport {
  std::string action;  // "build", "add" or "ask"
  std::string place;
  std::optional<PagesState> filter;  // unset where it could not be read or made
  uint64_t keys_read = 0;            // from arguments and lists
  uint64_t keys_new = 0;             // those that changed the filter
  uint64_t pages_read = 0;
  uint64_t pages_written = 0;
  std::vector<PagesAnswer> answers;  // to "ask", in the order of the keys
  std::vector<std::string> faults;   // sentences
};

// A document of schema winnow.pages/1, with a newline at its end.
std::string PagesJson(const PagesReport& report);

}  // namespace winnow::inspect

namespace winnow::tools {

// All but the faults.
std::string PagesText(const inspect::PagesReport& report);

}  // namespace winnow::tools

#endif  // WINNOW_STREAMS_WINNOW_PAGES_PAGES_JSON_H_
