// What a report has of a competition.
#pragma once

#include <filesystem>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/report/document.h"
#include "report/said.h"

namespace assay {

/// "assay.mad/1", "assay.mad_status/1" and, once some question is settled, "assay.mad_ranking/1",
/// each with its source. Throws as Competition::open().
std::vector<nlohmann::json> competition_results(const std::filesystem::path& folder,
                                                const ReportOptions& options, Said& said);

}  // namespace assay
