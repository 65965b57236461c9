// The frequency of alarms over sequences of simulated pools, without a change and after a drop. The
// simulations were defined before the first run.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "assay/few_labels/drift.h"
#include "assay/store/memory_store.h"
#include "core/random.h"
#include "core/statistics.h"
#include "few_labels/change.h"
#include "few_labels/measured.h"

namespace assay::few_labels {
namespace {

constexpr std::size_t pool_images = 2000, models = 2, classes = 20;
constexpr std::uint64_t pools = 12, labels = 200;

struct DriftWorld {
    const char* name;
    double middle;  ///< logit of the accuracy on an image of average difficulty
    double spread;
};
constexpr DriftWorld drift_worlds[] = {{"plain", 1.2, 1.5}, {"near1", 5.0, 1.5}};

double correct_probability(const DriftWorld& world, std::size_t model, double difficulty) {
    return 1 / (1 + std::exp(-(world.middle - 0.3 * static_cast<double>(model) + difficulty)));
}

/// The accuracy of a model on all images of a world.
double accuracy_of(const DriftWorld& world, std::size_t model) {
    constexpr int points = 2000;
    double sum = 0;
    for (int i = 0; i < points; ++i) {
        const double difficulty = world.spread * normal_quantile((i + 0.5) / points);
        sum += correct_probability(world, model, difficulty);
    }
    return sum / points;
}

/// The estimate for a simulated pool of images, in which the accuracy of each model is lower by
/// `fall`: correct predictions become wrong with the same probability for all images.
PoolEstimate estimated_pool(const DriftWorld& world, std::uint64_t seed, double fall,
                            double level) {
    std::vector<std::vector<float>> scores(models);
    std::vector<std::int32_t> truth;
    std::vector<double> lost;
    for (std::size_t m = 0; m < models; ++m)
        lost.push_back(fall > 0 ? fall / accuracy_of(world, m) : 0);
    for (std::size_t i = 0; i < pool_images; ++i) {
        RandomStream random(seed, world.name, i);
        const auto correct_class = static_cast<std::int32_t>(random.below(classes));
        const double difficulty = world.spread * random.normal();
        truth.push_back(correct_class);
        for (std::size_t m = 0; m < models; ++m) {
            const double p = correct_probability(world, m, difficulty);
            const bool correct = random.uniform() < p && random.uniform() >= lost[m];
            const auto label = correct
                                   ? correct_class
                                   : static_cast<std::int32_t>(
                                         (correct_class + 1 + random.below(classes - 1)) % classes);
            const auto confidence = static_cast<float>(std::max(p, 0.1));
            for (std::size_t c = 0; c < classes; ++c)
                scores[m].push_back(static_cast<std::int32_t>(c) == label
                                        ? confidence
                                        : (1 - confidence) / static_cast<float>(classes - 1));
        }
    }
    std::vector<PredictionStore> stores;
    for (std::size_t m = 0; m < models; ++m) {
        MemoryStoreOptions options;
        options.kind = ScoreKind::probabilities;
        options.model_name = m == 0 ? "a" : "b";
        options.threads = 1;
        stores.push_back(PredictionStore::in_memory({.data = scores[m].data(),
                                                     .rows = pool_images,
                                                     .columns = classes,
                                                     .row_stride = classes * sizeof(float),
                                                     .column_stride = sizeof(float)},
                                                    options));
    }
    const Pool pool(std::move(stores));
    const Strata strata(pool, Purpose::both, strata_for(labels), 1, {});
    const Sample sample =
        draw(pool, strata, allocate(strata.totals(), strata.images(), labels), seed, 1, {});
    Judgements said;
    for (const SampledImage& image : sample.images) {
        Judgement one{Judgement::State::judged, {}, {}};
        for (const std::int32_t label : image.predictions.labels)
            one.correct.push_back(label == truth[image.row] ? 1 : 0);
        said.of.push_back(std::move(one));
    }
    EstimateOptions options;
    options.threads = 1;
    options.level = level;
    PoolEstimate out;
    out.images = pool_images;
    measure_sample({&pool, &strata, &sample}, said, options, Purpose::both, out);
    return out;
}

bool alarmed(const PoolEstimate& before, const PoolEstimate& now, double level) {
    for (std::size_t m = 0; m < models; ++m) {
        const Estimate change =
            change_of(before.classifiers[m].accuracy, pool_images, now.classifiers[m].accuracy,
                      pool_images, normal_quantile(0.5 + level / 2), level);
        if (change.interval->low > 0 || change.interval->high < 0) return true;
    }
    return false;
}

TEST(DriftCoverage, FewFalseAlarmsAndFallsAreFound) {
    // ASSAY_SEQUENCES=1000 gives the figures of docs/few-labels.md.
    const char* const asked = std::getenv("ASSAY_SEQUENCES");
    const int sequences = asked != nullptr ? std::atoi(asked) : 60;
    const double level = shared_level(0.95, static_cast<double>(pools * models));
    for (const DriftWorld& world : drift_worlds) {
        int sequences_with_alarm = 0;
        std::array<int, 3> found = {};
        const std::array falls = {0.02, 0.05, 0.10};
        for (int s = 0; s < sequences; ++s) {
            const std::uint64_t seed = 1000 * static_cast<std::uint64_t>(s);
            const PoolEstimate before = estimated_pool(world, seed, 0, level);
            bool any = false;
            for (std::uint64_t k = 1; k <= pools; ++k)
                any = alarmed(before, estimated_pool(world, seed + k, 0, level), level) || any;
            sequences_with_alarm += any ? 1 : 0;
            for (std::size_t f = 0; f < falls.size(); ++f)
                found[f] +=
                    alarmed(before, estimated_pool(world, seed + 100 + f, falls[f], level), level)
                        ? 1
                        : 0;
        }
        const auto n = static_cast<double>(sequences);
        std::printf(
            "%s: false alarms in %.3f of the sequences; found after falls of 2, 5, 10 points: "
            "%.3f %.3f %.3f\n",
            world.name, sequences_with_alarm / n, found[0] / n, found[1] / n, found[2] / n);
        EXPECT_LE(sequences_with_alarm / n, 0.06 + 2 * std::sqrt(0.06 * 0.94 / n));
        EXPECT_GE(found[2] / n, found[1] / n);
        EXPECT_GT(found[2], 0);
    }
}

}  // namespace
}  // namespace assay::few_labels
