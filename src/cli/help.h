// The help of a command, folded to the width of the terminal.
#pragma once

#include <CLI/Formatter.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace assay::cli {

/// True if the first argument of the program, or of a command of several parts, asks for its help.
bool asks_for_help(std::string_view argument);

/// CLI11's help with lines of at most help_width columns, or the terminal's width if it is
/// narrower. The name of an option's value is next to it; defaults, limits and needs follow its
/// description.
class FoldedHelp : public CLI::Formatter {
public:
    static constexpr std::size_t help_width = 100, least_width = 60, name_width = 34;

    /// --help shows this many examples, --help-all shows all.
    static constexpr std::size_t example_count = 5;

    FoldedHelp() { column_width(name_width); }
    /// Without AppFormatMode::All, this shows the options that common_options.h names, a few
    /// examples, and how to see the rest.
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;
    std::string groups_of(const CLI::App* app, bool all) const;
    std::string make_description(const CLI::App* app) const override;
    std::string make_option_usage(const CLI::Option* option) const override;
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace assay::cli
