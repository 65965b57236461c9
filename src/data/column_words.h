// The vocabulary of columns in tables of labels: the meaning of a column by its name alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

enum class ColumnWord : std::uint8_t {
    other,
    image,       ///< "path", "filename", "image_id", ...: names an image
    id,          ///< "id": names an item, or its image if no other column does
    label,       ///< "label", "class", "ClassId", "target", ...: the label of the image
    labels,      ///< "labels", "tags": several labels in a cell, separated by blanks
    boxes,       ///< "PredictionString": a class and four numbers for each box
    predicted,   ///< "pred", "y_pred", ...: a classifier's prediction, which is no label
    split,       ///< "split", "subset", "fold", ...
    geometry,    ///< "width", "xmin", "Roi.X1", ...: sizes and sides of boxes
    attribute,   ///< "group", "age", "source", ...: known to be something other than the label
    row_number,  ///< "", "Unnamed: 0": the index column that pandas writes
};

struct ColumnMeaning {
    ColumnWord word = ColumnWord::other;
    /// If two columns have the same meaning, the one with the lower rank expresses it more clearly.
    std::size_t rank = 0;
};

/// Case, blanks and punctuation do not matter: "Image ID" and "ImageId" are the same name.
ColumnMeaning column_meaning(std::string_view name);
inline ColumnWord column_word(std::string_view name) {
    return column_meaning(name).word;
}

/// A column's name without case and punctuation: "Roi.X1" gives "roix1".
std::string column_key(std::string_view name);

}  // namespace assay
