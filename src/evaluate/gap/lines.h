// A metric on the second data set as a line of that on the first, over the models.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "assay/evaluate/gap.h"
#include "evaluate/statements/models_line.h"

namespace assay {

/// What one factor of the errors says of a line.
struct GapLineParts {
    std::optional<statements::Range> slope, slope_like, mean_gap_like;
    std::optional<statements::Curvature> curvature;
};

/// Throws bad_input, with the model: a value of 0 or 1 in a line on a scale where that is infinite.
void require_scale(const GapReport& report);

/// `models`: their places in the report, in the order of the values. Without draws only the
/// slope's value and the mean gap of models like these.
GapLineParts line_parts(const GapReport& report, const std::vector<std::size_t>& models,
                        const std::array<std::vector<double>, 2>& values,
                        const statements::Factor& first, const statements::Factor& second,
                        const statements::Matrix& first_draws,
                        const statements::Matrix& second_draws, GapScale scale);

/// Joins the parts (the last gives the values, where there are several) to a line of the report.
/// None: fewer than three models, or all equal on the first data set. `why`: why the parts are
/// empty.
void add_line(GapReport& report, std::size_t metric, GapScale scale,
              const std::vector<GapLineParts>& parts, const std::string& why, bool upper_bound);

}  // namespace assay
