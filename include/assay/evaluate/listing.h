// What there is: metrics, corruptions, presets, class maps, file formats, variables of the
// environment, and the stores below a folder.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report.h"

namespace assay {

/// A variable of the environment that Assay reads.
struct EnvironmentVariable {
    std::string_view name;
    std::string_view value;    ///< what it may be: "none", "a folder"
    std::string_view meaning;  ///< what that does
};
std::span<const EnvironmentVariable> environment_variables();

/// "metrics", "corruptions", "presets", "maps", "formats", "environment".
const std::vector<std::string>& listing_topics();
/// One topic, or all of them for "". JSON: assay.list/1, an array under each topic's name. Throws
/// usage with the nearest topic.
Report listing(std::string_view topic = "");
/// The stores below `path` (a RUNS folder, one of its data sets, or one store), damaged ones among
/// them: a row each. JSON: assay.list/1 with "stores". Throws bad_input when there is none.
Report store_listing(const std::filesystem::path& path);

}  // namespace assay
