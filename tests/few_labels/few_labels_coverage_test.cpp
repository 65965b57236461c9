// The coverage of the intervals over samples of simulated pools. The simulations were defined
// before the first run.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>

#include "../evaluate/saved_scores.h"
#include "few_labels/measured.h"

namespace assay::few_labels {
namespace {

struct PoolWorld {
    const char* name;
    std::size_t classes, classifiers;
    /// The logit of the first classifier's accuracy on an image of average difficulty, and how much
    /// lower it is for each next one.
    double best, step;
    double spread;      ///< standard deviation of the images' difficulty
    double surprising;  ///< proportion of images with confident errors
    double redrawn;     ///< for two versions, the proportion of images on which the second is drawn
                        ///< independently; 0: all
};
constexpr std::size_t pool_images = 4000;
constexpr int draws = 300;

constexpr PoolWorld worlds[] = {
    {"plain", 100, 5, 1.4, 0.4, 1.8, 0, 0},
    {"shift", 100, 5, 1.4, 0.4, 1.8, 0.25, 0},
    {"near1", 10, 3, 6.0, 0.5, 1.8, 0, 0},
    {"close", 100, 2, 1.4, 0.02, 1.8, 0, 0.1},
    // Confidence and truth are unrelated, and there is one classifier.
    {"alone", 100, 1, 0.8, 0, 0.0, 0.5, 0},
};

struct MadePool {
    std::vector<std::int32_t> truth;
    std::vector<std::vector<std::int32_t>> labels;
    std::vector<std::vector<float>> confidences;
};

MadePool made_pool(const PoolWorld& world, std::uint64_t seed) {
    MadePool out;
    out.labels.resize(world.classifiers);
    out.confidences.resize(world.classifiers);
    for (std::size_t i = 0; i < pool_images; ++i) {
        RandomStream random(seed, world.name, i);
        const auto classes = static_cast<std::uint64_t>(world.classes);
        const auto truth = static_cast<std::int32_t>(random.below(classes));
        const auto rival = static_cast<std::int32_t>(
            (static_cast<std::uint64_t>(truth) + 1 + random.below(classes - 1)) % classes);
        const double difficulty = world.spread * random.normal();
        const bool surprising = random.uniform() < world.surprising;
        out.truth.push_back(truth);
        for (std::size_t m = 0; m < world.classifiers; ++m) {
            const double p =
                1 /
                (1 + std::exp(-(world.best - world.step * static_cast<double>(m) + difficulty)));
            const bool again = m == 0 || world.redrawn == 0 || random.uniform() < world.redrawn;
            if (!again) {
                out.labels[m].push_back(out.labels[0].back());
                out.confidences[m].push_back(out.confidences[0].back());
                continue;
            }
            const bool correct = random.uniform() < (surprising ? 0.4 : p);
            out.labels[m].push_back(correct ? truth
                                    : random.uniform() < 0.5
                                        ? rival
                                        : static_cast<std::int32_t>(random.below(classes)));
            out.confidences[m].push_back(
                static_cast<float>(surprising ? 0.9 + 0.09 * random.uniform() : std::max(p, 0.02)));
        }
    }
    return out;
}

PredictionStore saved_pool(const Scratch& folder, const PoolWorld& world, const MadePool& pool,
                           std::size_t m) {
    Made made;
    made.classes = world.classes;
    made.kind = ScoreKind::probabilities;
    const auto others = static_cast<float>(world.classes - 1);
    for (std::size_t i = 0; i < pool_images; ++i) {
        made.labels.push_back({});
        const float p = std::max(pool.confidences[m][i], 1.5F / others);
        for (std::size_t c = 0; c < world.classes; ++c)
            made.scores.push_back(
                static_cast<std::int32_t>(c) == pool.labels[m][i] ? p : (1 - p) / others);
    }
    return save(folder, made, fmt::format("m{}", m), StorageFormat::label, pool_images);
}

struct Held {
    double accuracies = 0, differences = 0, half = 0;
    int of_accuracies = 0, of_differences = 0;
};

/// Which images a competition has settled before the sample is drawn. Of each pair of classifiers,
/// it selects the 30 images on which they disagree and the smaller confidence is highest.
enum class SettledPart {
    none,
    all,
    /// Only images on which the first classifier is correct. This selection depends on the truth.
    favourable,
};

std::vector<std::uint64_t> settled_images(const MadePool& made, SettledPart part) {
    std::set<std::uint64_t> out;
    const std::size_t models = part == SettledPart::none ? 0 : made.labels.size();
    for (std::size_t a = 0; a < models; ++a) {
        for (std::size_t b = a + 1; b < models; ++b) {
            std::vector<std::pair<float, std::uint64_t>> list;
            for (std::size_t i = 0; i < pool_images; ++i)
                if (made.labels[a][i] != made.labels[b][i])
                    list.emplace_back(-std::min(made.confidences[a][i], made.confidences[b][i]), i);
            std::ranges::sort(list);
            list.resize(std::min<std::size_t>(list.size(), 30));
            for (const auto& [confidence, i] : list)
                if (part == SettledPart::all || made.labels[0][i] == made.truth[i]) out.insert(i);
        }
    }
    return {out.begin(), out.end()};
}

/// What people who never err say about the images of a sample.
Judgements judged(const Sample& sample, const MadePool& made) {
    Judgements said;
    for (const auto* some : {&sample.images, &sample.settled}) {
        for (const SampledImage& image : *some) {
            Judgement one;
            one.state = Judgement::State::judged;
            for (const std::int32_t label : image.predictions.labels)
                one.correct.push_back(label == made.truth[image.row] ? 1 : 0);
            one.classes = {made.truth[image.row]};
            said.of.push_back(std::move(one));
        }
    }
    return said;
}

bool holds(const Estimate& one, double value) {
    return one.interval->low <= value + 1e-9 && value <= one.interval->high + 1e-9;
}

Held held(const Pool& pool, const MadePool& made, std::uint64_t labels,
          const std::vector<std::uint64_t>& settled = {}) {
    const std::size_t models = made.labels.size();
    std::vector<double> truth(models, 0);
    for (std::size_t m = 0; m < models; ++m)
        for (std::size_t i = 0; i < pool_images; ++i)
            truth[m] += made.labels[m][i] == made.truth[i] ? 1.0 / pool_images : 0;
    const Strata strata(pool, Purpose::both, strata_for(labels), 1, {}, Strata::sorted_at_most,
                        settled);
    const auto allocated = allocate(strata.totals(), strata.images(), labels);
    Held out;
    for (int seed = 0; seed < draws; ++seed) {
        const Sample sample =
            draw(pool, strata, allocated, static_cast<std::uint64_t>(seed), 1, {});
        const Judgements said = judged(sample, made);
        EstimateOptions options;
        options.threads = 1;
        PoolEstimate result;
        measure_sample({&pool, &strata, &sample}, said, options, Purpose::both, result);
        for (std::size_t m = 0; m < models; ++m) {
            out.accuracies += holds(result.classifiers[m].accuracy, truth[m]) ? 1 : 0;
            out.half += half_width(result.classifiers[m].accuracy);
            ++out.of_accuracies;
        }
        std::size_t pair = 0;
        for (std::size_t a = 0; a < models; ++a) {
            for (std::size_t b = a + 1; b < models; ++b, ++pair) {
                out.differences +=
                    holds(result.pairs[pair].difference, truth[a] - truth[b]) ? 1 : 0;
                ++out.of_differences;
            }
        }
    }
    out.accuracies /= out.of_accuracies;
    out.half /= out.of_accuracies;
    if (out.of_differences > 0) out.differences /= out.of_differences;
    return out;
}

struct HeldByClass {
    double recall = 0, precision = 0, half_recall = 0, half_precision = 0;
    int of_recall = 0, of_precision = 0;
};

/// Of the classes with at least ten labels.
HeldByClass held_by_class(const Pool& pool, const MadePool& made, std::uint64_t labels) {
    const std::size_t models = made.labels.size();
    // By model, and class: images of the class, images predicted as the class, and those of both.
    struct Counts {
        double images = 0, predicted = 0, right = 0;
    };
    std::vector<std::map<std::string, Counts>> truth(models);
    for (std::size_t m = 0; m < models; ++m) {
        for (std::size_t i = 0; i < pool_images; ++i) {
            ++truth[m][fmt::format("c{}", made.truth[i])].images;
            Counts& predicted = truth[m][fmt::format("c{}", made.labels[m][i])];
            ++predicted.predicted;
            predicted.right += made.labels[m][i] == made.truth[i] ? 1 : 0;
        }
    }
    const Strata strata(pool, Purpose::both, strata_for(labels), 1, {});
    const auto allocated = allocate(strata.totals(), strata.images(), labels);
    HeldByClass out;
    for (int seed = 0; seed < draws; ++seed) {
        const Sample sample =
            draw(pool, strata, allocated, static_cast<std::uint64_t>(seed), 1, {});
        EstimateOptions options;
        options.threads = 1;
        options.per_class = true;
        PoolEstimate result;
        measure_sample({&pool, &strata, &sample}, judged(sample, made), options, Purpose::both,
                       result);
        for (std::size_t i = 0; i < result.classes.size(); ++i) {
            const EstimatedClass& one = result.classes[i];
            const Counts& true_one = truth[i % models][one.cls];
            if (one.recall.value) {
                out.recall += holds(one.recall, true_one.right / true_one.images) ? 1 : 0;
                out.half_recall += half_width(one.recall);
                ++out.of_recall;
            }
            if (one.precision.value) {
                EXPECT_EQ(*one.predicted, true_one.predicted);
                out.precision += holds(one.precision, true_one.right / true_one.predicted) ? 1 : 0;
                out.half_precision += half_width(one.precision);
                ++out.of_precision;
            }
        }
    }
    out.recall /= out.of_recall;
    out.half_recall /= out.of_recall;
    out.precision /= out.of_precision;
    out.half_precision /= out.of_precision;
    return out;
}

// The worlds above with ten classes: with a hundred, no class has ten of 200 labels.
TEST(FewLabelsCoverage, IntervalsOfClassesHoldTheTruth) {
    for (PoolWorld world : std::span(worlds).first(4)) {
        world.classes = 10;
        const Scratch folder;
        const MadePool made = made_pool(world, 1);
        std::vector<PredictionStore> stores;
        for (std::size_t m = 0; m < world.classifiers; ++m)
            stores.push_back(saved_pool(folder, world, made, m));
        const Pool pool(std::move(stores));
        for (const std::uint64_t labels : {200U, 1000U}) {
            const HeldByClass found = held_by_class(pool, made, labels);
            SCOPED_TRACE(fmt::format("{} {}", world.name, labels));
            std::printf(
                "%s, %d labels: recall %.3f (half-width %.4f, %d), precision %.3f (half-width "
                "%.4f, %d)\n",
                world.name, static_cast<int>(labels), found.recall, found.half_recall,
                found.of_recall, found.precision, found.half_precision, found.of_precision);
            const double least = 0.93 - 2.5 * std::sqrt(0.05 * 0.95 / draws);
            EXPECT_GE(found.recall, least);
            EXPECT_GE(found.precision, least);
        }
    }
}

TEST(FewLabelsCoverage, IntervalsHoldTheTruth) {
    for (const PoolWorld& world : worlds) {
        const Scratch folder;
        const MadePool made = made_pool(world, 1);
        std::vector<PredictionStore> stores;
        for (std::size_t m = 0; m < world.classifiers; ++m)
            stores.push_back(saved_pool(folder, world, made, m));
        const Pool pool(std::move(stores));
        for (const std::uint64_t labels : {50U, 200U}) {
            const Held found = held(pool, made, labels);
            SCOPED_TRACE(fmt::format("{} {}", world.name, labels));
            std::printf("%s, %d labels: accuracies %.3f (half-width %.4f), differences %.3f\n",
                        world.name, static_cast<int>(labels), found.accuracies, found.half,
                        found.differences);
            // The estimates share the sample, so their mean is no more precise than one of them.
            const double least = 0.93 - 2.5 * std::sqrt(0.05 * 0.95 / draws);
            EXPECT_GE(found.accuracies, least);
            if (world.classifiers > 1) {
                EXPECT_GE(found.differences, least);
            }
        }
    }
}

TEST(FewLabelsCoverage, IntervalsHoldBesideSettledImages) {
    for (const PoolWorld& world : std::span(worlds).first(3)) {
        const Scratch folder;
        const MadePool made = made_pool(world, 1);
        std::vector<PredictionStore> stores;
        for (std::size_t m = 0; m < world.classifiers; ++m)
            stores.push_back(saved_pool(folder, world, made, m));
        const Pool pool(std::move(stores));
        for (const SettledPart part : {SettledPart::all, SettledPart::favourable}) {
            const std::vector<std::uint64_t> settled = settled_images(made, part);
            for (const std::uint64_t labels : {50U, 200U, 1000U}) {
                const Held found = held(pool, made, labels, settled);
                const char* name = part == SettledPart::all ? "all" : "favourable";
                SCOPED_TRACE(fmt::format("{} {} {}", world.name, name, labels));
                std::printf(
                    "%s, %d settled (%s), %d labels: accuracies %.3f (half-width %.4f), "
                    "differences %.3f\n",
                    world.name, static_cast<int>(settled.size()), name, static_cast<int>(labels),
                    found.accuracies, found.half, found.differences);
                const double least = 0.93 - 2.5 * std::sqrt(0.05 * 0.95 / draws);
                EXPECT_GE(found.accuracies, least);
                EXPECT_GE(found.differences, least);
            }
        }
    }
}

}  // namespace
}  // namespace assay::few_labels
