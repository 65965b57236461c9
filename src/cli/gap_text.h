// The gap between two data sets as tables for people, and a line for each model as CSV.
#pragma once

#include <string>

#include "assay/evaluate/gap.h"

namespace assay::cli {

struct GapShown {
    bool all_models = false;
    bool colour = false;
    std::size_t width = 0;
};
std::string gap_text(const GapReport& report, const GapShown& shown);
/// Shares; what `assay gap --table` reads.
std::string gap_csv(const GapReport& report);

}  // namespace assay::cli
