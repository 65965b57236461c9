// Manual pages in the language of man(7), for groff and mandoc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// Escapes text for roff. Hyphens of options can be copied.
std::string roff_text(std::string_view text);
/// Lines to copy: every character is the one that a shell needs.
std::string roff_code(std::string_view text);
/// Prose: text between backquotes becomes bold, without the quotes.
std::string roff_prose(std::string_view text);
std::string roff_bold(std::string_view text);
std::string roff_italic(std::string_view text);

/// A manual page that grows by the calls below.
class RoffPage {
public:
    /// `name` is "assay-score", in section 1; `date` is like 2026-01-31.
    RoffPage(std::string_view name, std::string_view date, std::string_view version);

    void section(std::string_view title);
    void subsection(std::string_view title);
    /// `text` is roff source.
    void paragraph(std::string_view text);
    /// A term, with its meaning indented below it.
    void item(std::string_view term, std::string_view text);
    void code(const std::vector<std::string>& lines);
    const std::string& text() const { return out_; }

private:
    /// Text that the viewer wraps.
    void filled(std::string_view text);
    /// Escapes a line that looks like a request.
    void line(std::string_view text);
    std::string out_;
};

}  // namespace assay::cli
