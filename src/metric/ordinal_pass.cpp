#include "metric/ordinal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "assay/metric/given_truth.h"
#include "core/statistics.h"
#include "metric/item_means.h"
#include "metric/metric_rows.h"
#include "metric/pass.h"

namespace assay {
namespace {

class OrdinalPass : public MetricPass {
public:
    KeptItems keeps(const MetricRequest&, bool) const override { return {true, false}; }

    ResampledEstimate estimate(const MetricRequest&, PassRun& run) const override {
        const MetricRows& rows = run.again().rows;
        const std::vector<std::int32_t>& grades = rows.given().grades;
        ResampledEstimate none;
        std::vector<GradePair> items;
        std::uint64_t elsewhere = 0;
        for (std::uint64_t i = 0; i < rows.items(); ++i) {
            const std::int32_t target = rows.target(i);
            if (target < 0) continue;
            ++none.n;
            const std::int32_t found = rows.records()[static_cast<std::size_t>(i)].predicted;
            if (found < 0) {
                ++elsewhere;
            } else if (!grades.empty()) {
                items.push_back({rows.group_of(i), grades[static_cast<std::size_t>(target)],
                                 grades[static_cast<std::size_t>(found)]});
            }
        }
        if (grades.empty()) {
            none.undefined =
                "the classes have no order: add --ordinal to use that of the class list, or "
                "--class-order FILE";
        } else if (none.n == 0) {
            none.undefined = "no item has a single label";
        } else if (elsewhere > 0) {
            none.undefined =
                fmt::format("{} predictions are neither classes of the map nor grades", elsewhere);
        } else {
            return measure(items, grades.size(), run.sums().resampling().level);
        }
        return none;
    }

protected:
    virtual ResampledEstimate measure(const std::vector<GradePair>& items, std::size_t grades,
                                      double level) const = 0;
};

class GradeErrorPass final : public OrdinalPass {
protected:
    ResampledEstimate measure(const std::vector<GradePair>& items, std::size_t grades,
                              double level) const override {
        const auto top = static_cast<double>(std::max<std::size_t>(grades, 2) - 1);
        ItemMeanSums sums;
        for (const GradePair& item : items)
            sums.add(item.group, static_cast<double>(std::abs(item.label - item.predicted)) / top);
        return sums.mean_of_parts(top, false, level);
    }
};

class WithinOnePass final : public OrdinalPass {
protected:
    ResampledEstimate measure(const std::vector<GradePair>& items, std::size_t,
                              double level) const override {
        ItemMeanSums sums;
        for (const GradePair& item : items)
            sums.add(item.group, std::abs(item.label - item.predicted) <= 1 ? 1 : 0);
        return sums.mean_of_parts(1, true, level);
    }
};

/// With quadratic weights, the observed disagreement is the sum of (label - predicted)^2. The
/// expected one is the same sum over every pair of a label and a prediction, divided by n. Sums of
/// grades are therefore enough.
struct GradeSums {
    double n = 0, label = 0, predicted = 0, squares = 0, products = 0;

