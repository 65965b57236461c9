#include "labelling/shown_text.h"

#include <fmt/format.h>

#include "core/terminal_text.h"
#include "study/columns.h"

namespace assay::labelling {

std::string fault_of_text(std::string_view text, std::size_t most_bytes) {
    if (text.size() > most_bytes)
        return fmt::format("has {} bytes; at most {} are allowed", text.size(), most_bytes);
    if (!is_utf8(text)) return "is not UTF-8";
    if (!study::is_plain_text(text, true)) return "has a control character";
    return "";
}

std::string on_one_line(std::string_view text) {
    std::string line;
    bool gap = false;
    for (const char c : text) {
        const bool blank = static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
        if (!blank && gap && !line.empty()) line += ' ';
        gap = blank;
        if (!blank) line += c;
    }
    return line;
}

}  // namespace assay::labelling
