// Calibrated stores: the optimum, its intervals, the report, and errors.
#include "assay/derived/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "../evaluate/saved_scores.h"
#include "assay/error.h"
#include "assay/robustness/derived_store.h"
#include "derived/scaling_fit.h"
#include "message_of.h"

namespace assay {
namespace {

using testing::HasSubstr;

/// Logits, and labels that are drawn from softmax(weight * logits + bias).
struct World {
    std::size_t classes = 3;
    std::vector<double> logits;
    std::vector<std::int32_t> labels;

    World(std::size_t items, const std::vector<double>& weight, const std::vector<double>& bias,
          std::uint64_t seed)
        : classes(weight.size()) {
        RandomStream random(seed, "world");
        for (std::size_t i = 0; i < items; ++i) {
            std::vector<double> p(classes);
            double sum = 0;
            for (std::size_t c = 0; c < classes; ++c) {
                logits.push_back(static_cast<double>(static_cast<float>(2 * random.normal())));
                sum += p[c] = std::exp(weight[c] * logits.back() + bias[c]);
            }
            double left = random.uniform() * sum;
            std::size_t label = 0;
            while (label + 1 < classes && left >= p[label]) left -= p[label++];
            labels.push_back(static_cast<std::int32_t>(label));
        }
    }
    derived::ScalingRows rows() const {
        derived::ScalingRows out;
        out.items = labels.size();
        out.classes = static_cast<std::uint32_t>(classes);
        out.read = [this](std::uint64_t item, std::span<double> row) {
            const auto i = static_cast<std::size_t>(item);
            std::copy_n(logits.begin() + static_cast<std::ptrdiff_t>(i * classes), classes,
                        row.begin());
            return labels[i];
        };
        return out;
    }
    /// The gradient of the mean loss by weights and biases, in plain loops. It is 0 only at the
    /// optimum, because the loss is convex.
    std::vector<double> gradient(std::span<const double> weight,
                                 std::span<const double> bias) const {
        std::vector<double> out(2 * classes);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            std::vector<double> p(classes);
            double sum = 0;
            for (std::size_t c = 0; c < classes; ++c)
                sum += p[c] = std::exp(weight[c] * logits[i * classes + c] + bias[c]);
            for (std::size_t c = 0; c < classes; ++c) {
                const double off = p[c] / sum - (static_cast<std::int32_t>(c) == labels[i] ? 1 : 0);
                out[c] += off * logits[i * classes + c] / static_cast<double>(labels.size());
                out[classes + c] += off / static_cast<double>(labels.size());
            }
        }
        return out;
    }
};

std::vector<double> same(double value, std::size_t n) {
    return std::vector<double>(n, value);
}

TEST(ScalingFit, EveryMethodFindsTheOptimum) {
    const World world(2000, {0.5, 0.7, 0.6, 0.4}, {0.3, -0.5, 0.1, 0.1}, 1);
    const auto one = derived::fit_scaling(world.rows(), Scaling::temperature, 1);
    ASSERT_EQ(one.parameters.size(), 1U);
    const auto by_all = world.gradient(same(one.parameters[0], 4), same(0, 4));
    EXPECT_NEAR(by_all[0] + by_all[1] + by_all[2] + by_all[3], 0, 1e-10);
    const auto each = derived::fit_scaling(world.rows(), Scaling::per_class, 1);
    const auto by_each = world.gradient(each.parameters, same(0, 4));
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(by_each[c], 0, 1e-10);
    const auto both = derived::fit_scaling(world.rows(), Scaling::vector, 1);
    const std::span<const double> all(both.parameters);
    for (const double slope : world.gradient(all.first(4), all.subspan(4)))
        EXPECT_NEAR(slope, 0, 1e-10);
    EXPECT_NEAR(all[4] + all[5] + all[6] + all[7], 0, 1e-9);
    EXPECT_LT(both.loss, each.loss);
    EXPECT_LT(each.loss, one.loss);
}

TEST(ScalingFit, ThreadsChangeNoBit) {
    const World world(700, {0.5, 0.7, 0.6}, {0.3, -0.5, 0.2}, 2);
    for (const Scaling method : {Scaling::temperature, Scaling::per_class, Scaling::vector}) {
        const auto one = derived::fit_scaling(world.rows(), method, 1);
        for (const int threads : {2, 5}) {
            const auto other = derived::fit_scaling(world.rows(), method, threads);
            EXPECT_EQ(other.parameters, one.parameters);
            EXPECT_EQ(other.errors, one.errors);
        }
    }
}

// The 95 % intervals of 300 fits hold the truth in 270 (90 %) to 297 (99 %) of them.
TEST(ScalingFit, IntervalsHoldTheTruth) {
    int of_temperature = 0, of_weight = 0, of_bias = 0;
    constexpr int worlds = 300;
    for (int w = 0; w < worlds; ++w) {
        const World flat(500, same(0.6, 3), same(0, 3), static_cast<std::uint64_t>(w));
        const auto one = derived::fit_scaling(flat.rows(), Scaling::temperature, 1);
        of_temperature +=
            std::abs(std::log(one.parameters[0] / 0.6)) < 1.979 * one.errors[0] / one.parameters[0];
        const World world(500, {0.5, 0.7, 0.6}, {0.3, -0.5, 0.2}, static_cast<std::uint64_t>(w));
        const auto both = derived::fit_scaling(world.rows(), Scaling::vector, 1);
        of_weight += std::abs(both.parameters[1] - 0.7) < 1.979 * both.errors[1];
        of_bias += std::abs(both.parameters[4] + 0.5) < 1.979 * both.errors[4];
    }
    for (const int held : {of_temperature, of_weight, of_bias}) {
        EXPECT_GE(held, 270);
        EXPECT_LE(held, 297);
    }
    RecordProperty("held",
                   fmt::format("{} {} {} of {}", of_temperature, of_weight, of_bias, worlds));
}

TEST(ScalingFit, WhatHasNoOptimumIsRefused) {
    World world(100, same(1, 3), same(0, 3), 3);
    for (std::size_t i = 0; i < 100; ++i) {
        const auto own = std::span(world.logits).subspan(i * 3, 3);
        world.labels[i] = static_cast<std::int32_t>(std::ranges::max_element(own) - own.begin());
    }
    for (const Scaling method : {Scaling::temperature, Scaling::vector})
        EXPECT_THAT(message_of([&] { derived::fit_scaling(world.rows(), method, 1); }),
                    HasSubstr("no finite"));
    for (std::int32_t& label : world.labels) label = (label + 1) % 3;
    EXPECT_THAT(message_of([&] { derived::fit_scaling(world.rows(), Scaling::temperature, 1); }),
                HasSubstr("carry no information about the labels"));
}

TEST(ScalingFit, WhatTheScoresDoNotTellIsRefused) {
    World equal(60, same(1, 3), same(0, 3), 4);
    std::ranges::fill(equal.logits, 0.25);
    EXPECT_THAT(message_of([&] { derived::fit_scaling(equal.rows(), Scaling::temperature, 1); }),
                HasSubstr("every temperature fits equally well"));
    // With two opposite logits, only the sum of both weights matters.
    World opposite(200, same(1, 2), same(0, 2), 5);
    for (std::size_t i = 0; i < 200; ++i) opposite.logits[2 * i + 1] = -opposite.logits[2 * i];
    for (const Scaling method : {Scaling::vector, Scaling::per_class})
        EXPECT_THAT(message_of([&] { derived::fit_scaling(opposite.rows(), method, 1); }),
                    HasSubstr("no single best value"));
}

/// A store of these data, with item names that begin with `first`.
Made made_of(const World& world, std::string_view first = "item") {
    Made made;
    made.classes = world.classes;
    for (const double logit : world.logits) made.scores.push_back(static_cast<float>(logit));
    for (std::size_t i = 0; i < world.labels.size(); ++i) {
        made.labels.push_back({world.labels[i]});
        made.ids.push_back(fmt::format("{}{}", first, i));
    }
    return made;
}

TEST(Calibrate, ReportsWhatItWasNotFittedOn) {
    const Scratch folder;
    Made made = made_of(World(900, {0.5, 0.7, 0.6}, {0.3, -0.5, 0.2}, 4));
    made.states.assign(900, RowState::ok);
    made.states[7] = RowState::unreadable;
    made.labels[8] = {};
    save(folder, made, "net");
    CalibrateOptions options;
    options.paths = {folder / "runs"};
    options.threads = 2;
    const CalibrateResult result = calibrate_stores(options);
    ASSERT_EQ(result.stores.size(), 1U);
    const CalibratedStore& one = result.stores[0];
    EXPECT_EQ(one.store, folder / "runs/val-heldout50/net@temperature");
    EXPECT_NEAR(static_cast<double>(one.items), 450, 60);
    EXPECT_NEAR(*one.temperature.value, 1 / 0.6, 0.3);
    EXPECT_LT(one.temperature.interval->low, 1 / 0.6);
    EXPECT_LT(*one.nll_after.value, *one.nll_before.value);

    const auto whole = PredictionStore::open(folder / "runs/val/net");
    const auto before = PredictionStore::open(folder / "runs/val-heldout50/net");
    const auto after = PredictionStore::open(one.store);
    EXPECT_EQ(after.spec().kind, ScoreKind::logits);
    EXPECT_EQ(derived_of(after).calibration, "temperature");
    EXPECT_EQ(derived_of(after).model, "net");
    EXPECT_TRUE(derived_of(after).is_variant());
    EXPECT_FALSE(derived_of(before).any());
    EXPECT_EQ(describe(derived_of(after)), "calibrated (temperature)");
    // Every row is that of the source divided by the temperature. Rows that were used for the fit
    // are missing.
    std::map<std::string, std::uint64_t> rows;
    for (std::uint64_t i = 0; i < 900; ++i)
        rows.emplace(whole.dataset().ids[static_cast<std::size_t>(i)], i);
    const RowReader first(whole), second(after), middle(before);
    std::vector<float> a, b, c;
    for (std::uint64_t i = 0; i < after.rows(); ++i) {
        const std::uint64_t row =
            rows.at(std::string(after.dataset().ids[static_cast<std::size_t>(i)]));
        ASSERT_EQ(second.status(i), first.status(row));
        if (first.status(row) != RowStatus::ok) continue;
        const auto from = first.scores(row, a), to = second.scores(i, b), own = middle.scores(i, c);
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_FLOAT_EQ(
                to[k], static_cast<float>(static_cast<double>(from[k]) / *one.temperature.value));
            EXPECT_EQ(own[k], from[k]);
        }
    }
    // The fit uses the other items, or only these items.
    World rest(0, same(1, 3), same(0, 3), 0);
    for (std::uint64_t i = 0; i < 900; ++i) {
        const std::string id(whole.dataset().ids[static_cast<std::size_t>(i)]);
        const auto reported = [&] {
            for (std::size_t r = 0; r < after.dataset().ids.size(); ++r)
                if (after.dataset().ids[r] == id) return true;
            return false;
        };
        if (i == 7 || i == 8 || reported()) continue;
        for (const float score : first.scores(i, a))
            rest.logits.push_back(static_cast<double>(score));
        rest.labels.push_back(whole.dataset().single_label(static_cast<std::size_t>(i)));
    }
    EXPECT_EQ(rest.labels.size(), one.fit_items);
    const auto slopes = rest.gradient(same(1 / *one.temperature.value, 3), same(0, 3));
    EXPECT_NEAR(slopes[0] + slopes[1] + slopes[2], 0, 1e-9);

