#include "core/json_damage.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/terminal_text.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::string_view json_blanks = " \t\r\n";
constexpr std::string_view json_bom = "\xEF\xBB\xBF";

bool is_json_digit(char c) {
    return c >= '0' && c <= '9';
}
/// Turns a letter into the small one.
char small_letter(char c) {
    return static_cast<char>(c | 0x20);
}
bool is_json_letter(char c) {
    return small_letter(c) >= 'a' && small_letter(c) <= 'z';
}

/// A fault and the byte where it begins.
struct JsonFault {
    std::size_t place = 0;
    std::string why;
};

/// Reads a text by the grammar of JSON until its first fault. There is no recursion, because the
/// text may be hostile.
class JsonFaultFinder {
public:
    JsonFaultFinder(std::string_view text, JsonLines lines)
        // The parser takes a NUL for the end.
        : text_(text.substr(0, text.find('\0'))),
          lines_(lines),
          at_(text.starts_with(json_bom) ? 3 : 0) {}

    std::optional<JsonFault> find() {
        if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
            return JsonFault{0, "the text is UTF-16; save it as UTF-8"};
        while (!fault_) {
            at_ = std::min(text_.find_first_not_of(json_blanks, at_), text_.size());
            if (expected_ == Expected::end && at_ == text_.size()) return std::nullopt;
            step();
        }
        return fault_;
    }

    /// The fault of a text that the grammar allows: the number that ends at `position`.
    JsonFault number_before(std::size_t position) const {
        std::size_t begin = std::min(position, text_.size());
        while (begin > 0 && number_characters.find(text_[begin - 1]) != std::string_view::npos)
            --begin;
        return {begin, fmt::format("the number `{}` is too large", token_at(begin))};
    }

private:
    enum class Expected { value, value_or_close, key, key_or_close, colon, comma_or_close, end };

    static constexpr std::string_view number_characters = "+-.0123456789eE";

    void fail(std::size_t place, std::string why) { fault_ = JsonFault{place, std::move(why)}; }
    bool in_object() const { return !open_.empty() && open_.back() == '{'; }
    bool at_close() const {
        return at_ < text_.size() && !open_.empty() && text_[at_] == (in_object() ? '}' : ']');
    }

    /// A sign, or the characters up to the next sign or blank.
    std::string token_at(std::size_t place) const {
        constexpr std::string_view signs = "[]{},:\"'/#";
        if (signs.find(text_[place]) != std::string_view::npos) return std::string(1, text_[place]);
        const std::size_t end = text_.find_first_of(" \t\r\n[]{},:\"", place);
        return shortened(text_.substr(place, end == text_.npos ? end : end - place), 20);
    }

    std::string words_of_expected() const {
        switch (expected_) {
            case Expected::value:
                return after_comma_ ? "a value after the comma" : "a value";
            case Expected::value_or_close:
                return "a value or `]`";
            case Expected::key:
                return "a key in double quotes after the comma";
            case Expected::key_or_close:
                return "a key in double quotes or `}`";
            case Expected::colon:
                return "`:` after the key";
            case Expected::comma_or_close:
                return in_object() ? "`,` or `}`" : "`,` or `]`";
            case Expected::end:
                break;
        }
        return "the end of the text";
    }

    /// True if at_ begins a line, and one line before it has the first value, as in a .jsonl file.
    bool is_second_line() const {
        const std::size_t end = text_.find_last_not_of(json_blanks, at_ - 1) + 1;
        const bool one = text_.substr(0, end).find('\n') == text_.npos;
        return lines_ == JsonLines::several && one && text_[at_ - 1] == '\n';
    }

    void fail_here() {
        if (at_ == text_.size()) {
            if (open_.empty() && expected_ == Expected::value)
                return fail(at_, "the text is empty; expected a value");
            return fail(at_,
                        fmt::format("the text ends too early; expected {}", words_of_expected()));
        }
        std::string hint;
        const char c = text_[at_];
        if (c == '\'') hint = " (JSON has double quotes)";
        if (c == '/' || c == '#') hint = " (JSON has no comments)";
        if (expected_ == Expected::end && (c == '{' || c == '[') && is_second_line())
            hint = " (call a file with one object per line .jsonl)";
        fail(at_,
             fmt::format("expected {}, found `{}`{}", words_of_expected(), token_at(at_), hint));
    }

    void step() {
        switch (expected_) {
            case Expected::value_or_close:
            case Expected::key_or_close:
                if (at_close()) return close();
                return expected_ == Expected::value_or_close ? read_value() : read_key();
            case Expected::value:
                return read_value();
            case Expected::key:
                return read_key();
            case Expected::colon:
                if (at_ == text_.size() || text_[at_] != ':') return fail_here();
                ++at_;
                after_comma_ = false;
                expected_ = Expected::value;
                return;
            case Expected::comma_or_close:
                if (at_close()) return close();
                if (at_ == text_.size() || text_[at_] != ',') return fail_here();
                ++at_;
                after_comma_ = true;
                expected_ = in_object() ? Expected::key : Expected::value;
                return;
            case Expected::end:
                return fail_here();
        }
    }

    void close() {
        ++at_;
        open_.pop_back();
        value_ended();
    }
    void value_ended() { expected_ = open_.empty() ? Expected::end : Expected::comma_or_close; }

    void read_key() {
        if (at_ == text_.size() || text_[at_] != '"') return fail_here();
        read_text();
        expected_ = Expected::colon;
    }

    void read_value() {
        if (at_ == text_.size()) return fail_here();
        const char c = text_[at_];
        if (c == '{' || c == '[') {
            open_.push_back(c);
            ++at_;
            expected_ = c == '{' ? Expected::key_or_close : Expected::value_or_close;
            return;
        }
        if (c == '"') {
            read_text();
        } else if (c == '-' || is_json_digit(c)) {
            read_number();
        } else {
            read_word();
        }
        value_ended();
    }

