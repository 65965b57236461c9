// Images that a person has excluded: drawings, collages, broken ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/competition.h"

namespace assay::mad {

/// Reasons for exclusion, by image.
std::map<std::uint64_t, std::string> read_exclusions(const Competition& competition);

struct Exclusion {
    std::uint64_t image = 0;
    std::string id, reason;
};
/// Reads a csv with a column image (ids) and optionally reason (`reason` is the default). If an
/// image is repeated, its first row counts. Throws bad_input for a damaged file or an unknown id
/// (with the row and the nearest id).
std::vector<Exclusion> read_exclusion_file(const Competition& competition,
                                           const std::filesystem::path& file,
                                           std::string_view reason);
/// Excludes images. Call inside a transaction. Images that are already excluded do not change.
void write_exclusions(Competition& competition, const std::vector<Exclusion>& exclusions);

}  // namespace assay::mad
