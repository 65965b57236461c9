// One plot as a file for a paper: vector graphics with the fonts embedded (PDF), or as outlines
// (SVG), or pixels (PNG). Drawn without a browser.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/report.h"

namespace assay {

enum class PlotFormat { svg, pdf, png };
std::string_view name_of(PlotFormat);
/// Throws usage with the known names.
PlotFormat plot_format_named(std::string_view name);
/// By a file's ending: .svg, .pdf, .png; nothing for any other.
std::optional<PlotFormat> plot_format_of(const std::filesystem::path& file);

struct DrawOptions {
    double width = 0;   ///< millimetres; 0: a column of a paper (85), or two for many categories
    double height = 0;  ///< millimetres; 0: what suits the kind
    double font = 8;    ///< points
    int dpi = 300;      ///< of PNG
    bool dark = false;
    bool title = false;  ///< papers say it in the caption
};
/// The bytes of the file: the same for equal plots (no date, no random id). Colours are told apart
/// by people of any colour vision, and by their marks without colour. Throws usage: sizes out of
/// range; internal: a plot without a finite point draws its axes and says so instead.
std::string draw(const Plot& plot, PlotFormat format, const DrawOptions& options = {});

/// A kind of plot that `assay plot` knows, and what it is made of.
struct PlotRecipe {
    std::string_view name;    ///< "reliability"
    std::string_view is;      ///< one line
    std::string_view schema;  ///< of the result that it reads: "assay.scores/2"
};
const std::vector<PlotRecipe>& plot_recipes();
/// The plots of one kind that a result holds, such as one reliability diagram a model. Throws
/// usage: unknown name (with the nearest), a result of another schema; bad_input: what it needs is
/// not in the result, with the option that puts it there.
std::vector<Plot> plots_of(std::string_view name, const nlohmann::json& result);

}  // namespace assay
