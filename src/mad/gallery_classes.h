// The sheets of classes: selected images, and below them labelled images of the same class.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "assay/mad/gallery.h"
#include "mad/gallery_plan.h"
#include "mad/labelled_images.h"

namespace assay::mad {

/// A class that has sheets.
struct PlannedClass {
    std::uint16_t label = 0;
    GalleryClass counts;
    std::set<std::int64_t> images;  ///< the selected ones
};

/// Decides which classes have sheets. Keep it until the sheets are drawn.
class ClassPlanner {
public:
    /// Reads the labelled images. Throws as make_gallery() does; a class without labelled images is
    /// in `gallery.warnings`, and `gallery.notes` says how they were read.
    ClassPlanner(const Competition& competition, const GalleryOptions& options,
                 const std::vector<GalleryPair>& pairs, const GalleryPlanner& planner,
                 Gallery& gallery);

    /// Those with the most selected images first.
    const std::vector<PlannedClass>& classes() const { return classes_; }
    /// The sheets of a class, each with at most `cells` images.
    std::vector<SheetPlan> sheets_of(const PlannedClass& planned, std::size_t cells) const;

private:
    const GalleryOptions& options_;
    const std::vector<GalleryPair>& pairs_;
    const GalleryPlanner& planner_;
    ImagesOfClass wanted_;
    LabelledImages labelled_;
    std::vector<PlannedClass> classes_;
};

}  // namespace assay::mad
