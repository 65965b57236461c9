#include "metric/multilabel_sums.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/statistics.h"
#include "metric/agreement.h"
#include "metric/real_sum.h"

namespace assay {
namespace {

enum : std::size_t {
    set_items,
    items_predicted,  // items with a class that reaches the threshold
    items_valid,      // items with a valid class
    items_either,     // items with a predicted or valid class
    set_values        // for each ItemMean, a real sum of the values and one of their squares
};
constexpr std::size_t value_slots = std::size_t{2} * real_slots;
constexpr std::size_t set_classes = set_values + item_means * value_slots;  // from here, each:
enum : std::size_t { class_valid, class_reached, class_both, set_class_slots };

// The number of units of a value in 1.
double units_of(ItemMean which, std::uint32_t classes) {
    return which == ItemMean::hamming || which == ItemMean::coverage ? classes : 1;
}

struct Counts {
    double valid = 0, predicted = 0, both = 0;
};

// Returns no value for 0/0.
std::optional<double> ratio(SetScore which, const Counts& n) {
    const double part = which == SetScore::f1 ? 2 * n.both : n.both;
    const double whole = which == SetScore::precision ? n.predicted
                         : which == SetScore::recall  ? n.valid
                                                      : n.valid + n.predicted;
    if (whole == 0) return std::nullopt;
    return part / whole;
}

// The number of items behind a ratio.
double items_behind(SetScore which, const Counts& n) {
    return which == SetScore::precision ? n.predicted
           : which == SetScore::recall  ? n.valid
                                        : n.valid + n.predicted - n.both;
}

// A score and the values that its interval needs.
struct Scored {
    double value = 0;
    double most = 1;     // the largest possible score: classes with 0/0 count as 0
    double items = 0;    // number of draws if all agree
    double degrees = 0;  // degrees of freedom of its variance; 0 means as given by the groups
};

class ScoreOfCounts {
public:
    ScoreOfCounts(SetScore which, SetAverage average, std::uint32_t cls, std::uint32_t classes)
        : which_(which), average_(average), cls_(cls), classes_(classes) {}

    std::optional<Scored> operator()(std::span<const std::int64_t> state) const {
        if (average_ == SetAverage::one_class) return of_one(class_counts(state, cls_));
        if (average_ == SetAverage::micro) return of_micro(state);
        return of_mean(state);
    }

private:
    static Counts class_counts(std::span<const std::int64_t> state, std::uint32_t c) {
        const std::int64_t* const n = state.data() + set_classes + c * set_class_slots;
        return {static_cast<double>(n[class_valid]), static_cast<double>(n[class_reached]),
                static_cast<double>(n[class_both])};
    }

    std::optional<Scored> of_one(const Counts& n) const {
        const std::optional<double> value = ratio(which_, n);
        if (!value) return std::nullopt;
        return Scored{*value, 1, items_behind(which_, n)};
    }

    std::optional<Scored> of_micro(std::span<const std::int64_t> state) const {
        Counts all;
        for (std::uint32_t c = 0; c < classes_; ++c) {
            const Counts n = class_counts(state, c);
            all.valid += n.valid;
            all.predicted += n.predicted;
            all.both += n.both;
        }
        const std::optional<double> value = ratio(which_, all);
        if (!value) return std::nullopt;
        const std::size_t behind = which_ == SetScore::precision ? items_predicted
                                   : which_ == SetScore::recall  ? items_valid
                                                                 : items_either;
        return Scored{*value, 1, static_cast<double>(state[behind])};
    }

    std::optional<Scored> of_mean(std::span<const std::int64_t> state) const {
        double sum = 0, weights = 0, most = 0, inverse = 0, variance = 0, squares = 0;
        for (std::uint32_t c = 0; c < classes_; ++c) {
            const Counts n = class_counts(state, c);
            const double weight = average_ == SetAverage::weighted ? n.valid : 1;
            weights += weight;
            const std::optional<double> value = ratio(which_, n);
            if (!value || weight == 0) continue;
            const double items = items_behind(which_, n);
            sum += weight * *value;
            most += weight;
            inverse += weight * weight / items;
            const double part = weight * weight * *value * (1 - *value) / items;
            variance += part;
            squares += part * part / std::max(1.0, items - 1);
        }
        if (most == 0) return std::nullopt;
        return Scored{sum / weights, most / weights, most * most / inverse,
                      squares > 0 ? std::max(1.0, variance * variance / squares) : 0};
    }

