#include "mad/asking.h"

#include <algorithm>
#include <cmath>

#include "mad/small_matrix.h"

namespace assay::mad {
namespace {

constexpr double uniform_share = .1;
constexpr double known_variance = 1e-9;

/// A pair's counts plus one, scaled to its whole list.
struct WholeList {
    double first = 0, second = 0;
};

std::vector<WholeList> whole_lists(const AnsweredPlaces& answered) {
    std::vector<double> n(answered.pairs.size(), 0.0), weights = n, first = n, second = n;
    for (const AnsweredPlace& place : answered.places) {
        ++n[place.pair];
        weights[place.pair] += place.weight;
        first[place.pair] += place.first ? place.weight : 0;
        second[place.pair] += place.second ? place.weight : 0;
    }
    std::vector<WholeList> out;
    for (std::size_t p = 0; p < n.size(); ++p) {
        const double mean = n[p] > 0 ? n[p] / weights[p] : 0;
        const double list = static_cast<double>(answered.pairs[p].list) / (n[p] + 2);
        out.push_back({list * (first[p] * mean + 1), list * (second[p] * mean + 1)});
    }
    return out;
}

/// z' O z is the squared influence of z on the differences, weighted by their uncertainty.
SmallMatrix unresolved(std::size_t m, const OrderSoFar& so_far) {
    SmallMatrix out(m);
    for (std::size_t a = 0; a < m; ++a) {
        for (std::size_t b = a + 1; b < m; ++b) {
            double omega = 1;
            if (!so_far.scores.empty()) {
                const double d = so_far.scores[a] - so_far.scores[b];
                const double variance = so_far.variance.at(a, b);
                omega =
                    variance > known_variance ? std::exp(-d * d / (2 * variance)) / variance : 0;
            }
            out.add_contrast(a, b, omega);
        }
    }
    return out;
}

/// A label of an image, and the classifiers that predict it.
struct ImageLabel {
    std::uint32_t label = 0;
    std::vector<std::uint32_t> classifiers;
    double strength = 0;

    void said_by(std::uint32_t classifier) {
        if (std::find(classifiers.begin(), classifiers.end(), classifier) == classifiers.end())
            classifiers.push_back(classifier);
    }
};

ImageLabel& label_in(std::vector<ImageLabel>& labels, std::uint32_t label) {
    for (ImageLabel& one : labels)
        if (one.label == label) return one;
    ImageLabel& fresh = labels.emplace_back();
    fresh.label = label;
    return fresh;
}

}  // namespace

std::vector<double> expected_influence(std::size_t classifiers, std::size_t images,
                                       std::span<const ListedPlace> places,
                                       const AnsweredPlaces& answered, const OrderSoFar& so_far) {
    const std::vector<WholeList> lists = whole_lists(answered);
    const SmallMatrix matters = unresolved(classifiers, so_far);
    const double nobody =
        (static_cast<double>(so_far.none_correct) + .4) / (static_cast<double>(so_far.images) + 2);
    std::vector<std::vector<std::size_t>> of_image(images);
    for (std::size_t p = 0; p < places.size(); ++p) of_image[places[p].image].push_back(p);
    std::vector<double> out(images, 0.0), z(classifiers, 0.0);
    for (std::size_t g = 0; g < images; ++g) {
        std::vector<ImageLabel> labels;
        std::vector<std::uint32_t> concerned;
        for (const std::size_t p : of_image[g]) {
            const ListedPair& pair = answered.pairs[places[p].pair];
            label_in(labels, places[p].first).said_by(pair.first);
            label_in(labels, places[p].second).said_by(pair.second);
            concerned.push_back(pair.first);
            concerned.push_back(pair.second);
        }
        std::sort(concerned.begin(), concerned.end());
        concerned.erase(std::unique(concerned.begin(), concerned.end()), concerned.end());
        double all = 0;
        for (ImageLabel& one : labels) {
            for (const std::uint32_t c : one.classifiers)
                one.strength += so_far.scores.empty() ? 1 : std::exp(so_far.scores[c]);
            all += one.strength;
        }
        for (const ImageLabel& one : labels) {
            for (const std::uint32_t c : concerned) z[c] = 0;
            for (const std::size_t p : of_image[g]) {
                const ListedPair& pair = answered.pairs[places[p].pair];
                const WholeList& list = lists[places[p].pair];
                const double moved = ((places[p].first == one.label ? 1 / list.first : 0) -
                                      (places[p].second == one.label ? 1 / list.second : 0)) /
                                     static_cast<double>(classifiers);
                z[pair.first] += moved;
                z[pair.second] -= moved;
            }
            double square = 0;
            for (const std::uint32_t a : concerned) {
                for (const std::uint32_t b : concerned) square += z[a] * matters(a, b) * z[b];
            }
            out[g] += (1 - nobody) * one.strength / all * std::max(0.0, square);
        }
    }
    return out;
}

std::vector<double> draw_probabilities(std::span<const double> influence,
                                       std::span<const double> cost) {
    std::vector<double> out;
    double sum = 0;
    for (std::size_t g = 0; g < influence.size(); ++g) {
        out.push_back(std::sqrt(influence[g] / cost[g]));
        sum += out.back();
    }
    const double uniform = 1 / static_cast<double>(std::max<std::size_t>(influence.size(), 1));
    for (double& q : out)
        q = (1 - uniform_share) * (sum > 0 ? q / sum : uniform) + uniform_share * uniform;
    return out;
}

std::vector<double> inclusion_weights(std::uint64_t images, std::span<const double> probabilities) {
    const auto all = static_cast<double>(images), drawn = static_cast<double>(probabilities.size());
    std::vector<double> out;
    for (std::size_t t = 1; t <= probabilities.size(); ++t) {
        const double left = all - static_cast<double>(t);  // number left after this draw
        const double v =
            left > 0 ? 1 + (all - drawn) / left * (1 / ((left + 1) * probabilities[t - 1]) - 1) : 1;
        out.push_back(v * all / drawn);
    }
    return out;
}

}  // namespace assay::mad
