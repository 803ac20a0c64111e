// Results of `winnow pages`, and their output as JSON and as text.

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
  bool page_read = false;  // false: nothing is known about the key
};

struct PagesReport {
  std::string action;  // "build", "add" or "ask"
  std::string place;
  std::optional<PagesState> filter;  // unset if it could not be read or built
  uint64_t keys_read = 0;            // keys read from arguments and lists
  uint64_t keys_new = 0;             // keys that changed the filter
  uint64_t pages_read = 0;
  uint64_t pages_written = 0;
  std::vector<PagesAnswer> answers;  // answers of "ask", in the order of the keys
  std::vector<std::string> faults;   // sentences
};

// Returns a document of schema winnow.pages/1 with a final newline.
std::string PagesJson(const PagesReport& report);

}  // namespace winnow::inspect

namespace winnow::tools {

// Returns the text output, without the faults.
std::string PagesText(const inspect::PagesReport& report);

}  // namespace winnow::tools

#endif  // WINNOW_STREAMS_WINNOW_PAGES_PAGES_JSON_H_
