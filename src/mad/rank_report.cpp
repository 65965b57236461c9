// A ranking, to read.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "assay/mad/distance.h"
#include "assay/mad/rank.h"
#include "core/text.h"

namespace assay::mad {
namespace {

using nlohmann::json;
using Show = Column::Show;

constexpr std::size_t most_in_a_matrix = 12;
/// Neighbours whose order is less sure than this are named.
constexpr double clear_order = 0.95;

/// Components one after the other, each by place.
std::vector<std::size_t> shown_order(const Ranking& ranking) {
    std::vector<std::size_t> order(ranking.classifiers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const RankedClassifier &x = ranking.classifiers[a], &y = ranking.classifiers[b];
        return std::pair(x.component, x.place) < std::pair(y.component, y.place);
    });
    return order;
}

Estimate with_interval(double value, const std::optional<Interval>& interval, Unit unit) {
    Estimate estimate;
    estimate.value = value;
    estimate.unit = unit;
    estimate.interval = interval;
    return estimate;
}

std::string how_placed(const Ranking& ranking) {
    switch (ranking.placed_by) {
        case PlacedBy::perron:
            return "Places are by Perron's vector of the pairwise ratios.";
        case PlacedBy::hodge:
            return "Places are by HodgeRank, because pairs have no settled images: Perron's vector "
                   "would take those for ties.";
        case PlacedBy::posterior:
            return "Places are by the posterior's scores, because of some pairs more images were "
                   "asked than of others, where they told most: plain frequencies, and Perron's "
                   "vector of them, lean then.";
    }
    return "";
}

/// "a before b (0.64)", ...: what is not resolved.
std::string unclear_neighbours(const Ranking& ranking, const std::vector<std::size_t>& order) {
    std::string list;
    for (std::size_t n = 0; n + 1 < order.size(); ++n) {
        const RankedClassifier &a = ranking.classifiers[order[n]],
                               &b = ranking.classifiers[order[n + 1]];
        const double p = ranking.better.at(order[n], order[n + 1]);
        if (a.component != b.component || p >= clear_order) continue;
        list += fmt::format("{}{} before {} ({:.3f})", list.empty() ? "" : ", ", shortened(a.name),
                            shortened(b.name), p);
    }
    return list;
}

Table ranking_table(const Ranking& ranking, const std::vector<std::size_t>& order) {
    Table table;
    table.title = fmt::format("Ranking of {} classifiers", ranking.classifiers.size());
    const bool groups = ranking.components > 1;
    if (groups) table.columns.push_back({.name = "group"});
    table.columns.push_back({.name = "place", .show = Show::value_and_interval});
    table.columns.push_back({.name = "classifier", .numbers = false});
    // The posterior's scores are a column in any case.
    if (ranking.placed_by != PlacedBy::posterior)
        table.columns.push_back(
            {.name = ranking.placed_by == PlacedBy::perron ? "Perron" : "HodgeRank"});
    table.columns.push_back({.name = "score", .show = Show::value_and_half});
    table.columns.push_back({.name = "rank", .show = Show::value_and_interval});
    table.columns.push_back({.name = "images"});
    table.columns.push_back({.name = "correct", .show = Show::value_and_half});
    if (ranking.control > 0)
        table.columns.push_back({.name = "accuracy", .show = Show::value_and_interval});
    for (const std::size_t c : order) {
        const RankedClassifier& one = ranking.classifiers[c];
        std::vector<Cell> cells;
        if (groups) cells.emplace_back(Count{one.component + 1});
        cells.emplace_back(with_interval(one.place, one.bootstrap_rank, Unit::rank));
        cells.emplace_back(one.name);
        if (ranking.placed_by == PlacedBy::perron)
            cells.emplace_back(Number{one.perron, Unit::number, 4});
        else if (ranking.placed_by == PlacedBy::hodge)
            cells.emplace_back(Number{one.hodge, Unit::number, 3, true});
        cells.emplace_back(one.score);
        cells.emplace_back(one.rank);
        cells.emplace_back(Count{one.images});
        cells.emplace_back(one.correct);
        if (ranking.control > 0) cells.emplace_back(one.accuracy);
        table.add(std::move(cells));
    }
    table.notes.push_back(how_placed(ranking));
    if (groups)
        table.notes.emplace_back(
            "They are within each group of classifiers that pairs with images join: groups cannot "
            "be compared.");
    if (ranking.options.bootstraps > 0)
        table.notes.push_back(fmt::format(
            "Interval of the place: {:g} % of {} bootstraps of images and annotators{}.",
            100 * ranking.options.posterior.level, count_text(ranking.options.bootstraps),
            ranking.options.votes == VoteRule::dawid_skene
                ? ", with the annotators' rates as they were fitted"
                : ""));
    table.notes.push_back(fmt::format(
        "Score and rank: posterior of all pairs at once, {} draws, {:g} %, for all images of the "
        "kind that was selected.",
        count_text(ranking.options.posterior.draws), 100 * ranking.options.posterior.level));
    if (const std::string unclear = unclear_neighbours(ranking, order); !unclear.empty())
        table.notes.push_back(
            fmt::format("Not resolved (probability that the first is better below {:g}): {}.",
                        clear_order, unclear));
    table.notes.emplace_back(
        "Correct: of the different images selected for the classifier's pairs. It says nothing "
        "about other images, as these were picked for disagreement.");
    if (ranking.control > 0) {
        table.notes.push_back(fmt::format(
            "Accuracy: on all images, by a random sample of {}, each of which counts for as many "
            "as it was drawn out of. Interval: of that sample, people's answers taken for true.",
            count_text(ranking.control)));
        for (const std::size_t c : order) {
            const RankedClassifier& one = ranking.classifiers[c];
            if (!one.accuracy.value)
                table.notes.push_back(fmt::format("No accuracy of {}: {}.", shortened(one.name),
                                                  one.accuracy.undefined));
        }
    }
    return table;
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
        text += fmt::format(" A settled question took {:.2f} answers of at most {}.",
                            ranking.answers_per_question, ranking.settings.votes);
    const std::uint64_t all = ranking.needed_without_sharing * ranking.settings.votes;
    if (ranking.open == 0 && ranking.answers < all)
        text += fmt::format(
            " Without sharing and early ends it would have been {} answers: {:.0f} % were saved.",
            count_text(all),
            100 - 100 * static_cast<double>(ranking.answers) / static_cast<double>(all));
    return text;
}

/// What raises the correlation with the order of all selected images.
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
        return fmt::format("Nothing is left to ask, and it stays below {:g}.",
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
        "Expected Kendall correlation with the order that all selected images would give: {:.3f}; "
        "with the order on all images of that kind: {:.3f}. {}",
        ranking.list_tau, ranking.expected_tau,
        ranking.enough
            ? fmt::format("No further answers are needed for {:g} of the first; more images of "
                          "each pair raise the second.",
                          ranking.options.stop_at)
            : what_is_missing(ranking)));
    out.push_back(fmt::format(
        "Consistency index {:.4f} (0: every ratio follows from a score of each classifier), "
        "cyclicity {:.4f} (the part of the log ratios that goes round in circles).",
        ranking.consistency_index, ranking.cyclicity));
    out.emplace_back(ranking.options.votes == VoteRule::majority
                         ? "A label is correct where more annotators say yes than no; where at "
                           "least four in five cannot say, the image says nothing."
                         : "A label is correct where Dawid and Skene's model, which weighs each "
                           "annotator, finds a yes more probable than a no; where at least four in "
                           "five cannot say, the image says nothing.");
    out.push_back(cost_sentence(ranking));
    const bool filtered = ranking.settings.threshold > 0 || ranking.settings.confident.has_value();
    out.push_back(fmt::format(
        "{} It is no ranking by accuracy{}.",
        filtered ? "Images were selected where both classifiers are confident: this ranks them by "
                   "their confident errors, and who is confident too often loses."
                 : "Images were selected where classifiers disagree most.",
        ranking.control > 0 ? ": that is the column accuracy, of a random sample of all images"
                            : "; for that, `assay mad select --control N` draws a random sample"));
    out.emplace_back(
        "Classifiers that were tuned on these images make them a test set like any other: a new "
        "competition needs new images.");
    return out;
}

