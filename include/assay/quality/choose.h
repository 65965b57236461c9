// Chooses classifiers for the user's needs: those that meet the needs, those that no other
// classifier beats, and those that cannot be distinguished from the best. Also how much a ranking
// depends on the models that center and scale it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/quality/columns.h"
#include "assay/quality/quba.h"
#include "assay/report.h"

namespace assay::quality {

/// A need such as "accuracy >= 0.75", "params <= 50" or "gmacs <= 5": a dimension or another column
/// of the table, one of < <= > >=, and a number in its unit (for dimensions, "75%" and "50M" also
/// work).
struct Need {
    Dimension dimension = Dimension::accuracy;  ///< if `column` is ""
    std::string column;                         ///< a column that is not a dimension
    bool at_least = true;
    bool strict = false;
    double limit = 0;
    std::string text;        ///< the text as given
    std::size_t failed = 0;  ///< candidates that fail this need
};
/// Parses a need of a dimension. Throws usage for another form, an unknown dimension, or a limit
/// out of range.
Need parse_need(std::string_view text);
/// Parses a need of a dimension or of a column of the table. Throws usage in the same cases.
Need parse_need(std::string_view text, const QualityTable& table);

struct ChooseOptions {
    std::vector<std::string> needs;
    std::vector<std::string> where;  ///< selectors
    std::string weights =
        "balanced";  ///< an input of weights_named(); weight 0 excludes a dimension. It may also
                     ///< name columns, as rank_models() takes them
    ColumnOptions columns;
    double level = 0.95;
};

struct Candidate {
    std::size_t model = 0;
    std::string label;
    /// the values that plots of one dimension against another need
    PerDimension<std::optional<double>> values;
    std::map<std::string, double> more;  ///< values of the other columns
    Estimate score;   ///< QUBA by the published constants, with the other columns if there are any
    Estimate behind;  ///< the best score minus this one; for the best itself, 0 without an interval
    bool like_best = false;  ///< the interval of the difference to the best score contains 0
    bool undominated = false;
    std::string beaten_by;  ///< the model with the best score among those that beat it, or ""
    bool sure = true;       ///< the intervals of the required dimensions are completely within
                            ///< their limits
};

struct ChooseResult {
    ChooseOptions options;
    std::vector<Need> needs;
    std::size_t models = 0;             ///< number of candidates
    std::vector<Candidate> candidates;  ///< best score first
    PerDimension<DrawnCells> draws{};   ///< standard errors that models share
    std::vector<std::string> columns;   ///< columns that are not dimensions, with a weight or need
    std::vector<std::string> notes, warnings;
};

/// A model beats another if it is at least as good in every dimension with a weight, and better in
/// one of them. In that dimension, it must be better by more than the interval of their difference.
/// The interval is normal, from the cells' standard errors, with the covariance that their shares
/// imply. Cells without shares are independent. Models that lack a needed value are skipped with a
/// warning. Throws usage as parse_need(), weights_named() and select_models() do.
ChooseResult choose_models(const QualityTable& table, const ChooseOptions& options);
/// Schema "assay.quality_choose/1". The report is partial if no model meets the needs.
Report report_of(const ChooseResult& result);

struct StabilityOptions {
    std::vector<std::string> where;
    std::string weights = "balanced";
    std::size_t sample = 100;  ///< models of a sub-sample
    std::uint32_t repeats = 1000;
    double trim = 0.1;
    std::uint64_t seed = 0;
};

/// One definition of "stable": the paper's is the first.
struct StabilityReading {
    std::string name;
    double mean = 0;       ///< Spearman's correlation of two rankings of all models
    double deviation = 0;  ///< standard deviation for a single repeat
    double low = 0;        ///< the 2.5th percentile of the repeats
};

struct StabilityResult {
    StabilityOptions options;
    std::size_t models = 0;
    std::vector<StabilityReading> readings;
};

/// Ranks all models by constants of random sub-samples of them. The first definition compares
/// constants without trimming with the trimmed ranking by all models (the paper's .97). The next
/// one compares trimmed constants with that ranking. The others compare pairs of sub-samples, with
/// and without trimming. Cost: repeats x models x log models. Throws usage if a sub-sample has
/// fewer than 10 models or all of them, and as weights_named() and select_models() do; bad_input as
/// constants_of() does.
StabilityResult ranking_stability(const QualityTable& table, const StabilityOptions& options);
/// Schema "assay.quality_stability/1".
Report report_of(const StabilityResult& result);

}  // namespace assay::quality
