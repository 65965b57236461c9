// Computes the standard error and ErrorShares of a value from the contributions of images.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/quality/table.h"
#include "assay/store/prediction_store.h"

namespace assay::quality {

/// The images of one data set, independent of those of others.
struct ErrorSource {
    std::string data;           ///< as ErrorShare
    std::vector<double> parts;  ///< by group, on any scale; empty if not known
    double variance = 0;        ///< contribution of these images to the value's variance
};

/// `influence` has the contribution of each of the data set's items to a value, on any scale.
/// `variance` is as above.
ErrorSource source_of_items(std::string data, const std::vector<double>& influence,
                            double variance);
/// `without` has the value without each group that contains items; `sizes` has all groups.
ErrorSource source_of_groups(std::string data, const std::vector<double>& without,
                             const std::vector<std::uint64_t>& sizes, double standard_error);

/// Sets the standard error and shares of a cell, from independent sources. There are no shares if
/// one of the sources is not known by group.
void set_error(QualityCell& cell, const std::vector<ErrorSource>& sources);

}  // namespace assay::quality
