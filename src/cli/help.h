// The help of a command, folded to the width of the terminal.
#pragma once

#include <CLI/Formatter.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace assay::cli {

/// CLI11's help with lines of at most help_width columns, or of the terminal's if it is narrower.
/// Beside an option is the name of its value; defaults, limits and needs follow its description.
class FoldedHelp : public CLI::Formatter {
public:
    static constexpr std::size_t help_width = 100, least_width = 60, name_width = 34;

    FoldedHelp() { column_width(name_width); }
    std::string make_description(const CLI::App* app) const override;
    std::string make_option_usage(const CLI::Option* option) const override;
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace assay::cli
