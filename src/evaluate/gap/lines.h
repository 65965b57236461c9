// Fits a metric on the second data set as a line of its values on the first.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "assay/evaluate/gap.h"
#include "evaluate/statements/models_line.h"

namespace assay {

/// The parts of a line from one factor of the errors.
struct GapLineParts {
    std::optional<statements::Range> slope, slope_like, mean_gap_like;
    std::optional<statements::Curvature> curvature;
};

/// Throws bad_input with the model if a value of 0 or 1 is in a line on a scale on which it is
/// infinite.
void require_scale(const GapReport& report);

/// `models` are their places in the report, in the order of the values. Without draws, it only
/// gives the slope's value and the mean gap of models like these.
GapLineParts line_parts(const GapReport& report, const std::vector<std::size_t>& models,
                        const std::array<std::vector<double>, 2>& values,
                        const statements::Factor& first, const statements::Factor& second,
                        const statements::Matrix& first_draws,
                        const statements::Matrix& second_draws, GapScale scale);

/// Combines the parts (if there are several, the last gives the values) into a line of the report.
/// Adds no line with fewer than three models, or if all are equal on the first data set. `why` says
/// why the parts are empty.
void add_line(GapReport& report, std::size_t metric, GapScale scale,
              const std::vector<GapLineParts>& parts, const std::string& why, bool upper_bound);

}  // namespace assay
