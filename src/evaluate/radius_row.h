// A row of the table of smallest changes, radii.csv in a store of fmn or ddn.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assay/result_type.h"

namespace assay::attack {

struct RadiusRow {
    std::string_view image, outcome;
    std::optional<double> radius;
};
ResultType result_type(ResultOf<RadiusRow>);

}  // namespace assay::attack
