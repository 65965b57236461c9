// The coverage of intervals if models are measured on the same images. The intervals are of scores,
// differences of two scores, and ranks, with the shares of images or with independent cells. The
// simulations were defined before the first run:
//
//  - correlated: six models for which the same images are hard (95 % of the latent variance is the
//    image's). It has 5,000 clean images, and 800 in each other set.
//
//  - few: 160 images in every set, and 70 % of the variance is the image's;
//
//  - steep: a clean accuracy near 1, attacked and edge accuracies near 0, and 90 %;
//
//  - unequal: 20,000 clean images, 160 edges, 3,000 backgrounds and 400 cue conflicts. Some of its
//    models share 95 % and some 30 %.
//
// An image has a difficulty u. Under a condition with marginal accuracy p, a model with its own
// noise e is correct if z(p) + sqrt(r) u + sqrt(1 - r) e > 0. So the true values only depend on the
// p's. Six dimensions count: accuracy, FGSM and PGD, corruption (clean images), edges and
// silhouettes, backgrounds, cues. Calibration and class balance have the weight 0, because they are
// not functions of a few accuracies. With shares, 95 % of the intervals of scores and differences
// must cover, and at least 95 % of those of ranks (integers). With independent cells, intervals of
// differences are too wide if models are correlated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "assay/quality/choose.h"
#include "assay/quality/quba.h"
#include "core/random.h"
#include "core/statistics.h"

