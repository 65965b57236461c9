// Further types in the results of an adjusted gap.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "assay/replication/adjust.h"
#include "assay/result_type.h"

namespace assay::replication {

/// The result of one method for one classifier.
struct AdjustedClassifier {
    const AdjustReport* report;
    const MethodResult* method;  ///< a method that is defined
    std::size_t classifier;
};
ResultType result_type(ResultOf<AdjustedClassifier>);

/// Accuracies on both sets. `report` must have this classifier.
struct MeasuredClassifier {
    const AdjustReport* report;
    std::size_t classifier;
};
ResultType result_type(ResultOf<MeasuredClassifier>);

/// The numbers of annotators in both sets.
struct NumbersOfSets {
    std::span<const double> original, replication;
};
ResultType result_type(ResultOf<NumbersOfSets>);
/// No value if the original has none.
std::optional<NumbersOfSets> numbers_of_sets(const std::vector<double>& original,
                                             const std::vector<double>& replication);

}  // namespace assay::replication
