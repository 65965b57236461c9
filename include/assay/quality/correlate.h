// The correlation of quality dimensions over models: Spearman's rank correlations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/quality/columns.h"
#include "assay/report.h"

namespace assay::quality {

struct CorrelateOptions {
    std::vector<std::string> where;  ///< selectors
    /// A tag whose equal values define families. Intervals resample families, because models of one
    /// family are not independent observations. "" means that models are treated as independent.
    std::string family;
    /// A tag. Each value with at least ten models gets its own correlations in addition to those
    /// over all models. The p-values are adjusted over all of them together.
    std::string by;
    std::vector<std::string> columns;  ///< further columns, as quality_columns() takes them
    std::string adjust =
        "holm";  ///< p-values over all pairs: "holm", "bh" (Benjamini, Hochberg 1995), "none"
    double level = 0.95;
    std::uint32_t replicates = 1000;  ///< number of resamples of the families
    std::uint64_t seed = 0;
    int threads = 0;  ///< 0 means one thread per core; does not change results
};

struct Correlation {
    ColumnName x, y;
    Estimate rho;
    double p = 1;         ///< two-sided, t with n - 2 degrees of freedom
    double adjusted = 1;  ///< p-value adjusted as the options say
};

/// The models that share one value of the tag `by`.
struct CorrelateGroup {
    std::string value;
    std::size_t models = 0, families = 0;
    std::vector<Correlation> pairs;
};

struct CorrelateResult {
    CorrelateOptions options;
    std::size_t models = 0, families = 0;
    std::vector<Correlation> pairs;  ///< in the order of the columns; x comes after y
    std::vector<CorrelateGroup> groups;
    std::vector<std::string> notes, warnings;
};

/// Every pair of quality_columns() over the models that have both; ties get average ranks.
/// Intervals use Fisher's z with variance (1 + rho^2/2)/(n - 3) (Bonett and Wright 2000), or
/// percentiles over resampled families. A pair is undefined if it has fewer than four models or if
/// all values are equal. Throws usage: selectors, an unknown tag or adjustment, no value of `by`
/// with ten models.
CorrelateResult correlate_dimensions(const QualityTable& table, const CorrelateOptions& options);
/// Schema "assay.quality_correlate/1".
Report report_of(const CorrelateResult& result);

}  // namespace assay::quality
