// The parts of a report about a competition.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "assay/report/document.h"
#include "report/described_report.h"
#include "report/said.h"

namespace assay {

struct CompetitionParts {
    std::vector<SourcedResult> results;
    std::vector<Thumbnail> thumbnails;  ///< for the selected images; the data set is the folder
};
/// "assay.mad/1", "assay.mad_status/1", the selected images ("assay.mad_gallery/1", without sheets)
/// and, once some question is decided, "assay.mad_ranking/1"; at most this many `thumbnails`.
/// Throws as Competition::open() does.
CompetitionParts competition_parts(const std::filesystem::path& folder,
                                   const ReportOptions& options, std::size_t thumbnails,
                                   Said& said);

}  // namespace assay