    void read_word() {
        for (const std::string_view word : {"true", "false", "null"}) {
            if (!text_.substr(at_).starts_with(word)) continue;
            at_ += word.size();
            return;
        }
        const std::string word = token_at(at_);
        if (!is_json_letter(word[0])) return fail_here();
        fail(at_, fmt::format("the word `{}` is not JSON; allowed: true, false, null, numbers, and "
                              "texts in double quotes",
                              word));
    }

    std::size_t skip_digits(std::size_t from) const {
        while (from < text_.size() && is_json_digit(text_[from])) ++from;
        return from;
    }

    void read_number() {
        const std::size_t begin = at_;
        const auto digits = [&] {
            const std::size_t end = skip_digits(at_);
            if (end == at_)
                fail(begin, fmt::format("`{}` is not a number of JSON", token_at(begin)));
            at_ = end;
        };
        if (text_[at_] == '-') ++at_;
        if (at_ < text_.size() && text_[at_] == '0') {
            ++at_;
            if (skip_digits(at_) != at_)
                return fail(begin,
                            fmt::format("the number `{}` begins with a zero", token_at(begin)));
        } else {
            digits();
        }
        if (!fault_ && at_ < text_.size() && text_[at_] == '.') {
            ++at_;
            digits();
        }
        if (!fault_ && at_ < text_.size() && small_letter(text_[at_]) == 'e') {
            ++at_;
            if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
            digits();
        }
    }

    void read_text() {
        const std::size_t begin = at_++;
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == '"') {
                check_characters(begin + 1, at_);
                ++at_;
                return;
            }
            if (c == '\\' && !read_escape()) return;
            if (static_cast<unsigned char>(c) < 0x20) break;
        }
        check_characters(begin + 1, at_);
        if (fault_) return;
        if (at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r')
            return fail(begin, "the text that begins here has no closing double quote");
        fail(at_, fmt::format("a control character inside a text; write it as \\u{:04x}",
                              static_cast<unsigned char>(text_[at_])));
    }

    void check_characters(std::size_t begin, std::size_t end) {
        if (fault_ || is_utf8(text_.substr(begin, end - begin))) return;
        std::size_t good = begin;  // up to the character that is not UTF-8
        for (std::size_t next = begin; next < end;) {
            const std::size_t most = std::min(end, next + 4);
            std::size_t after = next + 1;
            while (after <= most && !is_utf8(text_.substr(next, after - next))) ++after;
            if (after > most) break;
            good = next = after;
        }
        fail(good, "a text that is not UTF-8; save the file as UTF-8");
    }

    /// Leaves at_ on the escape's last character. Returns false after a fault.
    bool read_escape() {
        const std::size_t begin = at_++;
        if (at_ == text_.size()) {
            fail(begin, "the text ends inside an escape sequence");
            return false;
        }
        if (text_[at_] == 'u') return read_code(begin);
        if (std::string_view("\"\\/bfnrt").find(text_[at_]) != std::string_view::npos) return true;
        fail(begin, fmt::format("`\\{}` is not an escape sequence of JSON; write a backslash as "
                                "`\\\\`",
                                shortened(text_.substr(at_, 1))));
        return false;
    }

    std::optional<unsigned> code_at(std::size_t place) const {
        if (place + 4 > text_.size()) return std::nullopt;
        unsigned code = 0;
        const char* const end = text_.data() + place + 4;
        const bool whole = std::from_chars(end - 4, end, code, 16).ptr == end;
        return whole ? std::optional(code) : std::nullopt;
    }

    bool read_code(std::size_t begin) {
        const std::optional<unsigned> code = code_at(at_ + 1);
        if (!code) {
            fail(begin, "`\\u` needs four hexadecimal digits");
            return false;
        }
        at_ += 4;
        if (*code < 0xD800 || *code > 0xDFFF) return true;
        const bool follows = text_.substr(at_ + 1).starts_with("\\u");
        const std::optional<unsigned> low = follows ? code_at(at_ + 3) : std::nullopt;
        if (*code > 0xDBFF || !low || *low < 0xDC00 || *low > 0xDFFF) {
            fail(begin,
                 fmt::format("`\\u{:04x}` is half of a surrogate pair without the other", *code));
            return false;
        }
        at_ += 6;
        return true;
    }

    std::string_view text_;
    JsonLines lines_;
    std::size_t at_;
    Expected expected_ = Expected::value;
    bool after_comma_ = false;
    std::string open_;  ///< the `[` and `{` that are open
    std::optional<JsonFault> fault_;
};

}  // namespace

std::string json_damage(std::string_view text, std::size_t position, JsonLines lines) {
    JsonFaultFinder finder(text, lines);
    std::optional<JsonFault> fault = finder.find();
    if (!fault) fault = finder.number_before(position);
    const std::string_view before = text.substr(0, fault->place);
    const std::size_t newline = before.rfind('\n');
    std::string_view line = newline == before.npos ? before : before.substr(newline + 1);
    if (newline == before.npos && line.starts_with(json_bom)) line.remove_prefix(json_bom.size());
    const std::size_t column = 1 + static_cast<std::size_t>(std::ranges::count_if(line, [](char c) {
                                   return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
                               }));
    if (lines == JsonLines::one)
        return fmt::format("damaged JSON at column {}: {}", column, fault->why);
    return fmt::format("damaged JSON at line {}, column {}: {}",
                       1 + std::ranges::count(before, '\n'), column, fault->why);
}

}  // namespace assay
