// What each column of a table of labels is: decided from the header and a sample of the rows, by
// all readers of labels alike.
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

/// bad_input: a table in which several columns may be the labels, or the images.
class UnclearColumns : public Error {
    using Error::Error;
};

/// What is known of a table before it is read.
struct TableSample {
    std::string source{};                          ///< the file's name, for messages
    std::vector<std::string> names{};              ///< of the columns
    std::vector<std::vector<std::string>> rows{};  ///< the first ones, each as long as `names`
    bool header = true;                            ///< false: `names` are "1", "2", ...
};

struct ColumnChoice {
    /// As the user names them: by name (case and punctuation do not matter), or by number from 1
    /// where the table has no header. "": found out. `label_column` "none": there are no labels.
    std::string image_column{}, label_column{};
    const ClassList* classes = nullptr;  ///< tell labels from other columns; may be null
    /// Refuse a table in which several columns may hold the labels, or none is known to. Else such
    /// a table has no labels.
    bool ask = true;
    /// What the user can do where the table is refused: there are options for it, or only the names
    /// of the columns.
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
        std::string label;  ///< that a 1 in this column means
    };
    Form form = Form::none;
    std::optional<std::size_t> image, id, label;
    std::vector<Flag> flags;
    bool signs = false;                 ///< flags are -1 and 1
    std::vector<std::size_t> others{};  ///< attributes, in the order of the table
    std::vector<std::size_t> unused{};  ///< pandas' numbers of rows

    /// "labels: column class; images: column file; not used: width, height". `others_are`: what
    /// becomes of the others ("attributes", "not used").
    std::string said(const TableSample& table, std::string_view others_are) const;
};

/// Throws bad_input where two columns of one name, or two readings, are plausible, and usage where
/// a column that was asked for is not there.
LabelColumns label_columns(const TableSample& table, const ColumnChoice& choice);

/// By its extension, or by its number among ImageNet's validation images.
bool names_an_image(std::string_view cell);
/// "1", "1.0" and "true" are set; "0", "0.0", "false", "" and, of signs, "-1" are not; nothing: the
/// cell is no flag.
std::optional<bool> flag_value(std::string_view cell);
/// "3.0" and "3.00" give "3": pandas writes whole numbers so beside empty cells.
std::string_view whole_number(std::string_view text);

}  // namespace assay
