// Finds the image of the data set that an address means.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/competition.h"
#include "mad/competition_rows.h"

namespace assay::mad {

/// True if the text has a known prefix before the image's path: "s3://bucket/", "/data/local-
/// files/?d=" and the like.
bool is_address(std::string_view text);

/// An address means the image whose id or path is the rest of it, or whose uploaded file has that
/// name in Label Studio. It is compared with all images of the data set. So the address of an image
/// without questions never matches another image with the same name.
class ImageAddresses {
public:
    ImageAddresses(const Competition& competition, const std::map<std::int64_t, ImageRow>& rows);
    /// The numbers of all images that it may mean, except images whose file names differ from all
    /// in `rows`. Cost: the first call makes a pass over items.csv.
    std::vector<ImageRow> meant_by(std::string_view address);

private:
    using ByNumber = std::map<std::int64_t, ImageRow>;

    void note_name(std::string_view name, const ImageRow& row);
    void look_through();
    void add_ends(std::string_view address, const std::vector<ImageRow>& known,
                  ByNumber& meant) const;

    const Competition& competition_;
    /// Images by the uploaded form of their file names.
    std::map<std::string, std::vector<ImageRow>, std::less<>> alike_;
    bool complete_ = false;
};

}  // namespace assay::mad
