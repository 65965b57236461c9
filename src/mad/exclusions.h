// Images that a person has ruled out: drawings, collages, broken ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/competition.h"

namespace assay::mad {

/// Reasons by image.
std::map<std::uint64_t, std::string> read_exclusions(const Competition& competition);

/// Takes in a csv with a column image (ids) and perhaps reason (where empty: `reason`): all of it,
/// in one transaction, or nothing. Images that are excluded already stay as they are. Returns how
/// many are new. Throws bad_input: damaged, an id that is not there (with row and the nearest).
std::uint64_t exclude_images(Competition& competition, const std::filesystem::path& file,
                             std::string_view reason);

}  // namespace assay::mad
