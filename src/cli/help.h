// The help of a command, folded to a width that every terminal has.
#pragma once

#include <CLI/Formatter.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace assay::cli {

/// Lines of at most `width` bytes, broken at blanks; a longer word stands on a line of its own.
std::string folded(std::string_view text, std::size_t width);

/// CLI11's help with descriptions of at most help_width columns.
class FoldedHelp : public CLI::Formatter {
public:
    static constexpr std::size_t help_width = 100, name_width = 34;

    FoldedHelp() { column_width(name_width); }
    std::string make_description(const CLI::App* app) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace assay::cli
