// Parts of what is said about all models that stand in files of their own.
#pragma once

#include <string>

#include "evaluate/gap/model_statements.h"

namespace assay {

/// Half of the interval of a mean with this variance.
double normal_half(double variance, double level);

/// Value and ends of a range; one whose ends are no numbers, or infinite, has no interval.
void put_range(Estimate& estimate, const statements::Range& range, double level,
               std::string method);

/// The gaps by two metrics, of each model and of the mean. Needs the errors of both.
void add_differences(GapReport& report, const GapNoise& noise);

}  // namespace assay
