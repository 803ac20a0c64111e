// Building blocks of help texts, manual pages and bash completions.

#ifndef WINNOW_SRC_TEXT_MANUAL_H_
#define WINNOW_SRC_TEXT_MANUAL_H_

#include <absl/strings/string_view.h>

#include <cstddef>
#include <string>

namespace winnow::inspect {

namespace roff {

// Returns the text in roff, for the macros of man(7): dashes can be copied, and no line begins like
// a request.
std::string Roff(absl::string_view text);
std::string Bold(absl::string_view text);

std::string Section(absl::string_view title);

// Returns a list item. `term` is in roff already.
std::string Item(const std::string& term, absl::string_view meaning);

// Returns the beginning of a page: its title, and NAME with the summary, a sentence whose first
// letter is made lower case.
std::string Head(const std::string& name, absl::string_view summary, absl::string_view version);

}  // namespace roff

// Returns wrapped lines of help, indented by `indent` spaces, and by `more` additional ones after
// the first line.
inline constexpr size_t kHelpWidth = 90;
std::string Paragraph(const std::string& text, size_t indent, size_t more = 0);

// End of a bash completion function: offers the words in $choices that begin with $word; no space
// is added after one that ends in =.
extern const absl::string_view kOfferChoices;

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_MANUAL_H_
