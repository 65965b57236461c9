#include "mad/rank_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.h"

namespace assay::mad {
namespace {

using Show = Column::Show;

/// Neighbors are listed if their order is less certain than this.
constexpr double clear_order = 0.95;

std::string how_placed(const Ranking& ranking) {
    switch (ranking.placed_by) {
        case PlacedBy::perron:
            return "Places follow Perron's vector of the pairwise ratios.";
        case PlacedBy::hodge:
            return "Places follow HodgeRank, because pairs have no settled images: Perron's vector "
                   "would treat them as ties.";
        case PlacedBy::posterior:
            return "Places follow the posterior's scores, because some pairs were asked about more "
                   "images than others, which biases plain frequencies and Perron's vector.";
    }
    return "";
}

/// Lists the unresolved neighbors: "a before b (0.64)", ...
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

/// The pair with the largest gain, and those that may have a larger one.
std::string most_gain(const Ranking& ranking) {
    const RankedPair* best = nullptr;
    double most = 0;
    for (const RankedPair& pair : ranking.pairs) {
        const double gain = pair.combined_gain.value.value_or(0);
        if (gain <= most) continue;
        most = gain;
        best = &pair;
    }
    if (best == nullptr) return "";
    const double low = best->combined_gain.interval->low;
    std::size_t others = 0;
    for (const RankedPair& pair : ranking.pairs) {
        const Estimate& gain = pair.combined_gain;
        others += &pair != best && gain.interval && gain.interval->high >= low ? 1 : 0;
    }
    const auto name = [&](std::uint32_t c) { return shortened(ranking.classifiers[c].name); };
    return fmt::format("{} and {} would gain most by being combined{}.", name(best->counts.first),
                       name(best->counts.second),
                       others > 0 ? fmt::format("; the intervals of {} overlap with theirs",
                                                how_many(others, "other pair", "other pairs"))
                                  : "");
}

}  // namespace

Estimate place_of(const RankedClassifier& one) {
    Estimate place;
    place.value = one.place;
    place.unit = Unit::rank;
    place.interval = one.bootstrap_rank;
    return place;
}

Table ranking_table(const Ranking& ranking, const std::vector<std::size_t>& order) {
    Table table;
    table.title = fmt::format("Ranking of {} classifiers", ranking.classifiers.size());
    const bool groups = ranking.components > 1;
    if (groups) table.columns.push_back({.name = "group"});
    table.columns.push_back({.name = "place", .show = Show::value_and_interval});
    table.columns.push_back({.name = "classifier", .numbers = false});
    // The posterior's scores are always a column.
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
        cells.emplace_back(place_of(one));
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
            "Places are within each group of classifiers that share pairs with images; groups "
            "cannot be compared.");
    if (ranking.options.bootstraps > 0)
        table.notes.push_back(fmt::format(
            "Interval of the place: {:g} % of {} bootstraps of images and annotators{}.",
            100 * ranking.options.posterior.level, count_text(ranking.options.bootstraps),
            ranking.options.votes == VoteRule::dawid_skene
                ? ", with the fitted annotators' rates held fixed"
                : ""));
    table.notes.push_back(fmt::format(
        "Score and rank: posterior given the working scores of all pairs, {} draws, {:g} %, for "
        "all images of the selected kind.",
        count_text(ranking.options.posterior.draws), 100 * ranking.options.posterior.level));
    table.notes.push_back(fmt::format(
        "{} places on {} images ({:.0f} in effect){}", count_text(ranking.places),
        count_text(ranking.images), ranking.effective_images,
        ranking.places > ranking.images ? "; the figures account for images that pairs share."
                                        : "."));
    if (const std::string unclear = unclear_neighbours(ranking, order); !unclear.empty())
        table.notes.push_back(
            fmt::format("Not resolved (probability that the first is better below {:g}): {}.",
                        clear_order, unclear));
    table.notes.emplace_back(
        "Correct: of the different images selected for the classifier's pairs. It says nothing "
        "about other images, because these were selected for disagreement.");
    if (ranking.control > 0) {
        table.notes.push_back(
            fmt::format("Accuracy: on all images, by a random sample of {}, each weighted by the "
                        "inverse of its sampling probability. Interval: sampling error of that "
                        "sample, with people's answers as the truth.",
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
                     {.name = "P(first better)"},
                     {.name = "combined gain", .show = Show::value_and_interval}};
    for (const RankedPair& pair : ranking.pairs) {
        const PairCounts& c = pair.counts;
        table.add({ranking.classifiers[c.first].name, ranking.classifiers[c.second].name,
                   Count{c.n()}, Count{c.both}, Count{c.only_first}, Count{c.only_second},
                   Count{c.neither}, Count{c.replaced}, Count{pair.accepted}, Count{pair.asked},
                   Count{pair.open}, Count{pair.to_replace},
                   Number{ranking.better.at(c.first, c.second), Unit::number, 2},
                   pair.combined_gain});
    }
    table.notes.emplace_back(
        "Combined gain: proportion of the images on which the worse of the two is correct alone. "
        "An "
        "ideal combination gains that over the better one, on images like these.");
    if (const std::string most = most_gain(ranking); !most.empty()) table.notes.push_back(most);
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
        "Correlation of the ranking by the first k places of each pair with the whole one. Because "
        "they share images, it rises to 1 even if both are uncertain.");
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
        "Spearman's and Kendall's (tau-b) correlation of the places with it. Intervals are "
        "bootstraps of the places; the other order stays fixed.");
    return table;
}

int digits_of_ranks(const Comparison& comparison) {
    // Classifiers that tie share a rank, which may be a half.
    const bool whole = std::ranges::all_of(comparison.ranks, [](const ComparedRank& one) {
        return one.rank == std::floor(one.rank) && one.other == std::floor(one.other);
    });
    return whole ? 0 : 1;
}

Table compared_ranks_table(const Comparison& comparison) {
    Table table;
    table.title = "Ranks compared with " + comparison.with;
    table.columns = {{.name = "classifier", .numbers = false},
                     {.name = "rank here"},
                     {.name = "rank there"},
                     {.name = "difference"}};
    const int digits = digits_of_ranks(comparison);
    for (const ComparedRank& one : comparison.ranks)
        table.add({one.classifier, Number{one.rank, Unit::number, digits},
                   Number{one.other, Unit::number, digits},
                   Number{one.moved, Unit::number, digits, true}});
    table.notes.emplace_back("Difference: above 0 if the classifier ranks better here.");
    return table;
}

}  // namespace assay::mad
