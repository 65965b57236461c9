#include "evaluate/gap/gap_said.h"

#include <algorithm>
#include <tuple>

#include "evaluate/gap/assemble.h"
#include "evaluate/gap/gap_margin.h"
#include "evaluate/gap/statement_parts.h"

namespace assay {
namespace {

using statements::Factor;
using statements::Matrix;
using statements::Range;

/// The models of one data set that have a value, and their errors.
struct OneSet {
    std::vector<std::size_t> models;
    std::vector<double> values;
    Factor factor;
    Matrix draws;
    std::optional<statements::Pairs> pairs;

    statements::Ordered ordered() const {
        return {values, statements::total_of(factor), &draws, pairs ? &*pairs : nullptr};
    }
};

std::uint64_t draws_in(const GapOptions& options) {
    return options.replicates + options.replicates % 2;
}

OneSet one_set(const GapReport& report, const GapFactors& factors, std::size_t m, std::size_t set,
               std::vector<std::size_t> models, bool drawn = true, bool paired = true) {
    OneSet out;
    out.models = std::move(models);
    for (const std::size_t i : out.models)
        out.values.push_back(*side(report.models[i].metrics[m], set).value);
    out.factor = statements::selected(factors[m][set].value(), out.models);
    if (!drawn || draws_in(report.options) == 0) return out;
    out.draws =
        statements::draws_of(out.factor, draws_in(report.options), report.options.seed + set);
    if (paired) out.pairs = statements::pairs_of(out.factor, out.draws);
    return out;
}

// Makes statements about a single data set.
void of_one_set(const GapReport& report, const OneSet& of, std::size_t m, std::size_t set,
                GapSaid& out) {
    const double level = report.options.level;
    if (of.models.empty() || of.draws.rows == 0) return;
    const auto top =
        static_cast<std::size_t>(std::ranges::max_element(of.values) - of.values.begin());
    // The agreement that ASMA averages is not a proportion over this many images.
    const double images =
        m == static_cast<std::size_t>(GapMetric::asma)
            ? 0
            : static_cast<double>(side(report.models[of.models[top]].metrics[m], set).n);
    out.best[set] = statements::best_of(of.values, of.factor, of.draws, images, level);
    out.best[set]->model = of.models[out.best[set]->model];
    if (of.models.size() < 2) return;
    out.spread[set] =
        statements::spread(of.values, statements::total_of(of.factor), of.draws, level);
    if (!of.pairs) return;
    out.places[set].resize(report.models.size());
    const auto places = statements::places_of(of.values, *of.pairs, level);
    for (std::size_t k = 0; k < places.size(); ++k) out.places[set][of.models[k]] = places[k];
}

// Makes statements about both data sets together.
void of_both_sets(const GapReport& report, const OneSet& first, const OneSet& second,
                  GapAsked asked, GapSaid& out) {
    const GapOptions& options = report.options;
    const double level = options.level;
    if (first.models.empty()) return;
    std::vector<double> gaps;
    for (std::size_t k = 0; k < first.values.size(); ++k)
        gaps.push_back(first.values[k] - second.values[k]);
    out.mean = statements::mean_gap(gaps, first.factor, second.factor, level);
    for (const OneSet* set : {&first, &second}) {
        const double mean = statements::mean_of(set->values);
        const double half = normal_half(statements::variance_of_mean(set->factor), level);
        out.mean_of_set[set == &first ? 0 : 1] = Range{mean, mean - half, mean + half};
    }
    const auto line_on = [&](GapScale scale) {
        return line_parts(report, first.models, {first.values, second.values}, first.factor,
                          second.factor, first.draws, second.draws, scale);
    };
    out.line = line_on(GapScale::points);
    if (options.scale != GapScale::points) out.scaled = line_on(options.scale);
    if (first.draws.rows == 0) return;
    const Matrix errors = statements::difference(first.draws, second.draws);
    out.absolute = statements::mean_absolute_gap(gaps, first.factor, second.factor, errors, level);
    const std::vector<double> sd = statements::errors_of_gaps(first.factor, second.factor);
    if (gaps.size() < 2) return;
    out.spread[2] = statements::spread(
        gaps, statements::total_of(first.factor) + statements::total_of(second.factor), errors,
        level);
    if (asked.orders)
        out.orders = statements::rank_correlations(first.ordered(), second.ordered(), level);
    if (!asked.ends) return;
    out.within =
        statements::within_margin(gaps, sd, errors, bound_of_margin(options.margin), level);
    out.changes.resize(report.models.size());
    const auto changes = statements::changes_of_place(first.values, *first.pairs, second.values,
                                                      *second.pairs, level);
    for (std::size_t k = 0; k < changes.size(); ++k) out.changes[first.models[k]] = changes[k];
}

}  // namespace

std::vector<std::size_t> models_with_values(const GapReport& report, std::size_t m, bool first,
                                            bool second) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < report.models.size(); ++i) {
        const GapPair& pair = report.models[i].metrics[m];
        if ((!first || pair.first.value) && (!second || pair.second.value)) out.push_back(i);
    }
    return out;
}

GapSaid said_of_metric(const GapReport& report, const GapFactors& factors, std::size_t m,
                       GapAsked asked) {
    GapSaid out;
    const std::vector<std::size_t> both = models_with_values(report, m, true, true);
    std::array<std::optional<OneSet>, 2> sets;
    for (std::size_t set = 0; set < 2; ++set) {
        if (!factors[m][set]) continue;
        sets[set] = one_set(report, factors, m, set, both, true, asked.ends);
        const std::vector<std::size_t> all = models_with_values(report, m, set == 0, set == 1);
        if (all == both) {
            of_one_set(report, *sets[set], m, set, out);
        } else {
            of_one_set(report, one_set(report, factors, m, set, all, true, asked.ends), m, set,
                       out);
        }
    }
    if (sets[0] && sets[1]) of_both_sets(report, *sets[0], *sets[1], asked, out);
    return out;
}

statements::RankCorrelations order_on_one_set(const GapReport& report, const GapFactors& factors,
                                              const GapOrder& order) {
    const auto a = static_cast<std::size_t>(order.a), b = static_cast<std::size_t>(order.b),
               set = static_cast<std::size_t>(order.a_set);
    std::vector<std::size_t> models;
    for (std::size_t i = 0; i < report.models.size(); ++i) {
        if (side(report.models[i].metrics[a], set).value &&
            side(report.models[i].metrics[b], set).value)
            models.push_back(i);
    }
    if (models.size() < 3) return {};
    OneSet one = one_set(report, factors, a, set, models, false),
           two = one_set(report, factors, b, set, models, false);
    std::tie(one.draws, two.draws) = statements::draws_of(
        one.factor, two.factor, draws_in(report.options), report.options.seed + set);
    one.pairs = statements::pairs_of(one.factor, one.draws);
    two.pairs = statements::pairs_of(two.factor, two.draws);
    return statements::rank_correlations(one.ordered(), two.ordered(), report.options.level);
}

}  // namespace assay
