// A command line as a shell shows it, with its quotes and backslashes, while it is typed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// The argument that is being typed.
struct TypedWord {
    std::string text;  ///< as the program would get it
    std::vector<bool>
        is_literal;  ///< of each byte of it: quotes or a backslash make it mean itself
    char quote = 0;  ///< that is open at its end: '"', '\'', or none
    /// Where that begins which the shell replaces: bash leaves what is before an open quote, or
    /// before one of the characters that break words, as it is.
    std::size_t kept = 0;
};

struct TypedLine {
    std::vector<std::string> words;  ///< before that argument: the command, its arguments
    TypedWord last;
    bool redirected = false;  ///< the argument is the file of a redirection, as in `> file`
};

/// The last command of a line of bash up to the cursor. Nothing is expanded: neither variables nor
/// commands in it. `breaks`: COMP_WORDBREAKS.
TypedLine read_bash_line(std::string_view line, std::string_view breaks);
/// One argument as fish shows it.
TypedWord read_fish_word(std::string_view word);

/// `text` as bash must have it to get it back, without what is kept of the typed word and inside
/// its open quote. What is typed as `$NAME` or `~` stays so.
std::string quoted_for_bash(std::string_view text, const TypedWord& typed);

}  // namespace assay::cli