    void add(const GradePair& item) {
        const auto a = static_cast<double>(item.label), b = static_cast<double>(item.predicted);
        n += 1;
        label += a;
        predicted += b;
        squares += a * a + b * b;
        products += a * b;
    }
    GradeSums without(const GradeSums& part) const {
        return {n - part.n, label - part.label, predicted - part.predicted, squares - part.squares,
                products - part.products};
    }
    /// Returns no value if all labels and predictions are one grade.
    std::optional<double> kappa() const {
        const double expected = squares - 2 * label * predicted / n;
        if (n == 0 || !(expected > 0)) return std::nullopt;
        return 1 - (squares - 2 * products) / expected;
    }
};

/// Adds the interval for Fisher's z, the inverse hyperbolic tangent, because kappa is skewed near
/// 1.
void add_fisher_interval(ResampledEstimate& result, double level) {
    result.no_interval = true;
    if (*result.value >= 1) {
        result.note = "no interval: every prediction is the label";
        return;
    }
    std::vector<double> z;
    for (const double kappa : result.without) {
        if (std::abs(kappa) < 1) z.push_back(std::atanh(kappa));
    }
    if (z.size() < 2 || z.size() < result.without.size() || *result.value <= -1) {
        result.note = "no interval: kappa is 1 or -1 without some of the items";
        return;
    }
    const double t = student_t_quantile(0.5 + level / 2, static_cast<double>(z.size() - 1));
    const double middle = std::atanh(*result.value), half = t * jackknife_standard_error(z);
    result.interval =
        Interval{std::tanh(middle - half), std::tanh(middle + half), level, "jackknife.fisher"};
}

class KappaPass final : public OrdinalPass {
protected:
    ResampledEstimate measure(const std::vector<GradePair>& items, std::size_t,
                              double level) const override {
        return quadratic_kappa(items, level);
    }
};

std::string fixed_grade_error(const Parameters&) {
    return "ordinal_error.mean_absolute";
}
std::string fixed_within_one(const Parameters&) {
    return "within_one.grade";
}
std::string fixed_quadratic_kappa(const Parameters&) {
    return "kappa.quadratic";
}

}  // namespace

ResampledEstimate quadratic_kappa(std::span<const GradePair> items, double level) {
    std::array<GradeSums, group_count> groups;
    GradeSums all;
    for (const GradePair& item : items) {
        groups[item.group].add(item);
        all.add(item);
    }
    ResampledEstimate result;
    result.n = items.size();
    result.value = all.kappa();
    if (!result.value) {
        result.undefined = "all labels and predictions are one grade";
        return result;
    }
    for (const GradeSums& group : groups) {
        if (group.n > 0)
            result.without.push_back(all.without(group).kappa().value_or(*result.value));
    }
    add_fisher_interval(result, level);
    return result;
}

namespace rows {

void add_ordinal(MetricTable& table) {
    using enum Needs;
    constexpr double most_grades = 1e6;
    table.push_back({.name = "ordinal_error",
                     .title = "Mean absolute error in grades",
                     .formula = "mean of |grade of the predicted class - grade of the label|, "
                                "grades 0, 1, ... in the order of the classes",
                     .needs = labels | class_order,
                     .higher_is_better = false,
                     .low = 0,
                     .high = most_grades,
                     .origin = "Baccianella, Esuli and Sebastiani 2009, Evaluation measures for "
                               "ordinal regression",
                     .pass = std::make_shared<GradeErrorPass>(),
                     .definition = fixed_grade_error,
                     .by_default = false});
    table.push_back({.name = "quadratic_kappa",
                     .title = "Quadratic weighted kappa",
                     .formula = "1 - sum w_ij O_ij / sum w_ij E_ij, w_ij = (i - j)^2. O is the "
                                "confusion matrix by grades, E that of independent labels and "
                                "predictions. Equal to scikit-learn's cohen_kappa_score with "
                                "weights=\"quadratic\"",
                     .needs = labels | class_order,
                     .low = -1,
                     .origin = "Cohen 1968, Weighted kappa",
                     .uncertainty = Uncertainty::jackknife,
                     .pass = std::make_shared<KappaPass>(),
                     .definition = fixed_quadratic_kappa,
                     .by_default = false});
    table.push_back({.name = "within_one",
                     .title = "Accuracy within one grade",
                     .formula = "proportion of images whose predicted class is the label or a "
                                "neighbour of it in the order of the classes",
                     .needs = labels | class_order,
                     .unit = Unit::proportion,
                     .origin = "Gaudette and Japkowicz 2009, Evaluation methods for ordinal "
                               "classification",
                     .pass = std::make_shared<WithinOnePass>(),
                     .definition = fixed_within_one,
                     .by_default = false});
}

}  // namespace rows
}  // namespace assay
