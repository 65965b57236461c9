// The recipes of plots, each for one schema, and the code that they share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/estimate.h"
#include "assay/report/draw.h"
#include "core/add_once.h"
#include "core/json_reader.h"

namespace assay {

/// The drawn names of one kind, and all existing names for messages.
class NameChoice {
public:
    /// `what` is, for example, "model". `wanted` must outlive this object; empty means all.
    NameChoice(std::string_view what, const std::vector<std::string>& wanted)
        : what_(what), wanted_(wanted) {}
    bool takes(const std::string& name);
    /// Call it after all names. Throws usage, with the nearest name, if a wanted one does not
    /// exist.
    void check() const;

private:
    std::string_view what_;
    const std::vector<std::string>& wanted_;
    std::vector<std::string> seen_;
};

/// The fields of an estimate. Its value is null or a finite number.
Estimate estimate_of(const JsonReader& fields);
Interval interval_of(const JsonReader& fields, std::string_view low = "low",
                     std::string_view high = "high");
/// The metric that `choice` names, without parameters, or otherwise the first; throws usage if it
/// does not exist.
std::string chosen_metric(const PlotChoice& choice, const std::vector<std::string>& there);
/// `x` is a number or the name of a row.
Point plot_point(std::variant<double, std::string> x, Estimate y, std::string label = "");
/// Keeps the number of first points that `choice` requests.
void keep_top(std::vector<Point>& points, const PlotChoice& choice);
/// Rows are distinguished by their names: later ones with the same name get a number, "b (2)".
void tell_apart(std::vector<Point>& points);

/// The ending of a plot's title for stores that are not models, ", under attack" or ", smoothed",
/// from the field `derived`; "" for models.
std::string title_apart(const std::optional<JsonReader>& derived);

/// A store of a result of scores, and the title of its plot.
struct ChosenStore {
    JsonReader store;
    std::string title;
};
/// The stores of the chosen models and data sets that contain `part`; `option` of assay score adds
/// it. Their data sets are added to `datasets`. Throws usage and bad_input as plots_of() does.
std::vector<ChosenStore> stores_with(const JsonReader& result, const PlotChoice& choice,
                                     std::string_view part, std::string_view option,
                                     std::vector<std::string>& datasets);

/// Titles are "model, data set"; a single data set is not named.
void leave_out_common_ending(std::vector<Plot>& plots, const std::vector<std::string>& datasets);

using PlotMaker = std::vector<Plot> (*)(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> reliability_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> score_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> comparison_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> corruption_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> gap_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> gap_model_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> gap_label_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> gap_histogram_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> score_label_plots(const JsonReader& result, const PlotChoice& choice);
/// The name of a dimension in the figures of Hesse et al. 2026; other columns keep theirs.
std::string abbreviated_dimension(const std::string& dimension);
std::vector<Plot> quality_scatter_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> quality_score_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> attack_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> attack_transfer_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> certify_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> class_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> confusion_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> confusion_matrix_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> quality_correlation_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> quality_matrix_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> quality_group_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_adjust_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_density_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_reading_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_curve_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_frequency_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_histogram_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_skew_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_accuracy_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_fit_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_annotator_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> replicate_model_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> mad_ranking_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> mad_pair_plots(const JsonReader& result, const PlotChoice& choice);
std::vector<Plot> mad_ablation_plots(const JsonReader& result, const PlotChoice& choice);

}  // namespace assay
