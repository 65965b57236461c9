// The images of a labelled data set by class, for sheets that show them beside selected images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/mad/competition.h"
#include "assay/mad/gallery.h"
#include "mad/gallery_plan.h"

namespace assay::mad {

class LabelledImages {
public:
    struct OfClass {
        std::uint64_t images = 0;        ///< with the class among their labels
        std::vector<std::size_t> first;  ///< the first of them, in the order of the data set
    };

    /// Reads GalleryOptions::beside with the classes of the competition, and keeps the images of
    /// `wanted`: at most beside_count of each class, or all. `notes` are as in open_dataset().
    /// Throws as open_dataset() does, and bad_input without any label.
    LabelledImages(const Competition& competition, const GalleryOptions& options,
                   const ImagesOfClass& wanted, std::vector<std::string>& notes);

    /// Empty for a class without images.
    const OfClass& of(std::uint16_t label) const;
    /// Adds the images of the class below those of its sheets, each with at most `cells` images of
    /// both kinds. Further sheets have images of the data set only.
    void add_to(std::vector<SheetPlan>& sheets, std::uint16_t label, std::size_t columns,
                std::size_t cells) const;

private:
    Dataset dataset_;
    std::map<std::uint16_t, OfClass> of_;
};

}  // namespace assay::mad
