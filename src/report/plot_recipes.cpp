#include "report/plot_recipes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "metric/other_names.h"

namespace assay {
namespace {

struct PlotKind {
    PlotRecipe recipe;
    PlotMaker make;
    std::string_view takes;  ///< the options of PlotChoice that have an effect, separated by blanks
};

bool has_option(const PlotKind& kind, std::string_view option) {
    return kind.takes.find(fmt::format(" {} ", option)) != std::string_view::npos;
}

constexpr PlotKind plot_kinds[] = {
    {{"scores", "one metric of each model with its interval, a plot for each data set",
      "assay.scores/2", "assay score RUNS --json"},
     score_plots,
     " model dataset metric top "},
    {{"reliability", "accuracy by confidence, a plot for each model", "assay.scores/2",
      "assay score RUNS --reliability --json"},
     reliability_plots,
     " model dataset "},
    {{"classes", "accuracy of each class, the worst first, a plot for each model", "assay.scores/2",
      "assay score RUNS --per-class --json"},
     class_plots,
     " model dataset top "},
    {{"confusions", "the most frequent confusions, a plot for each model", "assay.scores/2",
      "assay score RUNS --confusion --json"},
     confusion_plots,
     " model dataset top "},
    {{"confusion-matrix", "images of each class by the predicted class, a plot for each model",
      "assay.scores/2", "assay score RUNS --per-class --confusion --json"},
     confusion_matrix_plots,
     " model dataset top "},
    {{"score-labels", "agreement by the number of labels of the images, a line for each model",
      "assay.scores/2", "assay score RUNS --json"},
     score_label_plots,
     " model dataset top "},
    {{"comparison", "differences to the baseline, with intervals", "assay.comparisons/2",
      "assay compare BASELINE CANDIDATE --json"},
     comparison_plots,
     " model dataset metric top "},
    {{"corruptions", "accuracy by severity, a plot for each corruption",
      "assay.corrupted_accuracy/1", "assay robustness RUNS --clean NAME --json"},
     corruption_plots,
     " model "},
    {{"attack", "accuracy by the budget of attacks, a plot for each model", "assay.attack/1",
      "assay attack --json"},
     attack_plots,
     " model dataset "},
    {{"attack-transfer",
      "accuracy of each model on the images made on each other one, as heat maps", "assay.attack/1",
      "assay attack -m A -m B --transfer --json"},
     attack_transfer_plots,
     " model dataset "},
    {{"certify", "certified accuracy by l2 radius, a plot for each data set", "assay.certify/1",
      "assay certify --json"},
     certify_plots,
     " model dataset "},
    {{"gap", "models on two data sets, with the fitted line, a plot for each metric", "assay.gap/3",
      "assay gap FIRST SECOND --json"},
     gap_plots,
     " model metric "},
    {{"gap-models", "models by their place on the first data set, with a line for each data set",
      "assay.gap/3", "assay gap FIRST SECOND --json"},
     gap_model_plots,
     " model metric top "},
    {{"gap-histogram", "images of two data sets by their number of labels", "assay.gap/3",
      "assay gap FIRST SECOND --json"},
     gap_histogram_plots,
     ""},
    {{"gap-labels", "models on two data sets by the number of labels of the images, as boxes",
      "assay.gap/3", "assay gap FIRST SECOND --json"},
     gap_label_plots,
     ""},
    {{"quality-score", "QUBA scores of models with their intervals", "assay.quality_score/1",
      "assay quality score TABLE --json"},
     quality_score_plots,
     " model top "},
    {{"quality-scatter", "one dimension of quality by another (--x, --y)", "assay.quality/1",
      "assay quality measure RUNS --val NAME --json"},
     quality_scatter_plots,
     " model x y top "},
    {{"quality-correlations", "rank correlations of dimensions, with intervals",
      "assay.quality_correlate/1", "assay quality correlate TABLE --json"},
     quality_correlation_plots,
     " top "},
    {{"quality-matrix", "rank correlations of dimensions as a heat map, a plot for each group",
      "assay.quality_correlate/1", "assay quality correlate TABLE --json"},
     quality_matrix_plots,
     ""},
    {{"quality-groups", "effect sizes between two groups of models", "assay.quality_groups/1",
      "assay quality groups TABLE --first TAG=A --second TAG=B --json"},
     quality_group_plots,
     ""},
    {{"mad-ranking", "scores of a competition with their intervals", "assay.mad_ranking/1",
      "assay mad rank COMPETITION --json"},
     mad_ranking_plots,
     " model top "},
    {{"mad-pairs", "who beats whom in a competition, as two heat maps", "assay.mad_ranking/1",
      "assay mad rank COMPETITION --json"},
     mad_pair_plots,
     " model top "},
    {{"mad-ablation", "correlation of the ranking by fewer images with the whole one",
      "assay.mad_ranking/1", "assay mad rank COMPETITION --ablation --json"},
     mad_ablation_plots,
     ""},
    {{"replicate-adjust", "accuracies on both data sets, as measured and adjusted",
      "assay.replicate_adjust/2", "assay replicate adjust --json"},
     replicate_adjust_plots,
     " model "},
    {{"replicate-densities", "densities of selection rates, a plot for each method",
      "assay.replicate_adjust/2", "assay replicate adjust --json"},
     replicate_density_plots,
     ""},
    {{"replicate-readings", "densities of selection rates of the images with a reading",
      "assay.replicate_adjust/2", "assay replicate adjust --json"},
     replicate_reading_plots,
     ""},
    {{"replicate-curves", "accuracy at a selection rate with its interval, a plot for each model",
      "assay.replicate_adjust/2", "assay replicate adjust --json"},
     replicate_curve_plots,
     " model "},
    {{"replicate-frequencies", "images by how often they are selected",
      "assay.replicate_frequencies/2", "assay replicate frequencies --json"},
     replicate_frequency_plots,
     " dataset "},
    {{"replicate-histogram", "images by how many annotators selected them",
      "assay.replicate_figures/1", "assay replicate adjust --figures FILE"},
     replicate_histogram_plots,
     ""},
    {{"replicate-skew", "images by selection frequency, a line for each number of annotators",
      "assay.replicate_figures/1", "assay replicate adjust --figures FILE"},
     replicate_skew_plots,
     ""},
    {{"replicate-accuracy", "accuracy by selection frequency, a line for each number of annotators",
      "assay.replicate_figures/1", "assay replicate adjust --figures FILE"},
     replicate_accuracy_plots,
     ""},
    {{"replicate-fit", "observed readings, and those that the fitted densities imply",
      "assay.replicate_figures/1", "assay replicate adjust --figures FILE"},
     replicate_fit_plots,
     ""},
    {{"replicate-annotators",
      "the remaining gap by the number of annotators, a line for each method",
      "assay.replicate_figures/1", "assay replicate adjust --figures FILE"},
     replicate_annotator_plots,
     ""},
    {{"replicate-models", "accuracies by the number of annotators, a plot for each method",
      "assay.replicate_figures/1", "assay replicate adjust --figures FILE"},
     replicate_model_plots,
     " model "},
};

const PlotKind& plot_kind_named(std::string_view name) {
    std::vector<std::string> names;
    for (const PlotKind& kind : plot_kinds) {
        if (kind.recipe.name == name) return kind;
        names.emplace_back(kind.recipe.name);
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown plot `{}`{}", shortened(name), suggest(name, names)));
}

}  // namespace

const std::vector<PlotRecipe>& plot_recipes() {
    static const std::vector<PlotRecipe> recipes = [] {
        std::vector<PlotRecipe> list;
        for (const PlotKind& kind : plot_kinds) list.push_back(kind.recipe);
        return list;
    }();
    return recipes;
}

const PlotRecipe& plot_recipe_named(std::string_view name) {
    return plot_kind_named(name).recipe;
}

void check_choice(std::string_view name, const PlotChoice& choice) {
    const PlotKind& kind = plot_kind_named(name);
    const auto check = [&](bool given, std::string_view option) {
        if (!given || has_option(kind, option)) return;
        std::vector<std::string_view> others;
        for (const PlotKind& other : plot_kinds) {
            if (has_option(other, option)) others.push_back(other.recipe.name);
        }
        throw Error(ErrorCode::usage, fmt::format("the plot `{}` does not take --{}; these do: {}",
                                                  name, option, fmt::join(others, ", ")));
    };
    check(!choice.models.empty(), "model");
    check(!choice.datasets.empty(), "dataset");
    check(!choice.metric.empty(), "metric");
    check(!choice.x.empty(), "x");
    check(!choice.y.empty(), "y");
    check(choice.top > 0, "top");
}

std::vector<Plot> plots_of(std::string_view name, const nlohmann::json& result,
                           const PlotChoice& choice) {
    check_choice(name, choice);
    const PlotKind& kind = plot_kind_named(name);
    const PlotRecipe& recipe = kind.recipe;
    const JsonReader field(result, {.whole = "the result"});
    const std::string& schema = field["schema"].text();
    if (schema != recipe.schema) {
        throw Error(ErrorCode::usage, fmt::format("`{}` needs {} ({}), but this is {}", name,
                                                  recipe.schema, recipe.from, shortened(schema)));
    }
    return kind.make(field, choice);
}

bool NameChoice::takes(const std::string& name) {
    add_once(seen_, name);
    return wanted_.empty() || std::find(wanted_.begin(), wanted_.end(), name) != wanted_.end();
}

void NameChoice::check() const {
    for (const std::string& name : wanted_) {
        if (std::find(seen_.begin(), seen_.end(), name) != seen_.end()) continue;
        throw Error(ErrorCode::usage, fmt::format("the result has no {} `{}`{}", what_,
                                                  shortened(name), suggest(name, seen_)));
    }
}

Interval interval_of(const JsonReader& fields, std::string_view low, std::string_view high) {
    Interval interval;
    interval.low = fields[low].number();
    interval.high = fields[high].number();
    return interval;
}

Estimate estimate_of(const JsonReader& fields) {
    Estimate estimate;
    const JsonReader value = fields["value"];
    if (!value.json().is_null()) estimate.value = value.number();
    if (const auto unit = fields.find("unit")) {
        for (const Unit known : {Unit::number, Unit::proportion, Unit::nats, Unit::rank}) {
            if (unit->text() == name_of(known)) estimate.unit = known;
        }
    }
    if (const auto why = fields.find("undefined")) estimate.undefined = why->text();
    if (const auto interval = fields.find("interval")) estimate.interval = interval_of(*interval);
    return estimate;
}

std::string chosen_metric(const PlotChoice& choice, const std::vector<std::string>& there) {
    if (there.empty()) refuse("the result has no metric");
    if (choice.metric.empty()) return there.front();
    const std::string name = choice.metric.substr(0, choice.metric.find(':'));
    for (const std::string_view one : {std::string_view(name), own_metric_name(name)})
        if (std::find(there.begin(), there.end(), one) != there.end()) return std::string(one);
    throw Error(ErrorCode::usage, fmt::format("the result has no metric `{}`{}", shortened(name),
                                              suggest(name, there)));
}

Point plot_point(std::variant<double, std::string> x, Estimate y, std::string label) {
    Point point;
    point.x = std::move(x);
    point.y = std::move(y);
    point.label = std::move(label);
    return point;
}

void keep_top(std::vector<Point>& points, const PlotChoice& choice) {
    if (choice.top > 0 && points.size() > choice.top)
        points.erase(points.begin() + static_cast<std::ptrdiff_t>(choice.top), points.end());
}

std::string title_apart(const std::optional<JsonReader>& derived) {
    if (!derived) return {};
    if (derived->find("attack")) return ", under attack";
    return derived->find("smoothing") ? ", smoothed" : "";
}

void tell_apart(std::vector<Point>& points) {
    std::map<std::string, int> times;
    for (Point& point : points) {
        auto* name = std::get_if<std::string>(&point.x);
        if (name == nullptr) continue;
        const int n = ++times[*name];
        if (n > 1) *name += fmt::format(" ({})", n);
    }
}

void leave_out_common_ending(std::vector<Plot>& plots, const std::vector<std::string>& datasets) {
    if (datasets.size() != 1) return;
    const std::string ending = ", " + datasets.front();
    for (Plot& plot : plots) plot.title.erase(plot.title.size() - ending.size());
}

}  // namespace assay
