#include "evaluate/attack_cells.h"

#include <fmt/format.h>

#include <cmath>

#include "core/statistics.h"

namespace assay::attack {
namespace {

Estimate proportion_left(std::uint64_t hits, std::uint64_t trials, double level, const char* none) {
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

}  // namespace

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
    cell.accuracy = proportion_left(cell.robust, all, level, "no image has a label and a score");
    // What is fooled was correct: the ratio is a proportion of these.
    cell.ratio = proportion_left(cell.robust, correct, level, "no image is classified correctly");
}

Estimate geometric_mean_of(std::span<const RowOutcome> clean, std::span<const RowOutcome> one,
                           std::span<const RowOutcome> two, double level) {
    double a = 0, f = 0, p = 0, both = 0, n = 0;
    for (std::size_t i = 0; i < clean.size(); ++i) {
        if (clean[i] == RowOutcome::none || one[i] == RowOutcome::none ||
            two[i] == RowOutcome::none)
            continue;
        n += 1;
        if (clean[i] != RowOutcome::correct) continue;
        const bool first = one[i] == RowOutcome::correct;
        const bool second = two[i] == RowOutcome::correct;
        a += 1;
        f += first ? 1 : 0;
        p += second ? 1 : 0;
        both += first && second ? 1 : 0;
    }
    Estimate estimate;
    estimate.unit = Unit::proportion;
    estimate.n = static_cast<std::uint64_t>(n);
    if (a == 0) {
        estimate.undefined = "no image is classified correctly";
        return estimate;
    }
    const double value = std::sqrt(f / a * (p / a));
    estimate.value = value;
    const auto trials = static_cast<std::uint64_t>(a);
    if (f == 0 || p == 0) {
        const auto upper = [&](double hits) {
            return hits == 0 ? zero_hits_bound(trials, level)
                             : wilson(static_cast<std::uint64_t>(hits), trials, level).high;
        };
        estimate.interval = Interval{0, std::sqrt(upper(f) * upper(p)), level, "zero hits"};
        estimate.note = "a factor is 0: the upper end is of the bounds of both factors";
        return estimate;
    }
    // g_i = (f_i / F + p_i / P) / 2 - a_i / A over the images; their mean is 0. Sums of squares by
    // the four kinds of images, with F = f / n and so on.
    const double mean_f = f / n, mean_p = p / n, mean_a = a / n;
    const auto square = [](double x) { return x * x; };
    const double squares = both * square((1 / mean_f + 1 / mean_p) / 2 - 1 / mean_a) +
                           (f - both) * square(1 / mean_f / 2 - 1 / mean_a) +
                           (p - both) * square(1 / mean_p / 2 - 1 / mean_a) +
                           (a - f - p + both) * square(1 / mean_a);
    const double error = std::sqrt(squares) / n;
    const double z = normal_quantile(.5 + level / 2);
    estimate.standard_error = value * error;
    estimate.interval = Interval{value * std::exp(-z * error),
                                 std::min(1.0, value * std::exp(z * error)), level, "delta.log"};
    return estimate;
}

std::vector<std::string> signs_of(const AttackedResult& result) {
    std::vector<std::string> signs;
    const auto cell_of = [&](std::string_view attack, double eps) -> const AttackCell* {
        for (const AttackCell& cell : result.cells) {
            if (cell.attack == attack && cell.eps == eps) return &cell;
        }
        return nullptr;
    };
    const auto fooled = [](const AttackCell& cell) { return cell.ratio.n - cell.robust; };
    for (const AttackCell& cell : result.cells) {
        const std::string name = fmt::format("{} at {}", cell.attack, eps_text(cell.eps));
        if (cell.zero_gradients > 0) {
            signs.push_back(fmt::format(
                "{}: the gradient is zero for {} of {} images: saturated or rounded scores hide it "
                "(try apgd-dlr, square, or the model without its last softmax)",
                name, cell.zero_gradients, cell.attacked));
        }
        if (cell.not_finite > 0) {
            signs.push_back(fmt::format(
                "{}: scores or gradients of {} of {} images are not finite at some step; "
                "where they are not in the end, the image counts as misclassified",
                name, cell.not_finite, cell.attacked));
        }
        const AttackCell* noise = cell_of("noise", cell.eps);
        if (cell.attack == "fgsm" && noise != nullptr && cell.eps > 0 &&
            fooled(*noise) >= fooled(cell) && fooled(*noise) > 0) {
            signs.push_back(fmt::format(
                "{}: random noise of the same size fools the model on {} images, fgsm on {}: the "
                "gradient leads nowhere (try square)",
                name, fooled(*noise), fooled(cell)));
        }
        const AttackCell* fgsm = cell_of("fgsm", cell.eps);
        if (cell.attack == "pgd" && fgsm != nullptr && fooled(cell) < fooled(*fgsm)) {
            signs.push_back(fmt::format(
                "{}: weaker than one step (fgsm): {} images against {}: its steps overshoot or the "
                "gradient is masked (try apgd-ce)",
                name, fooled(cell), fooled(*fgsm)));
        }
        if (cell.repeated > 0 && cell.repeated_fooled < cell.repeated &&
            cell.repeated_fooled_longer < cell.repeated_fooled) {
            signs.push_back(fmt::format(
                "{}: ten times the steps fool the model on fewer of {} images ({} instead of {}): "
                "the steps do not climb (try apgd-ce)",
                name, cell.repeated, cell.repeated_fooled_longer, cell.repeated_fooled));
        }
        if (cell.repeated > 0 && cell.repeated_fooled_longer > cell.repeated_fooled) {
            signs.push_back(fmt::format(
                "{}: ten times the steps fool the model on more of {} images ({} instead of {}): "
                "it had not ended (try --steps, apgd-ce)",
                name, cell.repeated, cell.repeated_fooled_longer, cell.repeated_fooled));
        }
        for (const auto& [part, images] : cell.by) {
            if (part != "square" || images == 0) continue;
            signs.push_back(
                fmt::format("{}: square, which sees no gradient, fools the model on {} "
                            "images that the others left: their gradients are masked",
                            name, images));
        }
        // Of the same attack with the next smaller budget.
        const AttackCell* before = nullptr;
        for (const AttackCell& other : result.cells) {
            if (other.attack == cell.attack && other.eps < cell.eps) before = &other;
        }
        if (before != nullptr && cell.robust > before->robust) {
            signs.push_back(
                fmt::format("{}: leaves more images ({}) than at {} ({}): an attack "
                            "with the larger budget can do what the smaller one does",
                            name, cell.robust, eps_text(before->eps), before->robust));
        }
    }
    return signs;
}

}  // namespace assay::attack
