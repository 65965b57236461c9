// What `assay score` writes: tables for people, JSON, CSV.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/evaluate/compare.h"
#include "assay/evaluate/score.h"
#include "cli/table.h"

namespace assay::cli {

struct Shown {
    bool per_class = false;
    std::size_t confusions = 0;
};

std::string reports_text(const std::vector<ScoreReport>& reports, const Shown& shown, bool colour);
nlohmann::json reports_json(const std::vector<ScoreReport>& reports,
                            const std::vector<GateResult>& gates, const Shown& shown);
/// A line a measurement.
Table measurement_csv(const std::vector<ScoreReport>& reports);
/// A line a class.
Table class_csv(const std::vector<ScoreReport>& reports);

/// Means over data sets: a block of lines a model.
Table across_table(const std::vector<AcrossResult>& results);
Table across_csv(const std::vector<AcrossResult>& results);

}  // namespace assay::cli
