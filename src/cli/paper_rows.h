// The tables and figures of each paper, in its order.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/gallery.h"
#include "assay/report.h"
#include "assay/report/draw.h"
#include "cli/paper_study.h"

namespace assay::cli {

/// A row has a table, a plot by the name of its recipe, another drawing, contact sheets, or the
/// reason why it does not exist yet.
struct PaperRow {
    std::string_view id;      ///< name of the files: "table-2", "figure-3"
    std::string_view number;  ///< the paper's own: "A Table 2, B Table 2"
    std::string_view shows;   ///< one sentence
    PaperSource source = PaperSource::none;
    Table (*table)(PaperStudy& study) = nullptr;
    std::string_view plot = "";
    /// Plots of several results or choices; the command names `plot`.
    std::vector<Plot> (*plots)(PaperStudy& study) = nullptr;
    /// The bytes of a figure that no recipe draws.
    std::string (*drawing)(PaperStudy& study, PlotFormat format) = nullptr;
    /// Draws contact sheets in a folder.
    mad::Gallery (*sheets)(PaperStudy& study, const std::filesystem::path& folder) = nullptr;
    std::string_view not_yet = "";
    /// The plot shows the models of best_by_both() only.
    bool best_by_both = false;
};

/// A paper that `assay paper` accepts.
struct Paper {
    std::string_view name, title;
    std::string_view inputs;  ///< keys of [paper] that it needs
    std::span<const PaperRow> rows;
};
const std::vector<Paper>& papers();
/// Throws usage with the names of the papers.
const Paper& paper_named(std::string_view name);

}  // namespace assay::cli
