// Which image of the data set an address means.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/competition.h"
#include "mad/competition_rows.h"

namespace assay::mad {

/// Whether something is known to stand before the image's path: "s3://bucket/", "/data/local-
/// files/?d=" and the like.
bool is_address(std::string_view text);

/// An address means the image whose id or path is the rest of it, or which Label Studio calls so
/// since it was uploaded. Images of the whole data set are looked at, so that an address of one
/// that nobody is asked about is never taken for another of the same name.
class ImageAddresses {
public:
    ImageAddresses(const Competition& competition, const std::map<std::int64_t, ImageRow>& rows);
    /// All that it may mean, by number; those whose file is called like none of `rows` left out.
    /// Cost: the first call makes a pass over items.csv.
    std::vector<ImageRow> meant_by(std::string_view address);

private:
    using ByNumber = std::map<std::int64_t, ImageRow>;

    void note_name(std::string_view name, const ImageRow& row);
    void look_through();
    void add_ends(std::string_view address, const std::vector<ImageRow>& known,
                  ByNumber& meant) const;

    const Competition& competition_;
    /// Images by what an upload makes of their files' names.
    std::map<std::string, std::vector<ImageRow>, std::less<>> alike_;
    bool complete_ = false;
};

}  // namespace assay::mad
