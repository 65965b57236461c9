#include "cli/roff.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/text.h"

namespace assay::cli {
namespace {

/// Returns the code point at `i` and moves `i` after it. A damaged byte is one code point.
std::uint32_t next_character(std::string_view text, std::size_t& i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned first = byte(i++);
    const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
    if (more == 0 || i + more > text.size()) return first;
    std::uint32_t code = first & (0x3FU >> more);
    for (std::size_t n = 0; n < more; ++n) code = (code << 6U) | (byte(i++) & 0x3FU);
    return code;
}

/// Characters that roff prints in a form that a shell does not read.
std::string_view name_in_code(char c) {
    switch (c) {
        case '\\':
            return "\\e";
        case '-':
            return "\\-";
        case '\'':
            return "\\(aq";
        case '`':
            return "\\(ga";
        case '^':
            return "\\(ha";
        case '~':
            return "\\(ti";
        case '"':
            return "\\(dq";
        default:
            return {};
    }
}

std::string escaped(std::string_view text, bool code) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        // Uses a minus sign for an option or a number, and a hyphen only between two letters.
        const bool begins =
            i == 0 || std::string_view(" ([|=-").find(text[i - 1]) != std::string_view::npos;
        const bool exact = code || text[i] == '\\' || text[i] == '^' || text[i] == '~' ||
                           (text[i] == '-' && begins);
        if (const auto name = name_in_code(text[i]); exact && !name.empty()) {
            out += name;
            ++i;
            continue;
        }
        const std::uint32_t character = next_character(text, i);
        out += character < 0x80 ? std::string(1, static_cast<char>(character))
                                : fmt::format("\\[u{:04X}]", character);
    }
    return out;
}

}  // namespace

std::string roff_text(std::string_view text) {
    return escaped(text, false);
}
std::string roff_code(std::string_view text) {
    return escaped(text, true);
}

std::string roff_bold(std::string_view text) {
    return "\\fB" + roff_code(text) + "\\fR";
}
std::string roff_italic(std::string_view text) {
    return "\\fI" + roff_code(text) + "\\fR";
}

std::string roff_prose(std::string_view text) {
    std::string out;
    for (bool code = false;; code = !code) {
        const std::size_t end = text.find('`');
        if (end == std::string_view::npos || (!code && text.find('`', end + 1) == text.npos))
            return out + roff_text(text);
        out += code ? roff_bold(text.substr(0, end)) : roff_text(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
}

RoffPage::RoffPage(std::string_view name, std::string_view date, std::string_view version) {
    std::string title;
    for (const char c : name) title += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    out_ = fmt::format(".TH \"{}\" \"1\" \"{}\" \"Assay {}\" \"Manual of Assay\"\n",
                       roff_code(title), date, version);
    // Options and file names are never broken, and lines are not justified, because users copy
    // both.
    out_ += ".nh\n.ad l\n";
}

void RoffPage::section(std::string_view title) {
    out_ += ".SH \"" + roff_text(title) + "\"\n";
}
void RoffPage::subsection(std::string_view title) {
    out_ += ".SS \"" + roff_text(title) + "\"\n";
}

void RoffPage::paragraph(std::string_view text) {
    // After a heading, this would be an empty line, which linters report.
    const std::size_t last = out_.rfind('\n', out_.size() - 2) + 1;
    if (out_.compare(last, 3, ".SH") != 0 && out_.compare(last, 3, ".SS") != 0) out_ += ".PP\n";
    filled(text);
}

void RoffPage::item(std::string_view term, std::string_view text) {
    out_ += ".TP\n";
    line(term);
    filled(text);
}

void RoffPage::code(const std::vector<std::string>& lines) {
    out_ += ".nf\n";
    for (const std::string& one : lines) line(roff_code(one));
    out_ += ".fi\n";
}

void RoffPage::filled(std::string_view text) {
    constexpr std::size_t width = 77;  // width of the lines in the page's source
    const std::vector<std::string> lines = folded_lines(text, width);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        // If a sentence ends at the end of a line, roff would write two blanks.
        const bool sentence = i + 1 < lines.size() &&
                              lines[i].find_last_of(".?!") != lines[i].npos &&
                              lines[i].find_last_not_of(".?!)") + 1 < lines[i].size();
        line(lines[i] + (sentence ? "\\&" : ""));
    }
}

void RoffPage::line(std::string_view text) {
    if (text.starts_with('.') || text.starts_with('\'')) out_ += "\\&";
    out_ += text;
    out_ += '\n';
}

}  // namespace assay::cli
