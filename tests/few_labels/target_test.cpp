// The estimate of one target: closed forms, the specification's numbers, and properties.
#include "few_labels/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/file.h"
#include "core/random.h"
#include "core/statistics.h"
#include "few_labels/annotator_rates.h"
#include "few_labels/recall.h"
#include "few_labels/strata.h"
#include "metric/class_mean.h"

namespace assay::few_labels {
namespace {

using nlohmann::json;

const std::filesystem::path fixture_path =
    ASSAY_SOURCE_DIR "/../shared/spec/fixtures/accuracy-from-few-labels.json";

json fixture() {
    return json::parse(read_text(fixture_path));
}
#define SKIP_WITHOUT_FIXTURE()                  \
    if (!std::filesystem::exists(fixture_path)) \
    GTEST_SKIP() << "SKIPPED: ../shared/spec/fixtures/accuracy-from-few-labels.json is absent"

struct World {
    std::vector<std::vector<std::int32_t>> labels;
    std::vector<std::vector<double>> confidences;
    std::vector<std::int32_t> truth, group;
    std::vector<std::uint32_t> stratum;
    std::vector<std::size_t> sample;

    std::size_t images() const { return truth.size(); }
    double consensus(std::size_t m, std::size_t i) const {
        double sum = 0;
        for (std::size_t k = 0; k < labels.size(); ++k)
            if (labels[k][i] == labels[m][i]) sum += confidences[k][i];
        return sum / static_cast<double>(labels.size());
    }
};

World world_of(const json& all) {
    World world;
    world.labels = all.at("input").at("label").get<decltype(world.labels)>();
    world.confidences = all.at("input").at("confidence").get<decltype(world.confidences)>();
    world.truth = all.at("input").at("truth").get<decltype(world.truth)>();
    world.group = all.at("input").at("group").get<decltype(world.group)>();
    world.stratum = all.at("expected").at("stratum").get<decltype(world.stratum)>();
    world.sample = all.at("expected").at("sample").get<decltype(world.sample)>();
    return world;
}

std::vector<StratumSample> strata_of(const World& world) {
    std::vector<StratumSample> out(1 + std::ranges::max(world.stratum));
    for (const std::uint32_t h : world.stratum) ++out[h].images;
    for (const std::size_t i : world.sample) ++out[world.stratum[i]].labels;
    return out;
}

/// `value` and `x` of an image, and `in` for whether it belongs to the domain.
template <class In, class Value, class X>
Target target_of(const World& world, const In& in, const Value& value, const X& x) {
    Target out;
    out.covariates = 2;
    const std::size_t strata = strata_of(world).size();
    out.images.assign(strata, 0);
    out.means.assign(strata, {});
    for (std::size_t i = 0; i < world.images(); ++i) {
        if (!in(i)) continue;
        ++out.images[world.stratum[i]];
        for (std::size_t p = 0; p < 2; ++p) out.means[world.stratum[i]][p] += x(i)[p];
    }
    for (std::size_t h = 0; h < strata; ++h)
        for (double& mean : out.means[h]) mean /= std::max(out.images[h], 1.0);
    for (const std::size_t i : world.sample)
        if (in(i)) out.labelled.push_back({world.stratum[i], value(i), x(i)});
    return out;
}

std::vector<Target> targets_of(const World& world) {
    std::vector<Target> out;
    const auto correct = [&](std::size_t m, std::size_t i) {
        return world.labels[m][i] == world.truth[i] ? 1.0 : 0.0;
    };
    const auto own = [&](std::size_t m, std::size_t i) {
        return Covariates{world.consensus(m, i), world.confidences[m][i]};
    };
    const auto everywhere = [](std::size_t) { return true; };
    for (std::size_t m = 0; m < 3; ++m)
        out.push_back(target_of(
            world, everywhere, [&](std::size_t i) { return correct(m, i); },
            [&](std::size_t i) { return own(m, i); }));
    for (const auto& [a, b] :
         std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}, {0, 2}, {1, 2}})
        out.push_back(target_of(
            world,
            [&, a = a, b = b](std::size_t i) { return world.labels[a][i] != world.labels[b][i]; },
            [&, a = a, b = b](std::size_t i) { return (1 + correct(a, i) - correct(b, i)) / 2; },
            [&, a = a, b = b](std::size_t i) {
                return Covariates{own(a, i)[0] - own(b, i)[0], own(a, i)[1] - own(b, i)[1]};
            }));
    for (std::int32_t g = 0; g <= std::ranges::max(world.group); ++g)
        for (std::size_t m = 0; m < 3; ++m)
            out.push_back(target_of(
                world, [&](std::size_t i) { return world.group[i] == g; },
                [&](std::size_t i) { return correct(m, i); },
                [&](std::size_t i) { return own(m, i); }));
    return out;
}

