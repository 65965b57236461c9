#include "assay/mad/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "assay/error.h"
#include "core/text.h"
#include "mad/control_accuracy.h"
#include "mad/rank_bootstrap.h"
#include "mad/rank_compare.h"
#include "mad/rank_counts.h"
#include "mad/rank_input.h"
#include "mad/rank_tags.h"
#include "mad/rank_warnings.h"

namespace assay::mad {
namespace {

constexpr std::uint32_t every_k_to = 30;       ///< rankings by fewer images use every k up to here
constexpr std::uint32_t ablation_stride = 10;  ///< beyond
constexpr std::size_t most_unknown_named = 3;

void check_rank_options(const RankOptions& options) {
    const auto wrong = [](std::string message) {
        throw Error(ErrorCode::usage, std::move(message));
    };
    if (!(options.stop_at > 0 && options.stop_at < 1))
        wrong(
            fmt::format("the correlation to stop at is {}; it must be in (0, 1)", options.stop_at));
    if (options.bootstraps == 1 || options.bootstraps > 1'000'000)
        wrong(fmt::format("{} bootstraps; allowed: none, or 2 to 1,000,000", options.bootstraps));
    if (options.posterior.draws > 10'000'000)
        wrong(fmt::format("{} draws; allowed: up to 10,000,000", options.posterior.draws));
}

/// True if some asked pairs were asked further than others although the others' lists had more
/// images. Then earlier answers influenced the choice of questions. Images that replaced others and
/// are not asked yet do not count, because the replaced ones may have been asked.
bool asked_unevenly(const std::vector<RankedPair>& pairs) {
    const auto went = [](const RankedPair& pair) {
        const std::uint64_t replaced = pair.counts.replaced - pair.to_replace;
        return pair.asked + std::min<std::uint64_t>(replaced, pair.accepted - pair.asked);
    };
    std::uint64_t most = 0;
    for (const RankedPair& pair : pairs) most = std::max<std::uint64_t>(most, pair.asked);
    return std::any_of(pairs.begin(), pairs.end(), [&](const RankedPair& pair) {
        return pair.asked > 0 && went(pair) < std::min<std::uint64_t>(most, pair.accepted);
    });
}

void add_posterior(const RankInput& in, Ranking& out) {
    const std::size_t m = in.numbers.size();
    const AnsweredPlaces answered =
        answered_places(in.tally, in.pairs, in.selected, in.numbers, in.facts);
    const Posterior posterior = posterior_of(m, answered, out.options.posterior);
    PosteriorOptions few = out.options.posterior;
    few.draws = 100;  // the ranks are not used
    few.lists_alone = true;
    const Posterior of_lists = posterior_of(m, answered, few);
    out.better = posterior.better;
    out.images = posterior.images;
    out.places = answered.places.size();
    out.effective_images = posterior.effective_images;
    out.spread = posterior.spread;
    out.all_but_equal = posterior.all_but_equal;
    out.error = posterior.error;
    out.expected_tau = 1 - 2 * posterior.error;
    out.list_error = of_lists.error;
    out.list_tau = 1 - 2 * of_lists.error;
    out.enough = out.list_tau >= out.options.stop_at;
    for (std::size_t c = 0; c < m; ++c) {
        out.classifiers[c].score = posterior.scores[c];
        out.classifiers[c].rank = posterior.ranks[c];
    }
}

/// The last step uses all: as many as the longest list has.
std::vector<std::uint32_t> steps_of_ablation(const Ranking& out) {
    std::uint32_t longest = 0;
    for (const RankedPair& pair : out.pairs) longest = std::max(longest, pair.accepted);
    std::vector<std::uint32_t> steps;
    for (std::uint32_t k = 1; k < longest; k += k < every_k_to ? 1 : ablation_stride)
        steps.push_back(k);
    steps.push_back(longest);
    return steps;
}

/// Places in different groups cannot be compared.
void leave_undefined(Estimate& srcc, Estimate& kendall) {
    for (Estimate* estimate : {&srcc, &kendall}) {
        estimate->value.reset();
        estimate->interval.reset();
        estimate->undefined = "no chain of pairs with images joins all classifiers";
    }
}

void add_comparison(Ranking& out, std::string with, const OtherScores& scores,
                    const std::vector<std::vector<double>>& replicates) {
    std::vector<double> places;
    std::set<std::uint32_t> groups;
    for (std::size_t c = 0; c < scores.size(); ++c) {
        places.push_back(out.classifiers[c].place);
        if (scores[c]) groups.insert(out.classifiers[c].component);
    }
    Comparison one =
        compare_places(std::move(with), places, scores, replicates, out.options.posterior.level);
    if (groups.size() > 1)
        leave_undefined(one.srcc, one.kendall);
    else
        one.ranks = compared_ranks(out.classifiers, scores);
    out.comparisons.push_back(std::move(one));
}

void add_ablation(const RankInput& in, Ranking& out, const std::vector<double>& places) {
    OtherScores whole;
    for (const double place : places) whole.emplace_back(-place);
    const RankOptions options = for_parts_of_images(out.options);
    const std::vector<std::uint32_t> steps = steps_of_ablation(out);
    const std::size_t m = in.numbers.size();
    for (const std::uint32_t k : steps) {
        const std::vector<PairCounts> counts =
            counts_of_pairs(in.tally, in.pairs, in.selected, in.numbers, k == steps.back() ? 0 : k);
        const HodgeRanking joined =
            hodge_rank(log_ratios(m, counts, options.ratios), images_of_pairs(m, counts));
        AblationRow row;
        row.k = k;
        for (const PairCounts& pair : counts) row.images += pair.n();
        row.places = k == steps.back()
                         ? places
                         : places_by(out.placed_by, m, counts, options, joined.component);
        const Comparison with = compare_places("", row.places, whole, {}, .95);
        row.srcc = with.srcc;
        row.kendall = with.kendall;
        if (joined.components > 1) leave_undefined(row.srcc, row.kendall);
        out.ablation.push_back(std::move(row));
    }
}

/// Adds names to the error, because log_ratios() only knows numbers.
void check_smoothing(const Ranking& out) {
    if (out.options.ratios.alpha != 0) return;
    for (const RankedPair& pair : out.pairs) {
        const PairCounts& c = pair.counts;
        if (c.n() == 0 || (c.first_correct() > 0 && c.second_correct() > 0)) continue;
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "{} is correct on none of the {} images of the pair {}, so its ratio needs "
                "smoothing: use --alpha above 0",
                shortened(out.classifiers[c.first_correct() == 0 ? c.first : c.second].name), c.n(),
                pair_name(out, pair)));
    }
}

}  // namespace

