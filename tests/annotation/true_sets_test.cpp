// Compares the model of whole label sets with an independent program, and with sums over all sets.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "annotation/true_sets/linear_system.h"
#include "annotation/uncertain_fixture.h"
#include "core/statistics.h"

namespace assay::true_sets {
namespace {

const std::vector<int> one_to_three = {1, 2, 3};

/// The fixture's parameters, in one vector.
std::vector<double> parameters_of(const nlohmann::json& expected) {
    std::vector<double> out = expected.at("log_odds");
    for (const auto& cell : expected.at("prior_of_g_by_cell"))
        for (const double p : cell) out.push_back(std::log(p));
    for (const auto& latent : expected.at("rates"))
        for (const auto& annotator : latent)
            for (const double p : annotator) out.push_back(std::log(p));
    return out;
}

TEST(SubsetSizes, AreThePoissonBinomialDistribution) {
    ASSAY_UNCERTAIN_FIXTURE(a);
    const std::vector<double> q = {.9, .5, .2}, expected = {.04, .41, .46, .09};
    std::vector<double> pmf(4);
    size_probabilities(q, pmf);
    for (std::size_t g = 0; g < 4; ++g) EXPECT_NEAR(pmf[g], expected[g], 1e-15);
}

TEST(SubsetSizes, WithoutOneAreThoseOfTheOthers) {
    const std::vector<double> q = {.9, 1e-9, .2, 1 - 1e-12, .5};
    std::vector<double> all(25);
    SizesWithoutOne()(q, all);
    for (std::size_t c = 0; c < 5; ++c) {
        std::vector<double> others = q, pmf(5);
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(c));
        size_probabilities(others, pmf);
        for (std::size_t g = 0; g < 5; ++g)
            EXPECT_NEAR(all[c * 5 + g], pmf[g], 1e-14 * pmf[g]) << c << " " << g;
    }
}

TEST(LinearSystem, LeavesOutWhatIsSaidTwice) {
    // x + y = 3 occurs twice, and x + z = 4, so any solution is accepted.
    const auto x = solved({1, 1, 0, 1, 1, 0, 1, 0, 1}, {{3, 3, 4}});
    EXPECT_NEAR(x[0][0] + x[0][1], 3, 1e-12);
    EXPECT_NEAR(x[0][0] + x[0][2], 4, 1e-12);
}

TEST(TrueSets, AreThoseOfAnotherProgramAtItsParameters) {
    ASSAY_UNCERTAIN_FIXTURE(a);
    const AskedImages images = images_of(a);
    const Layout layout(images);
    const auto& expected = a.at("expected");
    const std::vector<double> parameters = parameters_of(expected);
    ASSERT_EQ(parameters.size(), layout.size);
    SetPosterior posterior(images, layout);
    posterior.compute(0, parameters);
    for (std::size_t g = 0; g < 4; ++g)
        EXPECT_NEAR(posterior.size()[g], expected.at("P_g_first_image").at(g), 2e-9);
    for (std::size_t c = 0; c < 3; ++c)
        EXPECT_NEAR(posterior.yes()[c], expected.at("valid_first_image").at(c), 2e-9);

    const SetValues values = set_values(images, layout, parameters, one_to_three, {}, 1);
    const auto plain = plain_values(images, layout, plain_posteriors(images), one_to_three, {});
    for (std::size_t m = 0; m < 2; ++m) {
        for (const Metric metric : {real_metric, asma_metric}) {
            const double value = values.values[m][metric];
            EXPECT_NEAR(value, expected.at("real_asma").at(m).at(metric), 2e-9);
            const auto square = [](double s, double x) { return s + x * x; };
            const auto own = values.of(m, metric);
            const double variance = std::accumulate(own.begin(), own.end(), 0.0, square);
            EXPECT_NEAR(std::sqrt(variance), expected.at("se").at(m).at(metric), 1e-5);
            const auto& known = values.rates_known[m * metric_count + metric];
            EXPECT_NEAR(std::sqrt(std::accumulate(known.begin(), known.end(), 0.0, square)),
                        expected.at("se_parameters_known").at(m).at(metric), 2e-9);
            const double moved = value - plain[m][metric];
            EXPECT_NEAR(moved, expected.at("moved").at(m).at(metric), 1e-8);
            const double size = value * (1 - value) / variance_by_votes(own, moved);
            const Interval interval =
                wilson_of_size(value, size, normal_quantile(.975), .95, "votes");
            // The other program computes derivatives by differences, and its parameters have not
            // fully converged.
            EXPECT_NEAR(interval.low, expected.at("interval").at(m).at(metric).at(0), 3e-5);
            EXPECT_NEAR(interval.high, expected.at("interval").at(m).at(metric).at(1), 3e-5);
        }
    }
}

/// A few images with different numbers of questions, votes and answers.
AskedImages made_images() {
    AskedImages out;
    out.annotators = 3;
    out.answers = 3;
    out.models = 2;
    const std::vector<std::vector<std::uint32_t>> votes = {{2, 4, 8}, {0}, {5, 6},    {1, 3},
                                                           {2, 5, 7}, {8}, {0, 4, 6}, {2, 8}};
    const std::vector<std::uint16_t> ranks = {0, 1, 1, 0, 2, 2, 0, 0, 1, 2, 0, 0, 2, 1, 1, 0};
    for (const auto& of_question : votes) {
        out.codes.insert(out.codes.end(), of_question.begin(), of_question.end());
        out.votes_begin.push_back(out.codes.size());
    }
    out.rank = ranks;
    out.begin = {0, 3, 4, 8};
    out.cell = {0, 1, 0};
    return out;
}

TEST(TrueSets, PosteriorIsTheSumOverAllSets) {
    const AskedImages images = made_images();
    const Layout layout(images);
    const SetFit fit = fit_sets(images, layout, 1);
    SetPosterior posterior(images, layout);
    for (std::size_t i = 0; i < images.images(); ++i) {
        posterior.compute(i, fit.parameters);
        const std::size_t k = images.asked(i);
        std::vector<double> prior_of_size(k + 1), weight(std::size_t{1} << k);
        for (std::size_t set = 0; set < weight.size(); ++set) {
            double odds = 1;
            for (std::size_t c = 0; c < k; ++c)
                if ((set >> c & 1U) != 0)
                    odds *=
                        std::exp(log_odds_of(images, layout, fit.parameters, images.begin[i] + c));
            weight[set] = odds;
            prior_of_size[static_cast<std::size_t>(__builtin_popcountll(set))] += odds;
        }
        double all = 0;
        std::vector<double> size(k + 1), yes(k);
        for (std::size_t set = 0; set < weight.size(); ++set) {
            const auto g = static_cast<std::size_t>(__builtin_popcountll(set));
            double p = weight[set] / prior_of_size[g] *
                       std::exp(fit.parameters[layout.first_size[images.cell[i]] + g]);
            for (std::size_t c = 0; c < k; ++c)
                if ((set >> c & 1U) != 0)
                    p *=
                        std::exp(log_ratio_of(images, layout, fit.parameters, images.begin[i] + c));
            all += p;
            size[g] += p;
            for (std::size_t c = 0; c < k; ++c)
                if ((set >> c & 1U) != 0) yes[c] += p;
        }
        for (std::size_t g = 0; g <= k; ++g) EXPECT_NEAR(posterior.size()[g], size[g] / all, 1e-12);
        for (std::size_t c = 0; c < k; ++c) EXPECT_NEAR(posterior.yes()[c], yes[c] / all, 1e-12);
    }
}

TEST(TrueSets, SameBitsForAnyNumberOfThreads) {
    ASSAY_UNCERTAIN_FIXTURE(a);
    AskedImages images = images_of(a);
    const AskedImages once = images;
    for (int copy = 0; copy < 3; ++copy) {  // enough images for several blocks
        const auto questions = static_cast<std::uint32_t>(images.questions());
        const std::uint64_t votes = images.codes.size();
        for (std::size_t i = 1; i < once.begin.size(); ++i)
            images.begin.push_back(questions + once.begin[i]);
        for (std::size_t q = 1; q < once.votes_begin.size(); ++q)
            images.votes_begin.push_back(votes + once.votes_begin[q]);
        images.codes.insert(images.codes.end(), once.codes.begin(), once.codes.end());
        images.rank.insert(images.rank.end(), once.rank.begin(), once.rank.end());
        images.cell.insert(images.cell.end(), once.cell.begin(), once.cell.end());
    }
    const Layout layout(images);
    const SetFit one = fit_sets(images, layout, 1), three = fit_sets(images, layout, 3);
    EXPECT_EQ(one.parameters, three.parameters);
    EXPECT_EQ(set_values(images, layout, one.parameters, one_to_three, {}, 1).influence,
              set_values(images, layout, one.parameters, one_to_three, {}, 3).influence);
}

TEST(TrueSets, FitReachesTheValuesOfAnotherProgram) {
    ASSAY_UNCERTAIN_FIXTURE(a);
    const AskedImages images = images_of(a);
    const Layout layout(images);
    const SetFit fit = fit_sets(images, layout, 1);
    const SetValues values = set_values(images, layout, fit.parameters, one_to_three, {}, 1);
    for (std::size_t m = 0; m < 2; ++m) {
        for (const Metric metric : {real_metric, asma_metric}) {
            // The likelihood is flat here, so log odds still change after the values have
            // converged.
            EXPECT_NEAR(values.values[m][metric], a.at("expected").at("real_asma").at(m).at(metric),
                        3e-3);
        }
    }
}

TEST(TrueSets, SmallCellsJoinTheNearest) {
    std::vector<std::uint32_t> cell = {0, 0, 0, 1, 2, 2, 2, 3};
    merge_small_cells(cell, {{5, 0}, {5, 1}, {5, 9}, {6, 9}}, 3);
    EXPECT_EQ(cell, (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(TrueSets, PiecesOfACertainSetAreCounts) {
    std::vector<double> pieces(8);
    add_pieces(std::vector<std::int32_t>{4, 7}, std::vector<std::int32_t>{7, 1, 4}, one_to_three,
               pieces);
    EXPECT_EQ(pieces, (std::vector<double>{1, 1, 0, 0, .5, 1, 0, 0}));
    add_pieces({}, std::vector<std::int32_t>{7, 1, 4}, one_to_three, pieces);
    EXPECT_EQ(pieces[1], 1);  // an image without a valid label does not count
}

TEST(TrueSets, ExpertsCorrectThem) {
    ASSAY_UNCERTAIN_FIXTURE(a);
    const AskedImages images = images_of(a);
    const Layout layout(images);
    const auto& expected = a.at("expected");
    const std::vector<double> parameters = parameters_of(expected);
    const SetValues values = set_values(images, layout, parameters, one_to_three, {}, 1);
    ExpertPieces experts;
    experts.image = a.at("gold_images").get<std::vector<std::size_t>>();
    const std::size_t p = piece_count(one_to_three);
    experts.pieces.resize(experts.image.size() * 2 * p);
    for (std::size_t e = 0; e < experts.image.size(); ++e) {
        const std::vector<std::int32_t> set = a.at("gold_sets").at(e);
        for (std::size_t m = 0; m < 2; ++m) {
            std::vector<std::int32_t> best(3);
            for (std::size_t c = 0; c < 3; ++c)
                best[a.at("ranks").at(m).at(c).at(experts.image[e])] = static_cast<std::int32_t>(c);
            add_pieces(set, best, one_to_three,
                       std::span(experts.pieces).subspan((e * 2 + m) * p, p));
        }
    }
    const ExpertValues with =
        corrected_by_experts(images, layout, parameters, one_to_three, {}, values, experts);
    for (std::size_t m = 0; m < 2; ++m) {
        for (const Metric metric : {real_metric, asma_metric}) {
            EXPECT_NEAR(with.values[m][metric], expected.at("with_gold").at(m).at(metric), 1e-5);
            EXPECT_NEAR(std::sqrt(with.variance[m][metric]),
                        expected.at("with_gold_se").at(m).at(metric), 1e-5);
        }
    }
}

}  // namespace
}  // namespace assay::true_sets