namespace assay::quality {
namespace {

constexpr std::size_t model_count = 6;
constexpr auto six_dimensions = "calibration=0,class_balance=0";

/// The marginal accuracies of one model under the conditions.
struct Ability {
    double clean, fgsm, pgd, corrupted, edge, silhouette, same, random, shape, texture;
};

struct World {
    const char* name;
    std::size_t val, edge, silhouette, backgrounds, cues;
    std::array<double, model_count> common;  ///< r: the image's proportion of the latent variance
    Ability first, last;                     ///< of the first and last model; others between
};

const World worlds[] = {
    {"correlated",
     5000,
     800,
     800,
     800,
     800,
     {.95, .95, .95, .95, .95, .95},
     {.80, .40, .20, .50, .30, .50, .93, .80, .30, .40},
     {.82, .43, .22, .53, .32, .52, .94, .82, .32, .38}},
    {"few",
     160,
     160,
     160,
     160,
     160,
     {.7, .7, .7, .7, .7, .7},
     {.75, .40, .25, .50, .25, .45, .92, .78, .28, .40},
     {.80, .46, .30, .55, .30, .50, .94, .82, .34, .36}},
    {"steep",
     2000,
     400,
     400,
     800,
     400,
     {.9, .9, .9, .9, .9, .9},
     {.970, .06, .03, .60, .06, .10, .985, .95, .10, .60},
     {.980, .08, .04, .64, .08, .12, .990, .96, .13, .58}},
    {"unequal",
     20'000,
     160,
     160,
     3000,
     400,
     {.95, .95, .95, .3, .3, .3},
     {.78, .35, .20, .50, .20, .45, .93, .80, .28, .40},
     {.82, .39, .23, .54, .25, .50, .94, .83, .33, .36}},
};

double between(double first, double last, std::size_t m) {
    return first + (last - first) * static_cast<double>(m) / (model_count - 1);
}

Ability ability_of(const World& world, std::size_t m) {
    const Ability &a = world.first, &b = world.last;
    return {between(a.clean, b.clean, m), between(a.fgsm, b.fgsm, m),
            between(a.pgd, b.pgd, m),     between(a.corrupted, b.corrupted, m),
            between(a.edge, b.edge, m),   between(a.silhouette, b.silhouette, m),
            between(a.same, b.same, m),   between(a.random, b.random, m),
            between(a.shape, b.shape, m), between(a.texture, b.texture, m)};
}

PerDimension<std::optional<double>> truth_of(const Ability& a) {
    PerDimension<std::optional<double>> values;
    values[0] = a.clean;
    values[1] = std::sqrt(a.fgsm * a.pgd) / a.clean;
    values[2] = a.corrupted / a.clean;
    values[3] = std::sqrt(a.edge * a.silhouette) / a.clean;
    values[6] = 1 - (a.same - a.random);
    values[7] = a.shape / (a.shape + a.texture);
    values[8] = 30.0;
    return values;
}

/// Whether each image is correct under a condition, for one model.
using Hits = std::vector<double>;
double mean_of(const Hits& hits) {
    return std::accumulate(hits.begin(), hits.end(), 0.0) / static_cast<double>(hits.size());
}

/// The contribution of each image to the error of a cell, influence / N, by set.
struct Influence {
    const char* data;
    std::vector<double> of;
};

void fill_cell(QualityCell& cell, double value, const std::vector<Influence>& influences) {
    cell.value = value;
    cell.shares.clear();
    double variance = 0;
    for (const Influence& influence : influences) {
        const auto n = static_cast<double>(influence.of.size());
        double squares = 0, of_groups = 0;
        ErrorShare share{influence.data, std::vector<double>(128, 0)};
        for (std::size_t i = 0; i < influence.of.size(); ++i) {
            squares += influence.of[i] * influence.of[i];
            share.parts[i % 128] += influence.of[i];
        }
        squares *= n / (n - 1);
        for (const double part : share.parts) of_groups += part * part;
        for (double& part : share.parts) part *= std::sqrt(squares / of_groups);
        variance += squares;
        cell.shares.push_back(std::move(share));
    }
    cell.standard_error = std::sqrt(variance);
}

/// The value sum_k weight_k (x_ik - mean_k) / N over the images of one set.
Influence influence_of(const char* data, const std::vector<std::pair<const Hits*, double>>& terms) {
    Influence out{data, std::vector<double>(terms.front().first->size(), 0)};
    for (const auto& [hits, weight] : terms) {
        const double mean = mean_of(*hits);
        for (std::size_t i = 0; i < hits->size(); ++i)
            out.of[i] += weight * ((*hits)[i] - mean) / static_cast<double>(hits->size());
    }
    return out;
}

/// The difficulties of the images of a set, and the noise of each model.
class Images {
public:
    Images(std::uint64_t seed, const char* name, std::size_t n) : seed_(seed), name_(name), u_(n) {
        RandomStream(seed, std::string("difficulty ") + name).fill_normal(u_);
    }
    Hits hits(std::size_t model, double common, double accuracy, const char* condition) const {
        std::vector<float> own(u_.size());
        RandomStream(seed_, std::string("own ") + name_ + condition, model).fill_normal(own);
        const double at = normal_quantile(accuracy);
        Hits out;
        for (std::size_t i = 0; i < u_.size(); ++i) {
            const double latent = at + std::sqrt(common) * static_cast<double>(u_[i]) +
                                  std::sqrt(1 - common) * static_cast<double>(own[i]);
            out.push_back(latent > 0 ? 1 : 0);
        }
        return out;
    }
    /// Shape, texture or neither, which are three parts of one latent variable.
    std::pair<Hits, Hits> cues(std::size_t model, double common, double shape,
                               double texture) const {
        const Hits is_shape = hits(model, common, shape, "cue");
        const Hits is_either = hits(model, common, shape + texture, "cue");
        Hits is_texture;
        for (std::size_t i = 0; i < is_shape.size(); ++i)
            is_texture.push_back(is_either[i] - is_shape[i]);
        return {is_shape, is_texture};
    }

private:
    std::uint64_t seed_;
    const char* name_;
    std::vector<float> u_;
};

QualityTable measured(const World& world, std::uint64_t seed) {
    const Images val(seed, "val", world.val), edge(seed, "edge", world.edge),
        silhouette(seed, "silhouette", world.silhouette),
        backgrounds(seed, "backgrounds", world.backgrounds), cues(seed, "cues", world.cues);
    QualityTable table;
    for (std::size_t m = 0; m < model_count; ++m) {
        const Ability p = ability_of(world, m);
        const double r = world.common[m];
        QualityModel& model = table.models.emplace_back();
        model.name = model.label = std::string(1, static_cast<char>('a' + m));
        const Hits a = val.hits(m, r, p.clean, "clean"), f = val.hits(m, r, p.fgsm, "fgsm"),
                   g = val.hits(m, r, p.pgd, "pgd"), c = val.hits(m, r, p.corrupted, "corrupted"),
                   e = edge.hits(m, r, p.edge, ""), s = silhouette.hits(m, r, p.silhouette, ""),
                   same = backgrounds.hits(m, r, p.same, "same"),
                   random = backgrounds.hits(m, r, p.random, "random");
        const auto [shape, texture] = cues.cues(m, r, p.shape, p.texture);
        const double A = mean_of(a), F = mean_of(f), G = mean_of(g), C = mean_of(c), E = mean_of(e),
                     S = mean_of(s), H = mean_of(shape), T = mean_of(texture);
        auto& cells = model.cells;
        fill_cell(cells[0], A, {influence_of("val", {{&a, 1}})});
        const double attacked = std::sqrt(F * G) / A;
        fill_cell(
            cells[1], attacked,
            {influence_of(
                "val", {{&f, attacked / (2 * F)}, {&g, attacked / (2 * G)}, {&a, -attacked / A}})});
        fill_cell(cells[2], C / A, {influence_of("val", {{&c, 1 / A}, {&a, -C / (A * A)}})});
        const double ood = std::sqrt(E * S) / A;
        fill_cell(cells[3], ood,
                  {influence_of("edge", {{&e, ood / (2 * E)}}),
                   influence_of("silhouette", {{&s, ood / (2 * S)}}),
                   influence_of("val", {{&a, -ood / A}})});
        fill_cell(cells[6], 1 - (mean_of(same) - mean_of(random)),
                  {influence_of("backgrounds", {{&same, -1}, {&random, 1}})});
        const double decided = H + T;
        fill_cell(cells[7], H / decided,
                  {influence_of("cues", {{&shape, T / (decided * decided)},
                                         {&texture, -H / (decided * decided)}})});
        cells[8].value = 30;
    }
    return table;
}

QualityTable without_shares(QualityTable table) {
    for (QualityModel& model : table.models) {
        for (QualityCell& cell : model.cells) cell.shares.clear();
    }
    return table;
}

struct Coverage {
    std::size_t scores = 0, differences = 0, ranks = 0, of = 0, pairs = 0;
    double width = 0, difference_width = 0, rank_width = 0;  ///< sums over the draws
    static double rate(std::size_t hits, std::size_t of) {
        return static_cast<double>(hits) / static_cast<double>(of);
    }
};

bool holds(const std::optional<Interval>& interval, double truth) {
    return interval && interval->low <= truth && truth <= interval->high;
}

void count(const QualityTable& table, const std::array<double, model_count>& truth,
           Coverage& coverage) {
    QubaOptions options;
    options.weights = six_dimensions;
    options.among_published = false;
    options.replicates = 400;
    for (const ScoredModel& model : score_quality(table, options).models) {
        ++coverage.of;
        coverage.scores += holds(model.score.interval, truth[model.model]) ? 1 : 0;
        const auto better = std::count_if(truth.begin(), truth.end(),
                                          [&](double t) { return t > truth[model.model]; });
        coverage.ranks += holds(model.rank.interval, static_cast<double>(better) + 1) ? 1 : 0;
        coverage.width += 2 * half_width(model.score);
        coverage.rank_width += 2 * half_width(model.rank);
    }
    ChooseOptions choice;
    choice.weights = six_dimensions;
    for (const char* pair : {"rows=1-2", "rows=3-4", "rows=1,6"}) {
        choice.where = {pair};
        const ChooseResult result = choose_models(table, choice);
        const Candidate &best = result.candidates[0], &other = result.candidates[1];
        ++coverage.pairs;
        coverage.differences +=
            holds(other.behind.interval, truth[best.model] - truth[other.model]) ? 1 : 0;
        coverage.difference_width += 2 * half_width(other.behind);
    }
}

class JointCoverage : public testing::TestWithParam<World> {};

TEST_P(JointCoverage, IntervalsHoldTheTruth) {
    const World& world = GetParam();
    constexpr std::size_t repeats = 400;  // docs/quality.md uses 1,000 draws
    std::array<double, model_count> truth{};
    {
        QualityTable exact;
        for (std::size_t m = 0; m < model_count; ++m) {
            QualityModel& model = exact.models.emplace_back();
            model.name = model.label = std::string(1, static_cast<char>('a' + m));
            const auto values = truth_of(ability_of(world, m));
            for (std::size_t d = 0; d < dimension_count; ++d) model.cells[d].value = values[d];
        }
        QubaOptions options;
        options.weights = six_dimensions;
        options.among_published = false;
        options.replicates = 100;
        for (const ScoredModel& model : score_quality(exact, options).models)
            truth[model.model] = *model.score.value;
    }
    Coverage joint, independent;
    for (std::size_t seed = 0; seed < repeats; ++seed) {
        const QualityTable table = measured(world, seed);
        count(table, truth, joint);
        count(without_shares(table), truth, independent);
    }
    for (const auto& [name, c] :
         {std::pair{"joint", joint}, std::pair{"independent", independent}}) {
        const auto of = static_cast<double>(c.of);
        std::printf(
            "%s, %s: scores %.3f (width %.4f), differences %.3f (%.4f), ranks %.3f (%.2f)\n",
            world.name, name, Coverage::rate(c.scores, c.of), c.width / of,
            Coverage::rate(c.differences, c.pairs),
            c.difference_width / static_cast<double>(c.pairs), Coverage::rate(c.ranks, c.of),
            c.rank_width / of);
    }
    // With 400 repeats, the standard error is .011 for one model's score. Models share images.
    EXPECT_NEAR(Coverage::rate(joint.scores, joint.of), .95, .02);
    EXPECT_NEAR(Coverage::rate(joint.differences, joint.pairs), .95, .02);
    EXPECT_GT(Coverage::rate(joint.ranks, joint.of), .94);
    EXPECT_LT(joint.difference_width, independent.difference_width);
}

INSTANTIATE_TEST_SUITE_P(Worlds, JointCoverage, testing::ValuesIn(worlds),
                         [](const auto& world) { return std::string(world.param.name); });

}  // namespace
}  // namespace assay::quality
