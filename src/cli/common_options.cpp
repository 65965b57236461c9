#include "cli/common_options.h"

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <algorithm>
#include <array>
#include <string>

namespace assay::cli {
namespace {

struct CommonOptions {
    std::string_view command;
    std::string_view options;  ///< first long names without dashes, or the letter if there is none
};

/// Options of every command of the table.
constexpr std::string_view shared = "help help-all quiet format output";

/// A command whose help is longer than 60 lines needs a row, unless its lists make it long (plot).
/// The help of a command without a row shows all options. Options that are required are always
/// shown.
constexpr std::array rows = {
    CommonOptions{"eval", "metrics labels gate device preset list limit out save-settings"},
    CommonOptions{"predict",
                  "model data preset arch list limit device batch out storage corrupt dry-run"},
    CommonOptions{"import",
                  "out name dataset-name items labels array kind score-columns label-column "
                  "id-column storage classes"},
    CommonOptions{"score",
                  "metrics labels by cluster per-class confusion reliability class-map bins gate "
                  "bootstrap level threads"},
    CommonOptions{"compare",
                  "metrics labels cluster disagreements class-map k bins gate bootstrap level "
                  "method junit threads"},
    CommonOptions{"gap",
                  "runs table n1 n2 labels1 labels2 subgroups families mark top bootstrap level "
                  "scale all threads"},
    CommonOptions{"report",
                  "out title thumbnails metrics labels hierarchy class-map k bins level threads"},
    CommonOptions{"corrupt",
                  "list limit corruptions severities frost profile out jpeg sheet threads"},
    CommonOptions{"attack", "model data preset list limit attack eps norm steps out"},
    CommonOptions{"certify",
                  "model data preset list limit sigma samples selection alpha radii batch out"},
    CommonOptions{"patchml",
                  "data boxes whole classes min-side k canvas distinct seeds out name threads "
                  "dry-run"},
    CommonOptions{"cost", "model preset arch input-size device batch threads no-latency operators"},
    CommonOptions{"inspect", "data list layout split against near examples limit threads"},
    CommonOptions{"check",
                  "model data preset arch classes list split sample decode-all device threads"},
    CommonOptions{"labels aggregate",
                  "method threshold known-annotators data classes original hierarchy against "
                  "label-sets to posteriors annotators threads"},
    CommonOptions{"mad init",
                  "name hierarchy classes images k threshold confident cap near-duplicates votes "
                  "gold seed threads"},
    CommonOptions{"replicate adjust",
                  "hits methods bootstrap units level figures clean selected-by seed threads"},
    CommonOptions{"replicate match",
                  "per-class annotators strategy hits clean selected-by seed threads"},
};

/// True if `names`, separated by blanks, contain the name.
bool holds(std::string_view names, std::string_view name) {
    while (!names.empty()) {
        const std::size_t end = std::min(names.find(' '), names.size());
        if (names.substr(0, end) == name) return true;
        names.remove_prefix(std::min(end + 1, names.size()));
    }
    return false;
}

std::string_view without_program(std::string_view name) {
    constexpr std::string_view program = "assay ";
    return name.starts_with(program) ? name.substr(program.size()) : name;
}

}  // namespace

bool has_rare_options(std::string_view command) {
    return !listed_options(command).empty();
}

bool is_common(const CLI::App& app, const CLI::Option& option) {
    const std::string command = app.get_name();
    const std::string_view listed = listed_options(without_program(command));
    if (listed.empty() || option.get_required()) return true;
    const auto& names = option.get_lnames().empty() ? option.get_snames() : option.get_lnames();
    return !names.empty() && (holds(shared, names.front()) || holds(listed, names.front()));
}

std::string_view split_command(std::size_t index) {
    return index < rows.size() ? rows.at(index).command : std::string_view();
}

std::string_view listed_options(std::string_view command) {
    const auto row = std::ranges::find(rows, command, &CommonOptions::command);
    return row != rows.end() ? row->options : std::string_view();
}

}  // namespace assay::cli
