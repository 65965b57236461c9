// The tags of selected images, such as ways to fail.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "assay/mad/competition.h"
#include "mad/competition_rows.h"

namespace assay::mad {

/// Images by tag.
using ImagesOfTag = std::map<std::string, std::set<std::int64_t>, std::less<>>;

/// The accepted images of `selected` with a tag. Reads a csv with the columns image and tag, or
/// without a file the 50 most used tags of the answers. Throws bad_input for a file without these
/// columns, or without a tag of an accepted image. Adds warnings about omitted tags, and about
/// images of the file that are not selected.
ImagesOfTag images_of_tags(const Competition& competition, const std::vector<SelectedRow>& selected,
                           const std::filesystem::path& file, std::vector<std::string>& warnings);

}  // namespace assay::mad
