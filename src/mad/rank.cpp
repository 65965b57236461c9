#include "assay/mad/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "assay/error.h"
#include "assay/report.h"
#include "core/shell_word.h"
#include "core/statistics.h"
#include "core/text.h"
#include "mad/annotator_check.h"
#include "mad/control_accuracy.h"
#include "mad/rank_bootstrap.h"
#include "mad/rank_compare.h"
#include "mad/tally.h"

namespace assay::mad {
namespace {

constexpr std::uint32_t ablation_steps[] = {1, 2, 3, 5, 8, 10, 15, 20, 25, 30};
constexpr std::uint32_t last_ablation_step = 30;
constexpr std::uint32_t ablation_stride = 10;  ///< beyond
constexpr std::size_t most_named = 3;

using QuestionKey = std::pair<std::int64_t, std::uint16_t>;

/// Everything that a ranking is computed from.
struct RankInput {
    std::vector<CompetitionClassifier> classifiers;
    std::vector<std::uint32_t> numbers;
    std::vector<PairRow> pairs;  ///< between these
    std::vector<SelectedRow> selected;
    Tally tally;
    std::vector<PairSample> samples;
    ControlSample control;
};

void check_rank_options(const RankOptions& options) {
    const auto wrong = [](std::string message) {
        throw Error(ErrorCode::usage, std::move(message));
    };
    if (!(options.stop_at > 0 && options.stop_at < 1))
        wrong(fmt::format("the correlation to stop at is {}; it lies in (0, 1)", options.stop_at));
    if (options.bootstraps == 1 || options.bootstraps > 1'000'000)
        wrong(fmt::format("{} bootstraps; allowed: none, or 2 to 1,000,000", options.bootstraps));
    if (options.posterior.draws > 10'000'000)
        wrong(fmt::format("{} draws; allowed: up to 10,000,000", options.posterior.draws));
}

std::vector<CompetitionClassifier> ranked_classifiers(const Competition& competition,
                                                      const RankOptions& options) {
    std::vector<CompetitionClassifier> taking_part;
    std::vector<std::string> names;
    for (const CompetitionClassifier& one : competition.active()) names.push_back(one.name);
    for (const std::string& name : options.without) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw Error(ErrorCode::usage,
                        fmt::format("`{}` is no classifier of {}{}", shortened(name),
                                    competition.folder().string(), suggest(name, names)));
    }
    for (const CompetitionClassifier& one : competition.active()) {
        if (std::find(options.without.begin(), options.without.end(), one.name) ==
            options.without.end())
            taking_part.push_back(one);
    }
    if (taking_part.size() < 2)
        throw Error(ErrorCode::usage,
                    fmt::format("a ranking needs two classifiers or more; of {} {} are left",
                                names.size(), taking_part.size()));
    return taking_part;
}

/// `part`: of `assay`, as in "mad select"; `more`: what else has to be typed.
std::string command_for(const Competition& competition, std::string_view part,
                        std::string_view more = "") {
    return fmt::format("`assay {} {}{}`", part, shell_word(competition.folder().string()), more);
}

RankInput read_rank_input(const Competition& competition, const RankOptions& options) {
    const Database& database = competition.impl().database;
    RankInput in;
    in.classifiers = ranked_classifiers(competition, options);
    for (const CompetitionClassifier& one : in.classifiers) in.numbers.push_back(one.number);
    const auto takes_part = [&](std::uint32_t number) {
        return std::binary_search(in.numbers.begin(), in.numbers.end(), number);
    };
    std::set<std::int64_t> pairs;
    for (const PairRow& pair : read_pairs(database)) {
        if (!takes_part(pair.first) || !takes_part(pair.second)) continue;
        in.pairs.push_back(pair);
        pairs.insert(pair.id);
    }
    if (in.pairs.empty())
        throw Error(ErrorCode::usage, fmt::format("{}: no images are selected yet; {} does it",
                                                  competition.folder().string(),
                                                  command_for(competition, "mad select")));
    for (const SelectedRow& row : read_selected(database)) {
        if (pairs.contains(row.pair) && (options.k == 0 || row.place < options.k))
            in.selected.push_back(row);
    }
    in.tally = tally_of(competition, options.votes);
    in.samples = samples_of(in.tally, in.pairs, in.selected, in.numbers);
    const bool any = std::any_of(in.samples.begin(), in.samples.end(),
                                 [](const PairSample& s) { return s.counts.n() > 0; });
    if (!any) {
        const bool asked = std::any_of(in.selected.begin(), in.selected.end(),
                                       [](const SelectedRow& row) { return row.asked; });
        const bool answered = in.tally.answers() > 0;
        throw Error(
            ErrorCode::usage,
            fmt::format("{}: nothing to rank by yet: {}; {}", competition.folder().string(),
                        !asked      ? "no question is asked"
                        : !answered ? "no question is answered"
                                    : "no image has both of its questions settled",
                        asked
                            ? fmt::format("{} takes answers in",
                                          command_for(competition, "mad answers", " FILE"))
                            : fmt::format("{} asks them", command_for(competition, "mad questions",
                                                                      " --out questions.csv"))));
    }
    in.control = read_control_sample(competition, in.classifiers);
    return in;
}

/// For all images of the kind that was selected.
std::vector<PairSample> of_many(std::vector<PairSample> samples) {
    for (PairSample& sample : samples) sample.list = 0;
    return samples;
}

std::vector<PairCounts> counts_of_samples(const std::vector<PairSample>& samples) {
    std::vector<PairCounts> counts;
    for (const PairSample& sample : samples) counts.push_back(sample.counts);
    return counts;
}

PairMatrix images_of_pairs(std::size_t m, const std::vector<PairSample>& samples) {
    PairMatrix images(m);
    for (const PairSample& s : samples)
        images.at(s.counts.first, s.counts.second) = static_cast<double>(s.counts.n());
    return images;
}

/// Whether of pairs that were asked at all some were asked further than others, though their lists
/// had more: then the answers so far decided where to ask. Images that came in place of replaced
/// ones and are not asked yet are no such sign: those that they replace may have been asked.
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

PlaceState state_of_place(const Tally& tally, const SelectedRow& row) {
    return place_state(tally.find(row.image, row.first_label),
                       tally.find(row.image, row.second_label));
}

void describe_pairs(const RankInput& in, Ranking& out) {
    std::map<std::int64_t, std::size_t> of;
    for (std::size_t p = 0; p < in.pairs.size(); ++p) {
        of[in.pairs[p].id] = p;
        const PairCounts& counts = in.samples[p].counts;
        out.pairs.push_back({.counts = counts, .wanted = in.pairs[p].k});
        out.cases[0] += counts.both;
        out.cases[1] += counts.only_first + counts.only_second;
        out.cases[2] += counts.neither;
        out.replaced += counts.replaced;
    }
    if (out.options.k != 0) {
        for (RankedPair& pair : out.pairs) pair.wanted = std::min(pair.wanted, out.options.k);
    }
    for (const SelectedRow& row : in.selected) {
        if (row.state != SelectedState::accepted) continue;
        RankedPair& pair = out.pairs[of[row.pair]];
        ++pair.accepted;
        if (!row.asked) continue;
        ++pair.asked;
        const PlaceState state = state_of_place(in.tally, row);
        pair.open += state == PlaceState::open ? 1 : 0;
        pair.to_replace += state == PlaceState::unclear ? 1 : 0;
    }
}

/// Questions of the asked places and of the control sample.
void count_questions(const RankInput& in, Ranking& out) {
    std::set<QuestionKey> asked, wanted;
    std::uint64_t places = 0;
    for (const SelectedRow& row : in.selected) {
        if (row.state != SelectedState::accepted || !row.asked) continue;
        const bool unclear = state_of_place(in.tally, row) == PlaceState::unclear;
        for (const std::uint16_t label : {row.first_label, row.second_label}) {
            asked.insert({row.image, label});
            // An image that is to be replaced waits for no answer.
            if (!unclear) wanted.insert({row.image, label});
        }
        ++places;
    }
    out.saved = 2 * places - asked.size();
    out.control = in.control.rows.size();
    for (const auto& labels : in.control.labels) {
        for (std::size_t r = 0; r < labels.size(); ++r) {
            const std::int64_t image = in.control.rows[r].image;
            if (!labels[r] || in.tally.find(image, *labels[r]) == nullptr) continue;
            asked.insert({image, *labels[r]});
            wanted.insert({image, *labels[r]});
        }
    }
    std::set<std::int64_t> annotators;
    std::uint64_t settled_by_answers = 0, answers_of_settled = 0;
    for (const QuestionKey& key : asked) {
        const QuestionTally* const question = in.tally.find(key.first, key.second);
        if (question == nullptr) continue;
        ++out.questions;
        out.settled += question->known() ? 1 : 0;
        out.open += !question->known() && wanted.contains(key) ? 1 : 0;
        out.answers += question->answers.size();
        for (const AnswerRow& answer : question->answers) annotators.insert(answer.annotator);
        if (!question->settled || question->gold) continue;
        ++settled_by_answers;
        answers_of_settled += question->decisive;
    }
    out.needed_without_sharing = out.questions + out.saved;
    out.annotators = annotators.size();
    if (settled_by_answers > 0) {
        out.answers_per_question =
            static_cast<double>(answers_of_settled) / static_cast<double>(settled_by_answers);
    }
}

/// Of each classifier's different images, on how many its label is correct.
void count_correct(const RankInput& in, Ranking& out) {
    std::map<std::int64_t, const PairRow*> pair_of;
    for (const PairRow& pair : in.pairs) pair_of[pair.id] = &pair;
    std::vector<std::map<std::int64_t, bool>> seen(in.numbers.size());
    for (const SelectedRow& row : in.selected) {
        if (row.state != SelectedState::accepted || !row.asked) continue;
        const QuestionTally* const first = in.tally.find(row.image, row.first_label);
        const QuestionTally* const second = in.tally.find(row.image, row.second_label);
        if (place_state(first, second) != PlaceState::known) continue;
        const auto place = [&](std::uint32_t number) {
            return static_cast<std::size_t>(
                std::lower_bound(in.numbers.begin(), in.numbers.end(), number) -
                in.numbers.begin());
        };
        seen[place(pair_of[row.pair]->first)][row.image] = first->outcome.yes;
        seen[place(pair_of[row.pair]->second)][row.image] = second->outcome.yes;
    }
    for (std::size_t c = 0; c < seen.size(); ++c) {
        const auto correct = std::count_if(seen[c].begin(), seen[c].end(),
                                           [](const auto& image) { return image.second; });
        out.classifiers[c].images = seen[c].size();
        out.classifiers[c].correct =
            wilson_proportion(static_cast<std::uint64_t>(correct), seen[c].size(),
                              out.options.posterior.level, "none of its images is settled");
    }
}

void add_posterior(const RankInput& in, Ranking& out) {
    const std::size_t m = in.numbers.size();
    const Posterior posterior = posterior_of(m, of_many(in.samples), out.options.posterior);
    PosteriorOptions few = out.options.posterior;
    few.draws = 100;  // its ranks are not looked at
    few.lists_alone = true;
    const Posterior of_lists = posterior_of(m, with_lists(in.samples), few);
    out.better = posterior.better;
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

/// The last one is all: as many as the longest list has.
std::vector<std::uint32_t> steps_of_ablation(const Ranking& out) {
    std::uint32_t longest = 0;
    for (const RankedPair& pair : out.pairs) longest = std::max(longest, pair.accepted);
    std::vector<std::uint32_t> steps;
    for (const std::uint32_t k : ablation_steps)
        if (k < longest) steps.push_back(k);
    for (std::uint32_t k = last_ablation_step + ablation_stride; k < longest; k += ablation_stride)
        steps.push_back(k);
    steps.push_back(longest);
    return steps;
}

/// Places in one group say nothing of those in another.
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
    if (groups.size() > 1) leave_undefined(one.srcc, one.kendall);
    out.comparisons.push_back(std::move(one));
}

void add_ablation(const RankInput& in, Ranking& out, const std::vector<double>& places) {
    OtherScores whole;
    for (const double place : places) whole.emplace_back(-place);
    const RankOptions options = for_parts_of_images(out.options);
    const std::vector<std::uint32_t> steps = steps_of_ablation(out);
    const std::size_t m = in.numbers.size();
    for (const std::uint32_t k : steps) {
        const std::vector<PairSample> samples = of_many(
            samples_of(in.tally, in.pairs, in.selected, in.numbers, k == steps.back() ? 0 : k));
        const HodgeRanking joined = hodge_rank(
            log_ratios(m, counts_of_samples(samples), options.ratios), images_of_pairs(m, samples));
        AblationRow row;
        row.k = k;
        for (const PairSample& sample : samples) row.images += sample.counts.n();
        row.places = places_by(out.placed_by, m, samples, options, joined.component);
        const Comparison with = compare_places("", row.places, whole, {}, .95);
        row.srcc = with.srcc;
        row.kendall = with.kendall;
        if (joined.components > 1) leave_undefined(row.srcc, row.kendall);
        out.ablation.push_back(std::move(row));
    }
}

std::string pair_name(const Ranking& out, const RankedPair& pair) {
    return fmt::format("{} and {}", shortened(out.classifiers[pair.counts.first].name),
                       shortened(out.classifiers[pair.counts.second].name));
}

/// "3 pairs have no image (a and b, a and c, ...): `what`".
template <class Has>
void warn_of_pairs(Ranking& out, const Has& has, std::string_view what) {
    std::size_t found = 0;
    std::string names;
    for (const RankedPair& pair : out.pairs) {
        if (!has(pair)) continue;
        if (++found <= most_named)
            names += fmt::format("{}{}", names.empty() ? "" : "; ", pair_name(out, pair));
    }
    if (found == 0) return;
    if (found > most_named) names += fmt::format("; and {} more", found - most_named);
    out.warnings.push_back(
        fmt::format("{} {} {} ({})", found, found == 1 ? "pair" : "pairs", what, names));
}

void add_warnings(const Competition& competition, const RankInput& in, Ranking& out) {
    if (out.open > 0)
        out.warnings.push_back(fmt::format(
            "{} of {} questions are open: the ranking is of what is settled, and may change; {} "
            "takes further answers in",
            count_text(out.open), count_text(out.questions),
            command_for(competition, "mad answers", " FILE")));
    // A label that another pair had asked about is settled at once, and such labels are correct
    // more often than those that nobody else predicts.
    warn_of_pairs(
        out, [](const RankedPair& pair) { return pair.open > 0 && pair.counts.n() > 0; },
        "whose settled images are no random part of those asked about, so that they may lean until "
        "the others are settled");
    // Of classifiers that are the same everywhere no image is selected: one warning is enough.
    const auto same = [&](std::size_t a, std::size_t b) {
        return in.classifiers[a].labels_hash == in.classifiers[b].labels_hash;
    };
    warn_of_pairs(
        out,
        [&](const RankedPair& pair) {
            return pair.counts.n() == 0 && !same(pair.counts.first, pair.counts.second);
        },
        "without a settled image");
    const std::size_t m = in.numbers.size();
    if (in.pairs.size() < m * (m - 1) / 2)
        out.warnings.push_back(
            fmt::format("of {} pairs {} have been looked at for images; {} does the others",
                        m * (m - 1) / 2, in.pairs.size(), command_for(competition, "mad select")));
    if (out.components > 1)
        out.warnings.push_back(fmt::format(
            "the classifiers fall into {} groups which no chain of pairs with images joins: places "
            "are within each group, and say nothing across",
            out.components));
    std::uint64_t unclear = 0;
    for (const RankedPair& pair : out.pairs) unclear += pair.to_replace;
    if (unclear > 0)
        out.warnings.push_back(fmt::format("{} selected {} nobody can judge; {} replaces {}",
                                           count_text(unclear), unclear == 1 ? "image" : "images",
                                           command_for(competition, "mad select"),
                                           unclear == 1 ? "it" : "them"));
    if (out.annotators == 1)
        out.warnings.emplace_back(
            "all answers are one annotator's: no interval says what others would have answered");
    for (std::string& finding : findings_of(check_annotators(competition)))
        out.warnings.push_back(std::move(finding));
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = i + 1; j < m; ++j) {
            if (!same(i, j)) continue;
            out.warnings.push_back(
                fmt::format("{} and {} predict the same for every image: one of them says nothing "
                            "that the other does not, and their own pair has no image",
                            shortened(in.classifiers[i].name), shortened(in.classifiers[j].name)));
        }
    }
}

