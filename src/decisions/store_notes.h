// Writes notes below a table about several stores.
#pragma once

#include <string>
#include <vector>

namespace assay::decisions {

/// The notes on one row of a table.
struct RowNote {
    /// The groups of the row, from the largest: "", "val", "net on val".
    std::vector<std::string> groups;
    std::string text;
};

/// Each text once, after the largest group in which all rows have this text: "val: ...". Of a row
/// that differs from others in its smallest group, all texts.
std::vector<std::string> joined_notes(const std::vector<RowNote>& rows);

}  // namespace assay::decisions
