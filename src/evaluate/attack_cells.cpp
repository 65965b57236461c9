#include "evaluate/attack_cells.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "assay/store/row_reader.h"
#include "core/statistics.h"
#include "core/text.h"
#include "evaluate/ratio_errors.h"
#include "store/reduce.h"

namespace assay::attack {
namespace {

/// The error of a row without a score.
std::optional<RowError> error_of(const PredictionStore::Shard& shard, std::uint64_t row) {
    for (const RowError& error : shard.errors()) {
        if (error.row == row) return error;
    }
    return std::nullopt;
}

/// The number of images that are correct before, after each attack, and after both.
struct Left {
    double before = 0, one = 0, two = 0, both = 0, all = 0;
};

/// The standard error of the geometric mean's logarithm by the delta method.
double error_of_log(const Left& left) {
    // g_i = (f_i / F + p_i / P) / 2 - a_i / A over the images; their mean is 0. Here F = f / n and
    // so on. Sums the squares over the four kinds of images.
    const double f = left.one / left.all, p = left.two / left.all, a = left.before / left.all;
    const auto square = [](double x) { return x * x; };
    const double squares = left.both * square((1 / f + 1 / p) / 2 - 1 / a) +
                           (left.one - left.both) * square(1 / f / 2 - 1 / a) +
                           (left.two - left.both) * square(1 / p / 2 - 1 / a) +
                           (left.before - left.one - left.two + left.both) * square(1 / a);
    return std::sqrt(squares) / left.all;
}

}  // namespace

Estimate attacked_proportion(std::uint64_t hits, std::uint64_t trials, double level,
                             const char* none) {
    Estimate estimate = wilson_proportion(hits, trials, level, none);
    if (!estimate.value) return estimate;
    const double p = *estimate.value;
    estimate.standard_error = std::sqrt(p * (1 - p) / static_cast<double>(trials));
    if (hits == 0) {
        estimate.note = fmt::format(
            "0 of {}: at most {} % with {:g} % confidence, one-sided", trials,
            number_text(zero_hits_bound(trials, level), 0, Unit::proportion), 100 * level);
    }
    return estimate;
}

UnscoredImages unscored_images(const PredictionStore& clean, const PredictionStore& attacked) {
    const RowReader before(clean), after(attacked);
    UnscoredImages images;
    for (std::uint64_t row = 0; row < clean.rows(); ++row) {
        if (before.status(row) != RowStatus::ok) continue;
        const RowStatus status = after.status(row);
        if (status != RowStatus::not_finite && status != RowStatus::unreadable) continue;
        const auto shard = static_cast<std::size_t>(row / attacked.spec().shard_rows);
        const std::optional<RowError> error = error_of(*after.shard(shard), row);
        const bool has_scores =
            status == RowStatus::not_finite && (!error || store::is_of_scores(*error));
        AttackCell::Unscored& own = has_scores ? images.not_finite : images.unreadable;
        if (own.images++ > 0) continue;
        own.first_error = attacked.dataset().ids[static_cast<std::size_t>(row)];
        if (error) own.first_error += ": " + error->message;
    }
    return images;
}

std::vector<std::string> unscored_lines(const AttackCell::Unscored& ended_not_finite,
                                        const AttackCell::Unscored& unreadable,
                                        std::string_view where) {
    std::vector<std::string> lines;
    const auto& [not_finite, not_finite_error] = ended_not_finite;
    if (not_finite > 0) {
        lines.push_back(
            fmt::format("{}: the scores of {} are not finite: {} as misclassified; the first: {}",
                        where, how_many(not_finite, "image"),
                        not_finite == 1 ? "it counts" : "they count", not_finite_error));
    }
    const auto& [lost, lost_error] = unreadable;
    if (lost > 0) {
        lines.push_back(fmt::format(
            "{}: {} with a score without the attack could not be read or computed: {} not count; "
            "the first: {}",
            where, how_many(lost, "image"), lost == 1 ? "it does" : "they do", lost_error));
    }
    return lines;
}

void fill_cell(AttackCell& cell, std::span<const RowOutcome> clean,
               std::span<const RowOutcome> attacked, double level) {
    cell.robust = 0;
    std::uint64_t correct = 0, all = 0;
    for (std::size_t i = 0; i < clean.size(); ++i) {
        if (clean[i] == RowOutcome::none || attacked[i] == RowOutcome::none) continue;
        ++all;
        if (clean[i] != RowOutcome::correct) continue;
        ++correct;
        cell.robust += attacked[i] == RowOutcome::correct ? 1 : 0;
    }
    cell.accuracy =
        attacked_proportion(cell.robust, all, level, "no image has a label and a score");
    // A fooled image was correct before, so the ratio is a proportion of the correct images.
    cell.ratio =
        attacked_proportion(cell.robust, correct, level, "no image is classified correctly");
}

AttackMean geometric_mean_of(std::span<const RowOutcome> clean, std::span<const RowOutcome> one,
                             std::span<const RowOutcome> two, double level) {
    Left left;
    for (std::size_t i = 0; i < clean.size(); ++i) {
        if (clean[i] == RowOutcome::none || one[i] == RowOutcome::none ||
            two[i] == RowOutcome::none)
            continue;
        left.all += 1;
        if (clean[i] != RowOutcome::correct) continue;
        const bool first = one[i] == RowOutcome::correct;
        const bool second = two[i] == RowOutcome::correct;
        left.before += 1;
        left.one += first ? 1 : 0;
        left.two += second ? 1 : 0;
        left.both += first && second ? 1 : 0;
    }
    AttackMean mean;
    Estimate& estimate = mean.value;
    estimate.unit = Unit::proportion;
    estimate.n = static_cast<std::uint64_t>(left.all);
    if (left.before == 0) {
        estimate.undefined = "no image is classified correctly";
        return mean;
    }
    const auto trials = static_cast<std::uint64_t>(left.before);
    if (left.one == 0 || left.two == 0) {
        const auto upper = [&](double hits) {
            return hits == 0 ? zero_hits_bound(trials, level)
                             : wilson(static_cast<std::uint64_t>(hits), trials, level).high;
        };
        take_zero_bound(estimate, std::sqrt(upper(left.one) * upper(left.two)), level);
        return mean;
    }
    const double value = std::sqrt(left.one / left.before * (left.two / left.before));
    estimate.value = value;
    if (value == 1) {
        estimate.standard_error = std::sqrt(none_or_all_variance(trials, level));
        estimate.interval = wilson(trials, trials, level);
        return mean;
    }
    const double error = value * error_of_log(left);
    // Each attack may fool exactly the images that the other one leaves. Their effects then cancel,
    // and the delta method gives an error of 0, except for rounding.
    mean.by_images = error >= 1e-12;
    const double variance =
        mean.by_images ? error * error : value * (1 - value) / static_cast<double>(trials);
    estimate.standard_error = std::sqrt(variance);
    estimate.interval = wilson_of_variance(value, variance, normal_quantile(.5 + level / 2), level,
                                           mean.by_images ? "wilson.images" : "wilson");
    return mean;
}

std::vector<std::string> signs_of(const AttackedResult& result, Norm norm) {
    std::vector<std::string> signs;
    std::set<std::string> searches;
    for (const AttackCell& cell : result.cells) {
        if (cell.of_curve && !searches.insert(cell.attack).second) continue;
        const std::string name =
            cell.of_curve ? cell.attack
                          : fmt::format("{} at {}", cell.attack, budget_text(cell.eps, norm));
        if (cell.zero_gradients > 0) {
            signs.push_back(fmt::format(
                "{}: the gradient is zero for {} of {} images. Scores may be saturated or rounded "
                "(try apgd-dlr, square, or the model without its last softmax)",
                name, cell.zero_gradients, cell.attacked));
        }
        if (cell.not_finite > 0) {
            signs.push_back(fmt::format(
                "{}: scores, or elements of the gradient, of {} of {} images are not finite at "
                "some step. Such elements count as 0. If scores are not finite at the end, the "
                "image counts as misclassified",
                name, cell.not_finite, cell.attacked));
        }
    }
    return signs;
}

}  // namespace assay::attack
