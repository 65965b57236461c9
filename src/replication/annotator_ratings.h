// Rates annotators against others who judged the same images, and excludes annotators by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/replication/prepare.h"

namespace assay::replication {

/// Ratings by number of the annotator, over all sets; controls do not count. O(annotations).
std::vector<AnnotatorRating> rate_annotators(std::span<const Selections> sets);

/// Drops the annotations of the named annotators. Throws bad_input for an unknown one.
void leave_out_annotators(std::span<Selections> sets, const Names& annotators,
                          const std::vector<std::string>& without);

}  // namespace assay::replication
