// Lists of images and labels from files (csv, tsv, text), with labels still as texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/error.h"
#include "data/table_text.h"

namespace assay {

struct LabelList {
    std::string source;  ///< file name, for messages
    std::size_t rows = 0;
    StringColumn files;  ///< one file per row; empty if rows have only labels, in the items' order
    StringColumn ids;    ///< an `id` column next to a path column, else empty
    bool stems = false;  ///< files have no extension (the challenge's ImageId)
    bool has_labels = false;
    bool flags = false;  ///< a column per class; `texts` are in the order of the columns
    /// The interpretation of each column; "" if there are no columns.
    std::string taken;
    std::size_t marked_none = 0;  ///< rows with the label -1, which means none
    LabelSets labels;             ///< one set of indices into `texts` per row
    struct Text {
        std::string text;
        std::size_t line;  ///< the line of its first occurrence
    };
    std::vector<Text> texts;
    std::vector<Dataset::Attribute> attributes;  ///< the other columns

    std::size_t line_of(std::size_t row) const;
    std::vector<std::uint32_t> lines;  ///< line of each row
};

struct LabelListOptions {
    const ClassList* classes = nullptr;  ///< helps to distinguish "great white shark" from three
                                         ///< labels; may be null
    bool attributes = true;              ///< keep the other columns
    std::size_t limit = 0;               ///< rows to read if they name whole files; 0 reads all
    std::string image_column{}, label_column{};  ///< as in ColumnChoice
    bool ask = true, options = true;             ///< likewise
    bool minus_one_unlabelled = false;           ///< -1 is no label, even if all others are 1
};

/// The number of images in ImageNet's validation set. Lists of labels follow the order of their
/// numbers.
inline constexpr std::size_t imagenet_val_size = 50'000;
/// True if there are items, all named ILSVRC2012_val_%08d.*.
bool all_imagenet_val(const StringColumn& ids);

/// Reads a table, or text with one label or `file label ...` per line. Throws bad_input.
LabelList read_label_list(const TableFile& file, const LabelListOptions& options);

/// Throws usage because columns were requested and a file in this format has none.
[[noreturn]] void refuse_columns_of(std::string_view source);

/// Notes about a list that was read: its columns, and labels that mean none.
std::vector<std::string> notes_of(const LabelList& list);

/// The class of each text. Throws bad_input naming file, line, value and the nearest class.
std::vector<std::int32_t> classes_of_texts(const LabelList& list, const ClassList& classes);

/// Makes the label sets by replacing texts by classes.
LabelSets to_classes(const LabelList& list, const std::vector<std::int32_t>& class_of_text);

/// A note such as "labels.csv: -1 means no label: 95 of 200 rows".
std::string note_of_none(std::string_view source, std::uint64_t none, std::uint64_t rows);
/// A bad_input error because all labels are -1 or 1, and -1 may be a class.
class UnclearSigns : public Error {
public:
    UnclearSigns(const std::string& message, std::uint64_t minus_ones, std::uint64_t plus_ones)
        : Error(ErrorCode::bad_input, message), none(minus_ones), ones(plus_ones) {}
    std::uint64_t none, ones;  ///< the number of labels that are -1, and that are 1
};
/// Throws UnclearSigns if there are at most two classes and all labels are -1 (`none` of them) or 1
/// (`ones`), with no `others`.
void refuse_signs(std::string_view source, std::uint64_t none, std::uint64_t ones,
                  std::uint64_t others, const ClassList& classes);

/// True if the ids are 1 to C.
bool have_numbers_from_one(const ClassList& classes);

/// The explanation "label `x`: ..." in messages of all readers of labels.
std::string unknown_label(std::string_view label, const ClassList& classes);

}  // namespace assay
