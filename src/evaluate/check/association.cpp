#include "evaluate/check/association.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/random.h"

namespace assay::checks {
namespace {

constexpr int shuffles = 999;

/// The rank quality of image j's labels by the scores of image i: 1 / (1 + classes with higher
/// scores than the best label). With this table, shuffled labels only cost a sum.
std::vector<double> reciprocal_ranks(const Scores& scores, const Sample& sample,
                                     const Dataset& dataset) {
    const std::size_t n = sample.size();
    std::vector<double> table(n * n, 0.0);
    std::vector<float> sorted;
    for (std::size_t i = 0; i < n; ++i) {
        const auto row = scores.row(i);
        // NaN has no rank. Infinite scores do: an impossible class has the logit -infinity.
        if (std::any_of(row.begin(), row.end(), [](float x) { return std::isnan(x); })) continue;
        sorted.assign(row.begin(), row.end());
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t j = 0; j < n; ++j) {
            float best = -INFINITY;
            for (const std::int32_t c : dataset.labels[sample.items[j]]) {
                if (static_cast<std::size_t>(c) < row.size())
                    best = std::max(best, row[static_cast<std::size_t>(c)]);
            }
            const auto higher = sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), best);
            table[i * n + j] = best == -INFINITY ? 0.0 : 1.0 / (1.0 + static_cast<double>(higher));
        }
    }
    return table;
}

void shuffle(std::vector<std::size_t>& order, RandomStream& random) {
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(i))]);
}

/// Proportion of label shuffles (including the true labels) that do as well as the true labels. A
/// small value means that the scores contain the labels. Differences by rounding, from another
/// order of the sum, do not count.
template <class Statistic>
double shuffle_p(std::size_t n, std::uint64_t seed, Statistic&& statistic) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const double truth = statistic(order);
    const double equal = truth - 1e-9 * std::abs(truth);
    int as_good = 1;
    for (int s = 0; s < shuffles; ++s) {
        RandomStream random(seed, "check.shuffle", static_cast<std::uint64_t>(s));
        std::iota(order.begin(), order.end(), std::size_t{0});
        shuffle(order, random);
        as_good += statistic(order) >= equal;
    }
    return as_good / (shuffles + 1.0);
}

/// Images with exactly one label.
struct SingleLabels {
    std::vector<std::size_t> at;  // indices of these images in the sample
    std::vector<std::int32_t> labels, predicted;
};

SingleLabels single_labels(const Scores& scores, const Sample& sample, const Dataset& dataset) {
    SingleLabels out;
    for (std::size_t i = 0; i < sample.size(); ++i) {
        const std::int32_t label = dataset.single_label(sample.items[i]);
        if (label < 0) continue;
        const auto row = scores.row(i);
        out.at.push_back(i);
        out.labels.push_back(label);
        out.predicted.push_back(
            static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin()));
    }
    return out;
}

/// Maps (predicted class, label) to the number of images.
using Mistakes = std::map<std::pair<std::int32_t, std::int32_t>, int>;

Mistakes mistakes_of(const SingleLabels& a, const std::vector<std::size_t>& order) {
    Mistakes table;
    for (std::size_t i = 0; i < order.size(); ++i) ++table[{a.predicted[i], a.labels[order[i]]}];
    return table;
}

/// The most frequent label among the other images with image i's predicted class, the lowest one on
/// ties; -1 without such images.
std::int32_t label_of_others(const Mistakes& table, std::int32_t predicted,
                             std::int32_t own_label) {
    std::int32_t label = -1;
    int most = 0;
    for (auto entry = table.lower_bound({predicted, INT32_MIN});
         entry != table.end() && entry->first.first == predicted; ++entry) {
        const int others = entry->second - (entry->first.second == own_label);
        if (others > most) {
            most = others;
            label = entry->first.second;
        }
    }
    return label;
}

std::string commonest_mistake(const Mistakes& table, const SingleLabels& a,
                              const Dataset& dataset) {
    const auto name = [&](std::int32_t c) {
        const auto at = static_cast<std::size_t>(c);
        return at < dataset.classes.size() ? fmt::format("{} (`{}`)", c, dataset.classes.name(at))
                                           : std::to_string(c);
    };
    int most = 0;
    std::string example;
    for (const auto& [key, count] : table) {
        const auto [predicted, label] = key;
        if (count <= most || predicted == label) continue;
        most = count;
        example = fmt::format("{} of {} images of class {} are predicted as {}", count,
                              std::count(a.labels.begin(), a.labels.end(), label), name(label),
                              name(predicted));
    }
    return example;
}

}  // namespace

double shuffled_ranks_p(const Scores& scores, const Sample& sample, const Dataset& dataset,
                        std::uint64_t seed) {
    const std::size_t n = sample.size();
    const std::vector<double> ranks = reciprocal_ranks(scores, sample, dataset);
    return shuffle_p(n, seed, [&](const std::vector<std::size_t>& order) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += ranks[i * n + order[i]];
        return sum;
    });
}

Association associate(const Scores& scores, const Sample& sample, const Dataset& dataset,
                      std::uint64_t seed) {
    Association out;
    out.correct.assign(sample.size(), 0);
    const SingleLabels a = single_labels(scores, sample, dataset);
    out.p = shuffle_p(a.labels.size(), seed, [&](const std::vector<std::size_t>& order) {
        double pairs = 0;
        for (const auto& [key, count] : mistakes_of(a, order)) pairs += count * (count - 1) / 2.0;
        return pairs;
    });
    std::vector<std::size_t> truth(a.labels.size());
    std::iota(truth.begin(), truth.end(), std::size_t{0});
    const Mistakes table = mistakes_of(a, truth);
    for (std::size_t i = 0; i < a.at.size(); ++i) {
        out.correct[a.at[i]] = label_of_others(table, a.predicted[i], a.labels[i]) == a.labels[i];
    }
    out.example = commonest_mistake(table, a, dataset);
    return out;
}

}  // namespace assay::checks
