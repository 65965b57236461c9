// Precision, recall, specificity, F1, Matthews' correlation and Cohen's kappa of the predicted
// classes.
//
// All follow from three counts of each class: its items, its predictions and its hits. The
// conventions are scikit-learn's. Means are over the classes that are the label or the prediction
// of some item, and a quotient of 0 by 0 is 0. A prediction that maps to no class (of a class map)
// does not count for any class's precision.
//
// `average=binary` uses only class 1, the positive class of two. In that case, a quotient of 0 by 0
// is undefined, whereas scikit-learn warns and returns 0.
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "core/statistics.h"
#include "metric/class_score_intervals.h"
#include "metric/class_table.h"
#include "metric/families.h"

namespace assay::families {
namespace {

struct ClassCounts {
    std::vector<ClassScoreCount> classes;  // that occur
    double items = 0, hits = 0;
    double nowhere = 0;  // predictions that map to no class
};

// The counts of the class with the first slots.
ClassScoreCount count_of(std::span<const std::int64_t> slots) {
    return {static_cast<double>(slots[class_items]), static_cast<double>(slots[class_predicted]),
            static_cast<double>(slots[class_hits])};
}

ClassCounts counts_of(std::span<const std::int64_t> state) {
    ClassCounts counts;
    double predictions = 0;
    for (std::size_t c = 0; c < state.size(); c += class_slots) {
        const ClassScoreCount one = count_of(state.subspan(c));
        if (one.items + one.predictions == 0) continue;
        counts.classes.push_back(one);
        counts.items += one.items;
        counts.hits += one.hits;
        predictions += one.predictions;
    }
    counts.nowhere = counts.items - predictions;
    for (ClassScoreCount& one : counts.classes) one.others = counts.items - one.items;
    return counts;
}

double quotient(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

/// A quotient of counts for one class.
struct Quotient {
    double part = 0, whole = 0;
    double value() const { return quotient(part, whole); }
};

/// A proportion of items or F1, and the message if class 1 has none.
struct ClassScore {
    Quotient (*of_class)(const ClassScoreCount&);
    std::string_view none;
    bool is_f1 = false;
    bool interval = true;    ///< of the mean over classes, by class_score_intervals.h
    bool is_recall = false;  ///< weighted by items, it is top-1 accuracy
};

constexpr ClassScore precision_score = {[](const ClassScoreCount& c) {
                                            return Quotient{c.hits, c.predictions};
                                        },
                                        "no item is predicted to be class 1, the positive class"};
constexpr ClassScore recall_score = {[](const ClassScoreCount& c) {
                                         return Quotient{c.hits, c.items};
                                     },
                                     "no item is of class 1, the positive class", false, true,
                                     true};
constexpr ClassScore specificity_score = {
    [](const ClassScoreCount& c) {
        return Quotient{c.others - (c.predictions - c.hits), c.others};
    },
    "every item is of class 1, the positive class", false, false};
constexpr ClassScore f1_score = {[](const ClassScoreCount& c) {
                                     return Quotient{2 * c.hits, c.items + c.predictions};
                                 },
                                 "no item is of class 1, the positive class, or predicted to be",
                                 true};

/// F1 is 2 J / (1 + J), where J is the proportion of hits among the items that are in the class or
/// predicted to be. Among these items the hits are binomial, so J has Wilson's interval, and its
/// ends give those of F1.
Interval f1_interval(const ClassScoreCount& c, double level) {
    Interval interval =
        wilson_of_mean(quotient(c.hits, c.items + c.predictions - c.hits),
                       static_cast<std::uint64_t>(c.items + c.predictions - c.hits), level);
    interval.low = 2 * interval.low / (1 + interval.low);
    interval.high = 2 * interval.high / (1 + interval.high);
    interval.method = "wilson.jaccard";
    return interval;
}

Estimate of_positive(const MetricContext& context, std::span<const std::int64_t> state,
                     const ClassScore& score) {
    Estimate value;
    value.undefined = not_two_classes(context.shape);
    if (!value.undefined.empty()) return value;
    ClassScoreCount positive = count_of(state.subspan(class_slots));
    positive.others = count_of(state).items;
    value.n = static_cast<std::uint64_t>(positive.items + positive.others);
    const Quotient found = score.of_class(positive);
    if (value.n == 0) {
        value.undefined = "no item has a single label";
    } else if (found.whole == 0) {
        value.undefined = score.none;
    } else {
        value.value = found.value();
        if (context.value_only) return value;
        value.interval = score.is_f1
                             ? f1_interval(positive, context.level)
                             : wilson(static_cast<std::uint64_t>(found.part),
                                      static_cast<std::uint64_t>(found.whole), context.level);
    }
    return value;
}

// The mean over the classes that occur, weighted equally or by numbers of items.
Estimate averaged(const MetricContext& context, std::span<const std::int64_t> state,
                  const ClassScore& score) {
    if (context.parameters.at("average") == "binary") return of_positive(context, state, score);
    const ClassCounts counts = counts_of(state);
    Estimate value;
    value.n = static_cast<std::uint64_t>(counts.items);
    if (counts.items == 0) {
        value.undefined = "no item has a single label";
        return value;
    }
    const bool weighted = context.parameters.at("average") == "weighted";
    double sum = 0, weights = 0;
    std::size_t never = 0;
    std::vector<ClassHits> quotients;
    for (const ClassScoreCount& c : counts.classes) {
        const double weight = weighted ? c.items : 1;
        const Quotient own = score.of_class(c);
        quotients.push_back({own.whole, own.part});
        sum += weight * own.value();
        weights += weight;
        never += c.items == 0 ? 1 : 0;
    }
    value.value = sum / weights;
    if (context.value_only) return value;
    if (weighted) {
        // Recall is top-1 accuracy. Other scores have an interval from values without each group.
        if (score.is_recall)
            value.interval =
                wilson(static_cast<std::uint64_t>(counts.hits), value.n, context.level);
    } else if (score.interval) {
        value.interval = score.is_f1 ? f1_mean_interval(counts.classes, *value.value, context.level)
                                     : class_mean_interval(quotients, *value.value, context.level);
    }
    if (never > 0 && !weighted) {
        value.note = fmt::format("{} {} predictions but no items, and count{}", never,
                                 never == 1 ? "class has" : "classes have", never == 1 ? "s" : "");
    }
    return value;
}

Interval corrected_interval(const ClassCounts& counts, ChanceCorrected which, double value,
                            double level) {
    std::vector<ClassScoreCount> classes = counts.classes;
    if (counts.nowhere > 0) classes.push_back({.predictions = counts.nowhere});
    return chance_corrected_interval(classes, which, value, level);
}

}  // namespace

std::string not_two_classes(const Shape& shape) {
    return shape.classes == 2
               ? ""
               : fmt::format("it is defined for two classes, but there are {}", shape.classes);
}

Estimate precision_value(const MetricContext& context, std::span<const std::int64_t> state) {
    return averaged(context, state, precision_score);
}

Estimate recall_value(const MetricContext& context, std::span<const std::int64_t> state) {
    return averaged(context, state, recall_score);
}

Estimate specificity_value(const MetricContext& context, std::span<const std::int64_t> state) {
    return averaged(context, state, specificity_score);
}

Estimate f1_value(const MetricContext& context, std::span<const std::int64_t> state) {
    return averaged(context, state, f1_score);
}

// Gorodkin 2004: the covariance of labels and predictions over the root of the product of their
// variances, all as counts.
Estimate matthews_value(const MetricContext& context, std::span<const std::int64_t> state) {
    const ClassCounts counts = counts_of(state);
    Estimate value;
    value.n = static_cast<std::uint64_t>(counts.items);
    if (counts.items == 0) {
        value.undefined = "no item has a single label";
        return value;
    }
    double both = 0, labels = 0, predictions = counts.nowhere * counts.nowhere;
    for (const ClassScoreCount& c : counts.classes) {
        both += c.items * c.predictions;
        labels += c.items * c.items;
        predictions += c.predictions * c.predictions;
    }
    const double all = counts.items * counts.items;
    const double covariance = counts.hits * counts.items - both;
    const double scale = std::sqrt(all - labels) * std::sqrt(all - predictions);
    value.value = scale > 0 ? covariance / scale : 0;
    if (!context.value_only)
        value.interval =
            corrected_interval(counts, ChanceCorrected::matthews, *value.value, context.level);
    if (scale <= 0 && !context.value_only)
        value.note = "0 by convention: all items have one label, or all predictions are one class";
    return value;
}

Estimate kappa_value(const MetricContext& context, std::span<const std::int64_t> state) {
    const ClassCounts counts = counts_of(state);
    Estimate value;
    value.n = static_cast<std::uint64_t>(counts.items);
    if (counts.items == 0) {
        value.undefined = "no item has a single label";
        return value;
    }
    double chance = 0;
    for (const ClassScoreCount& c : counts.classes) chance += c.items * c.predictions;
    chance /= counts.items * counts.items;
    if (chance >= 1) {
        value.undefined = "all items have one label, and all predictions are that class";
        return value;
    }
    value.value = (counts.hits / counts.items - chance) / (1 - chance);
    if (!context.value_only)
        value.interval =
            corrected_interval(counts, ChanceCorrected::kappa, *value.value, context.level);
    return value;
}

}  // namespace assay::families

namespace assay::rows {
namespace {

using namespace families;

std::string precision_definition(const Parameters& p) {
    return "precision." + p.at("average");
}
std::string recall_definition(const Parameters& p) {
    return "recall." + p.at("average");
}
std::string specificity_definition(const Parameters& p) {
    return "specificity." + p.at("average");
}
std::string f1_definition(const Parameters& p) {
    return "f1." + p.at("average");
}
std::string fixed_matthews(const Parameters&) {
    return "matthews.multiclass";
}
std::string fixed_kappa(const Parameters&) {
    return "kappa.unweighted";
}

}  // namespace

void add_class_scores(MetricTable& table) {
    using enum Needs;
    const ParameterFacts average{
        "average",
        "macro",
        "macro: every class that is a label or a prediction counts the same; weighted: each class "
        "counts by its items. With binary, only class 1 counts, the positive class of two, and 0/0 "
        "is undefined",
        {"macro", "weighted", "binary"}};
    constexpr std::string_view sokolova =
        "Sokolova and Lapalme 2009, A systematic analysis of performance measures; conventions of "
        "scikit-learn: 0/0 is 0";
    table.push_back({.name = "precision",
                     .title = "Precision",
                     .formula = "mean over the classes of hits / predictions of the class",
                     .parameters = {average},
                     .needs = static_cast<unsigned>(labels),
                     .unit = Unit::proportion,
                     .origin = sokolova,
                     .definition = precision_definition,
                     .accumulate = accumulate_classes,
                     .value = precision_value,
                     .by_default = false});
    table.push_back(
        {.name = "recall",
         .title = "Recall",
         .formula =
             "mean over the classes of hits / items of the class. `macro` differs from balanced "
             "accuracy if a class without items is predicted; `weighted` is top-1 accuracy",
         .parameters = {average},
         .needs = static_cast<unsigned>(labels),
         .unit = Unit::proportion,
         .origin = sokolova,
         .definition = recall_definition,
         .accumulate = accumulate_classes,
         .value = recall_value,
         .by_default = false});
    table.push_back({.name = "specificity",
                     .title = "Specificity",
                     .formula = "mean over the classes of true negatives / items of other classes",
                     .parameters = {average},
                     .needs = static_cast<unsigned>(labels),
                     .unit = Unit::proportion,
                     .origin = sokolova,
                     .uncertainty = Uncertainty::jackknife,
                     .definition = specificity_definition,
                     .accumulate = accumulate_classes,
                     .value = specificity_value,
                     .by_default = false});
    table.push_back(
        {.name = "f1",
         .title = "F1 score",
         .formula = "mean over the classes of 2 hits / (items + predictions) of the class",
         .parameters = {average},
         .needs = static_cast<unsigned>(labels),
         .unit = Unit::proportion,
         .origin = sokolova,
         .definition = f1_definition,
         .accumulate = accumulate_classes,
         .value = f1_value,
         .by_default = false});
    table.push_back(
        {.name = "matthews",
         .title = "Matthews correlation coefficient",
         .formula =
             "correlation of labels and predictions over several classes; 0 if all are one class",
         .needs = static_cast<unsigned>(labels),
         .low = -1,
         .origin = "Gorodkin 2004, Comparing two K-category assignments; scikit-learn",
         .definition = fixed_matthews,
         .accumulate = accumulate_classes,
         .value = matthews_value,
         .by_default = false});
    table.push_back({.name = "kappa",
                     .title = "Cohen's kappa",
                     .formula = "(top-1 accuracy - chance) / (1 - chance), chance = sum over the "
                                "classes of the proportion of labels times that of predictions",
                     .needs = static_cast<unsigned>(labels),
                     .low = -1,
                     .origin = "Cohen 1960, A coefficient of agreement for nominal scales",
                     .definition = fixed_kappa,
                     .accumulate = accumulate_classes,
                     .value = kappa_value,
                     .by_default = false});
}

}  // namespace assay::rows
