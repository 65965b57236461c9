// The help of a command, folded to a width that every terminal has.
#pragma once

#include <CLI/Formatter.hpp>
#include <cstddef>
#include <string>
#include <string_view>

namespace assay::cli {

/// CLI11's help with descriptions of at most help_width columns.
class FoldedHelp : public CLI::Formatter {
public:
    static constexpr std::size_t help_width = 100, name_width = 34;

    FoldedHelp() { column_width(name_width); }
    std::string make_description(const CLI::App* app) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace assay::cli
