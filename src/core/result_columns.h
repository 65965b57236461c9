// The columns of a description, resolved once and then used for many rows.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "assay/describe_result.h"
#include "assay/report.h"

namespace assay {

/// A column and the location of its value.
struct ResultColumn {
    std::string_view column, path;
    bool every_part = false;
    const Part* part = nullptr;    ///< the row at the start of the path; nullptr if there is none
    std::string_view inside = {};  ///< the rest of the path: to a place inside the
                                   ///< row's value

    /// True if the column represents several columns, one for each entry of a list.
    bool is_of_list() const { return column.find('{') != std::string_view::npos; }
    /// The text "labels" in "subgroup{labels}_v1".
    std::string_view field() const {
        const std::size_t begin = column.find('{') + 1;
        return column.substr(begin, column.find('}') - begin);
    }
};

class ResultColumns {
public:
    explicit ResultColumns(const ResultType& type);
    void add_cells(std::vector<Cell>& cells, const void* object) const;

private:
    std::vector<ResultColumn> columns_;
};

}  // namespace assay
