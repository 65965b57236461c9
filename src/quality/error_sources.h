// From what images add to a value to its standard error and to its ErrorShares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/quality/table.h"
#include "assay/store/prediction_store.h"

namespace assay::quality {

/// Images of one data set, independent of those of others.
struct ErrorSource {
    std::string data;           ///< as ErrorShare
    std::vector<double> parts;  ///< by group, on any scale; empty: not known
    double variance = 0;        ///< what these images add to the value's variance
};

/// `influence`: what each item of a data set of so many adds to a value, on any scale; `variance`
/// as above.
ErrorSource source_of_items(std::string data, const std::vector<double>& influence,
                            double variance);
/// `without`: the value without each group that holds items, `sizes` of all groups.
ErrorSource source_of_groups(std::string data, const std::vector<double>& without,
                             const std::vector<std::uint64_t>& sizes, double standard_error);

/// Standard error and shares of a cell, from independent sources. No shares where one of the
/// sources is not known by group.
void set_error(QualityCell& cell, const std::vector<ErrorSource>& sources);

}  // namespace assay::quality
