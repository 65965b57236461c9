// Sums for metrics of label matrices: classifiers whose classes each have a sigmoid, and items with
// any number of labels. The sums are per group of items (metric.h) and consist of integers, so that
// threads and ranks add in any order.
//
// The conventions are scikit-learn's. A quotient of 0/0 is 0 for a class and for an item. A score
// that ties with a valid class's counts against it. Means are over all classes, including those
// without labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/metric/metric.h"

namespace assay {

/// Means over items, summed in units in which their values are in [0, 1].
enum class ItemMean : std::uint8_t {
    // Means for the classes that reach the threshold:
    exact_match,  ///< they are exactly the valid classes
    hamming,      ///< number of classes that differ, as a proportion of all classes
    precision,
    recall,
    f1,
    // Means for the order of the scores:
    coverage,           ///< number of classes down to the last valid class, as a part of all
                        ///< classes
    ranking_loss,       ///< proportion of pairs of a valid and an invalid class in the wrong
                        ///< order
    ranking_precision,  ///< label ranking average precision
};
inline constexpr std::size_t item_means = 8;

enum class SetScore : std::uint8_t { precision, recall, f1 };
enum class SetAverage : std::uint8_t { micro, macro, weighted, one_class };

/// The ranks of one item's valid classes by its scores.
struct RankingValues {
    double coverage = 0, ranking_loss = 0, ranking_precision = 1;
};
/// Values for an item without labels: 0, 0 and 1; for an item with all classes: their number, 0 and
/// 1. Cost: a search among the valid classes for each class.
RankingValues ranking_values(std::span<const double> scores, std::span<const std::int32_t> valid);

class MultilabelSums {
public:
    /// `by_class` adds counts per class, which thresholds need.
    MultilabelSums(std::uint32_t classes, bool by_class);

    /// Both ascending.
    void add_sets(std::uint16_t group, std::span<const std::int32_t> valid,
                  std::span<const std::int32_t> predicted);
    void add_ranking(std::uint16_t group, const RankingValues& values);
    /// Counts that are added over ranks.
    std::vector<std::int64_t>& counts() { return counts_; }

    std::uint64_t items() const;
    /// The number of classes that are never valid and never predicted.
    std::uint32_t empty_classes() const;

    /// The mean, its interval (agreement.h: Wilson's with an effective number of items), and the
    /// means without each group. Requires at least one item.
    ResampledEstimate mean(ItemMean which, double level) const;
    /// A ratio of counts; `cls` is for one_class. It is undefined if it is 0/0 for all classes. The
    /// interval is Wilson's, with the number of draws that gives the variance of the jackknife over
    /// groups. Two draws of the greatest variance are added, so that the interval has a width above
    /// 0 even if all items agree.
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
