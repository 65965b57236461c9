// The recipes of plots, each from one schema, and what they share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/estimate.h"
#include "assay/report/draw.h"
#include "core/add_once.h"
#include "core/json_reader.h"

namespace assay {

/// Which names of one kind are drawn, and which there are, for messages.
class NameChoice {
public:
    /// `what`: "model". `wanted`, which outlives it: empty is all.
    NameChoice(std::string_view what, const std::vector<std::string>& wanted)
        : what_(what), wanted_(wanted) {}
    bool takes(const std::string& name);
    /// When all were asked for. Throws usage: one that was wanted is not there, with the nearest.
    void check() const;

private:
    std::string_view what_;
    const std::vector<std::string>& wanted_;
    std::vector<std::string> seen_;
};

/// The fields of an estimate; its value is null or a finite number.
Estimate estimate_of(const JsonReader& fields);
Interval interval_of(const JsonReader& fields, std::string_view low = "low",
                     std::string_view high = "high");
/// The metric that `choice` names, without parameters, or else the first; throws usage where it is
/// not among them.
std::string chosen_metric(const PlotChoice& choice, const std::vector<std::string>& there);
/// `x`: a number, or the name of a row.
Point plot_point(std::variant<double, std::string> x, Estimate y, std::string label = "");
/// The first so many, where `choice` says.
void keep_top(std::vector<Point>& points, const PlotChoice& choice);
/// Rows are told apart by their names: later ones of a name get a number, "b (2)".
void tell_apart(std::vector<Point>& points);

/// A store of a result of scores, and the title of its plot.
struct ChosenStore {
    JsonReader store;
    std::string title;
};
/// Those of the chosen models and data sets that hold `part`; `option` of assay score puts it in.
/// Their data sets are added to `datasets`. Throws usage and bad_input as plots_of() does.
std::vector<ChosenStore> stores_with(const JsonReader& result, const PlotChoice& choice,
                                     std::string_view part, std::string_view option,
                                     std::vector<std::string>& datasets);

/// Titles are "model, data set"; the data set goes without saying where it is the only one.
void leave_out_common_ending(std::vector<Plot>& plots, const std::vector<std::string>& datasets);

using PlotMaker = std::vector<Plot> (*)(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> reliability_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> score_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> comparison_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> corruption_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> gap_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> gap_label_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> quality_scatter_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> quality_score_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> attack_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> class_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> confusion_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> confusion_matrix_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> quality_correlation_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> quality_group_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_adjust_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_density_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_reading_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_curve_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_frequency_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> mad_ranking_plots(const JsonReader& result, const PlotChoice& choice);

}  // namespace assay