std::string_view name_of(PlacedBy rule) {
    switch (rule) {
        case PlacedBy::perron:
            return "perron";
        case PlacedBy::hodge:
            return "hodge";
        case PlacedBy::posterior:
            return "posterior";
    }
    return "";
}

Ranking rank_classifiers(const Competition& competition, const RankOptions& options) {
    check_rank_options(options);
    const RankInput in = read_rank_input(competition, options);
    const std::size_t m = in.numbers.size();
    Ranking out;
    out.options = options;
    out.settings = competition.settings();
    for (const CompetitionClassifier& one : in.classifiers)
        out.classifiers.emplace_back().name = one.name;
    describe_pairs(in, out);
    count_questions(in, out);
    const CorrectByImage correct = correct_by_image(in);
    count_correct(correct, out);

    check_smoothing(out);
    out.aggressiveness = aggressiveness(m, in.counts, options.ratios);
    out.log_ratios = log_ratios(m, in.counts, options.ratios);
    const PerronRanking by_perron = perron(out.log_ratios);
    const HodgeRanking by_hodge = hodge_rank(out.log_ratios, images_of_pairs(m, in.counts));
    out.eigenvalue = by_perron.eigenvalue;
    out.consistency_index = by_perron.consistency_index;
    out.cyclicity = by_hodge.cyclicity;
    out.components = by_hodge.components;
    out.placed_by =
        asked_unevenly(out.pairs) ? PlacedBy::posterior : rule_for(PlacedBy::perron, m, in.counts);
    add_posterior(in, out);
    std::vector<double> places =
        places_by(out.placed_by, m, in.counts, options, by_hodge.component);
    if (out.placed_by == PlacedBy::posterior) {
        std::vector<double> scores;
        for (const RankedClassifier& one : out.classifiers) scores.push_back(*one.score.value);
        places = places_within(scores, by_hodge.component);
    }
    for (std::size_t c = 0; c < m; ++c) {
        RankedClassifier& one = out.classifiers[c];
        one.perron = by_perron.scores[c];
        one.hodge = by_hodge.scores[c];
        one.component = by_hodge.component[c];
        one.place = places[c];
    }

    std::vector<std::vector<double>> replicates;
    if (options.bootstraps > 0) {
        replicates = bootstrap_places(in.tally, in.pairs, in.selected, in.numbers, out.placed_by,
                                      options, by_hodge.component);
        for (std::size_t c = 0; c < m; ++c) {
            std::vector<double> own;
            for (const std::vector<double>& replicate : replicates) own.push_back(replicate[c]);
            out.classifiers[c].bootstrap_rank =
                place_interval(std::move(own), places[c], options.posterior.level);
        }
    }
    if (options.ablation) add_ablation(in, out, places);
    if (options.by_tag) add_tags(competition, in, correct, by_hodge.component, out);

    OtherScores accuracies(m);
    if (in.control.rows.empty()) {
        for (RankedClassifier& one : out.classifiers) {
            one.accuracy.unit = Unit::proportion;
            one.accuracy.undefined =
                "no control sample was drawn; run `assay mad select --control N`";
        }
    } else {
        const std::vector<Estimate> found =
            control_accuracies(in.control, in.tally, options.posterior.level);
        for (std::size_t c = 0; c < m; ++c) {
            out.classifiers[c].accuracy = found[c];
            accuracies[c] = found[c].value;
        }
        // The accuracies are also estimates, so an interval only over places would be too narrow.
        add_comparison(out, "accuracy (control sample)", accuracies, {});
    }
    add_rank_warnings(competition, in, out);
    if (!options.against.empty()) {
        std::vector<std::string> names, unknown;
        for (const RankedClassifier& one : out.classifiers) names.push_back(one.name);
        const OtherScores scores = read_other_scores(options.against, names, unknown);
        add_comparison(out, options.against.filename().string(), scores, replicates);
        if (!unknown.empty()) {
            std::string list;
            for (std::size_t u = 0; u < std::min(unknown.size(), most_unknown_named); ++u)
                list += fmt::format("{}`{}`", u == 0 ? "" : ", ", shortened(unknown[u]));
            if (unknown.size() > most_unknown_named)
                list += fmt::format(", and {} more", unknown.size() - most_unknown_named);
            out.warnings.push_back(fmt::format("{}: no classifier of this ranking is named {}",
                                               options.against.string(), list));
        }
    }
    return out;
}

}  // namespace assay::mad