    const SetScore which_;
    const SetAverage average_;
    const std::uint32_t cls_, classes_;
};

// Wilson's interval for the score without its bias, as a part of [0, most]. Means of ratios of few
// items are biased. The bias is largest if classes are weighted by the number of labels that they
// happen to have.
Interval score_interval(const Scored& score, double bias, double variance, double degrees,
                        double level) {
    const double part = std::clamp((score.value - bias) / score.most, 0.0, 1.0);
    const double spread = part * (1 - part);
    double size = score.items;
    if (variance > 0 && spread > 0)
        size = spread / ((variance + bias * bias / 2) / (score.most * score.most) +
                         2 * spread / (score.items * score.items));
    if (score.degrees > 0) degrees = std::min(degrees, score.degrees);
    const double quantile = degrees > 0 ? student_t_quantile(0.5 + level / 2, degrees)
                                        : normal_quantile(0.5 + level / 2);
    Interval interval = wilson_of_size(part, size, quantile, level, "jackknife.wilson");
    interval.low = std::min(score.value, interval.low * score.most);
    interval.high = std::max(score.value, interval.high * score.most);
    return interval;
}

}  // namespace

RankingValues ranking_values(std::span<const double> scores, std::span<const std::int32_t> valid) {
    const std::size_t g = valid.size();
    RankingValues values;
    if (g == 0) return values;
    std::vector<double> own;
    for (const std::int32_t c : valid) own.push_back(scores[static_cast<std::size_t>(c)]);
    std::sort(own.begin(), own.end());
    // Counts, by how many of the valid classes a score reaches, all classes and those that are not
    // valid.
    std::vector<std::uint64_t> all(g + 1), others(g + 1);
    std::size_t next = 0;
    for (std::size_t c = 0; c < scores.size(); ++c) {
        const auto reached = static_cast<std::size_t>(
            std::upper_bound(own.begin(), own.end(), scores[c]) - own.begin());
        ++all[reached];
        if (next < g && static_cast<std::size_t>(valid[next]) == c)
            ++next;
        else
            ++others[reached];
    }
    // Counts classes at and above the valid class k in ascending order.
    double above = 0, valid_above = 0, wrong = 0, precision = 0;
    for (std::size_t k = g; k-- > 0;) {
        above += static_cast<double>(all[k + 1]);
        valid_above += static_cast<double>(all[k + 1] - others[k + 1]);
        wrong += static_cast<double>(others[k + 1]) * static_cast<double>(k + 1);
        // Equal scores have the last of their places.
        std::size_t first = k;
        while (first > 0 && own[first - 1] == own[k]) --first;
        precision += static_cast<double>(k - first + 1) * valid_above / above;
        k = first;
    }
    values.coverage = above;
    values.ranking_loss =
        g < scores.size()
            ? wrong / (static_cast<double>(g) * static_cast<double>(scores.size() - g))
            : 0;
    values.ranking_precision = precision / static_cast<double>(g);
    return values;
}

MultilabelSums::MultilabelSums(std::uint32_t classes, bool by_class)
    : classes_(classes), by_class_(by_class), counts_(group_count * slots()) {}

std::size_t MultilabelSums::slots() const {
    return set_classes + (by_class_ ? classes_ * set_class_slots : 0);
}

void MultilabelSums::add_value(std::int64_t* state, ItemMean which, double value) const {
    std::int64_t* const to = state + set_values + static_cast<std::size_t>(which) * value_slots;
    const double unit = value / units_of(which, classes_);
    add_real(to, value);
    add_real(to + real_slots, unit * unit);
}

void MultilabelSums::add_sets(std::uint16_t g, std::span<const std::int32_t> valid,
                              std::span<const std::int32_t> predicted) {
    std::int64_t* const state = group(g);
    std::int64_t* const by_class = state + set_classes;
    const auto of = [&](std::int32_t c) {
        return by_class + static_cast<std::size_t>(c) * set_class_slots;
    };
    Counts n{static_cast<double>(valid.size()), static_cast<double>(predicted.size()), 0};
    for (const std::int32_t c : valid) ++of(c)[class_valid];
    for (const std::int32_t c : predicted) {
        ++of(c)[class_reached];
        if (!std::binary_search(valid.begin(), valid.end(), c)) continue;
        ++of(c)[class_both];
        ++n.both;
    }
    ++state[set_items];
    state[items_valid] += valid.empty() ? 0 : 1;
    state[items_predicted] += predicted.empty() ? 0 : 1;
    state[items_either] += valid.empty() && predicted.empty() ? 0 : 1;
    const double differ = n.valid + n.predicted - 2 * n.both;
    add_value(state, ItemMean::exact_match, differ == 0 ? 1 : 0);
    add_value(state, ItemMean::hamming, differ);
    add_value(state, ItemMean::precision, ratio(SetScore::precision, n).value_or(0));
    add_value(state, ItemMean::recall, ratio(SetScore::recall, n).value_or(0));
    add_value(state, ItemMean::f1, ratio(SetScore::f1, n).value_or(0));
}

void MultilabelSums::add_ranking(std::uint16_t g, const RankingValues& values) {
    std::int64_t* const state = group(g);
    ++state[set_items];
    add_value(state, ItemMean::coverage, values.coverage);
    add_value(state, ItemMean::ranking_loss, values.ranking_loss);
    add_value(state, ItemMean::ranking_precision, values.ranking_precision);
}

std::vector<std::int64_t> MultilabelSums::total() const {
    std::vector<std::int64_t> all(slots());
    for (std::size_t k = 0; k < counts_.size(); ++k) all[k % all.size()] += counts_[k];
    return all;
}

std::uint64_t MultilabelSums::items() const {
    return static_cast<std::uint64_t>(total()[set_items]);
}

std::uint32_t MultilabelSums::empty_classes() const {
    const std::vector<std::int64_t> all = total();
    std::uint32_t empty = 0;
    for (std::size_t at = set_classes; at < all.size(); at += set_class_slots)
        empty += all[at + class_valid] + all[at + class_reached] == 0 ? 1 : 0;
    return empty;
}

template <class Value>
std::vector<double> MultilabelSums::without(std::span<const std::int64_t> all,
                                            Value&& value) const {
    std::vector<double> list;
    std::vector<std::int64_t> rest(all.size());
    for (std::size_t g = 0; g < group_count; ++g) {
        const std::int64_t* const own = counts_.data() + g * all.size();
        if (own[set_items] == 0) continue;
        for (std::size_t k = 0; k < all.size(); ++k) rest[k] = all[k] - own[k];
        list.push_back(value(std::span<const std::int64_t>(rest)));
    }
    return list;
}

ResampledEstimate MultilabelSums::mean(ItemMean which, double level) const {
    const std::size_t at = set_values + static_cast<std::size_t>(which) * value_slots;
    const double units = units_of(which, classes_);
    const double scale = which == ItemMean::hamming ? units : 1;
    const std::vector<std::int64_t> all = total();
    const auto mean_of = [&](std::span<const std::int64_t> state) {
        return real_of(state.data() + at) / static_cast<double>(state[set_items]) / scale;
    };
    ResampledEstimate result;
    result.n = static_cast<std::uint64_t>(all[set_items]);
    result.value = mean_of(all);
    result.without = without(all, [&](std::span<const std::int64_t> rest) {
        return rest[set_items] > 0 ? mean_of(rest) : *result.value;
    });
    add_mean_interval(result, real_of(all.data() + at + real_slots), scale / units,
                      which == ItemMean::exact_match, level);
    return result;
}

ResampledEstimate MultilabelSums::score(SetScore which, SetAverage average, std::uint32_t cls,
                                        double level) const {
    const std::vector<std::int64_t> all = total();
    const ScoreOfCounts of(which, average, cls, classes_);
    ResampledEstimate result;
    result.n = static_cast<std::uint64_t>(all[set_items]);
    const std::optional<Scored> score = of(all);
    if (!score) {
        result.undefined =
            which == SetScore::precision ? "no class reaches the threshold: 0/0"
            : which == SetScore::recall
                ? "no item has a label of these classes: 0/0"
                : "no item has a label of these classes or reaches the threshold: 0/0";
        return result;
    }
    result.value = score->value;
    result.without = without(all, [&](std::span<const std::int64_t> rest) {
        const std::optional<Scored> left = of(rest);
        return left ? left->value : score->value;
    });
    const double others = static_cast<double>(result.without.size()) - 1;
    double error = 0, bias = 0;
    if (others > 0) {
        error = jackknife_standard_error(result.without);
        result.standard_error = error;
        for (const double left : result.without)
            bias += (left - score->value) * others / (others + 1);
    }
    result.interval = score_interval(*score, bias, error * error, std::max(0.0, others), level);
    return result;
}

}  // namespace assay
