// What metrics of label matrices are made of: classifiers whose classes each have a sigmoid, and
// items with any number of labels. Sums by group of items (metric.h), of integers, so that threads
// and ranks add in any order.
//
// Conventions are scikit-learn's: 0/0 is 0 for a class and for an item; a score that ties with a
// valid class's counts against it; means are over all classes, those without labels too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/metric/metric.h"

namespace assay {

/// Means over items. Each is added up in units in which its values lie in [0, 1].
enum class ItemMean : std::uint8_t {
    // Of the classes that reach the threshold:
    exact_match,  ///< they are the valid ones
    hamming,      ///< classes that differ; of all classes
    precision,
    recall,
    f1,
    // Of the order of the scores:
    coverage,           ///< classes down to the last valid one; of all classes
    ranking_loss,       ///< pairs of a valid and another class that are in the wrong order
    ranking_precision,  ///< label ranking average precision
};
inline constexpr std::size_t item_means = 8;

enum class SetScore : std::uint8_t { precision, recall, f1 };
enum class SetAverage : std::uint8_t { micro, macro, weighted, one_class };

/// How the scores of one item rank its valid classes.
struct RankingValues {
    double coverage = 0, ranking_loss = 0, ranking_precision = 1;
};
/// Values of an item without labels: 0, 0 and 1; with all classes: their number, 0 and 1. Cost:
/// a search among the valid classes for each class.
RankingValues ranking_values(std::span<const double> scores, std::span<const std::int32_t> valid);

class MultilabelSums {
public:
    /// `by_class`: counts of each class, which thresholds need.
    MultilabelSums(std::uint32_t classes, bool by_class);

    /// Both ascending.
    void add_sets(std::uint16_t group, std::span<const std::int32_t> valid,
                  std::span<const std::int32_t> predicted);
    void add_ranking(std::uint16_t group, const RankingValues& values);
    /// For ranks to add up.
    std::vector<std::int64_t>& counts() { return counts_; }

    std::uint64_t items() const;
    /// Classes that are never valid and never predicted.
    std::uint32_t empty_classes() const;

    /// The mean, its interval (agreement.h: Wilson's with an effective number of items), and the
    /// means without each group. At least one item.
    ResampledEstimate mean(ItemMean which, double level) const;
    /// A ratio of counts; `cls`: of one_class. Undefined where it is 0/0 of all classes. Interval:
    /// Wilson's with as many draws as have the variance of the jackknife over groups, and two of
    /// the greatest variance put in, so that it keeps a width where all items agree.
    ResampledEstimate score(SetScore which, SetAverage average, std::uint32_t cls,
                            double level) const;

private:
    std::size_t slots() const;
    std::int64_t* group(std::uint16_t g) { return counts_.data() + g * slots(); }
    std::vector<std::int64_t> total() const;
    void add_value(std::int64_t* state, ItemMean which, double value) const;
    template <class Value>
    std::vector<double> without(std::span<const std::int64_t> all, Value&& value) const;

    const std::uint32_t classes_;
    const bool by_class_;
    std::vector<std::int64_t> counts_;
};

}  // namespace assay
