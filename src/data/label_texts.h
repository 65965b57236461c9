// Splits cells of labels into numbered label texts, and writes cells in a form that this code
// splits back.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/label_list.h"

namespace assay {

class LabelTexts {
public:
    LabelTexts(LabelList& list, const ClassList* classes)
        : list_(list),
          classes_(classes),
          minus_one_is_class_(classes != nullptr && classes->find("-1").has_value()) {}

    /// Adds one row's cell. With `many`, the column is `labels`, in which blanks always separate.
    /// Otherwise a cell is one label if it is a class, or contains words that are not all labels.
    /// The characters ';' and '|' separate everywhere, and so does a list as Python prints it
    /// ("[3, 9]"). The texts "" and "-1" are no label, unless a class is called -1.
    void add_row(std::string_view cell, bool many, std::size_t line);
    /// The challenge's PredictionString: class and four numbers for each box.
    void add_boxes(std::string_view cell, std::size_t line);
    /// The number of a text that is a single label. `line` is the line of its first occurrence.
    std::int32_t number(std::string_view text, std::size_t line);

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>{}(text);
        }
    };
    bool is_label(std::string_view text) const;
    bool is_one_label(std::string_view cell, bool many) const;

    LabelList& list_;
    const ClassList* classes_;
    bool minus_one_is_class_;
    std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
    std::vector<std::int32_t> row_;
};

/// Throws bad_input for a class whose id cannot be written in a cell of labels.
void check_label_ids(const ClassList& classes);

/// Writes cells of a `labels` column: ids separated by a blank. If a class of the list could be
/// read as several others, each id gets a semicolon instead.
class LabelCells {
public:
    /// The classes must outlive this object. Throws as check_label_ids().
    explicit LabelCells(const ClassList& classes);
    std::string text(std::span<const std::int32_t> labels) const;

private:
    const ClassList& classes_;
    bool blanks_ = false;
};

}  // namespace assay
