// Compares annotators with others who judged the same images, and excludes annotators by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/replication/prepare.h"

namespace assay::replication {

/// Ratings by the annotator's number, over all sets. Controls do not count. Cost: O(annotations).
std::vector<AnnotatorRating> rate_annotators(std::span<const Selections> sets);

/// Drops the annotations of the named annotators. Throws bad_input for an unknown name.
void leave_out_annotators(std::span<Selections> sets, const Names& annotators,
                          const std::vector<std::string>& without);

}  // namespace assay::replication