    // The same command finds the store. Derived stores are not calibrated again.
    EXPECT_EQ(calibrate_stores(options).stores.size(), 1U);
    options.paths = {folder / "runs/val-heldout50"};
    EXPECT_THAT(message_of([&] { calibrate_stores(options); }, ErrorCode::usage),
                HasSubstr("derived"));
}

TEST(Calibrate, AnotherDataSet) {
    const Scratch folder;
    save(folder, made_of(World(500, same(0.6, 3), same(0, 3), 5)), "net");
    Made other = made_of(World(400, same(0.6, 3), same(0, 3), 6), "other");
    other.dataset = "calibration";
    save(folder, other, "net");
    CalibrateOptions options;
    options.paths = {folder / "runs"};
    options.fit = "calibration";
    options.method = Scaling::vector;
    const CalibrateResult result = calibrate_stores(options);
    ASSERT_EQ(result.stores.size(), 1U);
    EXPECT_EQ(result.stores[0].store, folder / "runs/val/net@vector");
    EXPECT_EQ(result.stores[0].fit_items, 400U);
    EXPECT_EQ(result.stores[0].items, 500U);
    EXPECT_EQ(result.stores[0].classes.size(), 3U);

    // The calibrated store is next to the model's own. It is no second model for the layer file.
    options.layer = folder / "layer.json";
    EXPECT_EQ(calibrate_stores(options).stores.size(), 1U);
    EXPECT_TRUE(std::filesystem::exists(options.layer));
    // Nor is a damaged store.
    std::filesystem::remove(options.layer);
    const std::filesystem::path damaged = folder / "runs/val/damaged";
    std::filesystem::create_directories(damaged);
    std::ofstream(damaged / "manifest.json") << "{";
    EXPECT_THAT(calibrate_stores(options).warnings,
                testing::Contains(HasSubstr("val/damaged` is not calibrated: ")));
    EXPECT_TRUE(std::filesystem::exists(options.layer));
    std::filesystem::remove_all(damaged);
    Made second = made_of(World(500, same(0.6, 3), same(0, 3), 5));
    save(folder, second, "second");
    EXPECT_THAT(message_of([&] { calibrate_stores(options); }, ErrorCode::usage),
                HasSubstr("2 stores"));
    options.layer.clear();
    options.paths = {folder / "runs/val/net"};

    // Fitting on another data set would give another store of the same name. The error comes before
    // the fit, which needs an item of every class.
    other.dataset = "elsewhere";
    for (auto& label : other.labels) label = {0};
    save(folder, other, "net");
    options.fit = "elsewhere";
    const auto without = [&] { calibrate_stores(options); };
    EXPECT_THAT(message_of(without), testing::AllOf(HasSubstr("fitted on calibration; this one"),
                                                    HasSubstr("rm -r"), HasSubstr("net@vector")));
    std::filesystem::remove_all(folder / "runs/val/net@vector");
    EXPECT_THAT(message_of(without), HasSubstr("class 1 (`c1`) has no item"));

    // One of its items would also be reported.
    other.dataset = "overlap";
    other.ids[3] = "item9";
    const Made val = made_of(World(500, same(0.6, 3), same(0, 3), 5));
    std::copy_n(val.scores.begin() + 27, 3, other.scores.begin() + 9);
    save(folder, other, "net");
    options.paths = {folder / "runs/val/net"};
    options.fit = "overlap";
    EXPECT_THAT(message_of([&] { calibrate_stores(options); }), HasSubstr("such as `item9`"));
    options.fit = "nowhere";
    EXPECT_THAT(message_of([&] { calibrate_stores(options); }), HasSubstr("nowhere"));
}

