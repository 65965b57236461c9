// The manual: a page for the program, for each command and for each of their parts, generated from
// their descriptions (description.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

struct ManualPage {
    std::string file;  ///< "assay-labels-stats.1"
    std::string text;
};

/// All pages in the table's order, the program's own page first. `date` is like 2026-01-31.
std::vector<ManualPage> manual_pages(std::string_view date);

}  // namespace assay::cli