Table pairs_table(const Ranking& ranking) {
    Table table;
    table.title = "Pairs";
    table.columns = {{.name = "first", .numbers = false},
                     {.name = "second", .numbers = false},
                     {.name = "images"},
                     {.name = "I"},
                     {.name = "only first"},
                     {.name = "only second"},
                     {.name = "III"},
                     {.name = "replaced"},
                     {.name = "selected"},
                     {.name = "asked"},
                     {.name = "open"},
                     {.name = "to replace"},
                     {.name = "P(first better)"}};
    for (const RankedPair& pair : ranking.pairs) {
        const PairCounts& c = pair.counts;
        table.add({ranking.classifiers[c.first].name, ranking.classifiers[c.second].name,
                   Count{c.n()}, Count{c.both}, Count{c.only_first}, Count{c.only_second},
                   Count{c.neither}, Count{c.replaced}, Count{pair.accepted}, Count{pair.asked},
                   Count{pair.open}, Count{pair.to_replace},
                   Number{ranking.better.at(c.first, c.second), Unit::number, 2}});
    }
    return table;
}

Table matrix_table(const Ranking& ranking, const PairMatrix& matrix,
                   const std::vector<std::size_t>& order, std::string title, std::string note) {
    Table table;
    table.title = std::move(title);
    table.columns.push_back({.name = "", .numbers = false});
    for (std::size_t n = 0; n < order.size(); ++n)
        table.columns.push_back({.name = fmt::to_string(n + 1)});
    for (std::size_t n = 0; n < order.size(); ++n) {
        std::vector<Cell> cells = {fmt::format("{} {}", n + 1, ranking.classifiers[order[n]].name)};
        for (const std::size_t other : order) {
            if (other == order[n])
                cells.emplace_back();
            else
                cells.emplace_back(Number{matrix.at(order[n], other), Unit::number, 2});
        }
        table.add(std::move(cells));
    }
    table.notes.push_back(std::move(note));
    return table;
}

