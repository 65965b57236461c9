// Per-class counts, and how evenly a classifier treats its classes (Hesse et al. 2026, section on
// class balance).
//
// The paper's text and its published code disagree. The code defines `within`: the sample standard
// deviation of class accuracies, and the spread of the target's confidence inside each class. The
// text defines `between`: the population standard deviation over classes of both.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include "metric/class_mean.h"
#include "metric/class_table.h"
#include "metric/families.h"
#include "metric/table_rows.h"

namespace assay::families {
namespace {

class Classes final : public Accumulator {
public:
    explicit Classes(std::uint32_t classes) : classes_(classes) {}
    std::string key() const override { return "classes"; }
    std::size_t slots() const override { return std::size_t{classes_} * class_slots; }
    void update(std::span<std::int64_t> state, std::span<const RowFacts> rows) const override {
        for (const RowFacts& row : rows) {
            if (row.target < 0) continue;
            std::int64_t* const cls = state.data() + row.group * slots() +
                                      static_cast<std::size_t>(row.target) * class_slots;
            const double p = row.target_probability;
            ++cls[class_items];
            cls[class_hits] += row.predicted == row.target ? 1 : 0;
            cls[class_unknown] += row.target_known ? 0 : 1;
            add_real(cls + class_confidence, row.confidence);
            add_real(cls + class_target, p);
            add_real(cls + class_target_squares, p * p);
            if (row.predicted >= 0) {
                ++state[row.group * slots() +
                        static_cast<std::size_t>(row.predicted) * class_slots + class_predicted];
            }
        }
    }

private:
    std::uint32_t classes_;
};

struct Spread {
    std::string undefined;
    // one entry per class that has items
    std::vector<double> accuracy, noise, target, target_spread;
    std::uint64_t n = 0;
    std::size_t absent = 0, alone = 0;  ///< number of classes without items, and with a single one
};

Spread spread_of(const MetricContext& context, std::span<const std::int64_t> state,
                 bool confidences) {
    Spread spread;
    std::int64_t unknown = 0;
    for (std::size_t c = 0; c < state.size(); c += class_slots) {
        const auto n = static_cast<double>(state[c + class_items]);
        spread.n += static_cast<std::uint64_t>(state[c + class_items]);
        unknown += state[c + class_unknown];
        if (n == 0) {
            ++spread.absent;
            continue;
        }
        const double accuracy = static_cast<double>(state[c + class_hits]) / n;
        spread.accuracy.push_back(accuracy);
        if (n > 1) spread.noise.push_back(accuracy * (1 - accuracy) / (n - 1));
        spread.alone += n == 1 ? 1 : 0;
        const double mean = real_of(&state[c + class_target]) / n;
        spread.target.push_back(mean);
        spread.target_spread.push_back(
            std::sqrt(std::max(0.0, real_of(&state[c + class_target_squares]) / n - mean * mean)));
    }
    if (spread.n == 0) {
        spread.undefined = "no item has a single label";
    } else if (confidences && !context.shape.probabilities) {
        spread.undefined = no_probabilities;
    } else if (confidences && unknown > 0) {
        spread.undefined = fmt::format(
            "the store does not keep the true class's probability of {} items", unknown);
    }
    return spread;
}

double mean_of(const std::vector<double>& x) {
    double sum = 0;
    for (const double v : x) sum += v;
    return sum / static_cast<double>(x.size());
}

double standard_deviation(const std::vector<double>& x, bool sample) {
    const double mean = mean_of(x);
    double squares = 0;
    for (const double v : x) squares += (v - mean) * (v - mean);
    return std::sqrt(squares / (static_cast<double>(x.size()) - (sample ? 1 : 0)));
}

/// If `balance` is true, the metric describes how classes differ. Single items say nothing about
/// that: accuracies of 0 and 1 differ even for a balanced classifier, and one confidence has no
/// spread. Values without some items skip this check: it was already made for all items.
Estimate begin(const MetricContext& context, const Spread& spread, bool balance) {
    Estimate value;
    value.n = spread.n;
    value.undefined = spread.undefined;
    if (balance && !context.value_only && value.undefined.empty() &&
        spread.alone == spread.accuracy.size()) {
        value.undefined = fmt::format(
            "each of the {} classes has a single item; needs at least two items per class",
            spread.accuracy.size());
    }
    if (spread.absent > 0 && spread.undefined.empty()) {
        value.note = fmt::format("over the {} classes that have items; {} have none",
                                 spread.accuracy.size(), spread.absent);
    }
    return value;
}

void accuracy_part(Estimate& value, const Spread& spread, bool sample) {
    if (!value.undefined.empty()) return;
    if (sample && spread.accuracy.size() < 2) {
        value.undefined = "the sample standard deviation over classes needs two classes with items";
        return;
    }
    const double deviating = standard_deviation(spread.accuracy, sample);
    value.value = 1 - deviating;
    if (spread.noise.size() == spread.accuracy.size() && !value.note.empty()) value.note += "; ";
    if (spread.noise.size() == spread.accuracy.size()) {
        // Each class's accuracy is itself an estimate; its noise increases the spread (if there are
        // few items per class).
        const double signal = deviating * deviating - mean_of(spread.noise);
        value.note += fmt::format("{:.4f} with the sampling noise of the class accuracies removed",
                                  1 - std::sqrt(std::max(0.0, signal)));
    }
}

double confidence_part(const Spread& spread, bool within) {
    return 1 - (within ? mean_of(spread.target_spread) : standard_deviation(spread.target, false));
}

}  // namespace

std::unique_ptr<Accumulator> accumulate_classes(const MetricContext& context) {
    return std::make_unique<Classes>(context.shape.classes);
}

Estimate balanced_value(const MetricContext& context, std::span<const std::int64_t> state) {
    const Spread spread = spread_of(context, state, false);
    Estimate value = begin(context, spread, false);
    if (!value.undefined.empty()) return value;
    value.value = mean_of(spread.accuracy);
    if (context.value_only) return value;
    std::vector<ClassHits> classes;
    for (std::size_t c = 0; c < state.size(); c += class_slots) {
        if (state[c + class_items] > 0)
            classes.push_back({static_cast<double>(state[c + class_items]),
                               static_cast<double>(state[c + class_hits])});
    }
    value.interval = cell_interval(joined_cells(classes), context.level);
    value.interval->low = std::min(value.interval->low, *value.value);  // the value is also rounded
    value.interval->high = std::max(value.interval->high, *value.value);
    return value;
}

Estimate class_accuracy_balance_value(const MetricContext& context,
                                      std::span<const std::int64_t> state) {
    const Spread spread = spread_of(context, state, false);
    Estimate value = begin(context, spread, true);
    accuracy_part(value, spread, context.parameters.at("std") == "sample");
    return value;
}

Estimate class_confidence_balance_value(const MetricContext& context,
                                        std::span<const std::int64_t> state) {
    const Spread spread = spread_of(context, state, true);
    Estimate value = begin(context, spread, true);
    if (value.undefined.empty())
        value.value = confidence_part(spread, context.parameters.at("spread") == "within");
    return value;
}

Estimate class_balance_value(const MetricContext& context, std::span<const std::int64_t> state) {
    const bool within = context.parameters.at("spread") == "within";
    const Spread spread = spread_of(context, state, true);
    Estimate value = begin(context, spread, true);
    const std::string note = value.note;
    accuracy_part(value, spread, within);
    if (!value.undefined.empty()) return value;
    value.value =
        std::sqrt(std::max(0.0, *value.value) * std::max(0.0, confidence_part(spread, within)));
    value.note = note;
    return value;
}

}  // namespace assay::families