TEST(FewLabelsTarget, EqualsTheReference) {
    SKIP_WITHOUT_FIXTURE();
    const json all = fixture(), expected = all.at("expected");
    const World world = world_of(all);
    const std::vector<StratumSample> strata = strata_of(world);
    const std::vector<Target> targets = targets_of(world);
    ASSERT_EQ(targets.size(), expected.at("estimate").size());
    for (std::size_t t = 0; t < targets.size(); ++t) {
        SCOPED_TRACE(t);
        const TargetEstimate found = estimate_target(targets[t], strata, normal_quantile(0.975));
        EXPECT_NEAR(found.value.value(), expected.at("estimate")[t], 1e-9);
        EXPECT_NEAR(found.low, expected.at("low")[t], 1e-9);
        EXPECT_NEAR(found.high, expected.at("high")[t], 1e-9);
        EXPECT_NEAR(found.factor, expected.at("factor")[t], 1e-9);
        EXPECT_EQ(found.labels, expected.at("labels_of_target")[t]);
    }
}

TEST(FewLabelsTarget, AllocationEqualsTheReferenceAndOnlyGrows) {
    SKIP_WITHOUT_FIXTURE();
    const json all = fixture(), expected = all.at("expected");
    const auto totals = expected.at("tau_total").get<std::vector<double>>();
    const auto images = expected.at("images").get<std::vector<std::uint64_t>>();
    EXPECT_EQ(json(allocate(totals, images, all.at("input").at("labels"))), expected.at("labels"));
    EXPECT_EQ(json(allocate(totals, images, 100)), expected.at("allocate_100"));
    EXPECT_EQ(json(allocate(totals, images, 1'000'000)), expected.at("allocate_all"));
    std::vector<std::uint64_t> before(images.size(), 0);
    for (std::uint64_t n = 10; n <= 600; ++n) {
        const auto now = allocate(totals, images, n);
        for (std::size_t h = 0; h < now.size(); ++h) EXPECT_GE(now[h], before[h]);
        before = now;
    }
}

TEST(FewLabelsTarget, ScoreIntervalsEqualTheReference) {
    SKIP_WITHOUT_FIXTURE();
    const json all = fixture();
    const json& inputs = all.at("score_input");
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        SCOPED_TRACE(k);
        std::vector<ClassCell> cells;
        for (std::size_t i = 0; i < inputs[k][0].size(); ++i)
            cells.push_back({inputs[k][0][i], inputs[k][1][i], inputs[k][2][i], inputs[k][3][i]});
        const Interval found = cell_interval(cells, 0.95);
        EXPECT_NEAR(found.low, all.at("expected").at("score")[k][1], 1e-9);
        EXPECT_NEAR(found.high, all.at("expected").at("score")[k][2], 1e-9);
    }
}

TEST(FewLabelsTarget, MultipliersEqualTheReference) {
    SKIP_WITHOUT_FIXTURE();
    const json expected = fixture().at("expected");
    for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(anytime_quantile(std::array{50.0, 300.0, 1000.0}[k], 300, 0.05),
                    expected.at("anytime")[k],
                    2e-4);  // the narrowest case has 7.9362 here and 7.9379 in the reference
}

TEST(FewLabelsTarget, RecallEqualsTheReference) {
    SKIP_WITHOUT_FIXTURE();
    const json all = fixture(), expected = all.at("expected").at("recall_of_class_0");
    const World world = world_of(all);
    for (std::size_t m = 0; m < 3; ++m) {
        std::vector<LabelledValue> of_class;
        for (const std::size_t i : world.sample)
            if (world.truth[i] == 0)
                of_class.push_back({world.stratum[i], world.labels[m][i] == 0 ? 1.0 : 0.0, {}});
        const RecallEstimate found =
            estimate_recall(of_class, strata_of(world), normal_quantile(0.975));
        EXPECT_NEAR(found.value.value(), expected[m][0], 1e-9);
        EXPECT_NEAR(found.low, expected[m][1], 1e-9);
        EXPECT_NEAR(found.high, expected[m][2], 1e-9);
    }
}

TEST(FewLabelsTarget, RecallOfACensusIsExact) {
    const std::vector<StratumSample> strata = {{3, 3, 1}, {2, 2, 1}};
    const std::vector<LabelledValue> values = {{0, 1, {}}, {0, 0, {}}, {1, 1, {}}};
    const RecallEstimate found = estimate_recall(values, strata, 1.96);
    EXPECT_NEAR(*found.value, 2.0 / 3, 1e-15);
    EXPECT_EQ(found.low, found.high);
    EXPECT_FALSE(estimate_recall(std::span(values).first(1), strata, 1.96).value);
}

