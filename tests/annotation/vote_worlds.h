// Synthetic data sets ("worlds") of images, models and annotators with known truth. Every image has
// a true label set, and annotators make errors. They were defined before the estimator was run on
// them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "annotation/true_sets/set_values.h"
#include "core/random.h"

namespace assay::true_sets::worlds {

/// The range of a probability, which is drawn for each annotator in every simulated data
/// set.
struct Span {
    double low = .85, high = .95;
    double at(double u) const { return low + (high - low) * u; }
};

struct World {
    std::string name;
    std::size_t images = 500;
    /// An integer property of an image: one of these numbers, with equal probability.
    std::vector<std::size_t> candidates = {5};
    std::vector<double> sizes = {.05, .60, .20, .10, .05};  ///< P(g valid labels)
    std::vector<int> subgroups = {1, 2, 3, 4};
    /// How much higher a model scores a valid class, in standard deviations of its noise. Half of
    /// this noise (as a variance) is common to all models. 2.4 and 1.925 give ReaL .895 and .833.
    std::vector<double> models = {2.4, 1.925};
    std::size_t annotators = 12;
    std::vector<std::size_t> votes = {5};  ///< per question, equally likely
    Span sensitivity, specificity;
    double spammers = 0;       ///< the proportion of annotators who answer at random
    bool same_people = false;  ///< the first annotators answer all questions
    double maybe = 0;     ///< the proportion of answers that become "maybe"; 0: only two answers
    double activity = 0;  ///< the work of annotator a is proportional to (a + 1)^-activity
};

inline std::vector<World> all() {
    const Span good, mid{.75, .85}, poor{.65, .75}, three{.8, .9}, some{.75, .9};
    std::vector<World> out = {
        {.name = "good5"},
        {.name = "mid3", .votes = {3}, .sensitivity = mid, .specificity = mid},
        {.name = "poor5", .sensitivity = poor, .specificity = poor},
        {.name = "poor10", .votes = {10}, .sensitivity = poor, .specificity = poor},
        {.name = "spam5", .sensitivity = good, .specificity = good, .spammers = .3},
        {.name = "timid3", .votes = {3}, .sensitivity = {.6, .8}, .specificity = {.93, .99}},
        {.name = "three",
         .annotators = 3,
         .votes = {3},
         .sensitivity = three,
         .specificity = three,
         .same_people = true},
        {.name = "small", .images = 250, .votes = {3}, .sensitivity = some, .specificity = some},
    };
    // Two harder worlds. In the first, numbers of questions vary, there are three models, and many
    // annotators of unequal activity also answer "maybe". In the second, images have ten
    // candidates, and subgroups have a dozen images.
    out.push_back({.name = "uneven",
                   .images = 600,
                   .candidates = {2, 3, 4, 5, 6, 7, 8},
                   .subgroups = {1, 2, 3},
                   .models = {2.4, 2.1, 1.6},
                   .annotators = 40,
                   .votes = {2, 3, 4, 5},
                   .sensitivity = {.7, .95},
                   .specificity = {.7, .95},
                   .maybe = .15,
                   .activity = 1});
    out.push_back({.name = "rare",
                   .images = 400,
                   .candidates = {10},
                   .sizes = {.15, .68, .12, .05},
                   .subgroups = {1, 2, 3},
                   .models = {2.6, 2.2},
                   .annotators = 20,
                   .votes = {3},
                   .sensitivity = some,
                   .specificity = {.8, .95}});
    return out;
}

/// An image. Its candidate classes 0 .. g - 1 are valid.
struct Image {
    std::size_t candidates = 0, valid = 0;
    std::vector<std::vector<std::size_t>> rank;  ///< scores of each candidate, by model
};

inline std::size_t one_of(const std::vector<double>& weights, double u) {
    double sum = std::accumulate(weights.begin(), weights.end(), 0.0) * u;
    for (std::size_t i = 0; i + 1 < weights.size(); ++i) {
        if (sum < weights[i]) return i;
        sum -= weights[i];
    }
    return weights.size() - 1;
}

inline Image drawn_image(const World& world, RandomStream& random) {
    Image out;
    out.candidates = world.candidates[random.below(world.candidates.size())];
    out.valid = std::min(one_of(world.sizes, random.uniform()), out.candidates);
    const double clear = std::exp(.3 * random.normal());
    std::vector<double> shared(out.candidates);
    for (double& s : shared) s = random.normal();
    for (const double more : world.models) {
        std::vector<double> score(out.candidates);
        for (std::size_t c = 0; c < out.candidates; ++c)
            score[c] =
                (c < out.valid ? more * clear : 0) + std::sqrt(.5) * (shared[c] + random.normal());
        auto& rank = out.rank.emplace_back();
        for (const double s : score)
            rank.push_back(static_cast<std::size_t>(
                std::count_if(score.begin(), score.end(), [&](double o) { return o > s; })));
    }
    return out;
}

/// What one image contributes by its true label set.
inline void add_true_pieces(const World& world, const Image& image, std::size_t model,
                            std::span<double> pieces) {
    std::vector<std::int32_t> set(image.valid), best(image.candidates);
    std::iota(set.begin(), set.end(), 0);
    for (std::size_t c = 0; c < image.candidates; ++c)
        best[image.rank[model][c]] = static_cast<std::int32_t>(c);
    add_pieces(set, best, world.subgroups, pieces);
}

/// The true metrics, from the true label sets of 60,000 images.
inline ByMetric truth_of(const World& world) {
    RandomStream random(1, "true sets " + world.name);
    const std::size_t p = piece_count(world.subgroups);
    std::vector<double> sums(world.models.size() * p);
    for (int i = 0; i < 60'000; ++i) {
        const Image image = drawn_image(world, random);
        for (std::size_t m = 0; m < world.models.size(); ++m)
            add_true_pieces(world, image, m, std::span(sums).subspan(m * p, p));
    }
    ByMetric out;
    for (std::size_t m = 0; m < world.models.size(); ++m)
        out.push_back(values_of(std::span(sums).subspan(m * p, p)));
    return out;
}

struct Seen {
    AskedImages asked;
    std::vector<Image> images;
};

inline Seen drawn(const World& world, std::uint64_t draw) {
    RandomStream random(draw + 1, "votes " + world.name);
    Seen out;
    AskedImages& asked = out.asked;
    asked.annotators = static_cast<std::uint32_t>(world.annotators);
    asked.answers = world.maybe > 0 ? 3 : 2;
    asked.models = static_cast<std::uint32_t>(world.models.size());
    std::vector<double> sensitivity, specificity, activity;
    for (std::size_t a = 0; a < world.annotators; ++a) {
        const bool random_answers = random.uniform() < world.spammers;
        const double yes = world.sensitivity.at(random.uniform()),
                     no = world.specificity.at(random.uniform());
        sensitivity.push_back(random_answers ? .5 : yes);
        specificity.push_back(random_answers ? .5 : no);
        activity.push_back(std::pow(static_cast<double>(a + 1), -world.activity));
    }
    const std::uint16_t below = static_cast<std::uint16_t>(world.subgroups.back());
    std::vector<Agreement> agreement;
    for (std::size_t i = 0; i < world.images; ++i) {
        const Image& image = out.images.emplace_back(drawn_image(world, random));
        for (std::size_t c = 0; c < image.candidates; ++c) {
            std::vector<double> free = activity;
            const std::size_t votes = world.votes[random.below(world.votes.size())];
            for (std::size_t v = 0; v < votes; ++v) {
                const std::size_t a = world.same_people ? v : one_of(free, random.uniform());
                free[a] = 0;
                const bool valid = c < image.valid;
                bool yes = random.uniform() < (valid ? sensitivity[a] : 1 - specificity[a]);
                std::uint32_t answer = yes ? asked.answers - 1 : 0;
                if (world.maybe > 0 && random.uniform() < world.maybe) answer = 1;
                asked.codes.push_back(static_cast<std::uint32_t>(a) * asked.answers + answer);
            }
            asked.votes_begin.push_back(asked.codes.size());
            for (const auto& rank : image.rank)
                asked.rank.push_back(std::min(static_cast<std::uint16_t>(rank[c]), below));
        }
        asked.begin.push_back(static_cast<std::uint32_t>(asked.votes_begin.size() - 1));
        std::vector<std::vector<std::int32_t>> best;
        for (const auto& rank : image.rank) {
            auto& list = best.emplace_back(rank.size());
            for (std::size_t c = 0; c < rank.size(); ++c)
                list[rank[c]] = static_cast<std::int32_t>(c);
        }
        agreement.push_back(agreement_of(best));
    }
    asked.cell = cells_of(asked, agreement);
    return out;
}

}  // namespace assay::true_sets::worlds
