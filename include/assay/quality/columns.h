// The columns that comparisons of models use: the nine dimensions, and any other column of numbers,
// such as GMACs, memory, latency or an OOD-AUROC.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/quality/table.h"

namespace assay::quality {

struct ColumnName {
    std::string name;                    ///< in files: "c_robustness", "gmacs"
    std::string title;                   ///< for people: "C-robustness", "gmacs"
    std::optional<Dimension> dimension;  ///< no value for any other column

    bool operator==(Dimension d) const { return dimension == d; }
};

struct QualityColumn {
    ColumnName name;
    std::vector<std::optional<double>>
        values;  ///< one per model of the table; none for models that were not chosen
};

/// How scores use columns of numbers that are not dimensions.
struct ColumnOptions {
    /// "gmacs=low" or "ood_auroc=high": which values are better. Needed if better_when_high() does
    /// not know the name.
    std::vector<std::string> better;
    /// "gmacs=4.1:2.5": the mean and the deviation that center and scale a column. Others use those
    /// of the chosen models.
    std::vector<std::string> scales;
};

/// Whether high values of a column are better, from the words of its name: "ood_auroc" is better
/// when high, "latency_ms" when low. No value if no word is known, or if words contradict each
/// other ("top1_error").
std::optional<bool> better_when_high(std::string_view column);

/// The nine dimensions, followed by the tags named in `more`, whose texts are numbers. If `models`
/// (indices into the table) have no value of any dimension, only the latter. Only texts of `models`
/// are read. An empty text, "-", "na", "n/a", "nan", "none" or "null", in any case, is no value.
/// Throws usage: no column at all, a tag that the table lacks, a dimension, a column twice. Throws
/// bad_input for a text that is not a number, with the model and the column.
std::vector<QualityColumn> quality_columns(const QualityTable& table,
                                           const std::vector<std::string>& more,
                                           std::span<const std::size_t> models);

}  // namespace assay::quality
