// Metrics of images with different weights. The values are those of scikit-learn 1.8 with
// sample_weight; standard errors are from its numerical derivatives by the weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/evaluate/gate.h"
#include "assay/evaluate/score.h"
#include "evaluate/image_weights.h"
#include "evaluate/weighted_interval.h"
#include "evaluate/weighted_values.h"
#include "message_of.h"
#include "saved_scores.h"

namespace assay {
namespace {

using evaluate::WeightedImage;
using testing::Contains;
using testing::HasSubstr;

/// The weight of every tenth image is eight times that of the others.
std::vector<WeightedImage> uneven(int images) {
    std::vector<WeightedImage> out;
    double sum = 0;
    for (int i = 0; i < images; ++i) {
        WeightedImage& one = out.emplace_back();
        one.weight = i % 10 == 0 ? 8 : 1;
        one.loss = 0.1 * (i % 7);
        one.label = i % 3;
        one.predicted = i % 5 != 0 ? one.label : (one.label + 1 + i % 2) % 3;
        one.rank = i % 3 != 0 ? 0 : 1;
        sum += one.weight;
    }
    for (WeightedImage& one : out) one.weight /= sum;
    return out;
}

Estimate value_of(const char* metric, const std::vector<WeightedImage>& images) {
    return evaluate::weighted_value(parse_metric(metric), images, 3, 0.95);
}

TEST(WeightedValues, AreThoseOfScikitLearn) {
    const std::vector<WeightedImage> images = uneven(200);
    struct Case {
        const char* metric;
        double value, error, tolerance;
    };
    const Case cases[] = {
        {"top1", 0.6588235294117648, 0.05455276094859789, 1e-12},
        {"nll", 0.2961764705882353, 0.023262425661389252, 1e-12},
        {"kappa", 0.2061021170610211, 0.08189324999116437, 1e-8},
        {"matthews", 0.20629747592658546, 0.08195606592146361, 1e-8},
        {"balanced", 0.4710515112813964, 0.05466575200839702, 1e-8},
        {"f1", 0.4706899739629878, 0.054633359556842204, 1e-8},
        {"f1:average=weighted", 0.470630578392369, 0.0546460323173273, 1e-8},
        {"precision", 0.47125403868877974, 0.05472040849755979, 1e-8},
        {"recall:average=weighted", 0.4705882352941181, 0.054639092767331365, 1e-8},
    };
    for (const Case& c : cases) {
        const Estimate found = value_of(c.metric, images);
        ASSERT_TRUE(found.value && found.standard_error && found.interval) << c.metric;
        EXPECT_NEAR(*found.value, c.value, 1e-12) << c.metric;
        EXPECT_NEAR(*found.standard_error, c.error, c.tolerance) << c.metric;
    }
    // Student's quantile with 38.87 degrees of freedom, and Wilson's interval of 75.5 images.
    const Interval top1 = *value_of("top1", images).interval;
    EXPECT_NEAR(top1.low, 0.5428697390219086, 1e-9);
    EXPECT_NEAR(top1.high, 0.7584518908120191, 1e-9);
    EXPECT_EQ(top1.method, "wilson.influence");
    const Interval nll = *value_of("nll", images).interval;
    EXPECT_NEAR(nll.low, 0.24880433360794305, 1e-9);
    EXPECT_NEAR(nll.high, 0.34354860756852756, 1e-9);
    std::vector<double> weights;
    for (const WeightedImage& image : images) weights.push_back(image.weight);
    EXPECT_NEAR(evaluate::effective_images(weights), 79.17808219178083, 1e-9);
}

TEST(WeightedValues, BalancesHaveTheSpreadOfTheirValuesWithoutEachImage) {
    std::vector<WeightedImage> images = uneven(200);
    for (std::size_t i = 0; i < images.size(); ++i)
        images[i].target = static_cast<float>(.2 + .7 * static_cast<double>(i % 11) / 11);
    images[3].label = 1;  // class 2 has one image more than class 0
    for (const char* metric :
         {"class_accuracy_balance", "class_accuracy_balance:std=population",
          "class_confidence_balance", "class_confidence_balance:spread=between", "class_balance",
          "class_balance:spread=between"}) {
        const Estimate found = value_of(metric, images);
        ASSERT_TRUE(found.value && found.standard_error && found.interval) << metric;
        double sum = 0;
        for (std::size_t i = 0; i < images.size(); ++i) {
            std::vector<WeightedImage> rest = images;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
            for (WeightedImage& image : rest) image.weight /= 1 - images[i].weight;
            const double moved = *value_of(metric, rest).value - *found.value;
            sum += moved * moved;
        }
        EXPECT_NEAR(*found.standard_error, std::sqrt(199. / 200 * sum), 1e-9) << metric;
    }
}

TEST(WeightedValues, TheLowerEndOnFishersScaleHasRoomForTheWorstImage) {
    // Without one of the worst, the value would rise by .01 * .4 / .99.
    const std::vector<double> weights(100, .01);
    std::vector<double> influence;
    for (int i = 0; i < 100; ++i) influence.push_back(i % 3 == 0 ? -.4 : .2);
    evaluate::Influenced found{.value = .6, .influence = influence};
    found.interval = evaluate::WeightedInterval::fisher;
    const Estimate estimate =
        evaluate::weighted_estimate(*parse_metric("quadratic_kappa").facts, found, weights, .95);
    ASSERT_TRUE(estimate.interval);
    const double middle = std::atanh(.6), above = std::atanh(estimate.interval->high) - middle;
    EXPECT_NEAR(middle - std::atanh(estimate.interval->low) - above, .01 * .4 / .99 / (1 - .36),
                1e-12);
}

TEST(WeightedValues, FewEffectiveImagesHaveNoInterval) {
    const Estimate few = value_of("top1", uneven(120));
    EXPECT_TRUE(few.value);
    EXPECT_FALSE(few.interval);
    EXPECT_EQ(few.note, "no interval: the weights leave 47.5 effective images, and 50 are needed");
    std::vector<WeightedImage> alone = uneven(1);
    EXPECT_EQ(value_of("top1", alone).value, 0);
    EXPECT_FALSE(value_of("top1", alone).interval);
}

TEST(WeightedValues, AllCorrectStillHasAWidth) {
    std::vector<WeightedImage> images = uneven(200);
    for (WeightedImage& image : images) {
        image.predicted = image.label;
        image.rank = 0;
    }
    const Estimate top1 = value_of("top1", images);
    EXPECT_EQ(top1.value, 1);
    EXPECT_EQ(top1.interval->high, 1);
    // n / (n + t^2) with 79.18 effective images and 199 degrees of freedom, for which t = 1.971957.
    EXPECT_NEAR(top1.interval->low, 79.17808219178083 / (79.17808219178083 + 1.971957 * 1.971957),
                1e-6);
    for (const char* metric : {"balanced", "precision", "recall", "f1", "kappa", "matthews"}) {
        const Estimate found = value_of(metric, images);
        ASSERT_TRUE(found.interval) << metric;
        EXPECT_LT(found.interval->low, 0.99) << metric;
        EXPECT_EQ(found.interval->high, 1) << metric;
    }
    const Estimate nll = value_of("nll", uneven(200));
    EXPECT_EQ(nll.interval->method, "influence.t");
    for (WeightedImage& image : images) image.label = image.predicted = 1;
    EXPECT_EQ(value_of("kappa", images).undefined, "all labels and predictions are one class");
    EXPECT_EQ(value_of("matthews", images).value, 0);
}

constexpr const char* weighted =
    "top1,top2,nll,brier,confidence,overconfidence,balanced,precision,"
    "recall,specificity,f1,f1:average=weighted,matthews,kappa,ece,ece:norm=l2,auroc,"
    "average_precision,auroc:average=weighted,classwise_ece,class_accuracy_balance,"
    "class_confidence_balance,class_confidence_balance:spread=between,class_balance,real,"
    "variable_topk";
/// The influences on a largest gap are not known.
constexpr const char* greatest = "calibration_ks,ece:norm=max";

/// Every third image has weight 2, and every seventh weight 0.
Made with_weights(std::size_t rows) {
    Made made = made_up(rows, 3, 9);
    for (std::size_t i = 0; i < rows; ++i)
        made.group.push_back(i % 7 == 0 ? "0" : i % 3 == 0 ? "2e0" : "1");
    return made;
}

ScoreOptions options_for(const char* metrics, const char* weights) {
    MeasureOptions measure;
    measure.metrics = {metrics};
    ScoreOptions options;
    options.metrics = metrics_of(measure, {}, false).metrics;
    options.weights = weights;
    return options;
}

// If all weights are equal, the intervals of classes are those without weights.
TEST(WeightedValues, EqualWeightsHaveTheIntervalsWithoutThem) {
    const Made made = made_up(200, 3, 9);
    Made alike = made;
    alike.group.assign(200, "0.5");
    Scratch folder;
    const PredictionStore store = save(folder, alike, "net");
    const char* metrics = "balanced,precision,recall,f1,kappa,matthews,auroc,average_precision";
    const ScoreReport found = scored(store, options_for(metrics, "group")),
                      plain = scored(store, options_for(metrics, ""));
    for (std::size_t i = 0; i < found.measurements.size(); ++i) {
        const Measurement& m = found.measurements[i];
        const Interval own = *plain.measurements[i].interval;
        ASSERT_TRUE(m.interval) << m.key.metric;
        // Areas also have Satterthwaite's degrees of freedom of the items.
        const double allowed = m.interval->method == "wilson.influence" ? 1e-2 : 1e-6;
        EXPECT_NEAR(m.interval->low, own.low, allowed) << m.key.metric;
        EXPECT_NEAR(m.interval->high, own.high, allowed) << m.key.metric;
    }
}

TEST(Weights, AreRepeatedImages) {
    const Made made = with_weights(300);
    Made repeated;
    for (std::size_t i = 0; i < 300; ++i) {
        for (int k = 0; k < (i % 7 == 0 ? 0 : i % 3 == 0 ? 2 : 1); ++k) {
            repeated.labels.push_back(made.labels[i]);
            for (std::size_t c = 0; c < 3; ++c) repeated.scores.push_back(made.scores[3 * i + c]);
        }
    }
    Scratch folder;
    const PredictionStore store = save(folder, made, "net"),
                          copies = save(folder, repeated, "copies", StorageFormat::full_f32, 100,
                                        false, "more");
    const std::string metrics = fmt::format("{},{}", weighted, greatest);
    const ScoreReport found = scored(store, options_for(metrics.c_str(), "group"));
    const ScoreReport expected = scored(copies, options_for(metrics.c_str(), ""));
    ASSERT_EQ(found.measurements.size(), 28U);
    for (std::size_t i = 0; i < found.measurements.size(); ++i) {
        const Measurement& m = found.measurements[i];
        ASSERT_TRUE(m.value) << m.key.metric << m.undefined;
        EXPECT_NEAR(*m.value, *expected.measurements[i].value, 1e-7) << m.key.metric;
        EXPECT_EQ(m.key.definition, expected.measurements[i].key.definition);
        EXPECT_EQ(m.key.parameters.at("weights"), "group");
        EXPECT_EQ(m.n, 257U);
        EXPECT_EQ(m.left_out, 43U);
        EXPECT_EQ(m.interval.has_value(), i < 26) << m.key.metric;
        EXPECT_NE(m.interval.has_value(), m.note.starts_with("no interval: none is known"))
            << m.note;
    }
    EXPECT_THAT(found.notes, Contains("257 of 300 images count, with the weights in `group`; they "
                                      "are worth 228.4 images of equal weight; images of weight "
                                      "0: 43"));
}

// The image has loss -ln 0 and weight 0.
TEST(Weights, AnImageThatDoesNotCountLeavesTheLossDefined) {
    Scratch folder;
    Made made;
    made.kind = ScoreKind::probabilities;
    for (std::size_t i = 0; i < 100; ++i) {
        const bool impossible = i == 7;
        made.labels.push_back({impossible ? 2 : 0});
        made.scores.insert(made.scores.end(), {impossible ? .6F : .5F, impossible ? .4F : .25F,
                                               impossible ? 0 : .25F});
        made.group.emplace_back(impossible ? "0" : "1");
    }
    const PredictionStore store = save(folder, made, "net");
    const ScoreReport report = scored(store, options_for("nll", "group"));
    const Measurement& nll = find(report.measurements, "nll");
    ASSERT_TRUE(nll.value) << nll.undefined;
    EXPECT_NEAR(*nll.value, std::log(2), 1e-7);
    made.group[7] = "1";
    const PredictionStore counted =
        save(folder, made, "net", StorageFormat::full_f32, 100, false, "all");
    EXPECT_FALSE(find(scored(counted, options_for("nll", "group")).measurements, "nll").value);
}

TEST(Weights, AreTheSameForAnyNumberOfThreads) {
    const Made made = with_weights(3000);
    Scratch folder;
    const PredictionStore store = save(folder, made, "net");
    ScoreOptions options = options_for(weighted, "group");
    options.threads = 1;
    const ScoreReport one = scored(store, options);
    options.threads = 3;
    const ScoreReport three = scored(store, options);
    for (std::size_t i = 0; i < one.measurements.size(); ++i) {
        EXPECT_EQ(one.measurements[i].value, three.measurements[i].value);
        EXPECT_EQ(one.measurements[i].interval, three.measurements[i].interval);
    }
}

TEST(Weights, GatesAndDefaultsKnowThem) {
    Scratch folder;
    Made made = with_weights(300);
    made.group[5] = "";
    const PredictionStore store = save(folder, made, "net");
    ScoreOptions options;
    options.weights = "group";
    const ScoreReport report = scored(store, options);
    const Measurement& top1 = find(report.measurements, "top1");
    EXPECT_EQ(check_gate(parse_gate("low(top1) >= 0"), report.measurements).value,
              top1.interval->low);
    EXPECT_THAT(report.notes,
                Contains(HasSubstr("images without a weight, which do not count: 1")));
    EXPECT_THAT(report.notes,
                Contains(testing::StartsWith("not measured with weights: ace (its bins")));
    EXPECT_TRUE(find(report.measurements, "ece").interval);
    for (const Measurement& m : report.measurements) EXPECT_NE(m.key.metric, "calibration_error");
}

TEST(Weights, StoresOfTheBestClassesAndWithoutRows) {
    Scratch folder;
    const PredictionStore few =
        save(folder, with_weights(90), "net", StorageFormat::top_k, 100, false, "few", 2);
    const ScoreReport kept = scored(few, options_for("top1,brier", "group"));
    EXPECT_TRUE(find(kept.measurements, "top1").value);
    EXPECT_THAT(find(kept.measurements, "brier").undefined, HasSubstr("does not keep"));
    const PredictionStore none =
        save(folder, with_weights(50), "net", StorageFormat::full_f32, 100, true);
    const ScoreReport report = scored(none, options_for("top1", "group"));
    EXPECT_EQ(find(report.measurements, "top1").undefined, "no rows are stored yet");
}

TEST(Weights, BadInput) {
    Scratch folder;
    Made made = with_weights(60);
    int saved = 0;
    const auto message = [&](const char* text, ErrorCode code) {
        made.group[4] = text;
        const PredictionStore store = save(folder, made, "net", StorageFormat::full_f32, 100, false,
                                           fmt::format("runs{}", saved++));
        return message_of([&] { scored(store, options_for("top1", "group")); }, code);
    };
    for (const char* text : {"-1", "nan", "inf", "1 ", "heavy"})
        EXPECT_THAT(message(text, ErrorCode::bad_input),
                    HasSubstr(fmt::format("the weight of image `item00004` is `{}`; allowed: a "
                                          "number from 0",
                                          text)));
    made.group.assign(60, "0");
    EXPECT_THAT(message("", ErrorCode::usage), HasSubstr("no image has a weight above 0"));
    made.group.assign(60, "1");
    const PredictionStore store =
        save(folder, made, "net", StorageFormat::full_f32, 100, false, "more");
    EXPECT_THAT(message_of([&] { scored(store, options_for("top1", "grup")); }, ErrorCode::usage),
                HasSubstr("did you mean `group`?"));
    EXPECT_THAT(message_of([&] { scored(store, options_for("aurc", "group")); }, ErrorCode::usage),
                HasSubstr("--weights measures none of these: aurc (it counts"));
}

TEST(Weights, GivenAsNumbersAreThoseOfAnAttribute) {
    Scratch folder;
    const Made made = with_weights(300);
    const PredictionStore store = save(folder, made, "net");
    ScoreOptions options = options_for("top1,ece", "");
    for (const std::string& text : made.group) options.item_weights.push_back(std::stod(text));
    const ScoreReport found = scored(store, options),
                      expected = scored(store, options_for("top1,ece", "group"));
    for (std::size_t i = 0; i < found.measurements.size(); ++i) {
        EXPECT_EQ(found.measurements[i].value, expected.measurements[i].value);
        EXPECT_EQ(found.measurements[i].key.parameters.at("sample_weight"), "given");
    }
    const auto message = [&](auto&& change, ErrorCode code) {
        ScoreOptions other = options;
        change(other);
        return message_of([&] { scored(store, other); }, code);
    };
    EXPECT_THAT(message([](auto& o) { o.item_weights[4] = -1; }, ErrorCode::bad_input),
                HasSubstr("sample_weight: -1 at item 4; allowed: finite numbers from 0"));
    EXPECT_THAT(message([](auto& o) { o.item_weights.pop_back(); }, ErrorCode::bad_input),
                HasSubstr("299 numbers for 300 items"));
    EXPECT_THAT(message([](auto& o) { o.item_weights.assign(300, 0); }, ErrorCode::bad_input),
                HasSubstr("all are 0"));
    EXPECT_THAT(message([](auto& o) { o.weights = "group"; }, ErrorCode::usage),
                HasSubstr("pass one of them"));
}

TEST(Weights, RefuseWhatCountsImagesTheSame) {
    const auto message = [](auto&& change) {
        ScoreRunsOptions options;
        ScoreShown shown;
        options.weights = "w";
        change(options, shown);
        return message_of([&] { check(options, shown); }, ErrorCode::usage);
    };
    EXPECT_THAT(message([](auto& o, auto&) { o.by = {"sex"}; }),
                HasSubstr("--weights does not go with --by, which counts every image the same"));
    EXPECT_THAT(message([](auto& o, auto&) { o.measure.cluster = "patient"; }),
                HasSubstr("--cluster"));
    EXPECT_THAT(message([](auto& o, auto&) { o.across = "val*"; }), HasSubstr("--across"));
    EXPECT_THAT(message([](auto& o, auto&) { o.measure.resampling.seed = 7; }),
                HasSubstr("--seed, which has no effect"));
    EXPECT_THAT(message([](auto&, auto& s) { s.reliability = true; }), HasSubstr("--reliability"));
    EXPECT_THAT(message([](auto& o, auto&) { o.measure.metrics = {"top1,ece,ace,aurc"}; }),
                HasSubstr("--weights does not measure ace (its bins hold equal numbers of images), "
                          "aurc (it counts the most confident images one by one): remove it from "
                          "--metrics and --gate"));
    EXPECT_THAT(message([](auto& o, auto&) { o.measure.gates = {"ace <= 0.1"}; }),
                HasSubstr("--weights does not measure ace"));
}

}  // namespace
}  // namespace assay
