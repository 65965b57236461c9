// Which classifier suits whom: those that meet what is needed, that no other one beats, that cannot
// be told from the best. And how much a ranking owes to the models that centre and scale it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/quality/quba.h"
#include "assay/report.h"

namespace assay::quality {

/// "accuracy >= 0.75", "params <= 50": a dimension, one of < <= > >=, a number in the dimension's
/// unit ("75%" and "50M" are understood).
struct Need {
    Dimension dimension = Dimension::accuracy;
    bool at_least = true;
    bool strict = false;
    double limit = 0;
    std::string text;        ///< as written
    std::size_t failed = 0;  ///< models that fail it, of those that were looked at
};
/// Throws usage: not of that form, an unknown dimension, a limit outside the dimension's range.
Need parse_need(std::string_view text);

struct ChooseOptions {
    std::vector<std::string> needs;
    std::vector<std::string> where;  ///< selectors
    std::string weights =
        "balanced";  ///< as weights_named() takes it; dimensions of weight 0 do not count
    double level = 0.95;
};

struct Candidate {
    std::size_t model = 0;
    std::string label;
    PerDimension<std::optional<double>> values;  ///< what plots of one against another need
    Estimate score;                              ///< QUBA by the published constants
    Estimate behind;  ///< the best score minus this one; of the best itself 0 without an interval
    bool like_best = false;  ///< the interval of the difference to the best score holds 0
    bool undominated = false;
    std::string beaten_by;  ///< "": by none; else the best-scored of those that beat it
    bool sure = true;       ///< the intervals of what is needed lie beyond their limits
};

struct ChooseResult {
    ChooseOptions options;
    std::vector<Need> needs;
    std::size_t models = 0;             ///< that were looked at
    std::vector<Candidate> candidates;  ///< best score first
    PerDimension<DrawnCells> draws{};   ///< which errors are joint
    std::vector<std::string> notes, warnings;
};

/// A model beats another where it is at least as good in every dimension with a weight, and in one
/// of them better by more than the interval of their difference (normal, from the cells' standard
/// errors, with the covariance that their shares imply; cells without shares are independent).
/// Models that lack a value that is asked for are left out, with a warning. Throws usage
/// as parse_need(), weights_named() and select_models().
ChooseResult choose_models(const QualityTable& table, const ChooseOptions& options);
/// "assay.quality_choose/1". Partial where no model meets the needs.
Report report_of(const ChooseResult& result);

struct StabilityOptions {
    std::vector<std::string> where;
    std::string weights = "balanced";
    std::size_t sample = 100;  ///< models of a sub-sample
    std::uint32_t repeats = 1000;
    double trim = 0.1;
    std::uint64_t seed = 0;
};

/// One reading of "stable": the paper's is the first.
struct StabilityReading {
    std::string name;
    double mean = 0;       ///< Spearman's correlation of two rankings of all models
    double deviation = 0;  ///< of a single repeat
    double low = 0;        ///< the 2.5th percentile of the repeats
};

struct StabilityResult {
    StabilityOptions options;
    std::size_t models = 0;
    std::vector<StabilityReading> readings;
};

/// Ranks all models by constants of random sub-samples of them. Readings: constants without
/// trimming against the trimmed ranking by all models (the paper's .97), trimmed against that, and
/// pairs of sub-samples, trimmed and not. Cost: repeats x models x log models. Throws usage: a
/// sub-sample of fewer than 10 or of all models; as weights_named() and select_models(); bad_input
/// as constants_of().
StabilityResult ranking_stability(const QualityTable& table, const StabilityOptions& options);
/// "assay.quality_stability/1".
Report report_of(const StabilityResult& result);

}  // namespace assay::quality
