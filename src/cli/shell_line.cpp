#include "cli/shell_line.h"

#include <algorithm>

namespace assay::cli {
namespace {

constexpr std::string_view blanks = " \t\n";
/// Characters that end a command, or begin one inside another.
constexpr std::string_view operators = "|&;()`";
constexpr std::string_view redirections = "<>";

bool is_in(std::string_view set, char c) {
    return set.find(c) != std::string_view::npos;
}

/// Characters that a backslash escapes between double quotes.
constexpr std::string_view special_in_double_quotes = "$`\"\\";

class BashLine {
public:
    explicit BashLine(std::string_view breaks) : breaks_(breaks) {}

    TypedLine read(std::string_view line) {
        for (at_ = 0; at_ < line.size(); ++at_) read_character(line);
        read_.last = std::move(word_);
        return std::move(read_);
    }

private:
    void read_character(std::string_view line) {
        const char c = line[at_];
        char& quote = word_.quote;
        if (quote == '\'') {
            if (c == '\'') {
                quote = 0;
            } else {
                add(c, true);
            }
        } else if (c == '\\' && at_ + 1 < line.size()) {
            const char next = line[at_ + 1];
            if (quote == '"' && !is_in(special_in_double_quotes, next)) return add(c, true);
            ++at_;
            add(next, true);
        } else if (c == '\\') {  // the cursor is after it
            begun_ = true;
        } else if (quote == '"') {
            if (c == '"') {
                quote = 0;
            } else {
                add(c, c != '$');
            }
        } else if (c == '"' || c == '\'') {
            begun_ = true;
            quote = c;
            before_quote_ = word_.kept;
            word_.kept = word_.text.size();
            return;
        } else {
            return read_plain(c, at_ + 1 < line.size() ? line[at_ + 1] : ' ');
        }
        // After a closed quote, readline replaces the whole word again.
        if (quote == 0 && (c == '"' || c == '\'')) word_.kept = before_quote_;
    }
    void read_plain(char c, char next) {
        if (is_in(blanks, c)) return end_word();
        if (is_in(redirections, c)) {
            // "2>" is a redirection of a descriptor, not an argument.
            if (begun_ && word_.text.find_first_not_of("0123456789") == std::string::npos)
                drop_word();
            end_word();
            read_.redirected = true;
            return;
        }
        if (is_in(operators, c)) {
            // The & in "2>&1" and "&>" does not end a command.
            if (c == '&' && (read_.redirected || next == '>')) return;
            drop_word();
            read_ = {};
            return;
        }
        add(c, false);
        if (is_in(breaks_, c)) word_.kept = word_.text.size();
    }
    void add(char c, bool is_literal) {
        begun_ = true;
        word_.text += c;
        word_.is_literal.push_back(is_literal);
    }
    void end_word() {
        if (!begun_) return;
        // NAME=VALUE before a command is for its environment.
        const bool assigns = read_.words.empty() && word_.text.find('=') != std::string::npos;
        if (!read_.redirected && !assigns) read_.words.push_back(word_.text);
        read_.redirected = false;
        drop_word();
    }
    void drop_word() {
        word_ = {};
        begun_ = false;
    }

    std::string_view breaks_;
    std::size_t at_ = 0;
    TypedLine read_;
    TypedWord word_;
    std::size_t before_quote_ = 0;
    bool begun_ = false;
};

}  // namespace

TypedLine read_bash_line(std::string_view line, std::string_view breaks) {
    return BashLine(breaks).read(line);
}

TypedWord read_fish_word(std::string_view word) {
    TypedWord read;
    for (std::size_t i = 0; i < word.size(); ++i) {
        char c = word[i];
        if (read.quote == 0 && (c == '"' || c == '\'')) {
            read.quote = c;
            continue;
        }
        if (read.quote != 0 && c == read.quote) {
            read.quote = 0;
            continue;
        }
        bool is_literal = read.quote != 0 && c != '$';
        if (c == '\\' && i + 1 < word.size()) {
            const char next = word[i + 1];
            const bool takes = read.quote == 0     ? true
                               : read.quote == '"' ? is_in("$\"\\", next)
                                                   : is_in("'\\", next);
            if (takes) c = word[++i];
            is_literal = true;
        }
        read.text += c;
        read.is_literal.push_back(is_literal);
    }
    return read;
}

std::string quoted_for_bash(std::string_view text, const TypedWord& typed) {
    constexpr std::string_view special = " \t\n\\'\"`$&|;<>()[]{}*?!#~^";
    std::string out;
    for (std::size_t i = std::min(typed.kept, text.size()); i < text.size(); ++i) {
        const char c = text[i];
        const bool as_typed =
            i < typed.text.size() && typed.text[i] == c && !typed.is_literal[i] && is_in("$~{}", c);
        if (as_typed) {
            out += c;
        } else if (typed.quote == '\'') {
            out += c == '\'' ? std::string("'\\''") : std::string(1, c);
        } else {
            const bool escape = is_in(typed.quote == '"' ? special_in_double_quotes : special, c);
            if (escape) out += '\\';
            out += c;
        }
    }
    return out;
}

}  // namespace assay::cli
