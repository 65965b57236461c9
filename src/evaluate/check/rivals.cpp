// Counts correct images, and tests whether another way is better.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.h"
#include "evaluate/check/check_parts.h"

namespace assay::checks {

ClassOfOutput given_order(std::size_t classes) {
    ClassOfOutput order(classes);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

Outcomes judge(const Scores& scores, const Sample& sample, const Dataset& dataset,
               const ClassOfOutput& order) {
    Outcomes out;
    for (std::size_t i = 0; i < sample.size(); ++i) {
        const auto row = scores.row(i);
        if (std::any_of(row.begin(), row.end(), [](float x) { return std::isnan(x); })) {
            out.correct.push_back(0);
            out.ranks.push_back(static_cast<std::uint32_t>(2 * row.size() + 1));
            continue;
        }
        const auto is_correct = [&](std::size_t output) {
            return output < order.size() && order[output] >= 0 &&
                   dataset.labels.contains(sample.items[i], order[output]);
        };
        const auto top =
            static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
        out.correct.push_back(is_correct(top));
        float best = -INFINITY;
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (is_correct(j)) best = std::max(best, row[j]);
        }
        std::uint32_t twice = 0;
        for (const float x : row) twice += x > best ? 2 : x == best ? 1 : 0;
        out.ranks.push_back(best == -INFINITY ? static_cast<std::uint32_t>(2 * row.size() + 1)
                                              : twice);
    }
    return out;
}

std::size_t count_correct(std::span<const std::uint8_t> correct) {
    return static_cast<std::size_t>(std::count(correct.begin(), correct.end(), std::uint8_t{1}));
}

std::string proportion_text(std::size_t part, std::size_t whole) {
    return fmt::format(
        "{} of {} ({:.1f} %)", part, whole,
        whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

double p_better(const Outcomes& given, const Outcomes& rival, Evidence evidence) {
    constexpr double not_by_chance = 0.1;
    std::uint64_t given_correct = 0, rival_correct = 0, given_higher = 0, rival_higher = 0;
    for (std::size_t i = 0; i < given.correct.size(); ++i) {
        given_correct += given.correct[i] > rival.correct[i];
        rival_correct += given.correct[i] < rival.correct[i];
        if (evidence == Evidence::correct) continue;
        given_higher += given.ranks[i] < rival.ranks[i];
        rival_higher += given.ranks[i] > rival.ranks[i];
    }
    if (rival_correct <= given_correct) return 1;
    const double by_correct = mcnemar(given_correct, rival_correct).p;
    if (evidence == Evidence::correct) return by_correct;
    return by_correct <= not_by_chance && rival_higher > given_higher
               ? mcnemar(given_higher, rival_higher).p
               : 1;
}

std::vector<double> adjusted_p(const Outcomes& given, std::span<const Rival> rivals,
                               Evidence evidence) {
    std::vector<double> p;
    for (const Rival& rival : rivals) p.push_back(p_better(given, rival.outcomes, evidence));
    return holm(p);
}

BestRival best_rival(std::span<const Rival> rivals, std::span<const double> adjusted,
                     double level) {
    BestRival best;
    const auto correct = [&](std::ptrdiff_t r) {
        return count_correct(rivals[static_cast<std::size_t>(r)].outcomes.correct);
    };
    for (std::size_t i = 0; i < rivals.size(); ++i) {
        const auto r = static_cast<std::ptrdiff_t>(i);
        if (adjusted[i] <= level && (best.index < 0 || correct(r) > correct(best.index)))
            best = {r, adjusted[i]};
    }
    return best;
}

BestRival best_rival(const Outcomes& given, std::span<const Rival> rivals, double level,
                     Evidence evidence) {
    return best_rival(rivals, adjusted_p(given, rivals, evidence), level);
}

}  // namespace assay::checks