TEST(Calibrate, ProbabilitiesAreTheirLogarithms) {
    const Scratch folder;
    const World world(600, same(0.6, 3), same(0, 3), 7);
    Made logits = made_of(world), chances = logits;
    chances.kind = ScoreKind::probabilities;
    for (std::size_t i = 0; i < 600; ++i) {
        double sum = 0;
        for (std::size_t c = 0; c < 3; ++c) sum += std::exp(world.logits[i * 3 + c]);
        for (std::size_t c = 0; c < 3; ++c)
            chances.scores[i * 3 + c] = static_cast<float>(std::exp(world.logits[i * 3 + c]) / sum);
    }
    save(folder, logits, "a");
    save(folder, chances, "b");
    CalibrateOptions options;
    options.paths = {folder / "runs"};
    const CalibrateResult result = calibrate_stores(options);
    ASSERT_EQ(result.stores.size(), 2U);
    EXPECT_NEAR(*result.stores[0].temperature.value, *result.stores[1].temperature.value, 1e-5);
    EXPECT_NEAR(*result.stores[0].nll_after.value, *result.stores[1].nll_after.value, 1e-5);
    EXPECT_EQ(PredictionStore::open(result.stores[1].store).spec().kind,
              ScoreKind::log_probabilities);
}

// Imports without ids number their rows, so equal ids do not mean equal images.
TEST(Calibrate, RowNumbersAreTheSameImagesOnlyWithTheSameScores) {
    const World world(300, same(0.6, 3), same(0, 3), 21);
    Made fit = made_of(World(300, same(0.6, 3), same(0, 3), 22), "");
    fit.dataset = "calibration";
    std::copy_n(world.logits.begin(), 3 * 10, fit.scores.begin());
    CalibrateOptions options;
    options.fit = "calibration";
    const auto run = [&](const Made& calibration) {
        const Scratch folder;
        save(folder, made_of(world, ""), "net");
        save(folder, calibration, "net");
        options.paths = {folder / "runs"};
        return calibrate_stores(options).stores.size();
    };
    EXPECT_EQ(run(fit), 1U);  // ten rows are equal
    Made named = fit;
    for (std::string& id : named.ids) id += ".png";
    EXPECT_EQ(run(named), 1U);  // no ids are equal
    std::copy_n(world.logits.begin(), 3 * 200, fit.scores.begin());
    EXPECT_THAT(message_of([&] { run(fit); }), HasSubstr("200 of `val` are also in `calibration`"));
}

