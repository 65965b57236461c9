// Results by class and by kind of error for images that may have several valid labels.
//
// An image with g valid labels is judged by its g highest-scored classes, as in `variable_topk`.
// For images with one label, these are the usual recall and precision. Images without a valid label
// do not count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/estimate.h"

namespace assay {

/// Items of one class for which another was predicted.
struct Confusion {
    std::int32_t truth = 0, predicted = 0;  ///< predicted is -1 if it maps to no class
    std::uint64_t count = 0;
    bool operator==(const Confusion&) const = default;
};

/// One class. A value without images is undefined, with its reason.
struct ValidClass {
    std::string id, name;
    std::uint64_t images = 0;  ///< images for which the class is valid
    /// Of these: images that have it among their g highest, and all images that do. Images whose g
    /// highest classes are not known do not count: then recall and precision are undefined.
    std::uint64_t found = 0, among_best = 0;
    Estimate recall;     ///< found / images, Wilson
    Estimate precision;  ///< found / among_best, Wilson
    /// Average precision of the class's scores over the labelled images (scikit-learn's).
    Estimate average_precision;
};

/// What is missed. Proportions have Wilson's interval over images.
struct MissedLabels {
    Estimate several;  ///< of the labelled images: those with more than one valid label
    /// Of the images with several valid labels. The four add up to 1.
    Estimate all_found;      ///< the g highest classes are the valid ones
    Estimate second_missed;  ///< the predicted class is valid, and another valid label is missed
    Estimate first_wrong;    ///< the predicted class is not valid, but a valid one is found
    Estimate none_found;     ///< no valid label is among the g highest classes
    /// Of the labelled images that miss a valid label: those with a sibling of it (the same parent
    /// in the hierarchy) among their g highest classes that are not valid.
    std::optional<Estimate> sibling;
};

struct ValidLabels {
    MissedLabels missed;
    std::vector<ValidClass> classes;  ///< one per class
    /// A predicted class that is not valid, with each valid label of the image. A predicted class
    /// that is valid is no confusion. Sorted by count, then truth, then predicted.
    std::vector<Confusion> confusions;
    std::string ranked_by;  ///< what ranks the images in average_precision; "" if it is undefined
};

}  // namespace assay
