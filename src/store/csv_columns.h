// Determines the roles of a csv table's columns, from their names or from the user.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "containers/csv.h"
#include "store/cells.h"
#include "store/score_columns.h"
#include "store/score_source.h"

namespace assay::store {

class CsvColumns {
protected:
    using FieldAt = std::optional<std::size_t>;

    /// `text`, `name` and `options` must outlive this object. Reads the header and the first row.
    /// Throws bad_input. Throws usage if a column that the user names does not exist.
    CsvColumns(std::string_view text, const std::string& name, const SourceOptions& options);

    /// The user's name for a column: its position if it has no name.
    std::string name_of(std::size_t column) const;
    std::vector<std::string> names_of(const std::vector<std::size_t>& columns) const;
    /// The fields of the first rows below the header.
    std::vector<std::vector<std::string>> first_rows(std::size_t count) const;
    /// The first rows of these columns, and all texts of the column of labels.
    ColumnSample sample_of(const std::vector<std::size_t>& columns, FieldAt labels) const;
    /// Calls parse_score(), and also accepts a decimal comma if commas are not separators.
    std::optional<float> number_in(std::string_view cell) const;
    /// Returns text such as "labels: column label; scores: 4 columns a, b, c, d; not used: epoch".
    std::string what_was_taken() const;

    std::string_view text_;
    const std::string& name_;
    const SourceOptions& options_;
    char delimiter_;
    bool has_header_;
    CsvReader reader_;
    std::size_t width_ = 0;  ///< columns
    FieldAt id_, index_, label_, truth_, predicted_, score_;
    bool no_labels_ = false;  ///< the user wants to ignore the images' labels
    std::set<std::size_t> ignored_;
    std::vector<std::size_t> class_columns_, score_columns_;  ///< used when the rows are read

private:
    bool has_header() const;
    CsvReader open() const;
    FieldAt* place_of(Role role);
    void take_names(const std::vector<std::string>& row);
    void take_choice();
    bool has_column(std::string_view name) const;
    void refuse_names_twice() const;
};

}  // namespace assay::store
