#include "core/toml.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "assay/error.h"

// toml++ 3.3 asserts on some damaged files ("[@"), which would end the process: bad input throws
// instead.
namespace {
[[noreturn]] void refuse_toml() {
    throw assay::Error(assay::ErrorCode::bad_input, "not valid TOML");
}
}  // namespace
#undef NDEBUG  // with it toml++ takes this macro away
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : refuse_toml())
#include <toml++/toml.h>

namespace assay {
namespace {

using nlohmann::json;

/// Brackets in brackets, and tables in tables: what has more is no list of settings. The parser and
/// the tree's owner call themselves once a level.
constexpr unsigned deepest_toml = 64;
/// a.b.c has three.
constexpr unsigned most_key_parts = 32;
constexpr std::size_t most_toml_bytes = std::size_t{16} << 20;

[[noreturn]] void refuse_depth(unsigned line) {
    throw Error(ErrorCode::bad_input,
                fmt::format("TOML nested deeper than {} levels in line {}", deepest_toml, line));
}

json to_json(const toml::node& node, unsigned depth = 0) {
    if (depth > deepest_toml) refuse_depth(static_cast<unsigned>(node.source().begin.line));
    if (const auto* table = node.as_table()) {
        json out = json::object();
        for (const auto& [key, value] : *table)
            out[std::string(key.str())] = to_json(value, depth + 1);
        return out;
    }
    if (const auto* array = node.as_array()) {
        json out = json::array();
        for (const auto& value : *array) out.push_back(to_json(value, depth + 1));
        return out;
    }
    if (const auto* value = node.as_string()) return value->get();
    if (const auto* value = node.as_integer()) return value->get();
    if (const auto* value = node.as_floating_point()) return value->get();
    if (const auto* value = node.as_boolean()) return value->get();
    throw Error(ErrorCode::bad_input,
                fmt::format("line {} holds a date or time; no setting takes one",
                            static_cast<unsigned>(node.source().begin.line)));
}

/// What stands outside quotes and comments, one character after the other: enough of TOML's grammar
/// to know where a string may begin. The parser takes any other quote for a part of a value.
class BareText {
public:
    void take(char c, unsigned line) {
        // TOML allows none here; toml++ 3.3 has undefined behaviour.
        if (static_cast<unsigned char>(c) >= 0x80) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("not valid TOML: a character beyond ASCII outside quotes in line {}",
                            line));
        }
        // Between two of these stands a key, or a value, which has one dot at most.
        if (std::string_view("=,{}[]\n").find(c) != std::string_view::npos) parts_ = 1;
        if (c == '.' && ++parts_ > most_key_parts) {
            throw Error(ErrorCode::bad_input, fmt::format("a key of more than {} parts in line {}",
                                                          most_key_parts, line));
        }
        if (c == '[' || c == '{') {
            open_ += c == '[' && !value_ ? 'h' : c;  // a table's header, an array, an inline table
            if (open_.size() > deepest_toml) refuse_depth(line);
        }
        if ((c == ']' || c == '}') && !open_.empty()) open_.pop_back();
        follow(c);
    }

    /// At a quote.
    void begin_string(unsigned line) {
        const bool goes_on = token_ == Token::begun || (value_ && token_ == Token::dotted);
        if (goes_on) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("not valid TOML: a quote inside a key or value in line {}", line));
        }
        token_ = Token::begun;
    }

private:
    bool in_array() const { return !open_.empty() && open_.back() == '['; }
    void follow(char c) {
        if (c == '\n') {
            if (in_array()) return;
            open_.clear();
            value_ = false;
            token_ = Token::none;
        } else if (c == '=' || c == ',' || c == '[' || c == '{') {
            value_ = c == '=' || in_array();
            token_ = Token::none;
        } else if (c != ' ' && c != '\t' && c != '\r' && c != '#') {
            token_ = c == '.' ? Token::dotted : Token::begun;
        }
    }

    std::string open_;    ///< brackets that are not closed
    bool value_ = false;  ///< behind '=' or in an array; else a key is expected
    enum class Token { none, begun, dotted } token_ = Token::none;  ///< since the last separator
    unsigned parts_ = 1;
};

/// Before the parser sees the text: it has no limits of its own for most of this.
void check_bare_text(std::string_view text) {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    BareText bare;
    unsigned line = 1;
    std::string_view quote;  // the delimiter that ends the string we are in, or "\n" in a comment
    for (std::size_t i = text.starts_with(mark) ? mark.size() : 0; i < text.size(); ++i) {
        const std::string_view rest = text.substr(i);
        if (text[i] == '\n') ++line;
        if (quote.empty()) {
            if (text[i] != '"' && text[i] != '\'') bare.take(text[i], line);
            for (const std::string_view opening : {"\"\"\"", "'''", "\"", "'", "#"}) {
                if (!rest.starts_with(opening)) continue;
                if (opening != "#") bare.begin_string(line);
                quote = opening == "#" ? "\n" : opening;
                i += opening.size() - 1;
                break;
            }
        } else if (quote.front() == '"' && text[i] == '\\') {
            ++i;  // the escaped character ends nothing
        } else if (rest.starts_with(quote) || (quote.size() == 1 && text[i] == '\n')) {
            if (text[i] == '\n') bare.take('\n', line);
            i += quote.size() - 1;
            // A text of several lines may end with one or two quotes of its own.
            for (int more = 0; quote.size() == 3 && more < 2; ++more)
                i += i + 1 < text.size() && text[i + 1] == quote.front() ? 1 : 0;
            quote = {};
        }
    }
}

}  // namespace

json parse_toml(std::string_view text) {
    if (text.size() > most_toml_bytes) {
        throw Error(ErrorCode::bad_input, fmt::format("{} bytes of TOML; at most {} are read",
                                                      text.size(), most_toml_bytes));
    }
    check_bare_text(text);
    try {
        return to_json(toml::parse(text));
    } catch (const toml::parse_error& error) {
        const auto at = error.source().begin;
        throw Error(ErrorCode::bad_input,
                    fmt::format("not valid TOML: {} (line {}, column {})", error.description(),
                                static_cast<unsigned>(at.line), static_cast<unsigned>(at.column)));
    }
}

}  // namespace assay
