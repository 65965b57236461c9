// assay plot: one figure of a result, as a file for a paper.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/error.h"
#include "assay/report/draw.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "core/paths.h"

namespace assay::cli {
namespace {

constexpr std::string_view plot_examples = R"(
assay plot reliability runs/val -o reliability.pdf
assay plot scores runs --metric ece --dataset val -o ece.svg
assay gap runs/v1 runs/v2 --json -o gap.json
assay plot gap gap.json --metric top1 -o gap.pdf
assay quality score published --json -o quba.json
assay plot quality-score quba.json --top 20 -o quba.png --dpi 600
)";

/// The recipes with their inputs, for --help.
std::string recipe_lines() {
    std::string out = "\nPlots:\n";
    for (const PlotRecipe& recipe : plot_recipes())
        out += fmt::format("  {:<21} {}\n  {:<21} {}\n", recipe.name, recipe.is, "", recipe.from);
    return out;
}

struct PlotArguments {
    std::string recipe;
    std::filesystem::path source, out;
    PlotChoice choice;
    DrawOptions draw;
    MeasureOptions measure;
};

/// The extension determines the format; there is no default.
PlotFormat format_of_plot(const std::filesystem::path& out) {
    if (const auto format = plot_format_of(out)) return *format;
    throw Error(ErrorCode::usage,
                fmt::format("-o {}: unknown extension; allowed: .svg, .pdf, .png", out.string()));
}

}  // namespace

int cmd_plot(std::vector<std::string> arguments) {
    auto app = make_app(
        "plot",
        "Draw one figure of a result for a paper: vectors (.svg, .pdf with embedded fonts) or "
        "pixels (.png). Several plots are drawn side by side, with the same axes.",
        plot_examples);
    PlotArguments given;
    app->add_option("plot", given.recipe, "Plot to draw: see Plots")->required()->type_name("PLOT");
    app->add_option("source", given.source,
                    "JSON that a command wrote; for plots of scores also a RUNS folder, or a data "
                    "set or store in it, which is evaluated")
        ->required()
        ->type_name("SOURCE");
    app->add_option("-o,--output", given.out, "File that ends in .svg, .pdf or .png")
        ->required()
        ->type_name("PICTURE");
    add_options(*app, given.choice);
    add_options(*app, given.draw);
    add_option<&MeasureOptions::bins>(*app, given.measure);
    add_option<&MeasureOptions::threads>(*app, given.measure);
    app->footer(recipe_lines() + app->get_footer());
    if (!parse(*app, std::move(arguments))) return Status::done;

    const PlotRecipe& recipe = plot_recipe_named(given.recipe);
    const PlotFormat format = format_of_plot(given.out);
    check(given.draw);
    check_choice(recipe.name, given.choice);
    if (app->count(option_of<&DrawOptions::dpi>()) > 0 && format != PlotFormat::png)
        throw Error(ErrorCode::usage, fmt::format("--dpi only applies to .png; -o {} has no pixels",
                                                  given.out.string()));
    if (app->count(option_of<&MeasureOptions::bins>()) > 0 && !is_folder(given.source))
        throw Error(ErrorCode::usage,
                    fmt::format("--bins cannot change the saved result {}: measure again with "
                                "`assay score RUNS --bins N --json`",
                                given.source.string()));
    if (!given.choice.metric.empty()) given.measure.metrics = {given.choice.metric};
    ProgressLine line("plot", "items");
    const nlohmann::json result =
        plot_source(recipe, given.source, given.measure, *self_comm(), line);
    line.finish();
    const std::vector<Plot> plots =
        with_note(fmt::format("drawing `{}`", given.source.string()),
                  [&] { return plots_of(recipe.name, result, given.choice); });
    write_result(given.out, draw(plots, format, given.draw));
    return Status::done;
}

}  // namespace assay::cli
