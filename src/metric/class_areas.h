// The average precision of every class by itself, as `mean_average_precision` averages it.
#pragma once

#include <string>
#include <vector>

#include "assay/estimate.h"
#include "metric/pass.h"

namespace assay {

struct ClassAreas {
    std::vector<Estimate> classes;  ///< one per class
    std::string ranked_by;          ///< what ranks the images, for people; "" if all are undefined
};
/// For label sets: an image is a positive of each of its valid classes. `scores` is the parameter
/// of `mean_average_precision` (`auto` chooses as the metric does). If it cannot choose, all are
/// undefined with this reason. Needs ItemRecords and odds. Collective. Cost: two more passes over
/// the rows.
ClassAreas class_average_precision(const std::string& scores, PassRun& run);

}  // namespace assay
