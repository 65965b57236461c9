// One plot as a file for a paper: vector graphics with the fonts embedded (PDF), or as outlines
// (SVG), or pixels (PNG). Drawn without a browser.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/collective/comm.h"
#include "assay/describe.h"
#include "assay/evaluate/measure_options.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay {

enum class PlotFormat { svg, pdf, png };
std::string_view name_of(PlotFormat);
/// Finds a format by name. Throws usage with the known names.
PlotFormat plot_format_named(std::string_view name);
/// The format for a file's extension: .svg, .pdf, .png; nothing for any other extension.
std::optional<PlotFormat> plot_format_of(const std::filesystem::path& file);

struct DrawOptions {
    double width = 0;
    double height = 0;
    double font = 8;
    int dpi = 300;
    bool dark = false;
    bool title = false;  ///< papers have the title in the caption; if there are several plots, each
                         ///< has its title anyway
};
template <>
inline constexpr auto description<DrawOptions> = describe<DrawOptions>({
    field<&DrawOptions::width>(
        {.help = "Size of the figure, in millimetres",
         .min = 20,
         .max = 1000,
         .empty = "85, one column; 178, two columns, for more than two plots",
         .value = "MM"}),
    field<&DrawOptions::height>({.help = "Size of the figure, in millimetres",
                                 .min = 20,
                                 .max = 1000,
                                 .empty = "chosen for the plot",
                                 .value = "MM"}),
    field<&DrawOptions::font>(
        {.help = "Size of all letters", .min = 4, .max = 40, .value = "POINTS"}),
    field<&DrawOptions::dpi>(
        {.help = "Resolution of .png", .min = 30, .max = 1200, .value = "DPI"}),
    field<&DrawOptions::dark>({.help = "Light on dark, for slides"}),
    field<&DrawOptions::title>({.help = "Add a title"}),
});
/// Checks the options without a plot. Throws usage for sizes out of range.
void check(const DrawOptions& options);

inline constexpr std::size_t most_plots = 20;  ///< arranged in rows and columns
/// number of series that a legend can distinguish
inline constexpr std::size_t most_series = 16;
inline constexpr std::size_t most_categories = 60;  ///< most in one plot, and most columns of cells

/// Returns the bytes of the file, which are the same for equal plots (no date, no random id).
/// People with any color vision can distinguish the colors, and marks distinguish the series
/// without color. Axes are shared by the plots whose titles they share. Points without a finite
/// value are not drawn; a plot without any says so. Text that is not UTF-8, and characters that
/// cannot be shown, are replaced. Throws usage for sizes out of range, no plot or too many, too
/// many series or categories, with the options that choose.
std::string draw(std::span<const Plot> plots, PlotFormat format, const DrawOptions& options = {});
std::string draw(const Plot& plot, PlotFormat format, const DrawOptions& options = {});

/// A kind of plot for `assay plot`, and its input.
struct PlotRecipe {
    std::string_view name;    ///< "reliability"
    std::string_view is;      ///< one line
    std::string_view schema;  ///< schema of the result that it reads: "assay.scores/2"
    std::string_view from;    ///< the command that prints it: "assay score RUNS --json"
};
const std::vector<PlotRecipe>& plot_recipes();
/// Finds a kind of plot. Throws usage for an unknown name (with the nearest name).
const PlotRecipe& plot_recipe_named(std::string_view name);

/// The parts of a result that are drawn; an empty choice means all parts, or the recipe's default.
struct PlotChoice {
    std::vector<std::string> models, datasets;
    std::string metric;
    std::string x, y;
    std::size_t top = 0;
};
template <>
inline constexpr auto description<PlotChoice> = describe<PlotChoice>({
    field<&PlotChoice::models>({.help = "Draw only this model; repeatable",
                                .value = "CLASSIFIER",
                                .option = "model",
                                .separator = ""}),
    field<&PlotChoice::datasets>({.help = "Draw only this data set; repeatable",
                                  .value = "DATASET",
                                  .option = "dataset",
                                  .separator = ""}),
    field<&PlotChoice::metric>(
        {.help = "The metric to draw", .empty = "the first one of the result", .value = "METRIC"}),
    field<&PlotChoice::x>(
        {.help = "Dimension of quality-scatter", .empty = "accuracy", .value = "DIMENSION"}),
    field<&PlotChoice::y>(
        {.help = "Dimension of quality-scatter", .empty = "c_robustness", .value = "DIMENSION"}),
    field<&PlotChoice::top>(
        {.help = "Draw only the first N models (classes, confusions), in the plot's order",
         .min = 1,
         .max = 100'000,
         .empty = "all models; as many classes and confusions as can be read easily"}),
});
/// Throws usage for an unknown name, or a choice that plots of this kind do not have; the message
/// names the plots that have it.
void check_choice(std::string_view name, const PlotChoice& choice);

/// The plots of one kind from a result, such as one reliability diagram per model. Throws usage for
/// an unknown name, model, data set, metric or dimension (with the nearest). Throws bad_input for a
/// result of another schema or a damaged one. Throws bad_input, too, if data that it needs is
/// missing, with the option that adds it.
std::vector<Plot> plots_of(std::string_view name, const nlohmann::json& result,
                           const PlotChoice& choice = {});

/// Reads the result for a recipe, from a file that a command wrote with --json. If the recipe
/// reads "assay.scores/2", `source` may also be a RUNS folder, a data set in it or a store, which
/// is measured. Throws bad_input and what score_runs() throws.
nlohmann::json plot_source(const PlotRecipe& recipe, const std::filesystem::path& source,
                           const MeasureOptions& measure, Comm& comm,
                           const ProgressCallback& progress = {});

}  // namespace assay
