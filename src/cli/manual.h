// The manual: a page for the program, for each command and for each of their parts, made of what
// they say of themselves (description.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

struct ManualPage {
    std::string file;  ///< "assay-labels-stats.1"
    std::string text;
};

/// In the order of the table, the program's own first. `date`: 2026-01-31.
std::vector<ManualPage> manual_pages(std::string_view date);

}  // namespace assay::cli
