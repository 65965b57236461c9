// Determines the role of each column in a table of labels from the header and a sample of rows. All
// readers of labels use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/error.h"

namespace assay {

/// A bad_input error for a table in which several columns may be the labels or the images.
class UnclearColumns : public Error {
    using Error::Error;
};

/// The facts about a table before it is read.
struct TableSample {
    std::string source{};                          ///< the file's name, for messages
    std::vector<std::string> names{};              ///< names of the columns
    std::vector<std::vector<std::string>> rows{};  ///< the first rows, each as long as `names`
    bool header = true;                            ///< false: `names` are "1", "2", ...
};

struct ColumnChoice {
    /// Names from the user (case and punctuation do not matter), or numbers from 1 if the table has
    /// no header. "" detects the column. `label_column` "none" means that there are no labels.
    std::string image_column{}, label_column{};
    const ClassList* classes = nullptr;  ///< help to distinguish labels from other columns; may be
                                         ///< null
    /// Refuse a table in which several columns may contain the labels, or no column is known to. If
    /// false, such a table has no labels.
    bool ask = true;
    /// True if the error may suggest options. Otherwise the user can only rename columns.
    bool options = true;
};

struct LabelColumns {
    enum class Form : std::uint8_t {
        none,
        single,   ///< a label in each cell
        several,  ///< blanks separate labels
        boxes,    ///< a class and four numbers for each box
        flags     ///< a column of 0 and 1 (or of -1 and 1) per class
    };
    struct Flag {
        std::size_t column = 0;
        std::string label;  ///< the label that a 1 in this column means
    };
    Form form = Form::none;
    std::optional<std::size_t> image, id, label;
    std::vector<Flag> flags;
    bool signs = false;                 ///< flags are -1 and 1
    std::vector<std::size_t> others{};  ///< columns that are attributes, in the order of the table
    std::vector<std::size_t> unused{};  ///< columns with pandas' row numbers

    /// "labels: column class; images: column file; not used: width, height". `others_are` describes
    /// the use of the other columns ("attributes", "not used").
    std::string said(const TableSample& table, std::string_view others_are) const;
};

/// Throws bad_input if two columns have the same name or the table is ambiguous, and usage if a
/// requested column does not exist.
LabelColumns label_columns(const TableSample& table, const ColumnChoice& choice);

/// True if a cell names an image, by its extension or a number of ImageNet's validation images.
bool names_an_image(std::string_view cell);
/// True for "1", "1.0" and "true". False for "0", "0.0", "false", "" and, for signs, "-1". Nothing
/// if the cell is no flag.
std::optional<bool> flag_value(std::string_view cell);
/// "3.0" and "3.00" become "3": pandas writes integers so if a column has empty cells.
std::string_view whole_number(std::string_view text);

}  // namespace assay