Table ablation_table(const Ranking& ranking) {
    Table table;
    table.title = "With fewer images of each pair";
    table.columns = {{.name = "k"}, {.name = "images"}, {.name = "SRCC"}, {.name = "Kendall"}};
    for (const AblationRow& row : ranking.ablation)
        table.add({Count{row.k}, Count{row.images}, row.srcc, row.kendall});
    table.notes.emplace_back(
        "Correlation of the ranking by the first k places of each pair with the whole one. They "
        "share images: it rises to 1 however unsure both are.");
    return table;
}

Table comparison_table(const Ranking& ranking) {
    Table table;
    table.title = "Beside other orders";
    table.columns = {{.name = "with", .numbers = false},
                     {.name = "classifiers"},
                     {.name = "SRCC", .show = Show::value_and_interval},
                     {.name = "Kendall", .show = Show::value_and_interval}};
    for (const Comparison& one : ranking.comparisons)
        table.add({one.with, Count{one.classifiers}, one.srcc, one.kendall});
    table.notes.emplace_back(
        "Spearman's and Kendall's (tau-b) correlation of the places with it. Intervals, where "
        "there are any: bootstraps of the places; what they are compared with is held.");
    return table;
}

json matrix_json(const PairMatrix& matrix, bool diagonal) {
    json rows = json::array();
    for (std::size_t i = 0; i < matrix.classifiers(); ++i) {
        json row = json::array();
        for (std::size_t j = 0; j < matrix.classifiers(); ++j) {
            if (i == j && !diagonal)
                row.push_back(nullptr);
            else
                row.push_back(matrix.at(i, j));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

json classifiers_json(const Ranking& ranking) {
    json out = json::array();
    for (const RankedClassifier& one : ranking.classifiers) {
        json row = {{"classifier", one.name},
                    {"place", one.place},
                    {"component", one.component},
                    {"perron", one.perron},
                    {"hodge", one.hodge},
                    {"score", to_json(one.score)},
                    {"rank", to_json(one.rank)},
                    {"images", one.images},
                    {"correct", to_json(one.correct)},
                    {"accuracy", to_json(one.accuracy)}};
        if (one.bootstrap_rank) row["place_interval"] = to_json(*one.bootstrap_rank);
        out.push_back(std::move(row));
    }
    return out;
}

json pairs_json(const Ranking& ranking) {
    json out = json::array();
    for (const RankedPair& pair : ranking.pairs) {
        const PairCounts& c = pair.counts;
        out.push_back({{"first", ranking.classifiers[c.first].name},
                       {"second", ranking.classifiers[c.second].name},
                       {"wanted", pair.wanted},
                       {"accepted", pair.accepted},
                       {"asked", pair.asked},
                       {"open", pair.open},
                       {"to_replace", pair.to_replace},
                       {"images", c.n()},
                       {"both", c.both},
                       {"only_first", c.only_first},
                       {"only_second", c.only_second},
                       {"neither", c.neither},
                       {"replaced", c.replaced}});
    }
    return out;
}

json options_json(const RankOptions& options) {
    return {{"votes", name_of(options.votes)},
            {"alpha", options.ratios.alpha},
            {"k", options.k},
            {"bootstraps", options.bootstraps},
            {"draws", options.posterior.draws},
            {"level", options.posterior.level},
            {"spread", options.posterior.spread},
            {"tau", options.posterior.tau},
            {"stop_at", options.stop_at},
            {"without", options.without},
            {"seed", options.posterior.seed}};
}

Table ranking_records(const Ranking& ranking, const std::vector<std::size_t>& order) {
    Table records;
    records.columns = {{.name = "classifier", .numbers = false},
                       {.name = "component"},
                       {.name = "place", .show = Show::every_part},
                       {.name = "perron"},
                       {.name = "hodge"},
                       {.name = "score", .show = Show::every_part},
                       {.name = "rank", .show = Show::every_part},
                       {.name = "images"},
                       {.name = "correct", .show = Show::every_part},
                       {.name = "accuracy", .show = Show::every_part}};
    for (const std::size_t c : order) {
        const RankedClassifier& one = ranking.classifiers[c];
        records.add({one.name, Count{one.component},
                     with_interval(one.place, one.bootstrap_rank, Unit::rank), Number{one.perron},
                     Number{one.hodge}, one.score, one.rank, Count{one.images}, one.correct,
                     one.accuracy});
    }
    return records;
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
    if (!ranking.ablation.empty()) section.blocks.emplace_back(ablation_table(ranking));
    if (order.size() <= most_in_a_matrix) {
        section.blocks.emplace_back(matrix_table(
            ranking, ranking.better, order, "Probability that a row's classifier is better",
            "Of the posterior, for all images of the kind that was selected."));
        section.blocks.emplace_back(matrix_table(
            ranking, ranking.aggressiveness, order, "Aggressiveness",
            fmt::format("Proportion of a pair's images on which the row's classifier is correct, "
                        "smoothed by {:g}.",
                        ranking.options.ratios.alpha)));
    }
    section.blocks.emplace_back(pairs_table(ranking));
    report.sections.push_back(std::move(section));
    report.records = ranking_records(ranking, order);

    json ablation = json::array(), comparisons = json::array();
    for (const AblationRow& row : ranking.ablation)
        ablation.push_back({{"k", row.k},
                            {"images", row.images},
                            {"srcc", to_json(row.srcc)},
                            {"kendall", to_json(row.kendall)},
                            {"places", row.places}});
    for (const Comparison& one : ranking.comparisons)
        comparisons.push_back({{"with", one.with},
                               {"classifiers", one.classifiers},
                               {"srcc", to_json(one.srcc)},
                               {"kendall", to_json(one.kendall)}});
    report.result = {
        {"schema", "assay.mad_ranking/1"},
        {"competition", ranking.settings.name},
        {"options", options_json(ranking.options)},
        {"placed_by", name_of(ranking.placed_by)},
        {"components", ranking.components},
        {"classifiers", classifiers_json(ranking)},
        {"pairs", pairs_json(ranking)},
        {"cases", {{"I", ranking.cases[0]}, {"II", ranking.cases[1]}, {"III", ranking.cases[2]}}},
        {"replaced", ranking.replaced},
        {"aggressiveness", matrix_json(ranking.aggressiveness, false)},
        {"log_ratios", matrix_json(ranking.log_ratios, true)},
        {"better", matrix_json(ranking.better, true)},
        {"eigenvalue", ranking.eigenvalue},
        {"consistency_index", ranking.consistency_index},
        {"cyclicity", ranking.cyclicity},
        {"error", ranking.error},
        {"expected_tau", ranking.expected_tau},
        {"list_error", ranking.list_error},
        {"list_tau", ranking.list_tau},
        {"enough", ranking.enough},
        {"ablation", ablation},
        {"comparisons", comparisons},
        {"control", ranking.control},
        {"questions", ranking.questions},
        {"settled", ranking.settled},
        {"open", ranking.open},
        {"answers", ranking.answers},
        {"annotators", ranking.annotators},
        {"saved", ranking.saved},
        {"needed_without_sharing", ranking.needed_without_sharing},
        {"answers_per_question", ranking.answers_per_question},
    };
    return report;
}

}  // namespace assay::mad
