// The few images of a competition that matter, out of the many that its items.csv lists.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "assay/mad/competition.h"
#include "mad/tables.h"

namespace assay::mad {

/// Id and path of these images, in their order. `numbers`: ascending. Cost: one pass over
/// items.csv, of which nothing else is kept in memory.
std::vector<ImageRow> image_rows(const Competition& competition,
                                 const std::vector<std::uint64_t>& numbers);

/// Calls visit(number, id) for every image. Cost and memory as above.
void visit_ids(const Competition& competition,
               const std::function<void(std::uint64_t number, std::string_view id)>& visit);

}  // namespace assay::mad
