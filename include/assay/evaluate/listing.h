// Lists metrics, corruptions, presets, class maps, file formats, environment variables, and the
// stores below a folder.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report.h"

namespace assay {

/// An environment variable that Assay reads.
struct EnvironmentVariable {
    std::string_view name;
    std::string_view value;    ///< its kind of value: "none", "a folder"
    std::string_view meaning;  ///< the effect of the variable
};
std::span<const EnvironmentVariable> environment_variables();

/// The names are "metrics", "corruptions", "presets", "maps", "formats", "environment".
const std::vector<std::string>& listing_topics();
/// Lists one topic, or all topics for "". JSON: assay.list/1, with an array under each topic's
/// name. Throws usage with the nearest topic.
Report listing(std::string_view topic = "");
/// Lists the stores below `path` (a RUNS folder, one of its data sets, or one store), one per row,
/// including damaged ones. JSON: assay.list/1 with "stores". Throws bad_input if there is none.
Report store_listing(const std::filesystem::path& path);

}  // namespace assay