TEST(FewLabelsTarget, CorrectionEqualsTheReference) {
    SKIP_WITHOUT_FIXTURE();
    TargetEstimate judged;
    judged.value = 0.8;
    judged.low = 0.75;
    judged.high = 0.85;
    AnswerRates rates;
    rates.sensitivity.value = 0.95;
    rates.sensitivity.interval = Interval{0.9, 0.98, 0.95, ""};
    rates.specificity.value = 0.9;
    rates.specificity.interval = Interval{0.85, 0.94, 0.95, ""};
    const json expected = fixture().at("expected").at("corrected");
    const TargetEstimate found = corrected_accuracy(judged, rates);
    EXPECT_NEAR(*found.value, expected[0], 1e-12);
    EXPECT_NEAR(found.low, expected[1], 1e-12);
    EXPECT_NEAR(found.high, expected[2], 1e-12);
    Estimate difference;
    difference.value = 0.1;
    difference.interval = Interval{0.04, 0.15, 0.95, ""};
    const Estimate wider = corrected_difference(difference, rates);
    // J = .85, with half-widths of .04 and .045.
    const double of_gain = 0.01 * (0.04 * 0.04 + 0.045 * 0.045) / std::pow(0.85, 4);
    EXPECT_NEAR(*wider.value, 0.1 / 0.85, 1e-12);
    EXPECT_NEAR(wider.interval->low, 0.1 / 0.85 - std::sqrt(std::pow(0.06 / 0.85, 2) + of_gain),
                1e-12);
    EXPECT_NEAR(wider.interval->high, 0.1 / 0.85 + std::sqrt(std::pow(0.05 / 0.85, 2) + of_gain),
                1e-12);
}

TEST(FewLabelsTarget, RatesCountHalfAnAnswerMore) {
    GoldCounts counts;
    counts.yes = 40;
    counts.yes_found = 38;
    counts.no = 60;
    counts.no_found = 60;
    const AnswerRates rates = answer_rates(counts, normal_quantile(0.975), 0.95);
    EXPECT_NEAR(*rates.sensitivity.value, 38.5 / 41, 1e-12);
    EXPECT_NEAR(*rates.specificity.value, 60.5 / 61, 1e-12);
    EXPECT_NEAR(rates.sensitivity.interval->low, wilson(38, 40).low, 1e-9);
    EXPECT_NEAR(rates.specificity.interval->low, wilson(60, 60).low, 1e-9);
    counts.yes_found = 0;
    counts.no_found = 50;
    EXPECT_THROW(answer_rates(counts, 1.96, 0.95), Error);
}

/// One stratum of many images.
TargetEstimate of_one_stratum(std::size_t labels, std::size_t hits, double images) {
    Target target;
    target.images = {images};
    target.means = {{}};
    for (std::size_t i = 0; i < labels; ++i)
        target.labelled.push_back({0, i < hits ? 1.0 : 0.0, {}});
    const std::vector<StratumSample> strata = {{images, static_cast<double>(labels), 1}};
    return estimate_target(target, strata, normal_quantile(0.975));
}

TEST(FewLabelsTarget, OneStratumIsWilsonsWithOneFewer) {
    for (const std::size_t hits : {30U, 49U, 50U}) {
        const TargetEstimate found = of_one_stratum(50, hits, 1e12);
        const double p = static_cast<double>(hits) / 50, z = normal_quantile(0.975);
        // the ends solve (p - t)^2 = z^2 t (1 - t) / 49
        const double a = 1 + z * z / 49, b = -(2 * p + z * z / 49), c = p * p;
        const double root = std::sqrt(std::max(0.0, b * b - 4 * a * c));
        EXPECT_NEAR(found.low, (-b - root) / (2 * a), 1e-8);
        EXPECT_NEAR(found.high, hits == 50 ? 1 : (-b + root) / (2 * a), 1e-8);
    }
    const TargetEstimate census = of_one_stratum(50, 30, 50);
    EXPECT_EQ(census.low, *census.value);
    EXPECT_EQ(census.high, *census.value);
    EXPECT_FALSE(of_one_stratum(1, 1, 50).value);
}

TEST(FewLabelsTarget, TheOppositeIsTheMirrorImage) {
    RandomStream random(3, "mirror");
    Target target, opposite;
    std::vector<StratumSample> strata;
    for (std::uint32_t h = 0; h < 4; ++h) {
        strata.push_back({100.0 * (h + 1), 60, 1});
        target.images.push_back(100.0 * (h + 1));
        target.means.push_back({0.5, 0.5});
        for (int i = 0; i < 60; ++i) {
            const double x = random.uniform();
            target.labelled.push_back({h, random.uniform() < x ? 1.0 : 0.0, {x, x * x}});
        }
    }
    target.covariates = 2;
    opposite = target;
    for (LabelledValue& one : opposite.labelled) one.value = 1 - one.value;
    const auto a = estimate_target(target, strata, 1.96),
               b = estimate_target(opposite, strata, 1.96);
    EXPECT_LT(a.factor, 0.95);  // the covariates narrow the interval
    EXPECT_NEAR(*a.value, 1 - *b.value, 1e-9);
    EXPECT_NEAR(a.low, 1 - b.high, 1e-7);
    EXPECT_NEAR(a.high, 1 - b.low, 1e-7);
}

}  // namespace
}  // namespace assay::few_labels
