// Parts of the help of programs, their manual pages and completions for bash.

#ifndef WINNOW_SRC_TEXT_MANUAL_H_
#define WINNOW_SRC_TEXT_MANUAL_H_

#include <absl/strings/string_view.h>

#include <cstddef>
#include <string>

namespace winnow::inspect {

namespace roff {

// Text as roff has it, with the macros of man(7): a dash that may be copied, and no line that
// begins as a request does.
std::string Roff(absl::string_view text);
std::string Bold(absl::string_view text);

std::string Section(absl::string_view title);

// A term, which is roff already, and what it means.
std::string Item(const std::string& term, absl::string_view meaning);

// The begin of a page: its title, and NAME with the summary, a sentence whose first letter becomes
// a small one.
std::string Head(const std::string& name, absl::string_view summary, absl::string_view version);

}  // namespace roff

// Lines of help, which begin with `indent` spaces, those after the first with `more` in addition.
inline constexpr size_t kHelpWidth = 90;
std::string Paragraph(const std::string& text, size_t indent, size_t more = 0);

// The end of a function of bash: offers those of the words in $choices that begin with $word;
// behind one that ends in = no blank is added.
extern const absl::string_view kOfferChoices;

}  // namespace winnow::inspect

#endif  // WINNOW_SRC_TEXT_MANUAL_H_
