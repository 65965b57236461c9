// Checks whether output j of the classifier means class j of the data set.
#include <fmt/format.h>

#include <algorithm>

#include "evaluate/check/association.h"
#include "evaluate/check/check_parts.h"
#include "evaluate/check/orders.h"

namespace assay::checks {
namespace {

bool all_labels_equal(const Sample& sample, const Dataset& dataset) {
    const auto first = dataset.labels[sample.items[0]];
    return std::all_of(sample.items.begin(), sample.items.end(), [&](std::uint32_t item) {
        const auto other = dataset.labels[item];
        return std::equal(first.begin(), first.end(), other.begin(), other.end());
    });
}

/// The reason why no conclusion is possible; "" if one is.
std::string obstacle(const Sample& sample, const Dataset& dataset) {
    if (!sample.labelled) return "the order of classes cannot be checked: no labels";
    if (sample.size() < fewest_images) {
        return fmt::format("too few images to check the order of classes: {} (at least {})",
                           sample.size(), fewest_images);
    }
    if (all_labels_equal(sample, dataset))
        return "the order of classes cannot be checked: all images have the same labels";
    return "";
}

/// 1 for each image with exactly one label.
std::vector<std::uint8_t> with_one_label(const Sample& sample, const Dataset& dataset) {
    std::vector<std::uint8_t> out;
    for (const std::uint32_t item : sample.items) out.push_back(dataset.single_label(item) >= 0);
    return out;
}

}  // namespace

OrderResult check_order(const Scores& scores, const Sample& sample, const Dataset& dataset,
                        const CheckOptions& options) {
    OrderResult result{.order = given_order(scores.classes),
                       .settled = false,
                       .findings = {},
                       .given_correct = 0,
                       .chance_p = 1,
                       .tried = {}};
    Finding finding{Severity::note, "classes.order", obstacle(sample, dataset), "", ""};
    const auto done = [&] {
        result.findings.push_back(finding);
        return result;
    };
    if (!finding.title.empty()) return done();

    const std::size_t n = sample.size();
    const Outcomes given = judge(scores, sample, dataset, result.order);
    const std::vector<std::uint8_t>& correct = given.correct;
    const Association associated = associate(scores, sample, dataset, options.seed);
    // An order is accepted as the true one only if it explains most of what the predictions contain
    // about the labels. Of two incorrect orders, one may be better because it has two of twelve
    // classes right. `associated` knows only images with one label, so only these are counted.
    const std::vector<std::uint8_t> single = with_one_label(sample, dataset);
    const std::size_t singles = count_correct(single);
    const auto explains = [&](std::span<const std::uint8_t> by_order) {
        std::size_t explained = 0;
        for (std::size_t i = 0; i < n; ++i) explained += by_order[i] == 1 && single[i] == 1;
        return 2 * explained >= count_correct(associated.correct);
    };

    OtherOrders others = other_orders(scores, sample, dataset);
    const std::vector<double> adjusted = adjusted_p(given, others.rivals, Evidence::correct);
    result.given_correct = count_correct(correct);
    result.chance_p = shuffled_ranks_p(scores, sample, dataset, options.seed);
    for (std::size_t r = 0; r < others.rivals.size(); ++r)
        result.tried.push_back({others.rivals[r].name, others.orders[r],
                                count_correct(others.rivals[r].outcomes.correct), adjusted[r]});
    const BestRival best = best_rival(others.rivals, adjusted, options.level);
    if (best.index >= 0) {
        const auto at = static_cast<std::size_t>(best.index);
        const Rival& rival = others.rivals[at];
        const bool too_few = singles < fewest_images;
        if (too_few || explains(rival.outcomes.correct)) {
            finding.severity = too_few ? Severity::warning : Severity::error;
            finding.title =
                too_few ? fmt::format(
                              "another order of classes may fit ({}), but too few images have one "
                              "label: {} (at least {})",
                              rival.name, singles, fewest_images)
                        : "incorrect order of classes: " + rival.name;
            finding.detail = fmt::format(
                "that order has {} correct, the given one {}; p = {:.2g}, adjusted for {} orders "
                "tried",
                proportion_text(count_correct(rival.outcomes.correct), n),
                proportion_text(result.given_correct, n), best.p, others.rivals.size());
            finding.advice = rival.advice;
            if (!too_few) result.order = std::move(others.orders[at]);
            result.settled = !too_few;
            return done();
        }
    }
    finding.detail = fmt::format("{} correct as given; better than shuffled labels: p = {:.3g}",
                                 proportion_text(result.given_correct, n), result.chance_p);
    const bool above_chance = result.chance_p <= options.level;
    const bool other_is_better =
        p_better(given, {associated.correct, {}}, Evidence::correct) <= options.level &&
        !explains(correct);
    if (associated.p <= options.level && (other_is_better || !above_chance)) {
        finding.severity = Severity::error;
        finding.title = "the classifier separates the classes, but the order of classes is wrong";
        finding.detail += fmt::format(
            "; with the best order up to {} would be correct; images of one class share a "
            "predicted class: p = {:.3g}, e.g. {}",
            proportion_text(count_correct(associated.correct), n), associated.p,
            associated.example);
        finding.advice =
            "pass --classes with a list in the order of the classifier's outputs (none of the "
            "usual orders fits)";
        return done();
    }
    finding.severity = above_chance ? Severity::ok : Severity::warning;
    finding.title = above_chance ? "the classes are in order"
                                 : "no better than chance under any known order of classes";
    finding.advice = above_chance ? ""
                                  : "is it trained, on these classes, and is the preprocessing "
                                    "correct? Check a larger sample";
    result.settled = above_chance;
    return done();
}

}  // namespace assay::checks
