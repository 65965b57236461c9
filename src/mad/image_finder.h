// Finds the images of a competition that a text of a file means.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "mad/competition_rows.h"
#include "mad/image_addresses.h"

namespace assay::mad {

/// Images by id, path, file below the images' folder, or address (image_addresses.h). Names find
/// images with a row in the competition; an address may also find an image of items.csv without
/// one, which rows() lacks.
class ImageFinder {
public:
    explicit ImageFinder(const Competition& competition);

    /// The numbers of the images that the text may mean: none, or several if they share a path or
    /// an address fits several.
    std::vector<std::int64_t> find(const std::string& text);
    const std::map<std::int64_t, ImageRow>& rows() const { return rows_; }
    /// All ids and paths, sorted.
    std::vector<std::string> names() const;

private:
    const Competition& competition_;
    std::map<std::int64_t, ImageRow> rows_;
    ImageAddresses addresses_;
    /// Images by id, and by path if that is no other image's id.
    std::unordered_map<std::string, std::vector<std::int64_t>> images_;
};

}  // namespace assay::mad
