// Parses a partially typed command line of a shell, with its quotes and backslashes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// The argument that is being typed.
struct TypedWord {
    std::string text;              ///< the word as the program would receive it
    std::vector<bool> is_literal;  ///< one entry per byte: quotes or a backslash make it literal
    char quote = 0;                ///< the open quote at its end: '"', '\'', or none
    /// The start of the part that the shell replaces. Bash does not change the text before an open
    /// quote, or before one of the characters that break words.
    std::size_t kept = 0;
};

struct TypedLine {
    std::vector<std::string> words;  ///< the command and its arguments before that argument
    TypedWord last;
    bool redirected = false;  ///< the argument is the file of a redirection, as in `> file`
};

/// The last command of a line of bash up to the cursor. Nothing is expanded: neither variables nor
/// commands. `breaks` is COMP_WORDBREAKS.
TypedLine read_bash_line(std::string_view line, std::string_view breaks);
/// An argument in fish's notation, without quotes and backslashes.
TypedWord read_fish_word(std::string_view word);

/// Quotes `text` for bash, as the continuation of the typed word and of its open quote. Typed
/// `$NAME` and `~` do not change.
std::string quoted_for_bash(std::string_view text, const TypedWord& typed);

}  // namespace assay::cli
