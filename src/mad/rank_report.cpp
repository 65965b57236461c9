// The report of a ranking.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "assay/mad/rank.h"
#include "core/result_table.h"
#include "mad/rank_tables.h"
#include "mad/rank_tags.h"

namespace assay::mad {
namespace {

constexpr std::size_t most_in_a_matrix = 12;

/// The classifiers by component, each sorted by place.
std::vector<std::size_t> shown_order(const Ranking& ranking) {
    std::vector<std::size_t> order(ranking.classifiers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const RankedClassifier &x = ranking.classifiers[a], &y = ranking.classifiers[b];
        return std::pair(x.component, x.place) < std::pair(y.component, y.place);
    });
    return order;
}

std::string cost_sentence(const Ranking& ranking) {
    std::string text = fmt::format(
        "{} of {} questions are settled, by {} answers of {} {}; {} questions were saved because "
        "places share them.",
        count_text(ranking.settled), count_text(ranking.questions), count_text(ranking.answers),
        count_text(ranking.annotators), ranking.annotators == 1 ? "annotator" : "annotators",
        count_text(ranking.saved));
    const std::uint64_t unwanted = ranking.questions - ranking.settled - ranking.open;
    if (unwanted > 0)
        text += fmt::format(" {} {} no longer wanted, because nobody can judge the image.",
                            count_text(unwanted), unwanted == 1 ? "is" : "are");
    if (ranking.answers_per_question > 0)
        text += fmt::format(" A settled question needed {:.2f} answers on average, of at most {}.",
                            ranking.answers_per_question, ranking.settings.votes);
    const std::uint64_t all = ranking.needed_without_sharing * ranking.settings.votes;
    if (ranking.open == 0 && ranking.answers < all)
        text += fmt::format(
            " Without sharing and early stopping, {} answers would have been needed: {:.0f} % were "
            "saved.",
            count_text(all),
            100 - 100 * static_cast<double>(ranking.answers) / static_cast<double>(all));
    return text;
}

/// Advice to raise the correlation with the order of all selected images.
std::string what_is_missing(const Ranking& ranking) {
    std::uint64_t unasked = 0, to_replace = 0;
    for (const RankedPair& pair : ranking.pairs) {
        unasked += pair.accepted - pair.asked;
        to_replace += pair.to_replace;
    }
    std::vector<std::string> missing;
    if (ranking.open > 0)
        missing.push_back(fmt::format("{} {} open", count_text(ranking.open),
                                      ranking.open == 1 ? "question is" : "questions are"));
    if (unasked > 0)
        missing.push_back(fmt::format("{} selected {} not asked about (`assay mad questions`)",
                                      count_text(unasked),
                                      unasked == 1 ? "image is" : "images are"));
    if (to_replace > 0)
        missing.push_back(fmt::format("{} {} to be replaced (`assay mad select`)",
                                      count_text(to_replace),
                                      to_replace == 1 ? "image is" : "images are"));
    if (missing.empty())
        return fmt::format("No questions are left, and the first stays below {:g}.",
                           ranking.options.stop_at);
    std::string list;
    for (const std::string& one : missing) list += (list.empty() ? "" : ", ") + one;
    return fmt::format("Further answers are needed for {:g} of the first: {}.",
                       ranking.options.stop_at, list);
}

std::vector<std::string> readings(const Ranking& ranking) {
    std::vector<std::string> out;
    const std::uint64_t images = ranking.cases[0] + ranking.cases[1] + ranking.cases[2];
    out.push_back(fmt::format(
        "{} images over {} pairs: both labels correct {} (case I), one {} (II), none {} (III); {} "
        "replaced.",
        count_text(images), count_text(ranking.pairs.size()), count_text(ranking.cases[0]),
        count_text(ranking.cases[1]), count_text(ranking.cases[2]), count_text(ranking.replaced)));
    out.push_back(fmt::format(
        "Expected Kendall correlation with the ranking from all selected images: {:.3f}; with the "
        "ranking on all images of that kind: {:.3f}. {}",
        ranking.list_tau, ranking.expected_tau,
        ranking.enough
            ? fmt::format("No further answers are needed for {:g} of the first; more images of "
                          "each pair raise the second.",
                          ranking.options.stop_at)
            : what_is_missing(ranking)));
    out.push_back(
        fmt::format("Consistency index {:.4f} (0: every ratio follows from a score of each "
                    "classifier), cyclicity {:.4f} (the cyclic part of the log ratios).",
                    ranking.consistency_index, ranking.cyclicity));
    out.emplace_back(ranking.options.votes == VoteRule::majority
                         ? "A label is correct if more annotators say yes than no. Images are not "
                           "used if at least four in five annotators cannot say."
                         : "A label is correct if Dawid and Skene's model, which weighs each "
                           "annotator, finds a yes more probable than a no. Images are not used if "
                           "at least four in five annotators cannot say.");
    out.push_back(cost_sentence(ranking));
    const bool filtered = ranking.settings.threshold > 0 || ranking.settings.confident.has_value();
    out.push_back(fmt::format(
        "{} This is not a ranking by accuracy{}.",
        filtered ? "Only images on which both classifiers are confident were selected: this ranks "
                   "them by their confident errors, so over-confident classifiers lose."
                 : "Images on which classifiers disagree most were selected.",
        ranking.control > 0
            ? "; for that, see the column accuracy, from a random sample of all images"
            : "; for that, draw a random sample with `assay mad select --control N`"));
    out.emplace_back(
        "If classifiers were tuned on these images, start a new competition with new images.");
    return out;
}

}  // namespace

Report report_of(const Ranking& ranking) {
    const std::vector<std::size_t> order = shown_order(ranking);
    Report report;
    report.title = fmt::format("MAD competition {}", ranking.settings.name);
    report.warnings = ranking.warnings;
    report.partial = ranking.open > 0;
    Section section;
    section.blocks.emplace_back(ranking_table(ranking, order));
    for (std::string& sentence : readings(ranking))
        section.blocks.emplace_back(std::move(sentence));
    if (!ranking.comparisons.empty()) section.blocks.emplace_back(comparison_table(ranking));
    for (const Comparison& one : ranking.comparisons)
        if (!one.ranks.empty()) section.blocks.emplace_back(compared_ranks_table(one));
    if (!ranking.tags.empty()) section.blocks.emplace_back(tag_table(ranking));
    if (!ranking.ablation.empty()) section.blocks.emplace_back(ablation_table(ranking));
    if (order.size() <= most_in_a_matrix) {
        section.blocks.emplace_back(matrix_table(
            ranking, ranking.better, order, "Probability that a row's classifier is better",
            "From the posterior, for all images of the selected kind."));
        section.blocks.emplace_back(matrix_table(
            ranking, ranking.aggressiveness, order, "Aggressiveness",
            fmt::format("Proportion of a pair's images on which the row's classifier is correct, "
                        "smoothed by {:g}.",
                        ranking.options.ratios.alpha)));
    }
    section.blocks.emplace_back(pairs_table(ranking));
    report.sections.push_back(std::move(section));
    report.records = result_table<RankedClassifier>();
    for (const std::size_t c : order) add_row(report.records, ranking.classifiers[c]);
    report.name_records("competition");
    report.result = to_json(ranking);
    return report;
}

}  // namespace assay::mad