/// Names what log_ratios() can only number.
void check_smoothing(const Ranking& out) {
    if (out.options.ratios.alpha != 0) return;
    for (const RankedPair& pair : out.pairs) {
        const PairCounts& c = pair.counts;
        if (c.n() == 0 || (c.first_correct() > 0 && c.second_correct() > 0)) continue;
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "{} is correct on none of the {} images of the pair {}, which has no ratio "
                "without smoothing: alpha is 0; above 0 is allowed here",
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
    count_correct(in, out);

    check_smoothing(out);
    const std::vector<PairCounts> counts = counts_of_samples(in.samples);
    out.aggressiveness = aggressiveness(m, counts, options.ratios);
    out.log_ratios = log_ratios(m, counts, options.ratios);
    const PerronRanking by_perron = perron(out.log_ratios);
    const HodgeRanking by_hodge = hodge_rank(out.log_ratios, images_of_pairs(m, in.samples));
    out.eigenvalue = by_perron.eigenvalue;
    out.consistency_index = by_perron.consistency_index;
    out.cyclicity = by_hodge.cyclicity;
    out.components = by_hodge.components;
    out.placed_by =
        asked_unevenly(out.pairs) ? PlacedBy::posterior : rule_for(PlacedBy::perron, m, in.samples);
    const std::vector<double> places =
        places_by(out.placed_by, m, of_many(in.samples), options, by_hodge.component);
    add_posterior(in, out);
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

    OtherScores accuracies(m);
    if (in.control.rows.empty()) {
        for (RankedClassifier& one : out.classifiers) {
            one.accuracy.unit = Unit::proportion;
            one.accuracy.undefined = "no control sample was drawn";
        }
    } else {
        const std::vector<Estimate> found =
            control_accuracies(in.control, in.tally, options.posterior.level);
        for (std::size_t c = 0; c < m; ++c) {
            out.classifiers[c].accuracy = found[c];
            accuracies[c] = found[c].value;
        }
        // The accuracies are estimates themselves: an interval of places alone would be too narrow.
        add_comparison(out, "accuracy (control sample)", accuracies, {});
    }
    add_warnings(competition, in, out);
    if (!options.against.empty()) {
        std::vector<std::string> names, unknown;
        for (const RankedClassifier& one : out.classifiers) names.push_back(one.name);
        const OtherScores scores = read_other_scores(options.against, names, unknown);
        add_comparison(out, options.against.filename().string(), scores, replicates);
        if (!unknown.empty()) {
            std::string list;
            for (std::size_t u = 0; u < std::min(unknown.size(), most_named); ++u)
                list += fmt::format("{}`{}`", u == 0 ? "" : ", ", shortened(unknown[u]));
            if (unknown.size() > most_named)
                list += fmt::format(", and {} more", unknown.size() - most_named);
            out.warnings.push_back(fmt::format("{}: no classifier of this ranking is called {}",
                                               options.against.string(), list));
        }
    }
    return out;
}

}  // namespace assay::mad
