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

struct Exclusion {
    std::uint64_t image = 0;
    std::string id, reason;
};
/// A csv with a column image (ids) and perhaps reason (where empty: `reason`); of an image that
/// comes more than once its first row. Throws bad_input: damaged, an id that is not there (with row
/// and the nearest).
std::vector<Exclusion> read_exclusion_file(const Competition& competition,
                                           const std::filesystem::path& file,
                                           std::string_view reason);
/// Inside a transaction of the caller. Images that are excluded already stay as they are.
void write_exclusions(Competition& competition, const std::vector<Exclusion>& exclusions);

}  // namespace assay::mad