TEST(Calibrate, ADataSetWhoseNameLooksHeldOutIsCalibrated) {
    const Scratch folder;
    Made made = made_of(World(300, same(0.6, 3), same(0, 3), 23));
    made.dataset = "mine-heldout20";
    save(folder, made, "net");
    CalibrateOptions options;
    options.paths = {folder / "runs"};
    EXPECT_EQ(calibrate_stores(options).stores.size(), 1U);
}

TEST(Calibrate, AStoreThatCannotBeCalibratedIsAWarningBesideOthers) {
    const Scratch folder;
    Made made = made_of(World(300, same(0.6, 3), same(0, 3), 24));
    save(folder, made, "sound");
    made.kind = ScoreKind::probabilities;
    for (float& score : made.scores) score = 0.6F;
    save(folder, made, "sums");
    CalibrateOptions options;
    options.paths = {folder / "runs"};
    const CalibrateResult result = calibrate_stores(options);
    EXPECT_EQ(result.stores.size(), 1U);
    EXPECT_TRUE(report_of(result).partial);
    ASSERT_EQ(result.warnings.size(), 1U);
    EXPECT_THAT(result.warnings[0], testing::AllOf(HasSubstr("val/sums` is not calibrated: "),
                                                   HasSubstr("sum to 1.8")));
    std::filesystem::create_directories(folder / "runs/val/damaged");
    std::ofstream(folder / "runs/val/damaged/manifest.json") << "{";
    EXPECT_THAT(calibrate_stores(options).warnings,
                testing::ElementsAre(HasSubstr("skipped 2 stores"),
                                     HasSubstr("val/damaged` is not calibrated: "),
                                     HasSubstr("val/sums` is not calibrated: ")));
    options.paths = {folder / "runs/val/sums"};
    EXPECT_THAT(message_of([&] { calibrate_stores(options); }), HasSubstr("sum to 1.8"));
}

TEST(Calibrate, BadInput) {
    const Scratch folder;
    Made made = made_of(World(200, same(0.6, 4), same(0, 4), 8));
    save(folder, made, "few", StorageFormat::top_k);
    CalibrateOptions options;
    options.paths = {folder / "runs/val/few"};
    EXPECT_THAT(message_of([&] { calibrate_stores(options); }), HasSubstr("--storage full"));
    for (auto& label : made.labels)
        if (label[0] == 2) label[0] = 1;
    made.dataset = "lacking";
    save(folder, made, "net");
    options.paths = {folder / "runs/lacking/net"};
    options.method = Scaling::vector;
    EXPECT_THAT(message_of([&] { calibrate_stores(options); }),
                testing::AllOf(HasSubstr("class 2 (`c2`) has no item"), HasSubstr("temperature")));
    for (auto& label : made.labels) label.clear();
    made.dataset = "unlabelled";
    save(folder, made, "net");
    options.paths = {folder / "runs/unlabelled/net"};
    EXPECT_THAT(message_of([&] { calibrate_stores(options); }), HasSubstr("single label"));
}

}  // namespace
}  // namespace assay
