// Randomised smoothing: the bound, the radius, and a linear classifier whose radii are known.
#include "assay/evaluate/certify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "assay/evaluate/model_trial.h"
#include "assay/robustness/derived_store.h"
#include "core/statistics.h"
#include "message_of.h"
#include "red_classifier.h"

namespace assay {
namespace {

using testing::HasSubstr;

// scipy 1.x: p = beta.ppf(alpha, hits, n - hits + 1), sigma * norm.ppf(p)
TEST(CertifiedRadius, IsThatOfScipy) {
    EXPECT_NEAR(class_probability_bound(10'000, 10'000, .001), 0.9993094630025899, 1e-12);
    EXPECT_NEAR(class_probability_bound(9'900, 10'000, .001), 0.9865311593238062, 1e-12);
    EXPECT_NEAR(*certified_radius(10'000, 10'000, .001, .25), 0.7996443786845846, 1e-10);
    EXPECT_NEAR(*certified_radius(9'900, 10'000, .001, .25), 0.5531049162755474, 1e-10);
    EXPECT_NEAR(*certified_radius(5'200, 10'000, .001, .5), 0.005642350595748035, 1e-10);
    EXPECT_NEAR(*certified_radius(60, 100, .05, 1), 0.032531294921923276, 1e-10);
    EXPECT_FALSE(certified_radius(5'150, 10'000, .001, 1));  // the bound is 0.4995
    EXPECT_FALSE(certified_radius(0, 100, .001, 1));
    EXPECT_FALSE(certified_radius(1, 1, .001, 1));
}

// Sums the binomial probabilities of all outcomes whose bound exceeds the truth.
TEST(CertifiedRadius, TheBoundExceedsTheTruthWithProbabilityAtMostAlpha) {
    for (const double alpha : {.001, .05}) {
        double largest = 0;
        for (const std::uint64_t n : {1U, 10U, 100U, 500U}) {
            std::vector<double> bounds;
            for (std::uint64_t k = 0; k <= n; ++k)
                bounds.push_back(class_probability_bound(k, n, alpha));
            for (const double p : {.01, .3, .5, .501, .7, .9, .99, .9999}) {
                double wrong = 0;
                for (std::uint64_t k = 0; k <= n; ++k) {
                    if (bounds[k] <= p) continue;
                    const auto x = static_cast<double>(k), m = static_cast<double>(n);
                    wrong +=
                        std::exp(std::lgamma(m + 1) - std::lgamma(x + 1) - std::lgamma(m - x + 1) +
                                 x * std::log(p) + (m - x) * std::log1p(-p));
                }
                EXPECT_LE(wrong, alpha * (1 + 1e-9)) << n << " " << p;
                largest = std::max(largest, wrong);
            }
        }
        EXPECT_GT(largest, alpha / 2) << "the bound is far too low";
    }
}

class Certify : public RedImages {
protected:
    CertifyOptions certify_options(const std::string& runs) {
        CertifyOptions o;
        o.predict = options(runs);
        o.samples = 2000;
        return o;
    }
    static std::vector<std::vector<std::string>> rows_of(const fs::path& csv) {
        std::vector<std::vector<std::string>> rows;
        std::istringstream text(read_text(csv));
        for (std::string line; std::getline(text, line);) {
            rows.emplace_back();
            std::istringstream cells(line + ",");
            for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
        }
        return rows;
    }
};

// The score of class 0 minus that of class 1 is a multiple of the mean red minus b = 128.5/255. The
// mean of four noisy numbers has the standard deviation sigma / 2, so class 0 has the probability
// Phi(2 (r - b) / sigma), and the boundary has the l2 distance 2 |r - b|.
TEST_F(Certify, ALinearClassifierHasItsClosedForm) {
    const Dataset dataset = images(200);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    const CertifyOptions o = certify_options("runs");
    const CertifiedModel result = certify_models({&model, 1}, dataset, o)[0];
    EXPECT_EQ(result.images, 200U);
    EXPECT_EQ(result.bad_rows, 0U);
    const auto rows = rows_of(result.table);
    ASSERT_EQ(rows.size(), 201U);
    EXPECT_THAT(rows[0],
                testing::ElementsAre("image", "label", "predicted", "hits", "bound", "radius"));
    std::vector<double> correct;
    std::uint64_t abstained = 0;
    for (int red = 0; red < 200; ++red) {
        const auto& row = rows[static_cast<std::size_t>(red) + 1];
        const double distance = 2 * (red - 128.5) / 255;
        const double p = normal_cdf(std::abs(distance) / o.sigma);
        if (row[2].empty()) {
            ++abstained;
            EXPECT_LT(p, .6) << red;
            continue;
        }
        // Near the boundary the selection may take the other class.
        if (p > .7) {
            EXPECT_EQ(row[2], distance > 0 ? "0" : "1") << red;
        }
        const double hits = std::stod(row[3]), expected = p * o.samples;
        EXPECT_NEAR(hits, expected, 4.5 * std::sqrt(expected * (1 - p)) + .5) << red;
        const double radius = std::stod(row[5]);
        EXPECT_LE(radius, std::abs(distance)) << red;
        EXPECT_NEAR(radius, *certified_radius(std::stoull(row[3]), o.samples, o.alpha, o.sigma),
                    1e-12);
        if (row[2] == "0") correct.push_back(radius);
    }
    EXPECT_GT(abstained, 0U);
    EXPECT_EQ(*result.abstained.value, static_cast<double>(abstained) / 200);
    double sum = 0;
    for (const double radius : correct) sum += radius;
    EXPECT_NEAR(*result.mean_radius.value, sum / 200, 1e-12);
    ASSERT_GT(result.curve.size(), 4U);
    EXPECT_EQ(result.curve[0].radius, 0);
    EXPECT_EQ(result.curve[0].certified, correct.size());
    for (const CertifiedPoint& point : result.curve) {
        EXPECT_EQ(point.certified,
                  std::ranges::count_if(correct, [&](double r) { return r >= point.radius; }));
        const Interval wilsons = wilson(point.certified, 200);
        EXPECT_EQ(point.accuracy.interval->low, wilsons.low);
        EXPECT_EQ(point.accuracy.interval->high, wilsons.high);
    }
}

TEST_F(Certify, ThreadsBatchesAndResumingChangeNoBit) {
    const Dataset dataset = images(40);
    CertifyOptions o = certify_options("first");
    o.samples = 101;
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    const CertifiedModel first = certify_models({&model, 1}, dataset, o)[0];
    const auto same = [&](const CertifiedModel& other) {
        EXPECT_EQ(kept(other.store), kept(first.store));
        EXPECT_EQ(kept(other.selection_store), kept(first.selection_store));
        EXPECT_EQ(read_text(other.table), read_text(first.table));
    };
    o.predict = options("second");
    o.predict.threads = 3;
    o.predict.batch_size = 7;
    same(certify_models({&model, 1}, dataset, o)[0]);

    o.predict = options("stopped");
    const auto classifier = std::make_shared<RedClassifier>();
    const LoadedModel stopping = red_model("m", classifier);
    classifier->stop_after = 40 * 100 + 20 * 101;  // half of the second store
    EXPECT_THAT(message_of(
                    [&] {
                        certify_models({&stopping, 1}, dataset, o);
                    },
                    ErrorCode::interrupted),
                HasSubstr("20 of 40 images"));
    classifier->stop_after = std::numeric_limits<std::size_t>::max();
    const std::size_t before = classifier->scored;
    same(certify_models({&stopping, 1}, dataset, o)[0]);
    EXPECT_LT(classifier->scored - before, 40U * 101U);

    // A sample of the images has the same noise.
    Dataset some = dataset;
    some.ids = {};
    some.labels = {};
    some.ids.append(dataset.ids[30]);
    const std::int32_t label = 0;
    some.labels.append({&label, 1});
    o.predict = options("some");
    const auto scores = kept(first.store);
    EXPECT_EQ(kept(certify_models({&model, 1}, some, o)[0].store),
              std::vector<float>(scores.begin() + 60, scores.begin() + 62));
}

TEST_F(Certify, AnotherSeedOrSigmaIsAnotherNoise) {
    const Dataset dataset = images(140);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    CertifyOptions o = certify_options("a");
    o.samples = 200;
    const auto first = kept(certify_models({&model, 1}, dataset, o)[0].store);
    o.seed = 1;
    const CertifiedModel other = certify_models({&model, 1}, dataset, o)[0];
    EXPECT_EQ(other.store.filename(), "m@smoothed-0.25-200-seed1");
    EXPECT_NE(kept(other.store), first);
    o.seed = 0;
    o.sigma = .5;
    const CertifiedModel wide = certify_models({&model, 1}, dataset, o)[0];
    EXPECT_EQ(wide.store.filename(), "m@smoothed-0.5-200");
    EXPECT_EQ(wide.selection_store.filename(), "m@smoothed-0.5-100-selection");
}

TEST_F(Certify, AnotherAlphaOrSelectionHasItsOwnTable) {
    const Dataset dataset = images(140);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    CertifyOptions o = certify_options("a");
    o.samples = 200;
    const CertifiedModel first = certify_models({&model, 1}, dataset, o)[0];
    const std::string before = read_text(first.table);
    EXPECT_EQ(first.table.filename(), "certified-100-alpha0.001.csv");
    o.alpha = .05;
    const CertifiedModel other = certify_models({&model, 1}, dataset, o)[0];
    EXPECT_EQ(other.store, first.store);
    EXPECT_EQ(other.table.filename(), "certified-100-alpha0.05.csv");
    EXPECT_NE(read_text(other.table), before);
    EXPECT_EQ(read_text(first.table), before);
}

TEST_F(Certify, AnotherOutputOfTheFileIsAnotherFunction) {
    const Dataset dataset = images(20);
    LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    CertifyOptions o = certify_options("a");
    o.samples = 20;
    certify_models({&model, 1}, dataset, o);
    const auto changed = [&](auto&& change) {
        LoadedModel other = model;
        change(other.spec);
        return message_of([&] { certify_models({&other, 1}, dataset, o); }, ErrorCode::bad_input);
    };
    EXPECT_THAT(changed([](ModelSpec& s) { s.output = "1"; }), HasSubstr("m@smoothed-0.25-100"));
    EXPECT_THAT(changed([](ModelSpec& s) { s.layout = InputLayout::nhwc; }),
                HasSubstr("m@smoothed-0.25-100"));
}

TEST_F(Certify, AModelThatMixesABatchGetsOneCopyAtATime) {
    const Dataset dataset = images(3);
    LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    model.trial = std::make_shared<TrialMemory>();
    model.trial->batch = 1;
    CertifyOptions o = certify_options("a");
    o.samples = 20;
    const CertifiedModel result = certify_models({&model, 1}, dataset, o)[0];
    const auto record =
        nlohmann::json::parse(PredictionStore::open(result.store).spec().provenance_json);
    EXPECT_EQ(record["scored_by"]["smoothed"]["together"], 1);
}

TEST_F(Certify, ScoresThatAreNotFiniteCountForNoClass) {
    const Dataset dataset = images(200);
    const auto classifier = std::make_shared<RedClassifier>();
    classifier->nan_below = 1;  // half of the copies of a gray image
    const LoadedModel model = red_model("m", classifier);
    CertifyOptions o = certify_options("runs");
    o.samples = 500;
    const CertifiedModel result = certify_models({&model, 1}, dataset, o)[0];
    for (const float share : kept(result.store)) EXPECT_LE(share, 1.0F);
    const auto rows = rows_of(result.table);
    EXPECT_EQ(rows[130][2], "") << "fewer than half of the copies have a class";
    EXPECT_EQ(rows[20][2], "1");
}

TEST_F(Certify, TheStoreIsTheModelSmoothed) {
    const Dataset dataset = images(140);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    CertifyOptions o = certify_options("runs");
    o.samples = 200;
    const auto results = certify_models({&model, 1}, dataset, o);
    const PredictionStore store = PredictionStore::open(results[0].store);
    const DerivedStore derived = derived_of(store);
    EXPECT_EQ(derived.model, "m");
    EXPECT_TRUE(derived.is_variant());
    EXPECT_EQ(describe(derived), "smoothed (sigma 0.25, 200 copies)");
    const Report report = report_of(results, o);
    EXPECT_EQ(report.result["schema"], "assay.certify/1");
    EXPECT_EQ(report.result["models"][0]["curve"][0]["radius"], 0);
    EXPECT_FALSE(report.partial);
}

TEST_F(Certify, SaysWhatIsAllowed) {
    const Dataset dataset = images(3);
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    const auto said = [&](auto&& change) {
        CertifyOptions o = certify_options("runs");
        change(o);
        return message_of([&] { certify_models({&model, 1}, dataset, o); }, ErrorCode::usage);
    };
    EXPECT_THAT(said([](CertifyOptions& o) { o.sigma = 0; }), HasSubstr("sigma is 0"));
    // .001^(1/9) = .464, .001^(1/10) = .501
    EXPECT_THAT(said([](CertifyOptions& o) { o.samples = 9; }), HasSubstr("Pass --samples 10000"));
    EXPECT_THAT(
        said([](CertifyOptions& o) { o.predict.storage.storage = StorageFormat::full_f16; }),
        HasSubstr("--storage full"));
    EXPECT_FALSE(fs::exists(scratch_ / "runs"));
}

TEST_F(Certify, WithoutLabelsThereAreRadiiAndNoAccuracy) {
    Dataset dataset = images(140);
    dataset.labels = {};
    for (int i = 0; i < 140; ++i) dataset.labels.append({});
    const LoadedModel model = red_model("m", std::make_shared<RedClassifier>());
    CertifyOptions o = certify_options("runs");
    o.samples = 200;
    const auto results = certify_models({&model, 1}, dataset, o);
    EXPECT_EQ(results[0].images, 0U);
    EXPECT_FALSE(results[0].curve[0].accuracy.value);
    EXPECT_EQ(results[0].curve[0].accuracy.undefined, "no image has one label and a result");
    EXPECT_FALSE(results[0].mean_radius.value);
    EXPECT_NE(rows_of(results[0].table)[1][5], "");
}

}  // namespace
}  // namespace assay
