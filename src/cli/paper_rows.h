// The tables and figures of each paper, in its order.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "assay/report.h"
#include "cli/paper_study.h"

namespace assay::cli {

/// A row has a table, or a plot by the name of its recipe, or the reason why it does not exist yet.
struct PaperRow {
    std::string_view id;      ///< name of the files: "table-2", "figure-3"
    std::string_view number;  ///< the paper's own: "A Table 2, B Table 2"
    std::string_view shows;   ///< one sentence
    PaperSource source = PaperSource::none;
    Table (*table)(PaperStudy& study) = nullptr;
    std::string_view plot = "";
    std::string_view not_yet = "";
    /// The plot shows the models of best_by_both() only.
    bool best_by_both = false;
};

/// A paper that `assay paper` accepts.
struct Paper {
    std::string_view name, title;
    std::span<const PaperRow> rows;
};
const std::vector<Paper>& papers();
/// Throws usage with the names of the papers.
const Paper& paper_named(std::string_view name);

}  // namespace assay::cli
