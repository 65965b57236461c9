#include "decisions/store_notes.h"

#include <algorithm>
#include <cstddef>

namespace assay::decisions {
namespace {

/// True if all rows of the group `depth` of `row` have the same notes.
bool says_one_thing(const std::vector<RowNote>& rows, const RowNote& row, std::size_t depth) {
    return std::ranges::all_of(rows, [&](const RowNote& other) {
        return other.groups[depth] != row.groups[depth] || other.text == row.text;
    });
}

}  // namespace

std::vector<std::string> joined_notes(const std::vector<RowNote>& rows) {
    std::vector<std::string> out;
    for (const RowNote& row : rows) {
        if (row.text.empty()) continue;
        std::size_t depth = 0;
        while (depth + 1 < row.groups.size() && !says_one_thing(rows, row, depth)) ++depth;
        const std::string& group = row.groups[depth];
        std::string note = group.empty() ? row.text : group + ": " + row.text;
        if (std::ranges::find(out, note) == out.end()) out.push_back(std::move(note));
    }
    return out;
}

}  // namespace assay::decisions
