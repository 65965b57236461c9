// Identifies the paths of a report by their contents, not by their names.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/quality/table.h"

namespace assay {

/// A file that a command wrote, or a csv table of quality dimensions.
struct SavedResult {
    std::string source;     ///< the path as given
    std::string hash;       ///< hash of the file; "" if it is built in
    nlohmann::json result;  ///< the content of the file; null for a csv table
    std::optional<quality::QualityTable> table;
    std::string no_table;  ///< why a json table of quality dimensions is not used
};

struct ReportInputs {
    std::vector<std::filesystem::path> stores;  ///< each once
    std::vector<std::filesystem::path> competitions;
    std::vector<SavedResult> saved;
};

/// `published`, where nothing has that name, is the published table of quality dimensions. Throws
/// bad_input for a path that is none of these, and for JSON that is damaged or has no known schema
/// (with what is allowed). Throws usage if there is no path.
ReportInputs look_at_inputs(const std::vector<std::filesystem::path>& paths);

}  // namespace assay
