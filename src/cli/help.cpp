#include "cli/help.h"

#include <CLI/CLI.hpp>

namespace assay::cli {

std::string folded(std::string_view text, std::size_t width) {
    std::string out;
    std::size_t used = 0;  // of the current line
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        if (used > 0 && used + 1 + word.size() > width) {
            out += '\n';
            used = 0;
        } else if (used > 0) {
            out += ' ';
            ++used;
        }
        out += word;
        used += word.size();
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::string FoldedHelp::make_description(const CLI::App* app) const {
    return folded(app->get_description(), help_width) + "\n";
}

std::string FoldedHelp::make_option_desc(const CLI::Option* option) const {
    return folded(option->get_description(), help_width - name_width);
}

}  // namespace assay::cli
