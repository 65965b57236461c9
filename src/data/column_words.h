// The one vocabulary of columns in tables of labels: what the name of a column alone says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

enum class ColumnWord : std::uint8_t {
    other,
    image,       ///< "path", "filename", "image_id", ...: names an image
    id,          ///< "id": names an item, or its image where no other column does
    label,       ///< "label", "class", "ClassId", "target", ...: the label of the image
    labels,      ///< "labels", "tags": several labels in a cell, with blanks between them
    boxes,       ///< "PredictionString": a class and four numbers for each box
    predicted,   ///< "pred", "y_pred", ...: what a classifier said, which is no label
    split,       ///< "split", "subset", "fold", ...
    geometry,    ///< "width", "xmin", "Roi.X1", ...: sizes and sides of boxes
    attribute,   ///< "group", "age", "source", ...: known to say something else than the label
    row_number,  ///< "", "Unnamed: 0": what pandas writes in front of a table
};

struct ColumnMeaning {
    ColumnWord word = ColumnWord::other;
    /// Of two columns of one word, the one with the lower rank says it more clearly.
    std::size_t rank = 0;
};

/// Case, blanks and punctuation do not matter: "Image ID", "image_id" and "ImageId" are one name.
ColumnMeaning column_meaning(std::string_view name);
inline ColumnWord column_word(std::string_view name) {
    return column_meaning(name).word;
}

/// The name by which columns are told apart: "Roi.X1" gives "roix1".
std::string column_key(std::string_view name);

}  // namespace assay