namespace assay::rows {
namespace {

using namespace families;

std::string fixed_balanced(const Parameters&) {
    return "balanced.present_classes";
}
std::string f_acc_definition(const Parameters& p) {
    return fmt::format("class_accuracy_balance.{}_std", p.at("std"));
}
std::string f_conf_definition(const Parameters& p) {
    return "class_confidence_balance." + p.at("spread");
}
std::string balance_definition(const Parameters& p) {
    return "class_balance." + p.at("spread");
}

}  // namespace

void add_balanced(MetricTable& table) {
    using enum Needs;
    table.push_back(
        {.name = "balanced",
         .title = "Balanced accuracy",
         .formula = "mean of the classes' top-1 accuracies, over the classes that have items",
         .needs = static_cast<unsigned>(labels),
         .unit = Unit::proportion,
         .origin = "Brodersen et al. 2010, The balanced accuracy and its posterior distribution",
         .definition = fixed_balanced,
         .accumulate = accumulate_classes,
         .value = balanced_value});
}

void add_class_balance(MetricTable& table) {
    using enum Needs;
    table.push_back({.name = "class_accuracy_balance",
                     .title = "Balance of class accuracies",
                     .formula = "1 - standard deviation of the classes' accuracies",
                     .parameters = {{"std",
                                     "sample",
                                     "sample: divisor C-1 (published code); population: C (paper)",
                                     {"sample", "population"}}},
                     .needs = static_cast<unsigned>(labels),
                     .origin = hesse,
                     .uncertainty = Uncertainty::jackknife,
                     .definition = f_acc_definition,
                     .accumulate = accumulate_classes,
                     .value = class_accuracy_balance_value,
                     .by_default = false});
    table.push_back({.name = "class_confidence_balance",
                     .title = "Balance of class confidences",
                     .formula = "1 - standard deviation of the true class's probability: the mean "
                                "within classes, or that between the class means",
                     .parameters = {{"spread",
                                     "within",
                                     "within: published code; between: paper",
                                     {"within", "between"}}},
                     .needs = labels | probabilities,
                     .origin = hesse,
                     .uncertainty = Uncertainty::jackknife,
                     .definition = f_conf_definition,
                     .accumulate = accumulate_classes,
                     .value = class_confidence_balance_value,
                     .by_default = false});
    table.push_back(
        {.name = "class_balance",
         .title = "Class balance",
         .formula = "sqrt(class_accuracy_balance * class_confidence_balance)",
         .parameters = {{"spread",
                         "within",
                         "within: sample std and spread inside classes (published code); "
                         "between: population std and spread between class means (paper)",
                         {"within", "between"}}},
         .needs = labels | probabilities,
         .origin = hesse,
         .uncertainty = Uncertainty::jackknife,
         .definition = balance_definition,
         .accumulate = accumulate_classes,
         .value = class_balance_value,
         .variants = {{}, {{"spread", "between"}}}});
}

}  // namespace assay::rows
