#include "cli/help.h"

#include <CLI/CLI.hpp>

#include "core/text.h"

namespace assay::cli {

std::string FoldedHelp::make_description(const CLI::App* app) const {
    return folded(app->get_description(), help_width) + "\n";
}

std::string FoldedHelp::make_option_desc(const CLI::Option* option) const {
    return folded(option->get_description(), help_width - name_width);
}

}  // namespace assay::cli
